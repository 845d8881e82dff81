/// SipHash-2-4 with a 128-bit result (Aumasson and Bernstein, 2012), fed piece by piece.
///
/// It names derived objects and digests documents, always under a published key: it makes
/// accidents impossible in practice, it does not keep secrets. Every integer is hashed as its
/// little-endian bytes, so any other implementation over the same bytes agrees.
///
/// ```
/// bytes in:   ... | b0 b1 b2 b3 b4 b5 b6 b7 | b0 b1 b2        |
///                   one word, compressed      tail, pending bytes of the next word
/// ```
package struct SipHash: Sendable {
  /// Sixteen bytes of key, as two little-endian words.
  package struct Key: Sendable {
    var low: UInt64
    var high: UInt64

    package init(low: UInt64, high: UInt64) {
      self.low = low
      self.high = high
    }

    /// The key that is spelled by sixteen ASCII characters.
    package init(_ characters: StaticString) {
      precondition(characters.utf8CodeUnitCount == 16, "A key has 16 bytes; '\(characters)' has other ones.")
      let bytes = UnsafeRawPointer(characters.utf8Start)
      low = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
      high = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }
  }

  private var v0: UInt64
  private var v1: UInt64
  private var v2: UInt64
  private var v3: UInt64
  private var tail: UInt64 = 0
  private var byteCount: UInt64 = 0

  package init(key: Key) {
    v0 = key.low ^ 0x736f_6d65_7073_6575
    v1 = key.high ^ 0x646f_7261_6e64_6f6d ^ 0xee
    v2 = key.low ^ 0x6c79_6765_6e65_7261
    v3 = key.high ^ 0x7465_6462_7974_6573
  }

  package mutating func combine(_ byte: UInt8) {
    tail |= UInt64(byte) << ((byteCount & 7) * 8)
    byteCount &+= 1
    if byteCount & 7 == 0 {
      compress(tail)
      tail = 0
    }
  }

  /// Hashes the eight little-endian bytes of `word`.
  package mutating func combine(_ word: UInt64) {
    let shift = (byteCount & 7) * 8
    byteCount &+= 8
    compress(tail | word << shift)
    tail = shift == 0 ? 0 : word >> (64 - shift)
  }

  package mutating func combine(bytes: UnsafeRawBufferPointer) {
    var offset = 0
    while offset + 8 <= bytes.count {
      combine(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    while offset < bytes.count {
      combine(bytes[offset])
      offset += 1
    }
  }

  /// The sixteen bytes of the result as two little-endian words.
  package consuming func finish() -> (first: UInt64, second: UInt64) {
    compress(tail | byteCount << 56)
    v2 ^= 0xee
    for _ in 0..<4 { round() }
    let first = v0 ^ v1 ^ v2 ^ v3
    v1 ^= 0xdd
    for _ in 0..<4 { round() }
    return (first, v0 ^ v1 ^ v2 ^ v3)
  }

  private mutating func compress(_ word: UInt64) {
    v3 ^= word
    round()
    round()
    v0 ^= word
  }

  private mutating func round() {
    v0 &+= v1
    v1 = rotate(v1, 13) ^ v0
    v0 = rotate(v0, 32)
    v2 &+= v3
    v3 = rotate(v3, 16) ^ v2
    v0 &+= v3
    v3 = rotate(v3, 21) ^ v0
    v2 &+= v1
    v1 = rotate(v1, 17) ^ v2
    v2 = rotate(v2, 32)
  }
}

private func rotate(_ word: UInt64, _ count: UInt64) -> UInt64 {
  word &<< count | word &>> (64 &- count)
}
