import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

/// The rules of Protocol/conversation.md, "Versions", from the side of the engine of the day.
@Suite struct `A peer of a later version` {
  let world = World()

  /// It offers the next version beside this one, sets a flag nobody knows, and adds fields to whatever it says.
  func met() throws -> (Node, DocumentHandle, Stranger) {
    let node = try world.node("node") { $0.isRelay = true }
    let handle = try node.open()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    var hello = Stranger.hello(versions: 1...2).encoded()
    // The flags follow the kind, the magic, two versions, the store and the epoch.
    hello[1 + 4 + 2 + 16] |= 1 << 7
    stranger.say(bytes: hello + Self.laterFields)
    stranger.name(Node.library)
    return (node, handle, stranger)
  }

  static let laterFields: [UInt8] = [80, 3, 0xAA, 0xBB, 0xCC, 90, 0]

  @Test func `is talked to in the version that both know`() throws {
    let (node, handle, stranger) = try met()
    #expect(stranger.messages.hellos.map(\.highestVersion) == [1])
    #expect(try node.status.peers.map(\.agent) == ["stranger"])
    handle.set(1)
    stranger.say(
      bytes: Message.want(Message.Want(document: Node.library, request: 1, version: VersionVector())).encoded()
        + Self.laterFields)
    #expect(stranger.messages.changes.count == 1)
    #expect(stranger.messages.resumes.count == 1)
    #expect(stranger.messages.refusals.isEmpty)
  }

  @Test func `may say what this version has no word for`() throws {
    let (node, handle, stranger) = try met()
    for kind in [100, 1000, 1 << 40] as [UInt64] {
      stranger.say(bytes: Message.unknown(kind: kind).encoded() + [1, 2, 3])
    }
    #expect(stranger.messages.refusals.isEmpty)
    #expect(try node.counters.malformed == 0)
    handle.set(1)
    #expect(try node.status.peers.count == 1)
  }

  @Test func `writes values that this version cannot read, which are kept and passed on`() throws {
    let (node, handle, stranger) = try met()
    let later = Value.unknown(tag: 77, payload: [1, 2, 3])
    var document = Document()
    var patch = Patch()
    document.begin(as: ReplicaID(rawValue: 5), now: 1_800_000_000_000)
    document.set(later, for: "later", in: .root, patch: &patch)
    let committed = document.commit()
    let change = try #require(committed)
    let want = try #require(stranger.messages.wants.first)
    let batch = Message.Changes(document: Node.library, request: want.request, batch: Batch.encode([change]))
    stranger.say(bytes: Message.changes(batch).encoded() + Self.laterFields)
    #expect(handle.value(of: "later") == later)
    try node.flush(.durable)
    let other = try Stranger("other", dialling: "node", in: world)
    other.say(Stranger.hello(store: 78, epoch: 3))
    other.say(.want(Message.Want(document: Node.library, request: 1, version: VersionVector())))
    var received = Document()
    for changes in other.messages.changes { _ = try Batch.merge(changes.batch, into: &received, patch: &patch) }
    #expect(received.digest() == document.digest())
  }
}

/// No such version was ever released; the rule is that what was added to this one may be missing.
@Suite struct `A peer that lacks what was added` {
  let world = World()

  static let keyCount = 24

  /// Twelve megabytes; a window and one part of them are sent at a time.
  func met(_ history: EngineConfiguration.History) throws -> (Node, DocumentHandle, Stranger) {
    let node = try world.node("node") { $0.history = history }
    let handle = try node.open()
    for number in 0..<Int64(Self.keyCount) {
      // Bytes that a state keeps every one of.
      var word = UInt64(number + 1)
      let bytes = (0..<62_500).flatMap { _ in
        word = word &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return withUnsafeBytes(of: word) { Array($0) }
      }
      handle.write { document, patch in
        document.set(.bytes(bytes), for: .integer(number), in: .root, patch: &patch)
      }
    }
    try node.flush(.durable)
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    return (node, handle, stranger)
  }

  @Test func `never says credit, and has all in as many wants as there are windows`() throws {
    let (_, handle, stranger) = try met(.everything)
    var document = Document()
    var patch = Patch()
    var taken = 0
    for request in 1...8 as ClosedRange<UInt32> where stranger.messages.resumes.isEmpty {
      stranger.say(.want(Message.Want(document: Node.library, request: request, version: document.version)))
      world.run(for: .seconds(2))
      for changes in stranger.messages.changes.dropFirst(taken) {
        _ = try Batch.merge(changes.batch, into: &document, patch: &patch)
      }
      taken = stranger.messages.changes.count
    }
    #expect(stranger.messages.resumes.count == 1)
    #expect(document.version == handle.version)
    #expect(document.digest() == handle.digestWithVersion()?.0)
  }

  @Test func `is told of a state without the parts that have arrived so far`() throws {
    let node = try world.node("node")
    _ = try node.open()
    let stranger = try Stranger("stranger", dialling: "node", in: world)
    stranger.say(Stranger.hello())
    stranger.say(.have(Message.Have(document: Node.library, version: VersionVector(), position: nil, digest: nil)))
    #expect(try node.status.peers.first?.documents.first?.arriving == nil)
    #expect(stranger.messages.refusals.isEmpty)
  }
}
