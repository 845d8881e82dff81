/// The name of a slot within one object: a field of a model, a key of a dictionary, a member of a set, an
/// element of a list.
public enum Key: Hashable, Sendable {
  case name(String)
  case integer(Int64)
  case bytes([UInt8])
  /// The element of a list that the operation of this dot inserted. In operations on a sequence also one of
  /// its items, or `Dot.origin`.
  case element(Dot)
}

extension Key: Comparable {
  /// The canonical order: names, then integers, then bytes, then elements; names by their UTF-8 bytes, so that
  /// every language agrees.
  public static func < (left: Key, right: Key) -> Bool {
    switch (left, right) {
    case (.name(let left), .name(let right)): left.hasBytesBefore(right)
    case (.integer(let left), .integer(let right)): left < right
    case (.bytes(let left), .bytes(let right)):
      left.withUnsafeBytes { left in right.withUnsafeBytes { left.precedes($0) } }
    case (.element(let left), .element(let right)): left < right
    default: left.rank < right.rank
    }
  }

  private var rank: Int {
    switch self {
    case .name: 0
    case .integer: 1
    case .bytes: 2
    case .element: 3
    }
  }

  /// A number that ascends with keys: of two that differ in it, the key with the lesser one is the lesser.
  var beginning: UInt64 {
    let word =
      switch self {
      case .name(let name): name.utf8.firstWord
      case .integer(let integer): UInt64(bitPattern: integer) ^ 1 << 63
      case .bytes(let bytes): bytes.firstWord
      case .element(let dot): dot.replica.rawValue
      }
    return UInt64(rank) << 62 | word >> 2
  }

  // Swift's String equality is canonical equivalence; two spellings of one text are two keys on
  // the wire, so equality and hashing go by bytes.
  public static func == (left: Key, right: Key) -> Bool {
    switch left {
    case .name(let left):
      if case .name(let right) = right { left.hasSameBytes(as: right) } else { false }
    case .integer(let left):
      if case .integer(let right) = right { left == right } else { false }
    case .bytes(let left):
      if case .bytes(let right) = right { left == right } else { false }
    case .element(let left):
      if case .element(let right) = right { left == right } else { false }
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .name(var name):
      hasher.combine(0 as UInt8)
      name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .integer(let integer):
      hasher.combine(1 as UInt8)
      hasher.combine(integer)
    case .bytes(let bytes):
      hasher.combine(2 as UInt8)
      hasher.combine(bytes)
    case .element(let dot):
      hasher.combine(3 as UInt8)
      hasher.combine(dot)
    }
  }
}

extension Key: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) {
    self = .name(value)
  }
}

extension Collection<UInt8> {
  /// The first eight, the first of them in the uppermost place, and zeros where there are fewer.
  fileprivate var firstWord: UInt64 {
    var word: UInt64 = 0
    var shift: UInt64 = 64
    for byte in prefix(8) {
      shift -= 8
      word |= UInt64(byte) << shift
    }
    return word
  }
}

extension String {
  /// Whether both are the same UTF-8 bytes; `==` would also accept canonically equivalent spellings.
  ///
  /// It looks first at what almost always decides: the same text at the same place, or a short one in
  /// the same two words.
  @inline(__always)
  package func hasSameBytes(as other: String) -> Bool {
    unsafeBitCast(self, to: (UInt64, UInt64).self) == unsafeBitCast(other, to: (UInt64, UInt64).self)
      || utf8.count == other.utf8.count && hasSameBytesAtLength(as: other)
  }

  @inline(never)
  package func hasSameBytesAtLength(as other: String) -> Bool {
    let areSame = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        UnsafeRawBufferPointer(left).hasSameBytes(as: UnsafeRawBufferPointer(right))
      } ?? left.elementsEqual(other.utf8)
    }
    return areSame ?? utf8.elementsEqual(other.utf8)
  }
}

extension String {
  /// Whether the UTF-8 bytes come before those of the other text.
  fileprivate func hasBytesBefore(_ other: String) -> Bool {
    let precedes = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        UnsafeRawBufferPointer(left).precedes(UnsafeRawBufferPointer(right))
      }
    }
    return precedes.flatMap { $0 } ?? utf8.lexicographicallyPrecedes(other.utf8)
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes come before the other ones, as a dictionary orders words; eight at a time.
  fileprivate func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
    let shared = Swift.min(count, other.count)
    var place = 0
    while place + 8 <= shared {
      let (left, right) = (word(at: place), other.word(at: place))
      if left != right { return left.byteSwapped < right.byteSwapped }
      place += 8
    }
    while place < shared {
      if self[place] != other[place] { return self[place] < other[place] }
      place += 1
    }
    return count < other.count
  }

  /// Compares eight bytes at a time; both are of one length.
  fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count >= 8 else {
      for place in 0..<count where self[place] != other[place] { return false }
      return true
    }
    var place = 0
    while place + 8 <= count {
      if word(at: place) != other.word(at: place) { return false }
      place += 8
    }
    return word(at: count - 8) == other.word(at: count - 8)
  }

  /// Eight bytes as a little-endian number.
  private func word(at offset: Int) -> UInt64 {
    UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
