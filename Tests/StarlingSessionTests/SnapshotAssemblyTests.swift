import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `The parts of a state` {
  let checksum = ([1, 2, 3, 4, 5, 6] as [UInt8]).checksum

  func part(
    _ offset: UInt64, _ bytes: [UInt8], of byteCount: UInt64 = 6, checksum: UInt64? = nil
  ) -> Message.SnapshotPart {
    Message.SnapshotPart(
      document: Sender.document, request: 1, checksum: checksum ?? self.checksum, offset: offset, byteCount: byteCount,
      bytes: bytes)
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

  @Test func `may be cut elsewhere when they come again`() {
    var assembly = begun()
    #expect(assembly.add(part(0, [1, 2, 3, 4])) == .more)
    #expect(assembly.begun == Message.BegunState(checksum: checksum, byteCount: 4))
    #expect(assembly.add(part(3, [4, 5, 6])) == .complete([1, 2, 3, 4, 5, 6]))
  }

  @Test func `make no whole where one of them is not what was announced`() {
    var assembly = begun()
    #expect(isMalformed(assembly.add(part(2, [3, 4, 5, 7]))))
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

  @Test func `belong to one state`() {
    var assembly = begun()
    #expect(isMalformed(assembly.add(part(2, [3, 4], checksum: 2))))
    assembly = begun()
    #expect(isMalformed(assembly.add(part(2, [3, 4], of: 7))))
  }

  @Test func `begin at the beginning, and announce no more than fits`() {
    #expect(SnapshotAssembly(beginningWith: part(2, [3, 4])) == nil)
    #expect(SnapshotAssembly(beginningWith: part(0, [], of: SnapshotAssembly.byteCountMax)) != nil)
    #expect(SnapshotAssembly(beginningWith: part(0, [], of: SnapshotAssembly.byteCountMax + 1)) == nil)
  }
}
