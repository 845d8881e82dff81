import Testing

extension Rule {
  /// Whoever imports Starling finds in completion what a program may say, and nothing that only expansions say.
  static let expansionsKeepToTheirName = Rule("what only a macro's expansion speaks of stands behind `_Replicated`") {
    house in
    house.files.filter { $0.key.hasPrefix("Sources/StarlingMacros/") }.flatMap { path, text -> [Finding] in
      var findings: [Finding] = []
      let lines = (text ?? "").split(separator: "\n", omittingEmptySubsequences: false)
      for (index, line) in lines.enumerated() where !isComment(line) {
        for name in names(in: line) where !said.contains(name) {
          findings.append(
            Finding(
              path: path, line: index + 1, what: "An expansion speaks of `\(name)`, which every program sees",
              remedy: "Declare it in an extension of `_Replicated`"))
        }
      }
      return findings
    }
  }

  private static func isComment(_ line: Substring) -> Bool { line.drop(while: \.isWhitespace).hasPrefix("//") }

  private static func names(in line: Substring) -> [String] {
    line.matches(of: /StarlingModel\.(\w+)/).map { String($0.output.1) }
  }

  /// The one name; what a program may conform to by itself; and a name that the compiler shows in an error.
  private static let said: Set = [
    "_Replicated", "ReplicatedModel", "ReplicatedFields", "ReplicatedModelsInheritFromNoClass",
  ]
}

@Suite struct `The rule of expansions` {
  private func findings(_ line: String) -> [Finding] {
    Rule.expansionsKeepToTheirName.check(House(["Sources/StarlingMacros/Calls.swift": "\n" + line]))
  }

  @Test func `refuses a name that every program sees`() {
    #expect(findings(#"  "let _title = StarlingModel.Field(0)""#).map(\.line) == [2])
  }

  @Test(arguments: [
    #""let _title = StarlingModel._Replicated.Field(0)""#, #""extension Book: StarlingModel.ReplicatedModel {}""#,
    "  /// So that `@StarlingModel.Local` counts.",
  ])
  func `accepts the one name, conformances and comments`(_ line: String) {
    #expect(findings(line) == [])
  }
}
