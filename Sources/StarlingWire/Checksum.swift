extension [UInt8] {
  /// The checksum of all of them.
  package var checksum: UInt64 { withUnsafeBytes { $0.checksum } }
}

extension UnsafeRawBufferPointer {
  /// Says whether bytes are those that were written (Protocol/wire-format.md, "Checksums"). Each step maps 64 bits
  /// to 64 bits one to one, so that no single word can differ unnoticed; it is no defence against who means harm.
  package var checksum: UInt64 {
    var sum: UInt64 = 0
    var offset = 0
    while offset + 8 <= count {
      mix(UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self)), into: &sum)
      offset += 8
    }
    var rest: UInt64 = 0
    for place in offset..<count { rest |= UInt64(self[place]) << (8 * (place - offset)) }
    mix(rest, into: &sum)
    mix(UInt64(count), into: &sum)
    return sum
  }
}

@inline(__always)
private func mix(_ word: UInt64, into sum: inout UInt64) {
  sum = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
  sum ^= sum >> 32
}
