/// A declaration of a file, as far as it concerns what a reader of its documentation sees.
struct Declaration: Hashable {
  enum Kind: String {
    case `struct`, `class`, `enum`, `protocol`, `actor`, `extension`, `func`, `var`, `let`, `case`, `init`, `subscript`,
      `typealias`, `associatedtype`, macro

    var hasMembers: Bool { [.struct, .class, .enum, .protocol, .actor, .extension].contains(self) }
  }

  let kind: Kind
  /// With the labels of its parameters, `index(after:)`; of an operator the operator alone.
  let name: String
  /// Where its attributes and modifiers begin.
  let line: Int
  /// Words before its keyword: `public`, `static`, `override`.
  let modifiers: Set<String>
  /// What a type says that it inherits and conforms to.
  let conformances: [String]
  /// The type, extension or protocol that it stands in, by place in the file's declarations.
  let owner: Int?
}

extension Declaration {
  /// The declarations of a file in their order, but for those in the bodies of functions.
  static func all(in file: SwiftFile) -> [Declaration] {
    var reader = DeclarationReader(tokens: file.tokens)
    reader.read()
    return reader.found
  }
}

/// Walks over the tokens of a file.
///
/// ```
///   struct A: B { public var c: Int { … } }      scopes: nil is where no declaration is read
///   found[0] ───┘        found[1] ──┘ nil
/// ```
private struct DeclarationReader {
  let tokens: [SwiftLexer.Token]
  private(set) var found: [Declaration] = []
  private var scopes: [Int?] = []
  /// Of parentheses and brackets, in the innermost scope.
  private var depth = 0
  private var outerDepths: [Int] = []
  /// A type whose braces are still to come.
  private var header: Int?

  init(tokens: [SwiftLexer.Token]) { self.tokens = tokens }

  mutating func read() {
    for (place, token) in tokens.enumerated() where token.kind != .literal {
      switch token.text {
      case "{":
        scopes.append(depth == 0 ? header : nil)
        outerDepths.append(depth)
        (depth, header) = (0, nil)
      case "}":
        _ = scopes.popLast()
        depth = outerDepths.popLast() ?? 0
      case "(", "[": depth += 1
      case ")", "]": depth -= 1
      default: if depth == 0, token.kind == .word { note(place) }
      }
    }
  }

  private mutating func note(_ place: Int) {
    guard scopes.last != .some(nil), let kind = Declaration.Kind(rawValue: tokens[place].text) else { return }
    let owner = scopes.last ?? nil
    if kind == .case, owner.map({ found[$0].kind }) != .enum { return }
    if kind == .class, ["func", "var", "let", "subscript"].contains(text(place + 1)) { return }
    if [".", "import", ":", ",", "&"].contains(text(place - 1)), kind != .case { return }
    let (start, modifiers) = beginning(of: place)
    let conformances = kind.hasMembers ? conformances(after: place) : []
    if kind.hasMembers { header = found.count }
    found.append(
      Declaration(
        kind: kind, name: name(of: kind, at: place), line: tokens[start].line, modifiers: modifiers,
        conformances: conformances, owner: owner))
  }

  private func text(_ place: Int) -> String { tokens.indices.contains(place) ? tokens[place].text : "" }

  private static let modifiers: Set = [
    "public", "open", "package", "internal", "fileprivate", "private", "static", "class", "final", "override",
    "nonisolated", "mutating", "nonmutating", "consuming", "borrowing", "convenience", "required", "indirect", "lazy",
    "weak", "unowned", "isolated", "prefix", "postfix", "infix", "dynamic", "optional",
  ]

  /// Where attributes and modifiers before a keyword begin, and the modifiers; `private(set)` is none.
  private func beginning(of keyword: Int) -> (place: Int, modifiers: Set<String>) {
    var (start, modifiers) = (keyword, Set<String>())
    while start > 0 {
      var word = start - 1
      if text(word) == ")" {
        var open = 1
        while word > 0, open > 0 {
          word -= 1
          if text(word) == ")" { open += 1 } else if text(word) == "(" { open -= 1 }
        }
        word -= 1
      }
      if text(word - 1) == "@" {
        start = word - 1
      } else if Self.modifiers.contains(text(word)) {
        if word == start - 1 { modifiers.insert(text(word)) }
        start = word
      } else {
        break
      }
    }
    return (start, modifiers)
  }

  /// The names after the colon of a type's header, without those in angle brackets.
  private func conformances(after keyword: Int) -> [String] {
    var names: [String] = []
    var (angles, isAfterColon) = (0, false)
    for place in (keyword + 1)..<max(keyword + 1, tokens.count) {
      let token = tokens[place]
      if token.text == "{" || angles == 0 && token.text == "where" { break }
      if token.text == "<" { angles += 1 }
      if token.text == ">", text(place - 1) != "-" { angles -= 1 }
      if token.text == ":", angles == 0 { isAfterColon = true }
      if isAfterColon, angles == 0, token.kind == .word, text(place - 1) != "@" { names.append(token.text) }
    }
    return names
  }

  private func name(of kind: Declaration.Kind, at keyword: Int) -> String {
    var place = keyword
    var name = tokens[keyword].text
    if kind != .`init`, kind != .subscript {
      place += 1
      while kind == .extension, text(place) == "[" { place += 1 }
      name = text(place)
      if tokens.indices.contains(place), tokens[place].kind == .mark {
        while tokens.indices.contains(place + 1), tokens[place + 1].kind == .mark, text(place + 1) != "(" {
          place += 1
          name += text(place)
        }
        return name
      }
    }
    guard kind == .func || kind == .`init` || kind == .subscript else { return name.filter { $0 != "`" } }
    return name.filter { $0 != "`" } + labels(after: place + 1)
  }

  /// `(after:)`: the first words of the parameters in the parentheses to come.
  private func labels(after start: Int) -> String {
    guard let open = tokens[min(start, tokens.count)...].firstIndex(where: { $0.text == "(" && $0.kind == .mark })
    else { return "()" }
    var (labels, inside, place) = ("", 1, open + 1)
    while place < tokens.count, inside > 0 {
      if "([{".contains(text(place)), tokens[place].kind == .mark { inside += 1 }
      if ")]}".contains(text(place)), tokens[place].kind == .mark { inside -= 1 }
      let isFirst = text(place - 1) == "(" || text(place - 1) == ","
      if inside == 1, isFirst, tokens[place].kind == .word, tokens.indices.contains(place + 1),
        tokens[place + 1].kind == .word || text(place + 1) == ":"
      {
        labels += text(place) + ":"
      }
      // The label stands after an attribute such as `@ViewBuilder`.
      if inside == 1, isFirst, text(place) == "@" {
        var word = place + 2
        if text(word) == "(" { while text(word - 1) != ")", word < tokens.count { word += 1 } }
        labels += text(word) + ":"
      }
      place += 1
    }
    return "(\(labels))"
  }
}
