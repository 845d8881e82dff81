import Testing

extension Rule {
  /// Row 158 of Documentation/StateSemantics.md: what somebody else could hand in would be looked at once.
  static let viewsOwnTheirState = Rule("what a view owns is private") { house in
    house.shownSwift.flatMap { file in
      file.ownedProperties.filter { !$0.isPrivate }.map { property in
        Finding(
          path: file.path, line: property.line, what: "`@\(property.wrapper)` can be set from outside the view",
          remedy: "Make it private")
      }
    }
  }
}

/// A property whose wrapper says that its view owns it, or finds it by itself.
struct OwnedProperty {
  let wrapper: String
  let line: Int
  let isPrivate: Bool

  fileprivate static let wrappers: Set = [
    "State", "StateObject", "FocusState", "AppStorage", "SceneStorage", "Environment", "EnvironmentObject",
    "FocusedValue",
  ]
}

extension House {
  /// What people copy: the examples, the sample programs among the tests, and the Swift that pages show.
  var shownSwift: [SwiftFile] {
    swiftFiles.filter { $0.path.hasPrefix("Examples/") || $0.path.contains("/Samples/") }
      + files.sorted { $0.key < $1.key }.filter { $0.key.hasSuffix(".md") }.map { path, text in
        SwiftFile(path: path, text: House.swift(in: text ?? ""), target: nil)
      }
  }

  /// The page without what is no Swift; each line stays where it was.
  private static func swift(in page: String) -> String {
    var isSwift = false
    return page.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if line.hasPrefix("```") {
        isSwift = line.hasPrefix("```swift")
        return ""
      }
      return isSwift ? String(line) : ""
    }.joined(separator: "\n")
  }
}

extension SwiftFile {
  /// Those of views; a model, which is a class, may show its own.
  var ownedProperties: [OwnedProperty] {
    var found: [OwnedProperty] = []
    var isClass = [false]
    var headerStart = 0
    for (index, token) in tokens.enumerated() where token.kind != .literal {
      switch token.text {
      case "{":
        isClass.append(tokens[headerStart..<index].contains { $0.kind == .word && $0.text == "class" })
        headerStart = index + 1
      case "}":
        if isClass.count > 1 { isClass.removeLast() }
        headerStart = index + 1
      case "@" where isClass.last == false: if let property = property(at: index) { found.append(property) }
      default: break
      }
    }
    return found
  }

  /// The property whose attribute begins at `index`, if it is one that a view owns.
  private func property(at index: Int) -> OwnedProperty? {
    guard index + 1 < tokens.count, OwnedProperty.wrappers.contains(tokens[index + 1].text) else { return nil }
    // The way to `var` is short: arguments, other attributes, access.
    var depth = 0
    var isPrivate = index > 0 && ["private", "fileprivate"].contains(tokens[index - 1].text)
    for place in (index + 2)..<min(index + 42, tokens.count) {
      let text = tokens[place].text
      switch text {
      case "(": depth += 1
      case ")": depth -= 1
      case "private", "fileprivate":
        // `private(set)` lets everybody read, and the view's initializer set.
        if depth == 0, place + 1 < tokens.count, tokens[place + 1].text != "(" { isPrivate = true }
      case "var" where depth == 0:
        return OwnedProperty(wrapper: tokens[index + 1].text, line: tokens[index].line, isPrivate: isPrivate)
      case "{", "}", "func", "let": return nil
      default: break
      }
    }
    return nil
  }
}

@Suite struct `The rule of what views own` {
  private func findings(_ code: String, at path: String = "Examples/A/Sources/a/A.swift") -> [Finding] {
    Rule.viewsOwnTheirState.check(House([path: code]))
  }

  @Test func `row 90, 130, 158: is kept by all that people copy`() {
    #expect(Rule.viewsOwnTheirState.check(.ofThisCheckout) == [])
    let owned = House.ofThisCheckout.shownSwift.flatMap(\.ownedProperties)
    #expect(owned.contains { $0.wrapper == "State" })
    #expect(owned.contains { $0.wrapper == "StateObject" })
    #expect(owned.contains { $0.wrapper == "FocusState" })
    #expect(owned.contains { $0.wrapper == "Environment" })
  }

  @Test(arguments: [
    "struct A: View { @State var a = 1 }", "struct A: View { @StateObject internal var a = B() }",
    "struct A: View { @FocusState var a: Bool }", "struct A: View { @AppStorage(\"a\") public var a = 1 }",
    "struct A: View { @Environment(\\.colorScheme) var scheme }", "struct A: View { @State private(set) var a = 1 }",
    "struct A: View { @Environment(B.self)\n  @Other(1) var a }",
  ])
  func `refuses what can be set from outside`(_ code: String) {
    #expect(findings(code).count == 1)
    #expect(findings("# A\n\n```swift\n\(code)\n```\n", at: "Documentation/A.md").map(\.line) == [4])
    #expect(findings(code, at: "Sources/StarlingView/A.swift") == [])
  }

  @Test(arguments: [
    "struct A: View { @State private var a = 1 }", "struct A: View { @Other @State fileprivate var a = 1 }",
    "struct A: View { private @State var a = 1 }", "struct A: View { @Binding var a: Int }",
    "final class A { @AppStorage(\"a\") var a = 1 }", "// @State var a = 1", "@attached(peer) macro State()",
  ])
  func `accepts what cannot`(_ code: String) {
    #expect(findings(code) == [])
  }
}
