/// Something that bytes are written to, one after another.
protocol ByteSink: ~Copyable {
  mutating func append(_ byte: UInt8)
  mutating func append(contentsOf bytes: some Collection<UInt8>)
}

extension [UInt8]: ByteSink {}

/// Writes the primitives of Protocol/wire-format.md, "Notation".
extension ByteSink where Self: ~Copyable {
  @inline(__always)
  mutating func append(varint value: UInt64) {
    if value < 0x80 {
      append(UInt8(truncatingIfNeeded: value))
    } else {
      append(longVarint: value)
    }
  }

  private mutating func append(longVarint value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  @inline(__always)
  mutating func append(varint value: Int) {
    append(varint: UInt64(value))
  }

  @inline(__always)
  mutating func append(signedVarint value: Int64) {
    append(varint: UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  mutating func append(fixed32 value: UInt32) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  mutating func append(fixed64 value: UInt64) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  /// The length in bytes, then the bytes.
  mutating func append(counted bytes: some Collection<UInt8>) {
    append(varint: bytes.count)
    append(contentsOf: bytes)
  }

  mutating func append(counted text: String) {
    append(counted: text.utf8)
  }
}
