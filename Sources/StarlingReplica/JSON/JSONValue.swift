import StarlingCore

/// JSON taken apart (RFC 8259): integers of 64 bits stay exact, texts are told apart by their bytes, and the members
/// of an object stand in the order of their names' bytes, so that equal values are written alike.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// An integer that `Int64` can hold.
  case integer(Int64)
  /// Only for integers above `Int64.max`.
  case unsigned(UInt64)
  /// Written with a point or an exponent, so that it is read back as one.
  case double(Double)
  /// A text; two are equal if their bytes are.
  case string(String)
  /// An array, in its order.
  case array([JSONValue])
  /// No name twice.
  case object([Member])

  /// A name in an object and the value under it.
  public struct Member: Sendable, Equatable {
    /// The name, unescaped.
    public var name: String
    /// The value.
    public var value: JSONValue

    /// Makes a member of a name and a value.
    public init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }

    public static func == (left: Member, right: Member) -> Bool {
      left.name.utf8.elementsEqual(right.name.utf8) && left.value == right.value
    }
  }

  /// An object of these members in their order; of several with one name the first.
  package static func object(sorting members: [Member]) -> JSONValue {
    // A sort that is stable: of equal names the first stays first.
    let order = members.indices.sorted { left, right in
      let (left, right) = (StarlingCore.Key.name(members[left].name), StarlingCore.Key.name(members[right].name))
      return left < right
    }
    var sorted: [Member] = []
    for place in order where !(sorted.last?.name.utf8.elementsEqual(members[place].name.utf8) ?? false) {
      sorted.append(members[place])
    }
    return .object(sorted)
  }

  /// The member of that name; nil where there is none, or this is no object, and then nothing can be put there.
  public subscript(name: String) -> JSONValue? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }
    set {
      guard case .object(let members) = self else { return }
      let others = members.filter { !$0.name.utf8.elementsEqual(name.utf8) }
      self = .object(sorting: others + (newValue.map { [Member(name, $0)] } ?? []))
    }
  }

  /// What it is, for a sentence.
  package var noun: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .unsigned: "an integer"
    case .double: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue: Equatable {
  /// Texts by their bytes and doubles by their bits, as in documents.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.integer(let left), .integer(let right)): left == right
    case (.unsigned(let left), .unsigned(let right)): left == right
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }
}

extension JSONValue: CustomStringConvertible {
  /// On one line.
  public var description: String {
    var text = ""
    write(to: &text, indent: nil)
    return text
  }

  /// A line for each member and element, for people.
  public var lines: String {
    var text = ""
    write(to: &text, indent: 0)
    return text
  }

  private func write(to text: inout String, indent: Int?) {
    switch self {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .unsigned(let value): text += String(value)
    case .double(let value): text += "\(value)"
    case .string(let value): text += Self.quoted(value)
    case .array(let values):
      Self.write(values, between: ("[", "]"), to: &text, indent) { $0.write(to: &$1, indent: $2) }
    case .object(let members):
      Self.write(members, between: ("{", "}"), to: &text, indent) { member, text, indent in
        text += Self.quoted(member.name) + (indent == nil ? ":" : ": ")
        member.value.write(to: &text, indent: indent)
      }
    }
  }

  private static func write<Part>(
    _ parts: [Part], between ends: (String, String), to text: inout String, _ indent: Int?,
    _ body: (Part, inout String, Int?) -> Void
  ) {
    text += ends.0
    let inner = indent.map { $0 + 1 }
    for (place, part) in parts.enumerated() {
      if place > 0 { text += "," }
      if let inner { text += "\n" + String(repeating: "  ", count: inner) }
      body(part, &text, inner)
    }
    if let indent, !parts.isEmpty { text += "\n" + String(repeating: "  ", count: indent) }
    text += ends.1
  }

  /// Control characters are escaped, those of terminals too: a document must not command its reader's screen.
  static func quoted(_ string: String) -> String {
    var text = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\0"..<" ", "\u{7F}"..."\u{9F}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text + "\""
  }
}

// As Swift code spells it.

extension JSONValue: ExpressibleByDictionaryLiteral {
  /// Of several members with one name the first stands.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(sorting: elements.map { Member($0.0, $0.1) })
  }
}

extension JSONValue: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: JSONValue...) {
    self = .array(elements)
  }
}

extension JSONValue: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) {
    self = .string(value)
  }
}

extension JSONValue: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) {
    self = .integer(value)
  }
}

extension JSONValue: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) {
    self = .bool(value)
  }
}

extension JSONValue: ExpressibleByNilLiteral {
  public init(nilLiteral: ()) {
    self = .null
  }
}
