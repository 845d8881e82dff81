import StarlingCore
import StarlingEngine
import StarlingTestSupport
import StarlingWire
import Testing

/// Well-formed messages whose numbers lie at the edges of what can be written.
private struct Extremes {
  private static let edges: [UInt64] = [
    0, 1, 2, 1 << 31 - 1, 1 << 31, 1 << 32 - 1, 1 << 32, 1 << 48 - 1, 1 << 53, 1 << 62, 1 << 63 - 1, 1 << 63,
    .max - 1, .max,
  ]

  var chance: Dice
  /// What was asked for last, so that some answers are expected.
  var request: UInt32?

  mutating func number() -> UInt64 { Self.edges.randomElement(using: &chance)! }

  private mutating func anyRequest() -> UInt32 {
    if let request, Bool.random(using: &chance) { return request }
    return UInt32(truncatingIfNeeded: number())
  }

  /// Dots count to 2^63 at most, and so do all that are written.
  private mutating func counter() -> UInt64 { min(number(), 1 << 63 - 1) }

  private mutating func version() -> VersionVector {
    VersionVector((1...3).map { VersionVector.Entry(replica: ReplicaID(rawValue: $0), counter: counter()) })
  }

  private mutating func position() -> StreamPosition { StreamPosition(stream: 9, sequence: number()) }

  private mutating func change() -> Change {
    Change(
      replica: ReplicaID(rawValue: UInt64.random(in: 1...3, using: &chance)), firstCounter: max(1, counter()),
      stamp: Stamp(rawValue: number()), frontier: [], objects: [],
      operations: [
        Operation(
          object: .root, key: "title",
          action: Bool.random(using: &chance)
            ? .set(.integer(Int64(bitPattern: number())), replacing: [], clearing: nil)
            : .increment(Int64(bitPattern: number()), birth: max(1, counter())))
      ])
  }

  private mutating func grant() -> Message.LeaseGrant {
    Message.LeaseGrant(replica: ReplicaID(rawValue: number()), number: number(), counter: counter())
  }

  mutating func frame() -> [UInt8] {
    var (encoder, payload) = (LiveEncoder(), [UInt8]())
    encoder.encode(change(), into: &payload)
    return PublishedFrame(
      topic: PublishedFrame.topicNumber(of: Node.library), stream: 9, sequence: number(), payload: payload[...]
    ).encoded()
  }

  /// What only grantors of leases say, or daemons.
  mutating func messageOfDaemon() -> Message {
    guard Int.random(in: 0..<3, using: &chance) > 0 else { return message() }
    let answers: [Message.Leased.Answer] = [.granted(grant()), .over(grant()), .returned(grant()), .nothing]
    guard Bool.random(using: &chance) else {
      return .leased(Message.Leased(document: Node.library, answer: answers.randomElement(using: &chance)!))
    }
    return .members(
      (0..<3).map { _ in
        Message.Member(
          store: StoreID(rawValue: number()), incarnation: min(number(), Message.Member.numberMax - 1),
          beat: min(number(), Message.Member.numberMax - 1), quietMilliseconds: UInt32(truncatingIfNeeded: number()))
      })
  }

  mutating func message() -> Message {
    let document = Node.library
    switch Int.random(in: 0..<10, using: &chance) {
    case 0:
      return .have(
        Message.Have(
          document: document, version: version(), position: position(), digest: nil,
          arriving: Message.Arrival(byteCount: number(), wholeByteCount: number())))
    case 1:
      return .want(
        Message.Want(
          document: document, request: anyRequest(), version: version(), wantsState: Bool.random(using: &chance),
          begun: Message.BegunState(checksum: number(), byteCount: number())))
    case 2: return .changes(Message.Changes(document: document, request: anyRequest(), batch: Batch.encode([change()])))
    case 3:
      return .snapshot(
        Message.SnapshotPart(
          document: document, request: anyRequest(), checksum: number(), offset: number(), byteCount: number(),
          bytes: [1, 2, 3]))
    case 4:
      return .resume(
        Message.Resume(
          document: document, request: anyRequest(), version: version(), position: position(),
          tables: LiveEncoder().tables()))
    case 5, 6: return .live(frame())
    case 7: return .credit(Message.Credit(document: document, request: anyRequest(), byteCount: number()))
    case 8: return .acknowledge(document, version())
    default:
      return .lease(
        Message.Lease(document: document, request: Bool.random(using: &chance) ? .goOn(grant()) : .giveBack(grant())))
    }
  }
}

@Suite struct `What a stranger sends with extreme numbers` {
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `is survived, and what was written stays`(seed: UInt64) throws {
    let world = World()
    let node = try world.node("node") { $0.isRelay = true }
    let handle = try node.open()
    handle.set(1)
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    var extremes = Extremes(chance: Dice(seed: seed))
    for _ in 0..<200 {
      extremes.request = stranger.messages.wants.last?.request
      stranger.say(extremes.message())
    }
    handle.set(2)
    #expect(throws: Never.self) { try node.flush(.durable) }
    handle.read { $0.checkInvariants() }
    #expect(handle.version[handle.replica] >= 2)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `is survived by the replica that dialled it`(seed: UInt64) throws
  {
    let world = World()
    let stranger = try Stranger("daemon", dialling: nil, in: world)
    let node = try world.node("node", dialling: ["daemon"]) {
      $0.leasesReplicaID = true
      $0.gossips = true
    }
    let handle = try node.open()
    #expect(world.run { !stranger.messages.hellos.isEmpty })
    stranger.say(
      .hello(
        Message.Hello(
          lowestVersion: 1, highestVersion: 1, store: StoreID(rawValue: 77), epoch: 1, agent: "daemon", endpoints: [],
          isDurable: true, relays: true, grantsLeases: true, wantsReply: false)))
    var extremes = Extremes(chance: Dice(seed: seed))
    for number in 0..<200 {
      extremes.request = stranger.messages.wants.last?.request
      stranger.say(extremes.messageOfDaemon())
      stranger.publish(extremes.frame())
      handle.set(Int64(number))
    }
    #expect(throws: Never.self) { try node.flush(.durable) }
    #expect(handle.value() == .integer(199))
    handle.read { $0.checkInvariants() }
  }
}
