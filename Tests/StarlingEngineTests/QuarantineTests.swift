import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `A daemon with a damaged document` {
  let world = World()
  static let garden = DocumentID("garden")!

  /// What a daemon kept of two documents, one of which cannot be read any more.
  func damagedDisk() throws -> MemoryLog {
    let disk = MemoryLog(isDurable: true)
    let former = try world.node("former", log: disk) { $0.isRelay = true }
    try former.open().set(1)
    try former.flush(.durable)
    try former.close()
    try world.perform {
      _ = try await disk.open()
      try await disk.append([
        LogRecord(
          document: Self.garden, replica: ReplicaID(rawValue: 7), firstCounter: 1, lastCounter: 1, bytes: [1, 2, 3])
      ])
    }
    return disk
  }

  @Test func `serves the others, and refuses it by name`() throws {
    let node = try world.node("node", log: try damagedDisk()) { $0.isRelay = true }
    #expect(try node.status.documents == [Node.library])
    #expect(try node.status.quarantined.keys.map(\.name) == ["garden"])
    let events = node.events.value.filter { if case .quarantined(Self.garden, _) = $0 { true } else { false } }
    #expect(events.count == 1)
    let reader = try world.node("reader", dialable: false, dialling: ["node"])
    let handle = try reader.open()
    _ = try reader.open(Self.garden)
    #expect(world.run { handle.value() == .integer(1) })
    world.run(for: .seconds(5))
    #expect(reader.refusals.count == 1 && reader.refusals[0].contains("'garden' is damaged"), "\(reader.refusals)")
    #expect(throws: LogError.self) { try node.open(Self.garden) }
  }

  @Test func `changes nothing of it`() throws {
    let disk = try damagedDisk()
    let node = try world.node("node", log: disk) { $0.isRelay = true }
    let writer = try world.node("writer", dialable: false, dialling: ["node"])
    try writer.open(Self.garden).set(2)
    world.run(for: .seconds(5))
    try node.close()
    let records = try world.perform {
      _ = try await disk.open()
      return try await disk.recover(Self.garden).records
    }
    #expect(records.map(\.bytes) == [[1, 2, 3]])
  }

  @Test func `does not begin where it has no other`() throws {
    let disk = MemoryLog(isDurable: true)
    try world.perform {
      _ = try await disk.open()
      try await disk.append([
        LogRecord(
          document: Self.garden, replica: ReplicaID(rawValue: 7), firstCounter: 1, lastCounter: 1, bytes: [1, 2, 3])
      ])
    }
    #expect(throws: LogError.self) { try world.node("node", log: disk) { $0.isRelay = true } }
  }
}
