import Foundation

/// A checkout as text: the floor plan, the Swift files, and every other file that people read.
///
/// Rules take one as a value, so that a few lines of fixture make a house that breaks a rule.
struct House {
  let plan: ModulePlan
  let swiftFiles: [SwiftFile]
  /// Every file by its path from the root; nil where it is not text.
  let files: [String: String?]

  init(_ files: [String: String?]) {
    self.files = files
    let plan = ModulePlan((files["Package.swift"] ?? nil) ?? "")
    self.plan = plan
    swiftFiles = files.filter { $0.key.hasSuffix(".swift") }.sorted { $0.key < $1.key }.map { path, text in
      SwiftFile(path: path, text: text ?? "", target: plan.target(holding: path))
    }
  }

  /// The house that this very file belongs to, read where it stands even if reached through a link.
  static let ofThisCheckout: House = {
    let here = URL(filePath: #filePath).resolvingSymlinksInPath()
    let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    var files: [String: String?] = [:]
    guard let paths = FileManager.default.enumerator(atPath: root.path(percentEncoded: false)) else {
      return House([:])
    }
    for case let path as String in paths {
      let name = path.split(separator: "/").last ?? ""
      if name == ".build" || name == ".git" || name == ".swiftpm" || name == "__pycache__" {
        paths.skipDescendants()
      } else if paths.fileAttributes?[.type] as? FileAttributeType == .typeRegular {
        files.updateValue(try? String(contentsOf: root.appending(path: path), encoding: .utf8), forKey: path)
      }
    }
    return House(files)
  }()
}

/// One Swift file, lexed once for all rules.
struct SwiftFile {
  let path: String
  let target: ModulePlan.Target?
  let tokens: [SwiftLexer.Token]
  /// What the comments of a line say, by line.
  let comments: [Int: String]
  let lineCount: Int
  /// Where each word and mark stands in `tokens`, so that looking for a phrase costs what it finds.
  private let places: [String: [Int]]

  init(path: String, text: String, target: ModulePlan.Target?) {
    let lexed = SwiftLexer(text)
    self.path = path
    self.target = target
    tokens = lexed.tokens
    comments = lexed.comments
    places = lexed.tokens.indices.reduce(into: [:]) { places, index in
      if lexed.tokens[index].kind != .literal { places[lexed.tokens[index].text, default: []].append(index) }
    }
    lineCount = text.hasSuffix("\n") ? lexed.lineCount - 1 : lexed.lineCount
  }

  var isTest: Bool { path.hasPrefix("Tests/") || path.contains("/Tests/") }

  /// The modules that the file imports, each with its line.
  var imports: [(module: String, line: Int)] {
    let declarations: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var", "actor"]
    return (places["import"] ?? []).compactMap { index in
      guard index + 1 < tokens.count, index == 0 || tokens[index - 1].text != "." else { return nil }
      var next = tokens[index + 1]
      if declarations.contains(next.text), index + 2 < tokens.count { next = tokens[index + 2] }
      return (next.text, tokens[index].line)
    }
  }

  /// The lines on which `phrase`, a few tokens of Swift, stands in code.
  func lines(of phrase: Phrase) -> [Int] {
    guard let first = phrase.tokens.first, let starts = places[first] else { return [] }
    return starts.filter { phrase.matches(tokens, at: $0) }.map { tokens[$0].line }
  }
}

/// A few tokens of Swift to look for, whatever the blanks between them: `Task.sleep`, `print(`.
struct Phrase: ExpressibleByStringLiteral {
  let spelling: String
  let tokens: [String]
  /// A global function, not a member or declaration that shares its name.
  let isFreestanding: Bool

  init(_ spelling: String, isFreestanding: Bool = false) {
    self.spelling = spelling
    self.isFreestanding = isFreestanding
    tokens = SwiftLexer(spelling).tokens.map(\.text)
  }

  init(stringLiteral value: String) {
    self.init(value)
  }

  static func call(_ name: String) -> Phrase { Phrase(name + "(", isFreestanding: true) }

  fileprivate func matches(_ code: [SwiftLexer.Token], at start: Int) -> Bool {
    guard start + tokens.count <= code.count else { return false }
    for (offset, text) in tokens.enumerated() {
      let token = code[start + offset]
      guard token.kind != .literal, token.text == text else { return false }
    }
    return !isFreestanding || start == 0 || ![".", "func"].contains(code[start - 1].text)
  }
}
