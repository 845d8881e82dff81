import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `Two holders of one replica id` {
  let world = World()

  /// A node whose log says that it may go on as `replica`.
  func node(_ name: String, as replica: ReplicaID, dialling peers: [String] = []) throws -> Node {
    let log = MemoryLog()
    try world.perform {
      _ = try await log.open()
      try await log.close(continuing: replica)
    }
    return try world.node(name, dialling: peers, log: log)
  }

  @Test func `part as soon as one hears of what the other wrote`() throws {
    let id = ReplicaID(rawValue: 42)
    let left = try node("left", as: id)
    let right = try node("right", as: id, dialling: ["left"])
    let here = try left.open()
    let there = try right.open()
    world.run(for: .seconds(1))
    #expect(here.replica == id && there.replica == id)
    here.set(1)
    world.run(for: .milliseconds(10))
    #expect(there.replica != id)
    #expect(right.events.value.contains { if case .renamed = $0 { true } else { false } })
    there.set(2)
    world.run(for: .milliseconds(10))
    here.set(3)
    world.run(for: .seconds(3))
    #expect(here.version == there.version)
    #expect(here.digest() == there.digest())
  }

  @Test func `part when one hears how far the other is, before any change comes`() throws {
    let node = try node("node", as: ReplicaID(rawValue: 42))
    let handle = try node.open()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    let version = VersionVector([VersionVector.Entry(replica: handle.replica, counter: 3)])
    stranger.say(.have(Message.Have(document: Node.library, version: version, position: nil, digest: nil)))
    #expect(handle.replica.rawValue != 42)
  }

  @Test func `part after the transaction that is open`() throws {
    let node = try node("node", as: ReplicaID(rawValue: 42))
    let handle = try node.open()
    handle.beginTransaction()
    handle.set(1)
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    let version = VersionVector([VersionVector.Entry(replica: handle.replica, counter: 3)])
    stranger.say(.have(Message.Have(document: Node.library, version: version, position: nil, digest: nil)))
    #expect(handle.replica.rawValue == 42)
    handle.set(2, for: "other")
    handle.endTransaction(message: nil)
    #expect(handle.replica.rawValue != 42)
    handle.set(3)
    #expect(handle.version[handle.replica] == 1)
  }

  @Test func `leave a ticket for the new name`() throws {
    let log = MemoryLog()
    try world.perform {
      _ = try await log.open()
      try await log.close(continuing: ReplicaID(rawValue: 42))
    }
    let node = try world.node("node", log: log)
    let handle = try node.open()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    let version = VersionVector([VersionVector.Entry(replica: handle.replica, counter: 3)])
    stranger.say(.have(Message.Have(document: Node.library, version: version, position: nil, digest: nil)))
    let id = handle.replica
    try node.close()
    #expect(try world.node("again", log: log).open().replica == id)
  }

  /// What an observer writes must not bear a dot that the other holder has used, or will.
  @Test(arguments: ["library", "garden"]) func `part before an observer can write, whatever document it writes to`(
    written: String
  ) throws {
    let id = ReplicaID(rawValue: 42)
    let left = try node("left", as: id)
    let right = try node("right", as: id, dialling: ["left"])
    let (here, there) = (try left.open(), try right.open())
    let (hereToo, target) = (try left.open(DocumentID(written)!), try right.open(DocumentID(written)!))
    world.run(for: .seconds(1))
    there.onPatch { _ in if target.value(of: "observed") == nil { target.set(9, for: "observed") } }
    let former = target.version[id]
    here.set(1)
    world.run(for: .milliseconds(10))
    #expect(target.value(of: "observed") == .integer(9))
    #expect(target.version[id] == former + (written == "library" ? 1 : 0))
    hereToo.set(2)
    here.set(3)
    world.run(for: .seconds(3))
    #expect(hereToo.version == target.version && hereToo.digest() == target.digest())
    #expect(here.version == there.version && here.digest() == there.digest())
    #expect(hereToo.value(of: "observed") == .integer(9))
  }

  @Test func `part also where what the other wrote has to wait`() throws {
    let node = try node("node", as: ReplicaID(rawValue: 42))
    let handle = try node.open()
    handle.set(1)
    world.run(for: .milliseconds(10))
    let other = DocumentHandle(id: Node.library, replica: ReplicaID(rawValue: 42)) { 0 }
    for value in 0..<4 as Range<Int64> { other.set(value) }
    let late = Array(other.takeOutbox().suffix(1))
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    stranger.name(Node.library)
    var (encoder, payload) = (LiveEncoder(), [UInt8]())
    for change in late { encoder.encode(change, into: &payload) }
    // The stranger's stream stands where the frame begins.
    stranger.say(
      .have(
        Message.Have(
          document: Node.library, version: VersionVector(), position: StreamPosition(stream: 9, sequence: 0),
          digest: nil)))
    let request = try #require(stranger.messages.wants.last?.request)
    stranger.say(
      .changes(Message.Changes(document: Node.library, request: request, batch: Batch.encode(late))))
    #expect(handle.replica.rawValue != 42)
    handle.set(2)
    #expect(handle.version[ReplicaID(rawValue: 42)] == 1)
  }

  @Test func `refuse what claims the last counter of the id, and go on writing`() throws {
    let id = ReplicaID(rawValue: 42)
    let other = DocumentHandle(id: Node.library, replica: id) { 0 }
    other.set(1)
    let cut = try #require(other.cut())
    var bytes = SnapshotCoding.encode(cut).dropLast(8).map { $0 }
    // The version: one entry, the replica, and its counter, to which all dots are relative.
    #expect(Array(bytes[1...10]) == [1, 42, 0, 0, 0, 0, 0, 0, 0, 1])
    bytes.replaceSubrange(10...10, with: [UInt8](repeating: 0xFF, count: 8) + [0x7F])
    withUnsafeBytes(of: bytes.checksum.littleEndian) { bytes.append(contentsOf: $0) }
    let state = try SnapshotCoding.open(bytes)
    #expect(state.version[id] == (UInt64(1) << 63) - 1)

    let node = try node("node", as: id)
    let handle = try node.open()
    handle.onPatch { _ in handle.set(2, for: "observed") }
    #expect(throws: MergeError.self) { try handle.merge(state) }
    handle.set(3)
    #expect(handle.version[handle.replica] >= 1)
    handle.read { $0.checkInvariants() }
  }
}
