import StarlingModel
import StarlingModelTestSupport
import Testing

@Replicated final class Tally: Sendable {
  var votes = 0
  var names: [String] = []
}

@Suite struct `A number that is changed in place` {
  @Test func `is named where another thread wrote it in between`() async throws {
    let incidents = Incidents()
    let (tally, _) = try Pair().models(Tally.self)
    func add(_ votes: inout Int) {
      // As another thread does between the reading and the writing.
      tally.votes = 10
      votes += 1
    }
    add(&tally.votes)
    #expect(tally.votes == 1)
    #if DEBUG
      #expect(incidents.contains { $0 == .racedEdit(property: "Tally.votes") })
      #expect(incidents.contains { "\($0)".contains("Declare it a ReplicatedCounter") })
    #endif
  }

  @Test func `is no matter for an array, whose edits add up`() throws {
    let incidents = Incidents()
    let (tally, _) = try Pair().models(Tally.self)
    func add(_ names: inout [String]) {
      names.append("Ada")
    }
    add(&tally.names)
    #expect(!incidents.contains { if case .racedEdit(property: "Tally.names") = $0 { true } else { false } })
  }
}

@Suite struct `An array that is changed in place` {
  @Test(arguments: [["a", "b", "c"], ["c"], ["b"]])
  func `keeps what arrives at the same time`(removed: Set<String>) throws {
    let pair = Pair()
    let (here, there) = try pair.models(Tally.self)
    here.names = ["a", "b", "c"]
    pair.exchange()
    func remove(_ names: inout [String]) {
      there.names.insert("behind b", at: 2)
      there.names.append("at the end")
      pair.exchange()
      names.removeAll { removed.contains($0) }
    }
    remove(&here.names)
    pair.exchange()
    let expected = ["a", "b", "behind b", "c", "at the end"].filter { !removed.contains($0) }
    #expect(here.names == expected)
    #expect(there.names == expected)
  }
}
