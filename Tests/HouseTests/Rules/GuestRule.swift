import Testing

extension Rule {
  /// A program imports SwiftUI and Starling in one file; a name that both have would be ambiguous there. Functions may
  /// share a name where their labels tell them apart.
  static let guestsShareNoName = Rule("what `import Starling` brings has no name of SwiftUI's") { house in
    let theirs = house.swiftFiles.filter { $0.path.hasPrefix("Tests/SwiftUIStandIn/") }
    let taken = Set(theirs.flatMap { file in file.outermost.map(\.name) })
    let page = "Documentation/API/Starling.txt"
    guard !taken.isEmpty, let text = house.files[page] ?? nil else {
      return [
        Finding(
          path: page, line: 1, what: "The names cannot be compared",
          remedy: "Keep this page and the names in Tests/SwiftUIStandIn, or change the rule")
      ]
    }
    return SwiftFile(path: page, text: text, target: nil).outermost.filter { taken.contains($0.name) }.map {
      Finding(
        path: page, line: $0.line, what: "SwiftUI has the name \($0.name) too",
        remedy: "Choose another, or declare it in StarlingBinding or StarlingView, which take the place of SwiftUI")
    }
  }
}

extension SwiftFile {
  /// What stands in no other declaration, and is not an extension of another.
  fileprivate var outermost: [Declaration] {
    Declaration.all(in: self).filter { $0.owner == nil && $0.kind != .extension }
  }
}

@Suite struct `The rule of guests` {
  private func findings(_ page: String?) -> [Finding] {
    Rule.guestsShareNoName.check(
      House([
        "Documentation/API/Starling.txt": page,
        "Tests/SwiftUIStandIn/Names.swift": """
        public struct Binding<Value> {
          public var name: Value
        }
        public enum Text {}
        public func withTransaction<Result>(_ transaction: Transaction, _ body: () -> Result) -> Result { body() }
        """,
      ]))
  }

  @Test(arguments: [
    "struct Binding<Value>", "@propertyWrapper struct Binding<Value>", "protocol Text { func run() }",
    "enum A\nclass Text",
    "func withTransaction<Result>(_ scope: Scope, _ run: () -> Result) -> Result", "@attached(member) macro Text()",
  ])
  func `refuses a name of SwiftUI's`(_ page: String) {
    #expect(findings(page).count == 1)
  }

  @Test(arguments: [
    "struct Binder<Value>", "extension Peer { struct Text }", "extension Text { func run() }",
    "func withTransaction<Result>(message: String?, _ body: () -> Result) -> Result", "protocol A { var Text: Int }",
  ])
  func `accepts other names, members and functions with other labels`(_ page: String) {
    #expect(findings(page) == [])
  }

  @Test func `needs the page`() {
    #expect(findings(nil).count == 1)
  }
}
