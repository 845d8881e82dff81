import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `The parts of a state` {
  func part(_ offset: UInt64, _ bytes: [UInt8], of byteCount: UInt64 = 6, request: UInt32 = 1) -> Message.SnapshotPart {
    Message.SnapshotPart(
      document: Sender.document, request: request, offset: offset, byteCount: byteCount, bytes: bytes)
  }

  func begun() -> SnapshotAssembly {
    var assembly = SnapshotAssembly(beginningWith: part(0, [1, 2]))!
    _ = assembly.add(part(0, [1, 2]))
    return assembly
  }

  func isMalformed(_ outcome: SnapshotAssembly.Outcome) -> Bool {
    if case .malformed = outcome { true } else { false }
  }

  @Test func `make a whole in their order`() {
    var assembly = begun()
    #expect(assembly.add(part(2, [3, 4])) == .more)
    #expect(assembly.add(part(4, [5, 6])) == .complete([1, 2, 3, 4, 5, 6]))
  }

  @Test func `may come twice`() {
    var assembly = begun()
    #expect(assembly.add(part(0, [1, 2])) == .more)
    #expect(assembly.add(part(2, [3, 4, 5, 6])) == .complete([1, 2, 3, 4, 5, 6]))
  }

  @Test func `may not leave a hole`() {
    var assembly = begun()
    #expect(isMalformed(assembly.add(part(4, [5, 6]))))
  }

  @Test func `may not be more than was announced`() {
    var assembly = begun()
    #expect(isMalformed(assembly.add(part(2, [3, 4, 5, 6, 7]))))
    assembly = begun()
    #expect(isMalformed(assembly.add(part(.max, [3]))))
  }

  @Test func `belong to one answer`() {
    var assembly = begun()
    #expect(isMalformed(assembly.add(part(2, [3, 4], request: 2))))
    assembly = begun()
    #expect(isMalformed(assembly.add(part(2, [3, 4], of: 7))))
  }

  @Test func `begin at the beginning, and announce no more than fits`() {
    #expect(SnapshotAssembly(beginningWith: part(2, [3, 4])) == nil)
    #expect(SnapshotAssembly(beginningWith: part(0, [], of: SnapshotAssembly.byteCountMax)) != nil)
    #expect(SnapshotAssembly(beginningWith: part(0, [], of: SnapshotAssembly.byteCountMax + 1)) == nil)
  }
}
