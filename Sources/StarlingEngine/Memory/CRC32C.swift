/// The checksum of what logs keep: CRC-32C (Castagnoli), as in RFC 3720, appendix B.4.
///
/// Eight bytes a step: `tables[k][b]` is what byte `b` becomes once `k` more zero bytes have passed.
package struct CRC32C {
  private var remainder: UInt32 = .max

  package init() {}

  /// The checksum of everything that was added.
  package var value: UInt32 { ~remainder }

  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    var remainder = remainder
    var place = 0
    Self.tables.withUnsafeBufferPointer { tables in
      while place + 8 <= bytes.count {
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) ^ UInt64(remainder)
        remainder = 0
        for byte in 0..<8 {
          remainder ^= tables[(7 - byte) * 256 + Int(truncatingIfNeeded: word >> (UInt64(byte) * 8) & 0xFF)]
        }
        place += 8
      }
      while place < bytes.count {
        remainder = remainder >> 8 ^ tables[Int((remainder ^ UInt32(bytes[place])) & 0xFF)]
        place += 1
      }
    }
    self.remainder = remainder
  }

  package mutating func add(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { add($0) }
  }

  /// Adds the eight bytes of `integer`, least significant first.
  package mutating func add(_ integer: UInt64) {
    withUnsafeBytes(of: integer.littleEndian) { add($0) }
  }

  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
    for byte in 0..<256 {
      var remainder = UInt32(byte)
      for _ in 0..<8 {
        remainder = remainder >> 1 ^ (remainder & 1 == 0 ? 0 : 0x82F6_3B78)
      }
      tables[byte] = remainder
    }
    for place in 256..<tables.count {
      let previous = tables[place - 256]
      tables[place] = previous >> 8 ^ tables[Int(previous & 0xFF)]
    }
    return tables
  }()
}
