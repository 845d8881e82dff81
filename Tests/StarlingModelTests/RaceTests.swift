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
