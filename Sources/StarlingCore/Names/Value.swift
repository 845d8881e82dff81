/// What kind of container an object is; part of a derived object's identity.
public enum Kind: UInt8, Hashable, Comparable, Sendable {
  case map = 0
  case set = 1
  case dictionary = 2
  case list = 3
  case text = 4

  /// What later versions may add. Such an object is carried on untouched: its slots merge like a map's,
  /// and no property of this version shows it. A snapshot spells a kind in three bits, so there are no more.
  case later5 = 5
  case later6 = 6
  case later7 = 7

  /// The kinds that this version can show.
  public static let known: [Kind] = [.map, .set, .dictionary, .list, .text]

  public static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
}

/// What an entry of a slot holds.
public enum Value: Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  /// Only for integers above `Int64.max`, so that every integer has one spelling.
  case unsigned(UInt64)
  case double(Double)
  case string(String)
  case bytes([UInt8])
  /// A Codable value as JSON text with sorted keys.
  case json(String)
  /// Seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  /// An object that this very entry brought into being; its id is `ObjectID.assigned(by:)` the entry's dot.
  case object(Kind)
  /// Says that the object derived from (this object, this key, kind) is present although nothing
  /// may have been written below it yet.
  case derived(Kind)
  /// Points at an object that lives elsewhere.
  case reference(ObjectID)
  /// A kind that this version of the program does not know; kept and sent on as it came.
  case unknown(tag: UInt64, payload: [UInt8])
}

extension Value: Hashable {
  /// Equality of bytes: doubles by bit pattern, strings by UTF-8, so that "equal" means the same
  /// to every replica and a no-op in one language is a no-op in all.
  public static func == (left: Value, right: Value) -> Bool {
    // One side after the other: matched as a pair, both would be copied first.
    switch left {
    case .integer(let left):
      if case .integer(let right) = right { left == right } else { false }
    case .string(let left):
      if case .string(let right) = right { left.hasSameBytes(as: right) } else { false }
    default: isSameOfRareKind(left, right)
    }
  }

  private static func isSameOfRareKind(_ left: Value, _ right: Value) -> Bool {
    if case .bytes(let left) = left {
      if case .bytes(let right) = right { return left == right }
      return false
    }
    return switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.unsigned(let left), .unsigned(let right)): left == right
    case (.double(let left), .double(let right)): left.bitPattern == right.bitPattern
    case (.json(let left), .json(let right)): left.hasSameBytes(as: right)
    case (.date(let left), .date(let right)): left.bitPattern == right.bitPattern
    case (.object(let left), .object(let right)): left == right
    case (.derived(let left), .derived(let right)): left == right
    case (.reference(let left), .reference(let right)): left == right
    case (.unknown(let leftTag, let left), .unknown(let rightTag, let right)): leftTag == rightTag && left == right
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .integer(let value): hasher.combine(value)
    case .unsigned(let value): hasher.combine(value)
    case .double(let value), .date(let value): hasher.combine(value.bitPattern)
    case .string(let value), .json(let value): hasher.combine(Key.name(value))
    case .bytes(let value): hasher.combine(value)
    case .object(let value), .derived(let value): hasher.combine(value)
    case .reference(let value): hasher.combine(value)
    case .unknown(let tag, let payload):
      hasher.combine(tag)
      hasher.combine(payload)
    }
  }
}
