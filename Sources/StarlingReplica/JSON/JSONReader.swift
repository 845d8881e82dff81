/// Why a text is no JSON, and where.
public struct JSONError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong there.
  public var message: String
  /// From 1; the column counts Unicode scalars.
  public var line: Int
  /// From 1, in Unicode scalars.
  public var column: Int
  /// From the first byte, which is 0.
  public var offset: Int

  public var description: String { "line \(line), column \(column) (byte \(offset)): \(message)" }
}

extension JSONValue {
  /// Arrays and objects within one another; more are refused, as a reader of any text must not run out of stack.
  public static let depthMax = 512

  /// Reads one JSON text.
  ///
  /// Refused beside what RFC 8259 refuses: a name that stands twice in one object, integers beyond 64 bits and numbers
  /// beyond a double, which could not be kept as they are, and half a surrogate pair.
  public init(parsing text: some Collection<UInt8>) throws(JSONError) {
    var reader = JSONReader(bytes: Array(text))
    self = try reader.document()
  }

  /// Reads a text that holds one JSON value and nothing else but blanks.
  ///
  /// - Throws: What is wrong with the text, and where.
  /// - Complexity: O(bytes of the text), besides sorting the members of objects by name.
  public init(parsing text: String) throws(JSONError) {
    try self.init(parsing: text.utf8)
  }
}

private struct JSONReader {
  let bytes: [UInt8]
  var offset = 0

  mutating func document() throws(JSONError) -> JSONValue {
    // A byte order mark says nothing in UTF-8.
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
    let value = try value(depth: 0)
    skipSpace()
    if offset < bytes.count { throw error("\(found) follows after the end of the value") }
    return value
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard depth <= JSONValue.depthMax else { throw error("more than \(JSONValue.depthMax) arrays and objects nest") }
    skipSpace()
    guard offset < bytes.count else { throw error("a value is due, and the text ends") }
    switch bytes[offset] {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default:
      if takeWord("true") { return .bool(true) }
      if takeWord("false") { return .bool(false) }
      if takeWord("null") { return .null }
      throw error("a value is due, and \(found) is there; a string stands in double quotes")
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    offset += 1
    var members: [JSONValue.Member] = []
    var names: Set<[UInt8]> = []
    skipSpace()
    if take("}") { return .object([]) }
    while true {
      skipSpace()
      let start = offset
      guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
        throw error("the name of a member is due, in double quotes, and \(found) is there")
      }
      let name = try string()
      guard names.insert(Array(name.utf8)).inserted else {
        throw error("\(JSONValue.quoted(name)) stands twice in this object", at: start)
      }
      skipSpace()
      guard take(":") else { throw error("a colon is due after \(JSONValue.quoted(name)), and \(found) is there") }
      members.append(JSONValue.Member(name, try value(depth: depth + 1)))
      skipSpace()
      if take("}") { return .object(sorting: members) }
      guard take(",") else { throw error("a comma or } is due, and \(found) is there") }
    }
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
    offset += 1
    var values: [JSONValue] = []
    skipSpace()
    if take("]") { return .array([]) }
    while true {
      values.append(try value(depth: depth + 1))
      skipSpace()
      if take("]") { return .array(values) }
      guard take(",") else { throw error("a comma or ] is due, and \(found) is there") }
    }
  }

  // MARK: Strings

  private mutating func string() throws(JSONError) -> String {
    let start = offset
    offset += 1
    var text: [UInt8] = []
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        offset += 1
        guard let string = String(validating: text, as: UTF8.self) else {
          throw error("this string is not UTF-8", at: start)
        }
        return string
      case UInt8(ascii: "\\"): text.append(contentsOf: Array(String(try escape()).utf8))
      case 0..<0x20: throw error("a control character stands in a string; write it as \\n or \\u0000")
      case let byte:
        text.append(byte)
        offset += 1
      }
    }
    throw error("the text ends within this string", at: start)
  }

  private mutating func escape() throws(JSONError) -> Unicode.Scalar {
    let start = offset
    offset += 2
    switch start + 1 < bytes.count ? bytes[start + 1] : 0 {
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "/"): return "/"
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"):
      let high = try codeUnit(at: start)
      if let scalar = Unicode.Scalar(UInt32(high)) { return scalar }
      guard UTF16.isLeadSurrogate(high), bytes[offset...].starts(with: Array("\\u".utf8)) else {
        throw error("half a surrogate pair", at: start)
      }
      offset += 2
      let low = try codeUnit(at: start)
      guard UTF16.isTrailSurrogate(low) else { throw error("half a surrogate pair", at: start) }
      return UTF16.decode(UTF16.EncodedScalar([high, low]))
    default: throw error("no escape begins like this; a backslash is written as two", at: start)
    }
  }

  private mutating func codeUnit(at start: Int) throws(JSONError) -> UInt16 {
    let digits = bytes[min(offset, bytes.count)..<min(offset + 4, bytes.count)]
    guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    else { throw error("four hexadecimal digits are due after \\u", at: start) }
    offset += 4
    return unit
  }

  // MARK: Numbers

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = offset
    _ = take("-")
    let first = offset
    let integerCount = takeDigits()
    guard integerCount > 0 else { throw error("a digit is due, and \(found) is there") }
    guard integerCount == 1 || bytes[first] != UInt8(ascii: "0") else {
      throw error("a number does not begin with 0", at: start)
    }
    var isInteger = true
    if take(".") {
      isInteger = false
      guard takeDigits() > 0 else { throw error("a digit is due after the point, and \(found) is there") }
    }
    if take("e") || take("E") {
      isInteger = false
      if !take("+") { _ = take("-") }
      guard takeDigits() > 0 else { throw error("a digit is due in the exponent, and \(found) is there") }
    }
    let text = String(decoding: bytes[start..<offset], as: UTF8.self)
    if isInteger {
      if let value = Int64(text) { return .integer(value) }
      if let value = UInt64(text) { return .unsigned(value) }
      throw error("\(text) has more than 64 bits; write it as a string, or with a point", at: start)
    }
    guard let value = Double(text), value.isFinite else { throw error("\(text) is beyond a double", at: start) }
    return .double(value)
  }

  private mutating func takeDigits() -> Int {
    let start = offset
    while offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) { offset += 1 }
    return offset - start
  }

  // MARK: Parts

  private mutating func skipSpace() {
    while offset < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[offset]) { offset += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: character) else { return false }
    offset += 1
    return true
  }

  private mutating func takeWord(_ word: String) -> Bool {
    guard bytes[offset...].starts(with: word.utf8) else { return false }
    offset += word.utf8.count
    return true
  }

  /// What is there, for a sentence.
  private var found: String {
    guard offset < bytes.count else { return "the end" }
    let scalar = String(decoding: bytes[offset..<min(offset + 4, bytes.count)], as: UTF8.self).unicodeScalars.first
    return scalar.map { JSONValue.quoted(String($0)) } ?? "a byte"
  }

  private func error(_ message: String, at place: Int? = nil) -> JSONError {
    let place = min(place ?? offset, bytes.count)
    let before = bytes[..<place]
    let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    return JSONError(
      message: message, line: 1 + before.count { $0 == 0x0A },
      column: 1 + bytes[lineStart..<place].count { $0 & 0xC0 != 0x80 }, offset: place)
  }
}
