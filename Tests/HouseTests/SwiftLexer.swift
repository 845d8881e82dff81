/// Tells the code of a Swift file from its comments and literals, well enough for checks on text.
///
/// ```
/// let a = "x \(y)" // z      tokens:    let  a  =  "x "  y
///                            comments:  "// z", on its line
/// ```
///
/// A literal is one token; the code in its interpolations follows as tokens of its own.
struct SwiftLexer {
  struct Token: Hashable {
    enum Kind { case word, mark, literal }

    let kind: Kind
    /// A word's or mark's spelling; what stands between a literal's quotes, interpolations left out.
    let text: String
    let line: Int
  }

  private(set) var tokens: [Token] = []
  /// What the comments of a line say, by line.
  private(set) var comments: [Int: String] = [:]
  private(set) var lineCount = 1

  private let bytes: [UInt8]
  private var place = 0

  init(_ text: String) {
    bytes = Array(text.utf8)
    readCode(endsAtParenthesis: false)
  }

  private func byte(_ offset: Int = 0) -> UInt8 {
    place + offset < bytes.count ? bytes[place + offset] : 0
  }

  /// Reads up to the end of the file, or past the parenthesis that ends an interpolation.
  private mutating func readCode(endsAtParenthesis: Bool) {
    var depth = 0
    while place < bytes.count {
      switch (byte(), byte(1)) {
      case (.newline, _): endLine()
      case (.space, _), (.tab, _), (.carriageReturn, _): place += 1
      case (.slash, .slash): readLineComment()
      case (.slash, .star): readBlockComment()
      case (.slash, _) where isRegexAhead: readRegex()
      case (.quote, _): readString(poundCount: 0)
      case (.pound, _): readAfterPounds()
      case (.backtick, _): readRawIdentifier()
      case (let first, _) where first.isWord: readWord()
      case (.closeParenthesis, _) where endsAtParenthesis && depth == 0:
        place += 1
        return
      case (let mark, _):
        if mark == .openParenthesis { depth += 1 }
        if mark == .closeParenthesis { depth -= 1 }
        add(.mark, bytes[place...place])
        place += 1
      }
    }
  }

  private mutating func add(_ kind: Token.Kind, _ text: some Collection<UInt8>, line: Int? = nil) {
    tokens.append(Token(kind: kind, text: String(decoding: text, as: UTF8.self), line: line ?? lineCount))
  }

  private mutating func endLine() {
    lineCount += 1
    place += 1
  }

  private mutating func readWord() {
    let start = place
    while byte().isWord { place += 1 }
    add(.word, bytes[start..<place])
  }

  /// A name in backticks may be a sentence; it is one word, backticks and all.
  private mutating func readRawIdentifier() {
    let start = place
    place += 1
    while place < bytes.count, byte() != .backtick, byte() != .newline { place += 1 }
    place = min(place + 1, bytes.count)
    add(.word, bytes[start..<place])
  }

  // MARK: Comments

  private mutating func note(_ text: ArraySlice<UInt8>) {
    comments[lineCount, default: ""] += String(decoding: text, as: UTF8.self)
  }

  private mutating func readLineComment() {
    let start = place
    while place < bytes.count, byte() != .newline { place += 1 }
    note(bytes[start..<place])
  }

  private mutating func readBlockComment() {
    var depth = 0
    var start = place
    repeat {
      switch (byte(), byte(1)) {
      case (.slash, .star):
        depth += 1
        place += 2
      case (.star, .slash):
        depth -= 1
        place += 2
      case (.newline, _):
        note(bytes[start..<place])
        endLine()
        start = place
      default: place += 1
      }
    } while depth > 0 && place < bytes.count
    note(bytes[start..<min(place, bytes.count)])
  }

  // MARK: Literals

  private mutating func readAfterPounds() {
    var count = 0
    while byte(count) == .pound { count += 1 }
    switch byte(count) {
    case .quote:
      place += count
      readString(poundCount: count)
    case .slash: readExtendedRegex(poundCount: count)
    default:
      add(.mark, bytes[place...place])
      place += 1
    }
  }

  private mutating func readString(poundCount: Int) {
    let isMultiline = byte(1) == .quote && byte(2) == .quote
    let firstLine = lineCount
    let slot = tokens.count
    var text: [UInt8] = []
    place += isMultiline ? 3 : 1
    while place < bytes.count {
      if isEnd(ofStringWith: poundCount, isMultiline: isMultiline) {
        place += (isMultiline ? 3 : 1) + poundCount
        break
      }
      if byte() == .backslash, (0..<poundCount).allSatisfy({ byte($0 + 1) == .pound }) {
        place += 1 + poundCount
        if byte() == .openParenthesis {
          place += 1
          readCode(endsAtParenthesis: true)
          continue
        }
      }
      guard place < bytes.count else { break }
      text.append(byte())
      if byte() == .newline { endLine() } else { place += 1 }
    }
    tokens.insert(
      Token(kind: .literal, text: String(decoding: text, as: UTF8.self), line: firstLine), at: slot)
  }

  private func isEnd(ofStringWith poundCount: Int, isMultiline: Bool) -> Bool {
    let quoteCount = isMultiline ? 3 : 1
    return (0..<quoteCount).allSatisfy { byte($0) == .quote }
      && (0..<poundCount).allSatisfy { byte(quoteCount + $0) == .pound }
  }

  /// Whether the slash at hand begins a regex literal: it hugs what follows, stands where no left
  /// operand does, and another slash closes it on the same line.
  private var isRegexAhead: Bool {
    guard ![.space, .tab, .newline, .equals, 0].contains(byte(1)) else { return false }
    let before = bytes[..<place].last { $0 != .space }
    guard let before, [.openParenthesis, .comma, .equals, .colon, .openBracket, .openBrace].contains(before) else {
      return false
    }
    return bytes[(place + 1)...].prefix { $0 != .newline }.contains(.slash)
  }

  private mutating func readRegex() {
    let start = place + 1
    place += 1
    while place < bytes.count, byte() != .slash, byte() != .newline { place += byte() == .backslash ? 2 : 1 }
    add(.literal, bytes[start..<min(place, bytes.count)])
    place += 1
  }

  private mutating func readExtendedRegex(poundCount: Int) {
    let firstLine = lineCount
    let start = place + poundCount + 1
    place = start
    while place < bytes.count, !(byte() == .slash && (1...poundCount).allSatisfy { byte($0) == .pound }) {
      if byte() == .newline { endLine() } else { place += 1 }
    }
    add(.literal, bytes[min(start, bytes.count)..<min(place, bytes.count)], line: firstLine)
    place += 1 + poundCount
  }
}

extension UInt8 {
  fileprivate static let newline = UInt8(ascii: "\n")
  fileprivate static let carriageReturn = UInt8(ascii: "\r")
  fileprivate static let space = UInt8(ascii: " ")
  fileprivate static let tab = UInt8(ascii: "\t")
  fileprivate static let slash = UInt8(ascii: "/")
  fileprivate static let backslash = UInt8(ascii: "\\")
  fileprivate static let star = UInt8(ascii: "*")
  fileprivate static let quote = UInt8(ascii: "\"")
  fileprivate static let pound = UInt8(ascii: "#")
  fileprivate static let backtick = UInt8(ascii: "`")
  fileprivate static let comma = UInt8(ascii: ",")
  fileprivate static let colon = UInt8(ascii: ":")
  fileprivate static let equals = UInt8(ascii: "=")
  fileprivate static let openParenthesis = UInt8(ascii: "(")
  fileprivate static let closeParenthesis = UInt8(ascii: ")")
  fileprivate static let openBracket = UInt8(ascii: "[")
  fileprivate static let openBrace = UInt8(ascii: "{")

  /// Letters, digits, the underscore, and every byte of a character outside ASCII.
  fileprivate var isWord: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }
}
