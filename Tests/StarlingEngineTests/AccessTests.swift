import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingWire
import Testing

@Suite struct `A peer that proved who it is` {
  private static let notes = DocumentID("notes-today")!

  /// A daemon that knows three keys.
  private func daemon(in world: World, writers: Box<[WriterBinding]> = Box([])) throws -> Node {
    try world.node("daemon") { configuration in
      configuration.isRelay = true
      configuration.writers = writers.value
      configuration.noteWriters = { bindings in writers.change { $0 += bindings } }
      configuration.allowlist = { user, _ in
        switch user {
        case "ada": Trust(name: "Ada", role: .writes, documents: [.everything])
        case "bob": Trust(name: "Bob", role: .reads, documents: [.everything])
        case "cid": Trust(name: "Cid", role: .writes, documents: [DocumentPattern("notes-*")!])
        case "eli": Trust(name: "Eli", role: .writes, documents: [.everything])
        case "dan": Trust(name: "Dan", role: .relays, documents: [.everything])
        default: nil
        }
      }
    }
  }

  private func client(_ name: String, as user: String?, in world: World) throws -> Node {
    try world.node(name, dialable: false, dialling: ["daemon"], as: user)
  }

  private func denials(_ node: Node) -> [String] {
    accesses(node).filter { !$0.kind.isGrant }.map(\.explanation)
  }

  private func accesses(_ node: Node) -> [AccessEvent] {
    node.events.value.compactMap { if case .access(let event) = $0 { event } else { nil } }
  }

  @Test func `writes what its key may write`() throws {
    let world = World()
    let daemon = try daemon(in: world)
    let kept = try daemon.open()
    let written = try client("ada", as: "ada", in: world).open()
    written.set(1)
    #expect(world.run { kept.value() == .integer(1) })
    #expect(denials(daemon).isEmpty)
    #expect(accesses(daemon).map(\.kind) == [.admitted, .writerBound])
    let bound = try #require(accesses(daemon).last)
    #expect(bound.user == "ada" && bound.name == "Ada" && bound.role == .writes)
    #expect(bound.replica == written.replica && bound.document == Node.library)
  }

  @Test func `reads without writing where its key may only read`() throws {
    let world = World()
    let daemon = try daemon(in: world)
    let kept = try daemon.open()
    kept.set(1)
    let bob = try client("bob", as: "bob", in: world)
    let read = try bob.open()
    #expect(world.run { read.value() == .integer(1) })
    read.set(2)
    kept.set(3, for: "other")
    #expect(world.run { read.value(of: "other") == .integer(3) })
    world.run(for: .seconds(10))
    #expect(kept.value() == .integer(1))
    #expect(bob.events.value.contains { "\($0)".contains("what is written under it is not taken") })
  }

  @Test func `is refused by name when it writes all the same`() throws {
    let world = World()
    let daemon = try daemon(in: world)
    let kept = try daemon.open()
    let stranger = try Stranger("bob", dialling: "daemon", as: "bob", in: world)
    stranger.say(Stranger.hello())
    for _ in 0..<3 { stranger.say(.live(frame())) }
    #expect(kept.value() == nil)
    #expect(denials(daemon) == ["it may read 'library', not write it"])
    #expect(try daemon.counters.denied == 3)
    #expect(accesses(daemon).map(\.kind) == [.admitted, .writeRefused])
    #expect(
      accesses(daemon).map(\.description) == [
        "Bob (key bob): it was let in, and reads.", "Bob (key bob): it may read 'library', not write it",
      ])
    #expect(stranger.messages.refusals.last?.explanation.contains("not write it") == true)
  }

  @Test func `hears of the documents its key names, and of no other`() throws {
    let world = World()
    let daemon = try daemon(in: world)
    let (library, notes) = (try daemon.open(), try daemon.open(Self.notes))
    library.set(1)
    notes.set(2)
    let cid = try client("cid", as: "cid", in: world)
    let (itsLibrary, itsNotes) = (try cid.open(), try cid.open(Self.notes))
    #expect(world.run { itsNotes.value() == .integer(2) })
    itsNotes.set(3, for: "mine")
    itsLibrary.set(4, for: "mine")
    #expect(world.run { notes.value(of: "mine") == .integer(3) })
    world.run(for: .seconds(10))
    #expect(itsLibrary.value() == nil)
    #expect(library.value(of: "mine") == nil)
    #expect(denials(daemon) == ["it may not read 'library'"])
  }

  /// A change of a writer of its own, as a frame of its stream.
  private func frame() -> [UInt8] {
    let writer = DocumentHandle(id: Node.library, replica: ReplicaID(rawValue: 99), now: { 1_800_000_000_000 })
    writer.set(1)
    var payload: [UInt8] = []
    var encoder = LiveEncoder()
    for change in writer.takeOutbox() { encoder.encode(change, into: &payload) }
    return PublishedFrame(
      topic: PublishedFrame.topicNumber(of: Node.library), stream: 7, sequence: 0, payload: payload[...]
    ).encoded()
  }

  @Test func `stays who it is after a goodbye`() throws {
    let world = World()
    let daemon = try daemon(in: world)
    let kept = try daemon.open()
    let stranger = try Stranger("bob", dialling: "daemon", as: "bob", in: world)
    stranger.say(Stranger.hello())
    stranger.say(.goodbye)
    stranger.say(Stranger.hello(epoch: 2))
    stranger.say(.live(frame()))
    #expect(kept.value() == nil)
    #expect(denials(daemon) == ["it may read 'library', not write it"])
  }

  @Test func `is known by a replica that was offline when it came`() throws {
    let world = World()
    let daemon = try daemon(in: world)
    let kept = try daemon.open()
    try world.perform { [engine = daemon.engine] in await engine.setOnline(false) }
    let stranger = try Stranger("bob", dialling: "daemon", as: "bob", in: world)
    stranger.say(Stranger.hello())
    try world.perform { [engine = daemon.engine] in await engine.setOnline(true) }
    stranger.say(Stranger.hello())
    stranger.say(.live(frame()))
    #expect(kept.value() == nil)
    #expect(denials(daemon) == ["it may read 'library', not write it"])
  }

  @Test func `does not go on where a writer ended who had nothing to prove`() throws {
    let world = World()
    let daemon = try daemon(in: world)
    let kept = try daemon.open()
    let local = try client("local", as: nil, in: world).open()
    local.set(1)
    #expect(world.run { kept.value() == .integer(1) })
    // It begins with what is held, and goes on under the same name.
    let forger = DocumentHandle(id: Node.library, replica: local.replica, now: { 1_800_000_000_000 })
    forger.set(1)
    forger.set(2)
    let forged = forger.takeOutbox()
    let stranger = try Stranger("eli", dialling: "daemon", as: "eli", in: world)
    stranger.say(Stranger.hello())
    stranger.name(Node.library)
    let want = try #require(stranger.messages.wants.first)
    let batch = Batch.encode(forged)
    stranger.say(.changes(Message.Changes(document: Node.library, request: want.request, batch: batch)))
    #expect(kept.value() == .integer(1))
    #expect(denials(daemon).count == 1)
  }

  @Test func `that nobody knows does nothing`() throws {
    let world = World()
    let daemon = try daemon(in: world)
    let kept = try daemon.open()
    kept.set(1)
    let eve = try client("eve", as: "eve", in: world)
    let read = try eve.open()
    read.set(2, for: "mine")
    world.run(for: .seconds(10))
    #expect(read.value() == nil)
    #expect(kept.value(of: "mine") == nil)
  }

  @Test func `is not needed among the processes of one machine`() throws {
    let world = World()
    let kept = try daemon(in: world).open()
    let written = try client("local", as: nil, in: world).open()
    written.set(1)
    #expect(world.run { kept.value() == .integer(1) })
  }

  @Test func `does not write under another's name`() throws {
    let world = World()
    let writers = Box<[WriterBinding]>([])
    let daemon = try daemon(in: world, writers: writers)
    let kept = try daemon.open()
    let ada = try client("ada", as: "ada", in: world).open()
    ada.set(1)
    #expect(world.run { kept.value() == .integer(1) })
    #expect(writers.value.map(\.replica) == [ada.replica] && writers.value.map(\.name) == ["Ada"])
    // A second key that says it is the same writer, one operation further on.
    let forger = DocumentHandle(id: Node.library, replica: ada.replica, now: { 1_800_000_000_000 })
    forger.set(1)
    forger.set(2)
    let forged = forger.takeOutbox()[1]
    let stranger = try Stranger("eli", dialling: "daemon", as: "eli", in: world)
    stranger.say(Stranger.hello())
    stranger.name(Node.library)
    let want = try #require(stranger.messages.wants.first)
    stranger.say(
      .changes(
        Message.Changes(document: Node.library, request: want.request, batch: Batch.encode([forged]))))
    #expect(stranger.messages.refusals.map(\.code) == [.notWelcome])
    #expect(denials(daemon) == ["it wrote 'library' as replica \(ada.replica), which is somebody else's"])
    #expect(kept.value() == .integer(1))
  }
}

@Suite struct `A whole state` {
  @Test(arguments: [("ada", false), ("dan", true), (nil, true)] as [(String?, Bool)])
  func `is taken from relays and from this machine alone`(user: String?, isTaken: Bool) throws {
    let world = World()
    let daemon = try world.node("daemon") { configuration in
      configuration.allowlist = { user, _ in
        Trust(name: user, role: user == "dan" ? .relays : .writes, documents: [.everything])
      }
    }
    let kept = try daemon.open()
    kept.set(1)
    let stranger = try Stranger("stranger", dialling: "daemon", as: user, in: world)
    stranger.say(Stranger.hello())
    stranger.name(Node.library)
    let want = try #require(stranger.messages.wants.first)
    // It holds nothing and covers everything: all that is here was removed, it says.
    var empty = Document()
    var patch = Patch()
    empty.begin(as: kept.replica, now: 1)
    empty.set(.integer(1), for: "title", in: .root, patch: &patch)
    _ = empty.commit(message: nil)
    empty.begin(as: kept.replica, now: 2)
    empty.remove("title", in: .root, patch: &patch)
    _ = empty.commit(message: nil)
    let bytes = SnapshotCoding.encode(empty.snapshot())
    stranger.say(
      .snapshot(
        Message.SnapshotPart(
          document: Node.library, request: want.request, checksum: bytes.checksum, offset: 0,
          byteCount: UInt64(bytes.count), bytes: bytes)))
    #expect((kept.value() == nil) == isTaken)
    #expect(stranger.messages.refusals.map(\.code) == (isTaken ? [] : [.notWelcome]))
  }

  @Test func `is refused at its first part, before any of it is kept`() throws {
    let world = World()
    let daemon = try world.node("daemon") { configuration in
      configuration.allowlist = { user, _ in Trust(name: user, role: .writes, documents: [.everything]) }
    }
    _ = try daemon.open()
    let stranger = try Stranger("stranger", dialling: "daemon", as: "ada", in: world)
    stranger.say(Stranger.hello())
    stranger.name(Node.library)
    let want = try #require(stranger.messages.wants.first)
    stranger.say(
      .snapshot(
        Message.SnapshotPart(
          document: Node.library, request: want.request, checksum: 1, offset: 0, byteCount: 1 << 30,
          bytes: [UInt8](repeating: 1, count: 2 << 20))))
    #expect(stranger.messages.refusals.map(\.code) == [.notWelcome])
    // Nothing was taken: there is no credit for it.
    #expect(stranger.messages.credits.isEmpty)
  }
}

@Suite struct `A pattern of documents` {
  @Test func `names one, those that begin alike, or all`() throws {
    let (library, notes) = (DocumentID("library")!, DocumentID("notes-today")!)
    #expect(DocumentPattern("library")!.matches(library))
    #expect(!DocumentPattern("librar")!.matches(library))
    #expect(DocumentPattern("notes-*")!.matches(notes))
    #expect(!DocumentPattern("notes-*")!.matches(library))
    #expect(DocumentPattern("*")! == .everything)
    #expect(DocumentPattern.everything.matches(library))
    for text in ["", "*a", "a*b", "**"] { #expect(DocumentPattern(text) == nil, "\(text)") }
    #expect(DocumentPattern("notes-*")!.description == "notes-*")
  }
}
