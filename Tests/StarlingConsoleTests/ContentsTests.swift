import StarlingCore
import StarlingEngine
import StarlingReplica
import StarlingSession
import Testing

@testable import StarlingConsole

@Suite struct `The lag of members` {
  private let document = DocumentID("test")!

  @Test func `is the age of the oldest operation that a member lacks`() {
    var lags = LagTable()
    lags.note([document: 10], at: 1000)
    lags.note([document: 10], at: 2000)
    lags.note([document: 15], at: 3000)
    lags.note([document: 20], at: 4000)
    #expect(lags.lag(document, operationCount: 20, at: 9000) == 0)
    #expect(lags.lag(document, operationCount: 15, at: 9000) == 5000)
    #expect(lags.lag(document, operationCount: 12, at: 9000) == 6000)
    #expect(lags.lag(document, operationCount: 0, at: 9000) == 8000)
    #expect(lags.lacking(document, operationCount: 12) == 8)
    #expect(lags.lacking(document, operationCount: 25) == 0)
    #expect(lags.lag(DocumentID("other")!, operationCount: 0, at: 9000) == 0)
  }

  @Test func `forgets documents that are closed, and remembers no more than it may`() {
    var lags = LagTable()
    for second in 1...10_000 { lags.note([document: UInt64(second)], at: UInt64(second) * 1000) }
    #expect(lags.lag(document, operationCount: 0, at: 10_000_000) == 9_999_000)
    #expect(lags.lag(document, operationCount: 9999, at: 10_000_000) == 0)
    lags.note([:], at: 10_001_000)
    #expect(lags.lacking(document, operationCount: 0) == 0)
  }
}

@Suite struct `What went wrong` {
  private let document = DocumentID("test")!
  private let store = StoreID(rawValue: 7)

  @Test func `is told once, with how often and what to do`() throws {
    var table = IncidentTable()
    for second in 1...3 { table.note(.refused(store, explanation: "another version"), at: UInt64(second)) }
    table.note(.joined(store, agent: "starling"), at: 9)
    let incident = try #require(table.incidents.first)
    #expect(table.incidents.count == 1)
    #expect(incident.count == 3)
    #expect(incident.milliseconds == 3)
    #expect(!incident.finding.remedy.isEmpty)
  }

  @Test func `is bounded, and goes when it is dismissed`() {
    var table = IncidentTable()
    for number in 0..<200 { table.note(.refused(nil, explanation: "\(number)"), at: UInt64(number)) }
    #expect(table.incidents.count == 50)
    #expect(table.incidents.last?.finding.what == "refused: 199")
    table.dismiss()
    #expect(table.incidents.isEmpty)
  }

  @Test func `names members that diverged until they come again`() {
    var table = IncidentTable()
    table.note(.diverged(document, store), at: 1)
    #expect(table.diverged[store] == [document])
    table.note(.joined(store, agent: "starling"), at: 2)
    #expect(table.diverged[store] == nil)
  }

  @Test func `says of a refused key how to let it in, and nothing of one that is let in`() {
    var table = IncidentTable()
    table.note(.access(AccessEvent(.admitted, user: "K", explanation: "let in")), at: 1)
    #expect(table.incidents.isEmpty)
    table.note(.access(AccessEvent(.notAdmitted, user: "K", address: "10.0.0.7", explanation: "no such key")), at: 1)
    #expect(table.incidents.first?.finding.subject == "the key K at 10.0.0.7")
    #expect(table.incidents.first?.finding.remedy.contains("starling keys authorize") == true)
  }
}

@Suite struct `A command of the page` {
  private func parse(_ text: String) throws -> ConsoleCommand { try ConsoleCommand(JSONValue(parsing: text)) }

  private let root = #""document": "test", "object": "00000000000000008000000000000000", "containerKind": "map""#

  @Test func `keeps integers that a browser would round`() throws {
    let command = try parse(#"{"do": "set", \#(root), "key": "n:a", "json": "9007199254740993"}"#)
    let slot = SlotAddress(container: .root, outer: nil, key: .name("a"))
    #expect(command == .set(DocumentID("test")!, slot, .integer(9_007_199_254_740_993), nil))
  }

  @Test func `takes a text as it is`() throws {
    let command = try parse(#"{"do": "set", \#(root), "key": "n:a", "string": "7", "as": "text"}"#)
    let slot = SlotAddress(container: .root, outer: nil, key: .name("a"))
    #expect(command == .set(DocumentID("test")!, slot, "7", .text))
  }

  @Test func `settles by the write whose value is kept`() throws {
    let command = try parse(#"{"do": "settle", \#(root), "outer": null, "key": "n:a", "by": "00000000000000ff:9"}"#)
    let slot = SlotAddress(container: .root, outer: nil, key: .name("a"))
    #expect(command == .settle(DocumentID("test")!, slot, by: Dot(ReplicaID(rawValue: 255), 9)))
  }

  @Test(arguments: [
    "{}", #"{"do": "explode"}"#, #"{"do": "set"}"#, #"{"do": "set", "document": "test", "key": "n:a", "json": "1"}"#,
    #"{"do": "add", "document": "test", "object": "00000000000000008000000000000000", "containerKind": "map", "json": "1"}"#,
    #"{"do": "restore", "session": 1}"#, "[]", "7",
    #"{"do": "set", "document": "test", "object": "00000000000000008000000000000000", "containerKind": "map", "key": "n:a", "json": "many"}"#,
    #"{"do": "set", "document": "test", "object": "00000000000000008000000000000000", "containerKind": "later", "key": "n:a", "json": "1"}"#,
  ])
  func `is refused in words where it says too little or something else`(_ text: String) {
    #expect { try parse(text) } throws: { "\($0)".count > 15 && $0 is CommandError }
  }

  @Test func `cannot look at more than a page may`() throws {
    let window = #"{"object": "00000000000000008000000000000000", "containerKind": "map", "count": 100000}"#
    let one = try PageView(JSONValue(parsing: #"{"document": "test", "windows": [\#(window), \#(window)]}"#))
    #expect(one.windows.count == 1)
    #expect(one.windows.first?.count == TreeWindow.countMax)
    let many = Array(repeating: window, count: PageView.windowCountMax + 1).joined(separator: ", ")
    #expect(throws: CommandError.self) {
      try PageView(JSONValue(parsing: #"{"document": "test", "windows": [\#(many)]}"#))
    }
  }
}

@Suite struct `The files of the page` {
  @Test func `name nothing that is elsewhere, and need no style or script in the page`() {
    for text in [ConsolePage.html, ConsolePage.style, ConsolePage.script, ConsolePage.refusal("a", "b")] {
      let addresses = text.split(separator: "http").dropFirst().filter { !$0.hasPrefix("://www.w3.org/2000/svg") }
      #expect(addresses.isEmpty)
    }
    for markup in [ConsolePage.html, ConsolePage.refusal("a", "b")] {
      #expect(!markup.contains("style="))
      #expect(!markup.contains(" onclick") && !markup.contains("<script>") && !markup.contains("<style>"))
    }
    // What others wrote becomes text, never markup.
    #expect(!ConsolePage.script.contains("innerHTML") && !ConsolePage.script.contains("insertAdjacentHTML"))
    #expect(!ConsolePage.script.contains("eval("))
  }

  @Test func `are small enough to be read`() {
    #expect(ConsolePage.script.utf8.count < 64 << 10)
    #expect(ConsolePage.style.utf8.count < 32 << 10)
  }
}
