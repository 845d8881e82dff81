import Testing

extension Rule {
  /// A large struct that an accessor yields is read after the accessor has ended, in a build that is not optimized
  /// (Documentation/Decisions/large-values-are-returned.md).
  static let yieldsAreSmall = Rule("an accessor that yields what it reads yields a few fields") { house in
    house.swiftFiles.filter { $0.path.hasPrefix("Sources/") && !yielding.contains($0.path) }.flatMap { file in
      file.lines(of: "_read").map { line in
        Finding(
          path: file.path, line: line, what: "`_read` yields, and nobody has said that it is small",
          remedy: "Return it with `get`; or name the file in `yielding`, where the struct has a few fields")
      }
    }
  }

  /// A row of seven fields; a table of peers, which is two arrays.
  private static let yielding: Set = [
    "Sources/StarlingCore/Tables/SlotTable.swift", "Sources/StarlingSession/Replication/Replication.swift",
  ]
}

@Suite struct `The rule of yields` {
  private let code = "struct Row {\n  subscript(place: Int) -> Row {\n    _read { yield rows[place] }\n  }\n}\n"

  @Test func `refuses one that nobody has looked at`() {
    let findings = Rule.yieldsAreSmall.check(House(["Sources/Module/Row.swift": code]))
    #expect(findings.map(\.line) == [3])
  }

  @Test func `accepts those that are known, and what is returned`() {
    #expect(Rule.yieldsAreSmall.check(House(["Sources/StarlingCore/Tables/SlotTable.swift": code])).isEmpty)
    let returned = code.replacing("_read { yield", with: "get {")
    #expect(Rule.yieldsAreSmall.check(House(["Sources/Module/Row.swift": returned])).isEmpty)
  }
}
