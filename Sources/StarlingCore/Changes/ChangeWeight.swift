/// How much of a change something takes at most: never less than what it is encoded as
/// (Protocol/wire-format.md, "Live streams"), and found out by a few additions.
@usableFromInline
package struct ChangeWeight: Hashable, Sendable {
  package private(set) var byteCount = 0
  package private(set) var operationCount = 0
  /// The first part that is too large whatever is beside it.
  package private(set) var excess: Excess?

  package struct Excess: Hashable, Sendable {
    var part: OversizedWrite.Part
    var key: Key
    var size: Int
    var limit: Int
  }

  package init() {}

  /// Counts an operation that names a slot of its own and carries `value`.
  package mutating func add(_ value: Value, under key: Key) {
    let size = value.weight
    byteCount += Self.operation + key.weight + size
    operationCount += 1
    guard excess == nil else { return }
    if key.byteCount > ChangeLimits.keyByteCountMax {
      excess = Excess(part: .key, key: key, size: key.byteCount, limit: ChangeLimits.keyByteCountMax)
    } else if size > ChangeLimits.byteCountMax - Self.operation - key.weight {
      excess = Excess(
        part: .value, key: key, size: size, limit: ChangeLimits.byteCountMax - Self.operation - key.weight)
    }
  }

  /// Counts an operation that inserts several values next to each other.
  package mutating func add(_ values: [Value], under key: Key) {
    let size = values.reduce(0) { $0 + $1.weight }
    byteCount += Self.operation + key.weight + Self.amount + size
    operationCount += 1
    let limit = ChangeLimits.byteCountMax - Self.operation - key.weight - Self.amount
    if size > limit { excess = excess ?? Excess(part: .value, key: key, size: size, limit: limit) }
  }

  /// Notes that it stands deeper than is allowed.
  package mutating func refuseDepth(_ depth: Int, limit: Int, under key: Key) {
    excess = excess ?? Excess(part: .depth, key: key, size: depth, limit: limit)
  }

  package mutating func add(_ other: ChangeWeight) {
    byteCount += other.byteCount
    operationCount += other.operationCount
    excess = excess ?? other.excess
  }

  /// An operation's head and the numbers of its slot and object.
  static let operation = 10
  /// The same for a slot that the change has named before.
  static let operationAgain = 5
  /// A replica and a counter.
  @usableFromInline static var dot: Int { 20 }
  /// An amount that is added to a counter.
  static let amount = 10
  /// An object that the change names, beside its definitions, and the list of those.
  static let object = 32
  /// A definition without its key.
  static let definition = 12
  /// A change without frontier and operations.
  @usableFromInline static var change: Int { 64 }
}

extension Key {
  /// Bytes that the key takes with what tells its form and length.
  @inline(__always) var weight: Int {
    switch self {
    case .name(let name): 8 + name.utf8.count
    case .integer: 12
    case .bytes(let bytes): 8 + bytes.count
    case .element: ChangeWeight.dot + 4
    }
  }

  /// What `ChangeLimits.keyByteCountMax` speaks of.
  var byteCount: Int {
    switch self {
    case .name(let name): name.utf8.count
    case .bytes(let bytes): bytes.count
    case .integer, .element: 0
    }
  }
}

extension Value {
  /// Bytes that the value takes with its head.
  @inline(__always) var weight: Int {
    switch self {
    case .null, .bool: 1
    case .integer(let integer): UInt64(bitPattern: integer) <= 8255 ? 2 : 12
    case .object, .derived: 2
    case .unsigned, .double, .date: 12
    case .string(let text), .json(let text): 8 + text.utf8.count
    case .bytes(let bytes): 8 + bytes.count
    case .reference: 32
    case .unknown(tag: _, let payload): 24 + payload.count
    }
  }
}
