import StarlingEngine
import Testing

@Suite struct `The checksum of what logs keep` {
  @Test func `is CRC-32C by its published vectors`() {
    // RFC 3720, appendix B.4, and the check value of the catalogue of CRC algorithms.
    #expect(sum(of: Array("123456789".utf8)) == 0xE306_9283)
    #expect(sum(of: [UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
    #expect(sum(of: [UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
    #expect(sum(of: Array(0..<32)) == 0x46DD_794E)
    #expect(sum(of: Array((0..<32).reversed())) == 0x113F_DB5C)
    #expect(sum(of: []) == 0)
  }

  @Test func `does not depend on how the bytes are cut`() {
    let bytes = (0..<61).map { UInt8(truncatingIfNeeded: $0 &* 37) }
    for cut in 0...bytes.count {
      var parts = CRC32C()
      parts.add(Array(bytes[..<cut]))
      parts.add(Array(bytes[cut...]))
      #expect(parts.value == sum(of: bytes), "cut at \(cut)")
    }
  }

  private func sum(of bytes: [UInt8]) -> UInt32 {
    var sum = CRC32C()
    sum.add(bytes)
    return sum.value
  }
}
