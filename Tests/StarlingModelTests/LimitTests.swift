import StarlingCore
import StarlingModel
import StarlingModelTestSupport
import Testing

@Suite struct `A write that no peer would take` {
  let pair = Pair()

  private static func text(_ byteCount: Int) -> String { String(repeating: "x", count: byteCount) }

  private func isReported(_ incidents: Incidents, _ part: OversizedWrite.Part, _ key: Key) -> Bool {
    incidents.contains { incident in
      guard case .oversized(let write) = incident else { return false }
      return write.part == part && write.key == key && write.size > write.limit
    }
  }

  @Test func `leaves the property as it was, wakes nobody and is reported`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Book.self)
    here.title = "Dune"
    let watch = Watch { here.title }
    here.title = Self.text(ChangeLimits.byteCountMax)
    #expect(here.title == "Dune")
    #expect(watch.runs == 1)
    #expect(isReported(incidents, .value, "title"))
    pair.exchange()
    #expect(there.title == "Dune")
    here.title = "Emma"
    pair.exchange()
    #expect(there.title == "Emma")
  }

  @Test func `is no member of a collection`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Book.self)
    let long = Self.text(ChangeLimits.keyByteCountMax + 1)
    here.tags = ["a", long]
    here.keywords.insert("b")
    here.keywords.insert(long)
    here.loans["c"] = 1
    here.loans[long] = 2
    #expect(here.tags == [])
    #expect(here.keywords.contains("b") && !here.keywords.contains(long))
    #expect(here.loans["c"] == 1 && here.loans[long] == nil && here.loans.count == 1)
    #expect(isReported(incidents, .key, .name(long)))
    pair.exchange()
    #expect(there.tags == [])
    #expect(there.keywords.count == 1)
    #expect(there.loans.count == 1)
  }

  @Test func `is no object, and nothing of it stands`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Library.self)
    let first = Author()
    first.name = "Frank"
    here.owner = first
    let second = Author()
    second.name = Self.text(ChangeLimits.byteCountMax)
    here.owner = second
    #expect(here.owner === first)
    #expect(isReported(incidents, .value, "name"))
    first.name = "Jane"
    pair.exchange()
    #expect(there.owner?.name == "Jane")
  }

  @Test func `refuses its transaction whole, and a message that is too long is left out`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Book.self)
    let tooLong = Self.text(ChangeLimits.messageByteCountMax + 1)
    let error = #expect(throws: OversizedWrite.self) {
      try withTransaction { () throws in
        for loan in 0..<20 { here.subtitle = "\(loan)" + Self.text(1 << 20) }
        here.title = "Emma"
      }
    }
    #expect(error?.part == .transactionBytes)
    #expect(here.subtitle == nil)
    #expect(here.title == "A sample book")
    withTransaction(message: tooLong) { here.title = "Dune" }
    #expect(isReported(incidents, .message, .name(tooLong)))
    pair.exchange()
    #expect(there.subtitle == here.subtitle)
    #expect(there.title == "Dune")
  }
}
