import StarlingCore

// Keys, object ids, dots and versions where no table is at hand
// (Protocol/wire-format.md, "Keys", "Object ids", "Dots and versions").

enum KeyForm {
  static let name: UInt64 = 0
  static let integer: UInt64 = 1
  static let bytes: UInt64 = 2
  static let element: UInt64 = 3
}

enum ObjectForm {
  static let root: UInt8 = 0
  static let assigned: UInt8 = 1
  static let derived: UInt8 = 2
}

/// The top bit of a counter is never set.
let counterMax: UInt64 = 1 << 63 - 1

extension ByteSink where Self: ~Copyable {
  /// A length and a form in one number; integers have no length.
  mutating func append(_ key: Key) {
    switch key {
    case .name(let name):
      append(varint: UInt64(name.utf8.count) << 2 | KeyForm.name)
      append(contentsOf: name.utf8)
    case .integer(let integer):
      append(varint: KeyForm.integer)
      append(signedVarint: integer)
    case .bytes(let bytes):
      append(varint: UInt64(bytes.count) << 2 | KeyForm.bytes)
      append(contentsOf: bytes)
    case .element(let dot):
      append(varint: KeyForm.element)
      append(dot)
    }
  }

  mutating func append(_ object: ObjectID) {
    if object == .root {
      append(ObjectForm.root)
    } else if let dot = object.dot {
      append(ObjectForm.assigned)
      append(dot)
    } else {
      append(ObjectForm.derived)
      append(fixed64: object.high)
      append(fixed64: object.low)
    }
  }

  mutating func append(_ dot: Dot) {
    append(fixed64: dot.replica.rawValue)
    append(varint: dot.counter)
  }

  mutating func append(_ version: VersionVector) {
    append(varint: version.entries.count)
    for entry in version.entries { append(Dot(entry.replica, entry.counter)) }
  }
}

extension Reader {
  mutating func key() throws(WireError) -> Key {
    let start = offset
    let head = try varint()
    switch head & 3 {
    case KeyForm.name:
      let count = try checkedByteCount(head >> 2, atMost: limits.keyByteCountMax, at: start)
      return .name(try string(byteCount: count))
    case KeyForm.bytes:
      let count = try checkedByteCount(head >> 2, atMost: limits.keyByteCountMax, at: start)
      return .bytes(try bytes(count: count))
    case KeyForm.element:
      guard head == KeyForm.element else { throw error(.malformed, "No key begins with \(head)", at: start) }
      return .element(try dot())
    default:
      guard head == KeyForm.integer else { throw error(.malformed, "No key begins with \(head)", at: start) }
      return .integer(try signedVarint())
    }
  }

  mutating func objectID() throws(WireError) -> ObjectID {
    let start = offset
    let form = try byte()
    switch form {
    case ObjectForm.root: return .root
    case ObjectForm.assigned: return .assigned(by: try dot())
    case ObjectForm.derived: return try derivedID()
    default: throw error(.malformed, "No object id begins with \(form)", at: start)
    }
  }

  /// The 16 bytes of a derived object that is not the root.
  mutating func derivedID() throws(WireError) -> ObjectID {
    let start = offset
    let object = ObjectID(high: try fixed64(), low: try fixed64())
    guard object.isDerived, object != .root else {
      throw error(.malformed, "An object id is spelled as derived and is not", at: start)
    }
    return object
  }

  mutating func dot() throws(WireError) -> Dot {
    let replica = ReplicaID(rawValue: try fixed64())
    return Dot(replica, try counter())
  }

  mutating func counter() throws(WireError) -> UInt64 {
    let start = offset
    return try checkedCounter(varint(), at: start)
  }

  @inline(__always)
  func checkedCounter(_ counter: UInt64, at start: Int) throws(WireError) -> UInt64 {
    guard counter >= 1, counter <= counterMax else {
      throw error(.malformed, "A counter is \(counter), outside 1...2^63 - 1", at: start)
    }
    return counter
  }

  mutating func version() throws(WireError) -> VersionVector {
    let place = offset
    let count = try count(atMost: limits.dotCountMax, ofSize: 9)
    try spendDots(count, at: place)
    var entries: [VersionVector.Entry] = []
    entries.reserveCapacity(count)
    for _ in 0..<count {
      let start = offset
      let dot = try dot()
      if let last = entries.last, dot.replica <= last.replica {
        throw error(.outOfOrder, "The replicas of a version do not ascend", at: start)
      }
      entries.append(VersionVector.Entry(replica: dot.replica, counter: dot.counter))
    }
    return VersionVector(entries)
  }
}
