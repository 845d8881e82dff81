import StarlingTestSupport
import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `What a stranger sends` {
  let world = World()

  func met() throws -> (Node, DocumentHandle, Stranger) {
    let node = try world.node("node")
    let handle = try node.open()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    stranger.name(Node.library)
    return (node, handle, stranger)
  }

  @Test func `and nobody can read is counted, refused, and survived`() throws {
    let (node, handle, stranger) = try met()
    var generator = SystemRandomNumberGenerator()
    let seed = UInt64.random(in: 0...UInt64.max, using: &generator)
    var chance = Dice(seed: seed)
    for _ in 0..<300 {
      let count = Int.random(in: 0..<60, using: &chance)
      // A first byte that is no kind of message.
      stranger.say(bytes: [0] + (0..<count).map { _ in UInt8.random(in: 0...255, using: &chance) })
    }
    #expect(try node.counters.malformed > 0, "seed \(seed)")
    #expect(stranger.messages.refusals.allSatisfy { $0.code == .malformed }, "seed \(seed)")
    handle.set(1)
    #expect(throws: Never.self) { try node.flush(.durable) }
  }

  @Test func `in place of each byte of each message is survived`() throws {
    let (node, handle, stranger) = try met()
    handle.set(1)
    world.run(for: .milliseconds(10))
    let version = handle.version
    let messages: [Message] = [
      .have(Message.Have(document: Node.library, version: version, position: nil, digest: nil)),
      .want(Message.Want(document: Node.library, request: 3, version: version)),
      .changes(Message.Changes(document: Node.library, request: 1, batch: [1, 0])),
      .resume(
        Message.Resume(
          document: Node.library, request: 1, version: version, position: StreamPosition(stream: 1, sequence: 0),
          tables: LiveEncoder().tables())),
      .acknowledge(Node.library, version),
    ]
    for message in messages {
      let bytes = message.encoded()
      for place in bytes.indices {
        for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
          var damaged = bytes
          damaged[place] = value
          stranger.say(bytes: damaged)
        }
        stranger.say(bytes: Array(bytes[..<place]))
      }
    }
    #expect(handle.value() == .integer(1))
    handle.read { $0.checkInvariants() }
    #expect(throws: Never.self) { try node.flush(.durable) }
  }

  @Test func `and is larger than any message is refused before it is looked at`() throws {
    let (node, _, stranger) = try met()
    var bytes = Message.want(Message.Want(document: Node.library, request: 1, version: VersionVector())).encoded()
    bytes += [UInt8](repeating: 0, count: WireLimits.standard.frameByteCountMax)
    stranger.say(bytes: bytes)
    #expect(try node.counters.malformed == 1)
    #expect(stranger.messages.refusals.map(\.code) == [.malformed])
  }

  @Test func `as a frame that cannot be read is counted`() throws {
    let stranger = try Stranger("stranger", dialling: nil, in: world)
    let node = try world.node("node", dialable: false, dialling: ["stranger"])
    _ = try node.open()
    world.run(for: .milliseconds(100))
    stranger.publish(PublishedFrame.topic(of: Node.library) + [1])
    #expect(try node.counters.malformed == 1)
    #expect(try node.counters.framesReceived == 1)
  }

  @Test func `as a change that contradicts itself is refused, and what came before it stays`() throws {
    let (node, handle, stranger) = try met()
    let request = try #require(stranger.messages.wants.last?.request)
    var author = Document()
    var patch = Patch()
    func write(_ value: Int64) -> Change {
      author.begin(as: ReplicaID(rawValue: 5), now: 1)
      author.set(.integer(value), for: "title", in: .root, patch: &patch)
      return author.commit()!
    }
    let good = write(1)
    var bad = write(2)
    // It says that it replaces what it cannot have seen.
    bad.operations[0].action = .set(.integer(2), replacing: [Dot(ReplicaID(rawValue: 6), 9)], clearing: nil)
    stranger.say(
      .changes(Message.Changes(document: Node.library, request: request, batch: Batch.encode([good, bad]))))
    #expect(stranger.messages.refusals.map(\.code) == [.malformed])
    #expect(handle.value() == .integer(1))
    #expect(try node.counters.malformed == 1)
  }

  @Test func `that stands on an item of its own making is asked about once, and refused`() throws {
    let (node, handle, stranger) = try met()
    let text = ObjectDefinition(parent: .root, key: "text", kind: .text)
    func change(_ counter: UInt64, _ key: Key, _ action: Action) -> Change {
      Change(
        replica: ReplicaID(rawValue: 5), firstCounter: counter, stamp: Stamp(rawValue: 1), frontier: [],
        objects: [text], operations: [Operation(object: text.id, key: key, action: action)])
    }
    // The dot of an operation, though of no item.
    let invented = change(1, "title", .set(.null, replacing: [], clearing: nil))
    let standing = change(
      2, .element(Dot(ReplicaID(rawValue: 5), 1)), .insert(.text(Scalars("a")), side: .right))
    let empty = SnapshotCoding.encode(Document().snapshot())
    let claimed = VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: 5), counter: 2)])
    var (stateCount, answered) = (0, UInt32(0))
    for _ in 0..<30 {
      stranger.say(.have(Message.Have(document: Node.library, version: claimed, position: nil, digest: nil)))
      world.run(for: .seconds(20))
      guard let want = stranger.messages.wants.last, want.request != answered else { continue }
      answered = want.request
      if want.wantsState {
        stateCount += 1
        let part = Message.SnapshotPart(
          document: Node.library, request: want.request, checksum: empty.checksum, offset: 0,
          byteCount: UInt64(empty.count), bytes: empty)
        stranger.say(.snapshot(part))
      }
      let batch = Batch.encode([invented, standing])
      stranger.say(.changes(Message.Changes(document: Node.library, request: want.request, batch: batch)))
      stranger.say(
        .resume(
          Message.Resume(
            document: Node.library, request: want.request, version: VersionVector(),
            position: StreamPosition(stream: 1, sequence: 0), tables: LiveEncoder().tables())))
    }
    #expect(stateCount == 1)
    #expect(stranger.messages.refusals.count > 5 && stranger.messages.refusals.allSatisfy { $0.code == .malformed })
    #expect(try node.counters.malformed == stranger.messages.refusals.count)
    #expect(handle.version[ReplicaID(rawValue: 5)] == 1)
  }

  @Test func `with a stamp of the far future merges, and is reported`() throws {
    let (node, handle, stranger) = try met()
    let request = try #require(stranger.messages.wants.last?.request)
    var author = Document()
    var patch = Patch()
    author.begin(as: ReplicaID(rawValue: 5), now: 1_900_000_000_000)
    author.set(.integer(1), for: "title", in: .root, patch: &patch)
    let change = author.commit()!
    stranger.say(.changes(Message.Changes(document: Node.library, request: request, batch: Batch.encode([change]))))
    #expect(handle.value() == .integer(1))
    #expect(node.events.value.contains { if case .farFutureStamp = $0 { true } else { false } })
    // And drags our own clock no further than the bound.
    handle.set(2, for: "other")
    #expect(handle.read { $0.entries("other", in: .root)[0].stamp.milliseconds } < 1_800_000_100_000)
  }

  @Test func `as equal version and another state ends the merging with it`() throws {
    let (node, handle, stranger) = try met()
    handle.set(1)
    world.run(for: .seconds(3))
    let wrong = Digest(high: 1, low: 2)
    stranger.say(.have(Message.Have(document: Node.library, version: handle.version, position: nil, digest: wrong)))
    #expect(stranger.messages.refusals.isEmpty)
    // Each may have forgotten something: its state is asked for first.
    let request = try #require(stranger.messages.wants.first?.request)
    stranger.say(
      .resume(
        Message.Resume(
          document: Node.library, request: request, version: handle.version,
          position: StreamPosition(stream: 7, sequence: 0), tables: LiveEncoder().tables())))
    #expect(world.run { stranger.messages.wants.last?.wantsState == true })
    world.run(for: .seconds(15))
    stranger.say(.have(Message.Have(document: Node.library, version: handle.version, position: nil, digest: wrong)))
    #expect(stranger.messages.refusals.map(\.code) == [.digestMismatch])
    #expect(node.events.value.contains { if case .diverged = $0 { true } else { false } })
    stranger.say(.want(Message.Want(document: Node.library, request: 1, version: VersionVector())))
    #expect(stranger.messages.resumes.isEmpty)
    // Said once.
    stranger.say(.have(Message.Have(document: Node.library, version: handle.version, position: nil, digest: wrong)))
    #expect(stranger.messages.refusals.count == 1)
  }
}
