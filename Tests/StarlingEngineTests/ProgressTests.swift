import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `The progress of a document` {
  let world = World()

  /// A node that joins, and the one that hands it a state part by part: at a thousand keys, in two parts.
  func joining() throws -> (Node, Stranger, version: VersionVector, parts: [Message.SnapshotPart]) {
    let full = try world.node("full").open()
    for number in 0..<1000 as Range<Int64> { full.set(number, for: .integer(number)) }
    let snapshot = try #require(full.cut()?.snapshot())
    let bytes = SnapshotCoding.encode(snapshot)
    let giver = try Stranger("giver", dialling: nil, in: world)
    let node = try world.node("node", dialable: false, dialling: ["giver"])
    _ = try node.open()
    world.run(for: .milliseconds(100))
    giver.say(Stranger.hello(endpoints: ["memory:giver"], wantsReply: false))
    giver.name(Node.library)
    let want = try #require(giver.messages.wants.first)
    let parts = [0..<bytes.count / 2, bytes.count / 2..<bytes.count].map { range in
      Message.SnapshotPart(
        document: Node.library, request: want.request, checksum: bytes.checksum, offset: UInt64(range.lowerBound),
        byteCount: UInt64(bytes.count), bytes: Array(bytes[range]))
    }
    return (node, giver, snapshot.version, parts)
  }

  func progress(of node: Node) throws -> DocumentProgress {
    try #require(try world.perform { await node.engine.progress(of: Node.library) })
  }

  @Test func `tells how much of a state has come, and of operations what is known elsewhere`() throws {
    let (node, giver, version, parts) = try joining()
    #expect(try progress(of: node).arriving == nil)
    giver.say(.have(Message.Have(document: Node.library, version: version, position: nil, digest: nil)))
    giver.say(.snapshot(parts[0]))
    let midway = try progress(of: node)
    #expect(midway.arriving?.byteCount == UInt64(parts[0].bytes.count))
    #expect(midway.arriving?.wholeByteCount == parts[0].byteCount)
    #expect(midway.operationCount == 0)
    #expect(midway.knownOperationCount == 1000)
    #expect(!midway.isCaughtUp)
    giver.say(.snapshot(parts[1]))
    let whole = try progress(of: node)
    #expect(whole.arriving == nil)
    #expect(whole.operationCount == 1000)
  }

  @Test func `is told with each part that comes, until the end`() throws {
    let (node, giver, version, parts) = try joining()
    let told = Box<[DocumentProgress]>([])
    let end = world.begin {
      for await progress in await node.engine.progressNotices(of: Node.library) { told.change { $0.append(progress) } }
    }
    world.run(for: .milliseconds(1))
    giver.say(.have(Message.Have(document: Node.library, version: version, position: nil, digest: nil)))
    // However close together they come.
    for part in parts { giver.say(.snapshot(part)) }
    world.run(for: .milliseconds(50))
    #expect(told.value.map { $0.arriving?.byteCount } == [nil, nil, UInt64(parts[0].bytes.count), nil])
    #expect(told.value.map(\.operationCount) == [0, 0, 0, 1000])
    #expect(told.value.map(\.knownOperationCount) == [0, 1000, 1000, 1000])
    #expect(told.value.allSatisfy { !$0.isCaughtUp })
    let want = try #require(giver.messages.wants.first)
    giver.say(
      .resume(
        Message.Resume(
          document: Node.library, request: want.request, version: version,
          position: StreamPosition(stream: 7, sequence: 0), tables: LiveEncoder().tables())))
    world.run(for: .milliseconds(50))
    #expect(told.value.count == 5 && told.value.last?.isCaughtUp == true)
    try node.close()
    #expect(world.run { end.value != nil })
  }

  @Test func `is told to nobody any more who went`() throws {
    let (node, giver, version, parts) = try joining()
    let first = world.begin {
      for await _ in await node.engine.progressNotices(of: Node.library) { break }
    }
    #expect(world.run { first.value != nil })
    giver.say(.have(Message.Have(document: Node.library, version: version, position: nil, digest: nil)))
    giver.say(.snapshot(parts[0]))
    world.run(for: .milliseconds(50))
    #expect(try world.perform { await node.engine.progressWatcherCount(of: Node.library) } == 0)
  }

  @Test func `is told to whoever asked for the document`() throws {
    let (node, giver, _, parts) = try joining()
    giver.say(.want(Message.Want(document: Node.library, request: 1, version: VersionVector())))
    giver.say(.snapshot(parts[0]))
    world.run(for: .seconds(2))
    let arrival = Message.Arrival(byteCount: UInt64(parts[0].bytes.count), wholeByteCount: parts[0].byteCount)
    #expect(giver.messages.haves.last?.arriving == arrival)
    giver.say(.snapshot(parts[1]))
    world.run(for: .seconds(2))
    #expect(giver.messages.haves.last?.arriving == nil)
    #expect(try node.status.counters.snapshotsMerged == 1)
  }

  @Test func `of a member is kept with its standing`() throws {
    let node = try world.node("node")
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    stranger.say(
      .have(
        Message.Have(
          document: Node.library, version: VersionVector(), position: nil, digest: nil,
          arriving: Message.Arrival(byteCount: 900, wholeByteCount: 400))))
    let document = try #require(try node.status.peers.first?.documents.first)
    // More than there is has not come.
    #expect(document.arriving?.byteCount == 400)
    #expect(document.arriving?.wholeByteCount == 400)
  }

  @Test func `of a document that is not open is none`() throws {
    let node = try world.node("node")
    let progress = try world.perform { await node.engine.progress(of: Node.library) }
    #expect(progress == nil)
  }
}
