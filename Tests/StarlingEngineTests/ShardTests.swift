import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingTestSupport
import StarlingWire
import Testing

/// Two daemons that divide the documents of a group, and programs that talk to both.
private struct Divided {
  static let one = DocumentShard(1, of: 2)!
  static let two = DocumentShard(2, of: 2)!
  static let ofOne = DocumentID("notes")!
  static let ofTwo = DocumentID("library")!

  let world = World()
  let signs = MemoryLifeSigns()
  let one: Node
  let two: Node

  init() throws {
    let signs = signs
    one = try world.daemon("one", of: Self.one) { $0.lifeSigns = signs }
    two = try world.daemon("two", of: Self.two) { $0.lifeSigns = signs }
  }

  /// One that has both documents.
  func program(_ name: String, dialable: Bool = false, _ configure: (inout EngineConfiguration) -> Void = { _ in })
    throws -> Program
  {
    let node = try world.node(name, dialable: dialable, dialling: ["one", "two"], configure)
    return Program(node: node, ofOne: try node.open(Self.ofOne), ofTwo: try node.open(Self.ofTwo))
  }

  func expectNothingSaidInVain(_ programs: Program..., place: SourceLocation = #_sourceLocation) throws {
    for node in [one, two] + programs.map(\.node) {
      #expect(try node.counters.messagesElsewhere == 0, "\(node.name)", sourceLocation: place)
      #expect(node.refusals.isEmpty, "\(node.name)", sourceLocation: place)
    }
    #expect(try one.status.documents == [Self.ofOne], sourceLocation: place)
    #expect(try two.status.documents == [Self.ofTwo], sourceLocation: place)
  }
}

private struct Program {
  let node: Node
  let ofOne: DocumentHandle
  let ofTwo: DocumentHandle

  func write(_ value: Int64) {
    ofOne.set(value)
    ofTwo.set(-value)
  }

  func has(_ value: Int64) -> Bool { ofOne.value() == .integer(value) && ofTwo.value() == .integer(-value) }
}

/// Two or three shards at one or two sites, and programs that write while frames are late or lost and daemons are killed.
private struct Drawn {
  let seed: UInt64
  private static let documents = (0..<5).map { DocumentID("d\($0)")! }

  func play() throws {
    var dice = Dice(seed: seed)
    let world = World()
    let (count, siteCount) = (Int.random(in: 2...3, using: &dice), Int.random(in: 1...2, using: &dice))
    var daemons: [(node: Node, shard: DocumentShard)] = []
    func start(_ site: Int, _ shard: DocumentShard, _ log: any ChangeLog) throws -> Node {
      try world.daemon(
        "\(site)-\(shard.number)", of: shard, dialling: site == 0 ? [] : ["0-\(shard.number)"], log: log
      ) {
        $0.gossips = true
        $0.mayDial = { _ in true }
      }
    }
    for site in 0..<siteCount {
      for number in 1...count {
        let shard = DocumentShard(number, of: count)!
        daemons.append((try start(site, shard, MemoryLog(isDurable: true)), shard))
      }
    }
    lose(in: world)
    let programs = try (0..<3).map { place in
      let site = place % siteCount
      let node = try world.node(
        "program \(place)", dialable: Bool.random(using: &dice), dialling: (1...count).map { "\(site)-\($0)" })
      return (node: node, handles: try Self.documents.map { try node.open($0) })
    }
    let keys: [Key] = ["a", "b", "c"]
    for value in 0..<40 as Range<Int64> {
      let handles = programs[Int.random(in: 0..<3, using: &dice)].handles
      handles[Int.random(in: 0..<5, using: &dice)].set(value, for: keys[Int(value % 3)])
      world.run(for: .milliseconds(Int.random(in: 0...300, using: &dice)))
      guard value % 10 == 5 else { continue }
      let place = Int.random(in: daemons.indices, using: &dice)
      daemons[place].node.vanish()
      world.run(for: .milliseconds(Int.random(in: 0...2000, using: &dice)))
      daemons[place].node = try start(place / count, daemons[place].shard, daemons[place].node.log)
    }
    world.network.setFaultPlan(MemoryNetwork.calm)
    let isEqual = world.run(timeout: .seconds(60)) {
      Self.documents.indices.allSatisfy { place in Set(programs.map { $0.handles[place].version }).count == 1 }
    }
    #expect(isEqual, "seed \(seed)")
    for place in Self.documents.indices {
      #expect(Set(programs.map { $0.handles[place].digest() }).count == 1, "seed \(seed)")
    }
    for (node, shard) in daemons {
      #expect(try node.status.documents == Self.documents.filter(shard.contains), "\(node.name), seed \(seed)")
    }
    for node in daemons.map(\.node) + programs.map(\.node) {
      #expect(try node.counters.messagesElsewhere == 0, "\(node.name), seed \(seed)")
    }
  }

  /// One frame in six is lost, and the others overtake each other.
  private func lose(in world: World) {
    let chance = Box(Dice(seed: seed &+ 1))
    world.network.setFaultPlan { passage, _ in
      var delay: Int?
      chance.change { delay = Int.random(in: 0..<6, using: &$0) == 0 ? nil : Int.random(in: 1...40, using: &$0) }
      // Connections are made.
      guard passage.byteCount > 0 else { return [.milliseconds(1)] }
      return delay.map { [.milliseconds($0)] } ?? []
    }
  }
}

extension World {
  fileprivate func daemon(
    _ name: String, of shard: DocumentShard, dialling peers: [String] = [],
    log: any ChangeLog = MemoryLog(isDurable: true), _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) throws -> Node {
    try node(name, dialling: peers, log: log) {
      $0.isRelay = true
      $0.shard = shard
      configure(&$0)
    }
  }
}

@Suite struct `Daemons that divide the documents of a group` {
  @Test(arguments: [false, true]) func `each hold their own, and bring them all to every program`(dialable: Bool) throws
  {
    let divided = try Divided()
    let ada = try divided.program("ada", dialable: dialable)
    let bob = try divided.program("bob", dialable: dialable)
    for value in 1...5 as ClosedRange<Int64> {
      (value.isMultiple(of: 2) ? ada : bob).write(value)
      #expect(divided.world.run { ada.has(value) && bob.has(value) })
    }
    // As long as it takes until each document had its turn with a heartbeat, which is told to all.
    divided.world.run(for: .seconds(10))
    try divided.expectNothingSaidInVain(ada, bob)
  }

  @Test func `acknowledge what is theirs, and nobody waits for the others`() throws {
    let divided = try Divided()
    let ada = try divided.program("ada")
    ada.write(1)
    for document in [Divided.ofOne, Divided.ofTwo] {
      try ada.node.flush(.replicated(1), document)
      let isHeldByBoth = divided.world.begin {
        try await ada.node.engine.flush(document, until: .received(2), timeout: .seconds(3))
      }
      divided.world.run(for: .seconds(4))
      #expect(throws: FlushError.self) { try isHeldByBoth.value?.get() }
    }
    try divided.expectNothingSaidInVain(ada)
  }

  @Test func `are each caught up with by their own documents`() throws {
    let divided = try Divided()
    let ada = try divided.program("ada")
    ada.write(7)
    for document in [Divided.ofOne, Divided.ofTwo] { try ada.node.flush(.replicated(1), document) }
    let bob = try divided.program("bob")
    let before = divided.world.network.now
    for document in [Divided.ofOne, Divided.ofTwo] {
      #expect(try divided.world.perform { await bob.node.engine.synchronize(document, timeout: .seconds(20)) })
    }
    #expect(bob.has(7))
    #expect(divided.world.network.now - before < .seconds(1))
    try divided.expectNothingSaidInVain(ada, bob)
  }

  @Test func `do not hold each other's documents up where one of them is lost`() throws {
    let divided = try Divided()
    let (ada, bob) = (try divided.program("ada"), try divided.program("bob"))
    ada.write(1)
    #expect(divided.world.run { bob.has(1) })
    divided.two.vanish()
    divided.world.run(for: .seconds(1))
    ada.write(2)
    #expect(divided.world.run { bob.ofOne.value() == .integer(2) })
    let isCaughtUp = try divided.world.perform { [engine = bob.node.engine] in
      [
        await engine.synchronize(Divided.ofOne, timeout: .seconds(1)),
        await engine.synchronize(Divided.ofTwo, timeout: .seconds(1)),
      ]
    }
    #expect(isCaughtUp == [true, false])
    #expect(bob.ofTwo.value() == .integer(-1))
  }

  @Test func `pass presence on, each of its documents`() throws {
    let divided = try Divided()
    let (ada, bob) = (try divided.program("ada"), try divided.program("bob"))
    divided.world.run(for: .seconds(1))
    ada.ofOne.setPresence(.integer(1), at: "field", lifetime: .seconds(10))
    ada.ofTwo.setPresence(.integer(2), at: "field", lifetime: .seconds(10))
    #expect(
      divided.world.run {
        bob.ofOne.othersPresence(at: "field").map(\.value) == [.integer(1)]
          && bob.ofTwo.othersPresence(at: "field").map(\.value) == [.integer(2)]
      })
    divided.world.run(for: .seconds(5))
    try divided.expectNothingSaidInVain(ada, bob)
  }

  @Test func `forget a document where it was, and say so for it alone`() throws {
    let divided = try Divided()
    let ada = try divided.program("ada")
    ada.write(1)
    try ada.node.flush(.replicated(1), Divided.ofTwo)
    try divided.world.perform { [engine = ada.node.engine] in
      try await engine.forget(Divided.ofTwo, confirmedBy: 1, timeout: .seconds(5))
    }
    #expect(try divided.two.status.documents == [])
    #expect(
      throws: (any Error).self,
      performing: {
        try divided.world.perform { [engine = ada.node.engine] in
          try await engine.forget(Divided.ofTwo, confirmedBy: 2, timeout: .seconds(3))
        }
      })
  }

  @Test func `bring everything to every program, whatever is lost on the way`() throws {
    let seed = UInt64.random(in: 0...UInt64.max / 2)
    for number in 0..<12 as Range<UInt64> { try Drawn(seed: seed + number).play() }
  }

  // MARK: What is of another

  @Test func `open nothing of each other's, whoever insists`() throws {
    let divided = try Divided()
    let (document, writer) = (Divided.ofTwo, ReplicaID(rawValue: 5))
    let version = VersionVector([VersionVector.Entry(replica: writer, counter: 1)])
    for isRelay in [false, true] {
      let stranger = try Stranger("stranger \(isRelay)", dialling: "one", in: divided.world)
      stranger.say(Stranger.hello(store: isRelay ? 78 : 77, isRelay: isRelay))
      let words: [Message] = [
        .have(Message.Have(document: document, version: version, position: nil, digest: nil)),
        .want(Message.Want(document: document, request: 1, version: VersionVector())),
        .acknowledge(document, version),
        .lease(Message.Lease(document: document, request: .ask)),
        .changes(Message.Changes(document: document, request: 1, batch: [1, 0])),
        .snapshot(
          Message.SnapshotPart(document: document, request: 1, checksum: 1, offset: 0, byteCount: 1, bytes: [1])),
        .credit(Message.Credit(document: document, request: 1, byteCount: 1)),
        .disown(document, writer),
      ]
      let before = try divided.one.counters.messagesElsewhere
      for word in words + words { stranger.say(word) }
      stranger.publish(
        PublishedFrame(
          topic: PublishedFrame.topicNumber(of: document), stream: 9, sequence: 0, payload: [0]
        ).encoded())
      divided.world.run(for: .seconds(5))
      #expect(try divided.one.counters.messagesElsewhere - before == words.count * 2)
      // Once a connection.
      #expect(stranger.messages.refusals.map(\.code) == [.notWelcome])
      #expect(stranger.messages.refusals.first?.explanation.contains("shard 2/2") == true)
      #expect(stranger.messages.haves.isEmpty && stranger.messages.wants.isEmpty)
    }
    #expect(try divided.one.status.documents == [])
    let error = #expect(throws: ShardError.self) { try divided.one.open(document) }
    #expect(error?.code == .elsewhere)
    // Its own, it opens.
    let stranger = try Stranger("stranger", dialling: "one", in: divided.world)
    stranger.say(Stranger.hello(store: 79))
    stranger.name(Divided.ofOne)
    divided.world.run(for: .seconds(1))
    #expect(try divided.one.status.documents == [Divided.ofOne])
  }

  @Test func `do not begin with a store that holds another's, and leave it as it was`() throws {
    let world = World()
    let log = MemoryLog(isDurable: true)
    let whole = try world.daemon("whole", of: .whole, log: log)
    for document in [Divided.ofOne, Divided.ofTwo] {
      try whole.open(document).set(3)
      try whole.flush(.durable, document)
    }
    let writer = try whole.open(Divided.ofOne).replica
    try whole.close()
    for shard in [Divided.one, Divided.two] {
      let error = #expect(throws: ShardError.self) { try world.daemon("part \(shard)", of: shard, log: log) }
      #expect(error?.code == .stored)
      let strange = shard == Divided.one ? "'library' (2/2)" : "'notes' (1/2)"
      #expect(error?.message.contains(strange) == true, "\(error.debugDescription)")
    }
    let again = try world.daemon("again", of: .whole, log: log)
    for document in [Divided.ofOne, Divided.ofTwo] {
      #expect(try again.open(document).value() == .integer(3))
      #expect(try again.open(document).replica == writer)
    }
  }

  // MARK: Leases

  @Test func `do not lease the id of a program again that was killed while it talked to several`() throws {
    let divided = try Divided()
    func guest(_ name: String, _ value: Int64) throws -> Program {
      let guest = try divided.program(name) { [signs = divided.signs] in
        $0.leasesReplicaID = true
        $0.lifeSigns = signs
      }
      for document in [Divided.ofOne, Divided.ofTwo] {
        #expect(try divided.world.perform { await guest.node.engine.synchronize(document) })
      }
      guest.write(value)
      for document in [Divided.ofOne, Divided.ofTwo] { try guest.node.flush(.replicated(1), document) }
      return guest
    }
    let killed = try guest("killed", 1)
    killed.node.vanish()
    divided.world.run(for: .seconds(5))
    // Nothing proves that it told nobody else.
    let other = try guest("other", 2)
    #expect(other.ofOne.replica != killed.ofOne.replica && other.ofTwo.replica != killed.ofTwo.replica)
    for (daemon, document) in [(divided.one, Divided.ofOne), (divided.two, Divided.ofTwo)] {
      let handle = try daemon.open(document)
      #expect(handle.version.entries.count == 2)
    }
    #expect(divided.signs.ended().isEmpty)
  }

  @Test func `lease replica ids, each for its documents`() throws {
    let divided = try Divided()
    for round in 1...6 as ClosedRange<Int64> {
      let guest = try divided.program("guest \(round)") { [signs = divided.signs] in
        $0.leasesReplicaID = true
        $0.lifeSigns = signs
      }
      for document in [Divided.ofOne, Divided.ofTwo] {
        #expect(try divided.world.perform { await guest.node.engine.synchronize(document) })
      }
      guest.write(round)
      for document in [Divided.ofOne, Divided.ofTwo] { try guest.node.flush(.replicated(1), document) }
      try guest.node.close()
      divided.world.run(for: .milliseconds(50))
    }
    for (daemon, document) in [(divided.one, Divided.ofOne), (divided.two, Divided.ofTwo)] {
      #expect(try daemon.open(document).version.entries.count == 1)
      let leases = try divided.world.perform { await daemon.engine.leases(of: document) }
      #expect(leases.map(\.number) == [6] && leases.allSatisfy { $0.holder == nil })
    }
  }

  // MARK: Several sites

  @Test func `know those of their own shard alone, and are linked to them`() throws {
    let world = World()
    var nodes: [String: Node] = [:]
    for site in ["a", "b", "c"] {
      for shard in [Divided.one, Divided.two] {
        // Each names one of its own, and one of the other shard.
        nodes["\(site)\(shard.number)"] = try world.daemon(
          "\(site)\(shard.number)", of: shard, dialling: site == "a" ? [] : ["a1", "a2"]
        ) {
          $0.gossips = true
          $0.mayDial = { _ in true }
        }
      }
    }
    world.run(for: .seconds(6))
    for node in nodes.values {
      #expect(
        try node.status.daemons == EngineStatus.Daemons(isUpper: true, hereCount: 2, goneCount: 0), "\(node.name)")
    }
    let ada = try world.node("ada", dialable: false, dialling: ["b1", "b2"])
    let bob = try world.node("bob", dialable: false, dialling: ["c1", "c2"])
    let handles = try [ada, bob].map { [try $0.open(Divided.ofOne), try $0.open(Divided.ofTwo)] }
    world.run(for: .seconds(3))
    let before = try nodes.mapValues { try $0.counters.pulls }
    for handle in handles[0] { handle.set(4) }
    #expect(world.run { handles[1].allSatisfy { $0.value() == .integer(4) } })
    world.run(for: .milliseconds(200))
    // It came with the streams: nobody had to ask.
    #expect(try nodes.mapValues { try $0.counters.pulls } == before)
    world.run(for: .seconds(10))
    for (name, node) in nodes {
      #expect(try node.status.documents == [name.hasSuffix("1") ? Divided.ofOne : Divided.ofTwo], "\(name)")
      #expect(try node.counters.messagesElsewhere == 0, "\(name)")
      #expect(try node.counters.changesMerged == 1, "\(name)")
    }
  }

  @Test func `take their documents from a daemon that has everything, and go on with its programs`() throws {
    let world = World()
    let whole = try world.daemon("whole", of: .whole) {
      $0.gossips = true
      $0.mayDial = { _ in true }
    }
    let ada = try world.node("ada", dialable: false, dialling: ["whole"])
    let atAda = [try ada.open(Divided.ofOne), try ada.open(Divided.ofTwo)]
    for handle in atAda { handle.set(1) }
    world.run(for: .seconds(1))
    let parts = try [Divided.one, Divided.two].map { shard in
      try world.daemon("part \(shard.number)", of: shard, dialling: ["whole"]) {
        $0.gossips = true
        $0.mayDial = { _ in true }
      }
    }
    #expect(
      world.run {
        (try? parts[0].status.documents) == [Divided.ofOne] && (try? parts[1].status.documents) == [Divided.ofTwo]
      })
    let bob = try world.node("bob", dialable: false, dialling: ["part 1", "part 2"])
    let atBob = [try bob.open(Divided.ofOne), try bob.open(Divided.ofTwo)]
    #expect(world.run { atBob.allSatisfy { $0.value() == .integer(1) } })
    world.run(for: .seconds(4))
    // Both ways, as they are written.
    let pulls = try ([whole] + parts).map { try $0.counters.pulls }
    for handle in atBob { handle.set(2) }
    #expect(world.run { atAda.allSatisfy { $0.value() == .integer(2) } })
    for handle in atAda { handle.set(3) }
    #expect(world.run { atBob.allSatisfy { $0.value() == .integer(3) } })
    #expect(try ([whole] + parts).map { try $0.counters.pulls } == pulls)
    // No link is taken for one that can be made one way only.
    #expect(try ([whole] + parts).allSatisfy { try $0.status.oneWayLinks.isEmpty })
    try whole.close()
    let carol = try world.node("carol", dialable: false, dialling: ["part 1", "part 2"])
    let atCarol = [try carol.open(Divided.ofOne), try carol.open(Divided.ofTwo)]
    #expect(world.run { atCarol.allSatisfy { $0.value() == .integer(3) } })
    for node in parts + [bob, carol] { #expect(try node.counters.messagesElsewhere == 0, "\(node.name)") }
  }
}
