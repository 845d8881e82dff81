package import StarlingCore

// The model's own words. None of them is the code's under test: a mistake in how that compares, hashes, covers or
// derives would else be a mistake here too. Values, kinds and sides are plain data, and the same.

extension ReferenceModel {
  package typealias Replica = UInt64
  package typealias Stamp = UInt64

  package struct Dot: Hashable, Comparable {
    package var replica: Replica
    package var counter: UInt64

    init(_ replica: Replica, _ counter: UInt64) {
      self.replica = replica
      self.counter = counter
    }

    static let origin = Dot(0, 0)

    package static func < (left: Dot, right: Dot) -> Bool {
      left.replica != right.replica ? left.replica < right.replica : left.counter < right.counter
    }
  }

  package struct VersionVector: Hashable {
    var counters: [Replica: UInt64] = [:]

    func covers(_ dot: Dot) -> Bool { dot.counter <= counters[dot.replica, default: 0] }

    func covers(_ other: VersionVector) -> Bool {
      other.counters.allSatisfy { $0.value <= counters[$0.key, default: 0] }
    }

    /// What either has.
    func union(_ other: VersionVector) -> VersionVector {
      VersionVector(counters: counters.merging(other.counters) { max($0, $1) })
    }

    /// What both have.
    func intersection(_ other: VersionVector) -> VersionVector {
      var both = VersionVector()
      for (replica, counter) in counters {
        if let other = other.counters[replica] { both.counters[replica] = min(counter, other) }
      }
      return both
    }

    /// The same with all that the dot's replica wrote up to it.
    package func through(_ dot: Dot) -> VersionVector {
      var version = self
      version.counters[dot.replica] = dot.counter == 0 ? nil : dot.counter
      return version
    }
  }

  /// An object, by the 128 bits that Protocol/merge.md, "Objects", gives it.
  package struct ObjectID: Hashable, Comparable {
    var high: UInt64
    var low: UInt64

    package static let root = ObjectID(high: 0, low: 1 << 63)

    static func assigned(by dot: Dot) -> ObjectID { ObjectID(high: dot.replica, low: dot.counter) }

    var dot: Dot? { low >> 63 == 0 ? Dot(high, low) : nil }

    package static func < (left: ObjectID, right: ObjectID) -> Bool {
      left.high != right.high ? left.high < right.high : left.low < right.low
    }
  }

  package struct Definition: Hashable {
    package var id: ObjectID
    var parent: ObjectID
    var key: Key
    var kind: Kind

    package init(parent: ObjectID, key: Key, kind: Kind) {
      self.parent = parent
      self.key = key
      self.kind = kind
      id = parent.derived(key, kind)
    }
  }

  package enum Key: Hashable, Comparable {
    case name([UInt8])
    case integer(Int64)
    case bytes([UInt8])
    case element(Dot)

    private var sort: UInt8 {
      switch self {
      case .name: 0
      case .integer: 1
      case .bytes: 2
      case .element: 3
      }
    }

    package static func < (left: Key, right: Key) -> Bool {
      switch (left, right) {
      case (.name(let left), .name(let right)), (.bytes(let left), .bytes(let right)):
        left.lexicographicallyPrecedes(right)
      case (.integer(let left), .integer(let right)): left < right
      case (.element(let left), .element(let right)): left < right
      default: left.sort < right.sort
      }
    }

    /// As ids of derived objects are made of it: its sort and its bytes.
    fileprivate var spelling: [UInt8] {
      switch self {
      case .name(let bytes), .bytes(let bytes): [sort] + bytes
      case .integer(let integer): [sort] + UInt64(bitPattern: integer).bytes
      case .element(let dot): [sort] + dot.replica.bytes + dot.counter.bytes
      }
    }
  }

  package struct Edge: Hashable {
    var item: Dot
    var side: Side

    init(_ side: Side, of item: Dot) {
      self.side = side
      self.item = item
    }

    static let start = Edge(.right, of: .origin)
    static let end = Edge(.left, of: .origin)
  }

  package struct MarkOperation: Hashable {
    var start: Edge
    var end: Edge
    var rank: UInt64
    var value: Value
    var replacing: [Dot]
  }

  package enum Action: Hashable {
    case set(Value, replacing: [Dot], clearing: VersionVector?)
    case remove(replacing: [Dot], clearing: VersionVector?)
    case increment(Int64, birth: UInt64)
    case insertText([Unicode.Scalar], Side)
    case insertValues([Value], Side)
    case removeRun(count: UInt64)
    case move(to: Edge, replacing: [Dot])
    case mark(MarkOperation)

    /// The entries that it takes away; nil for what takes none.
    var replacing: [Dot]? {
      switch self {
      case .set(_, let replacing, _), .remove(let replacing, _): replacing
      case .increment, .insertText, .insertValues, .removeRun, .move, .mark: nil
      }
    }

    var counterCount: UInt64 {
      switch self {
      case .insertText(let scalars, _): UInt64(scalars.count)
      case .insertValues(let values, _): UInt64(values.count)
      default: 1
      }
    }
  }

  package struct Operation {
    var object: ObjectID
    var key: Key
    var action: Action
  }

  package struct Change {
    var replica: Replica
    var firstCounter: UInt64
    var stamp: Stamp
    var frontier: [Dot]
    var definitions: [Definition]
    var operations: [Operation]

    /// Of the objects that it defines.
    var ids: [ObjectID] { definitions.map(\.id) }
    package var last: Dot { Dot(replica, firstCounter + operations.reduce(0) { $0 + $1.action.counterCount } - 1) }
  }

  package struct Entry: Hashable {
    package var dot: Dot
    var stamp: Stamp
    var value: Value
  }

  package struct Share: Hashable {
    var replica: Replica
    var birth: UInt64
    var last: UInt64
    var total: Int64
    var stamp: Stamp
  }

  package struct Mark: Hashable {
    package var dot: Dot
    package var name: Key
    var start: Edge
    var end: Edge
    var rank: UInt64
    package var value: Value
  }

  package enum Visible: Hashable {
    case absent
    case value(Value, by: Dot)
    case count(Int64)
    case container(Kind)
  }
}

extension ReferenceModel.ObjectID {
  /// SipHash-2-4 with 128 bits of output, under the key `Starling objects`.
  func derived(_ key: ReferenceModel.Key, _ kind: Kind) -> ReferenceModel.ObjectID {
    let message = high.bytes + low.bytes + [kind.rawValue] + key.spelling
    let (first, second) = sipHash128(message, key: Array("Starling objects".utf8))
    return ReferenceModel.ObjectID(high: first, low: second | 1 << 63)
  }
}

extension UInt64 {
  /// Little-endian.
  fileprivate var bytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * UInt64($0))) } }
}

/// Aumasson and Bernstein, “SipHash: a fast short-input PRF”, 2012, with the longer output of their reference code.
private func sipHash128(_ message: [UInt8], key: [UInt8]) -> (UInt64, UInt64) {
  func word(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.enumerated().reduce(0) { $0 | UInt64($1.element) << (8 * UInt64($1.offset)) }
  }
  let (k0, k1) = (word(key[0..<8]), word(key[8..<16]))
  var v: [UInt64] = [
    k0 ^ 0x736f_6d65_7073_6575, k1 ^ 0x646f_7261_6e64_6f6d ^ 0xee, k0 ^ 0x6c79_6765_6e65_7261,
    k1 ^ 0x7465_6462_7974_6573,
  ]
  func rotated(_ value: UInt64, _ count: UInt64) -> UInt64 { value << count | value >> (64 - count) }
  func round() {
    v[0] &+= v[1]
    v[1] = rotated(v[1], 13) ^ v[0]
    v[0] = rotated(v[0], 32)
    v[2] &+= v[3]
    v[3] = rotated(v[3], 16) ^ v[2]
    v[0] &+= v[3]
    v[3] = rotated(v[3], 21) ^ v[0]
    v[2] &+= v[1]
    v[1] = rotated(v[1], 17) ^ v[2]
    v[2] = rotated(v[2], 32)
  }
  func absorb(_ word: UInt64) {
    v[3] ^= word
    round()
    round()
    v[0] ^= word
  }
  let whole = message.count / 8 * 8
  for place in stride(from: 0, to: whole, by: 8) { absorb(word(message[place..<place + 8])) }
  absorb(word(message[whole...]) | UInt64(message.count & 0xff) << 56)
  v[2] ^= 0xee
  for _ in 0..<4 { round() }
  let first = v[0] ^ v[1] ^ v[2] ^ v[3]
  v[1] ^= 0xdd
  for _ in 0..<4 { round() }
  return (first, v[0] ^ v[1] ^ v[2] ^ v[3])
}
