import Foundation
import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

/// Peers of earlier versions, as they were: what they said is said again to the engine of the day.
@Suite struct `A recorded peer` {
  /// Which end dialled, and what the one that was recorded keeps of its log.
  struct Setting: Sendable, CustomTestStringConvertible {
    var name: String
    var about: String
    /// Whether the recorded peer dials; else it is dialled, relays, and sends its state.
    var dials: Bool

    var testDescription: String { name }
  }

  static let settings = [
    Setting(
      name: "version-1-that-dials.txt",
      about:
        "A peer of protocol version 1 that dials and is not dialled: it follows what is published, and sends its own up.",
      dials: true),
    Setting(
      name: "version-1-that-is-dialled.txt",
      about: "A daemon of protocol version 1 that is dialled: it publishes, and answers with its state.",
      dials: false),
  ]

  static let end: Duration = .milliseconds(6500)

  /// Where every number drawn is the same one, ids do not depend on how many were drawn before.
  private struct SameNumber: RandomNumberGenerator, Sendable {
    let number: UInt64
    func next() -> UInt64 { number }
  }

  private func engine(
    _ name: String, number: UInt64, on link: any PeerLink, in network: MemoryNetwork,
    _ configure: (inout EngineConfiguration) -> Void
  ) -> ReplicaEngine {
    var configuration = EngineConfiguration()
    configuration.agent = name
    configuration.background = nil
    configure(&configuration)
    return ReplicaEngine(
      link: link, log: MemoryLog(store: StoreID(rawValue: number), isDurable: true), configuration: configuration,
      clock: EngineClock(
        wallMilliseconds: { 1_800_000_000_000 + UInt64(network.now / .milliseconds(1)) }, uptime: { network.now }),
      generator: SameNumber(number: number))
  }

  // MARK: What is written

  private static let text = ObjectID.derived(parent: .root, key: "text", kind: .text)
  private static let list = ObjectID.derived(parent: .root, key: "list", kind: .list)

  /// The same everywhere: before they meet, and twice while they follow each other.
  private static func write(_ part: Int, as name: String, in handle: DocumentHandle) {
    handle.write { document, patch in
      document.set(.integer(Int64(part)), for: "shared", in: .root, patch: &patch)
      document.set(.string("\(name) \(part)"), for: .name("\(name)-\(part)"), in: .root, patch: &patch)
      document.increment("count", in: .root, by: Int64(part + 1), patch: &patch)
      document.declare(.text, for: "text", in: .root)
      document.insert("\(name) wrote \(part). ", at: document.count(in: text), in: text, patch: &patch)
      document.declare(.list, for: "list", in: .root)
      _ = document.insert([.integer(Int64(part)), .null], at: 0, in: list, patch: &patch)
      if part == 2 { document.remove(.name("\(name)-0"), in: .root, patch: &patch) }
    }
  }

  private static let moments: [Duration] = [.zero, .milliseconds(2000), .milliseconds(4000)]

  /// Has `handle` written to at its moments, a little later as the second of the two.
  private func schedule(_ handle: DocumentHandle, as name: String, after delay: Duration, in world: World) {
    for (part, moment) in Self.moments.enumerated() where part > 0 {
      world.network.schedule(after: moment + delay) { Self.write(part, as: name, in: handle) }
    }
  }

  /// The engine of the day, which has written its first part.
  private func today(_ setting: Setting, in world: World) throws -> (ReplicaEngine, DocumentHandle) {
    let engine = engine(
      "today", number: 0xBBBB_BBBB_BBBB_BBBB, on: world.network.makeLink(named: "today"), in: world.network
    ) { _ in }
    let handle = try world.perform {
      try await engine.start()
      if setting.dials { try await engine.bind("memory:today") }
      return try await engine.open(Node.library)
    }
    Self.write(0, as: "today", in: handle)
    schedule(handle, as: "today", after: .milliseconds(500), in: world)
    return (engine, handle)
  }

  // MARK: Recording

  /// Has two engines of the day talk, and keeps what one of them said and heard.
  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["STARLING_WRITE_RECORDED"] != nil,
      "needs STARLING_WRITE_RECORDED: it writes the files that the others read"), arguments: settings)
  func `is recorded`(setting: Setting) throws {
    let world = World()
    let (today, todaysHandle) = try today(setting, in: world)
    let conversation = Box(Conversation(about: setting.about))
    let network = world.network
    let link = RecordingLink(network.makeLink(named: "recorded")) { verb, bytes in
      conversation.change { $0.steps.append(Conversation.Step(at: network.now, verb: verb, bytes: bytes)) }
    }
    let recorded = engine("recorded 0.1.0", number: 0xAAAA_AAAA_AAAA_AAAA, on: link, in: network) {
      $0.isRelay = !setting.dials
      if !setting.dials { $0.history = .stateOnly(byteCountMin: 1) }
    }
    let handle = try world.perform {
      try await recorded.start()
      if !setting.dials { try await recorded.bind("memory:recorded") }
      return try await recorded.open(Node.library)
    }
    Self.write(0, as: "recorded", in: handle)
    try world.perform { try await recorded.flush(Node.library, until: .durable) }
    schedule(handle, as: "recorded", after: .zero, in: world)
    try world.perform {
      if setting.dials {
        try await recorded.connect(to: "memory:today")
      } else {
        try await today.connect(to: "memory:recorded")
      }
    }
    world.run(for: Self.end - .milliseconds(500) - network.now)
    try world.perform { try await recorded.close() }
    world.run(for: .milliseconds(400))
    let digest = try #require(handle.digestWithVersion()?.0)
    #expect(todaysHandle.digestWithVersion()?.0 == digest)
    conversation.change { $0.digest = digest.description }
    try conversation.value.write(as: setting.name)
  }

  // MARK: Replaying

  @Test(arguments: settings) func `is understood, and told what it can read`(setting: Setting) throws {
    let conversation = try Conversation(named: setting.name)
    let world = World()
    let (today, handle) = try today(setting, in: world)
    var listener = Listener()
    let heard = Box<[LinkEvent]>([])
    let other = Box<PeerHandle?>(nil)
    // What is due before the other has been heard.
    let unsaid = Box<[[UInt8]]>([])
    let link = world.network.makeLink(named: "recorded")
    let say: @Sendable () -> Void = {
      guard let peer = other.value else { return }
      for bytes in unsaid.value { _ = link.send(bytes, to: peer) }
      unsaid.change { $0 = [] }
    }
    try link.start(tick: .milliseconds(50)) { events in
      for case .opened(let peer, _, _) in events { other.change { $0 = peer } }
      heard.change { $0 += events }
      say()
    }
    link.subscribe(PublishedFrame.topic(of: Node.library))
    if setting.dials {
      _ = try link.connect(to: "memory:today")
    } else {
      _ = try link.bind("memory:recorded")
      try world.perform { try await today.connect(to: "memory:recorded") }
    }
    for step in conversation.steps {
      world.network.schedule(after: step.at - world.network.now) {
        switch step.verb {
        case .says:
          unsaid.change { $0.append(step.bytes) }
          say()
        case .publishes: link.publish(step.bytes)
        case .hears, .receives: break
        }
      }
    }
    world.run(for: Self.end - world.network.now)

    #expect(handle.digestWithVersion()?.0.description == conversation.digest, "What it said led to something else.")
    // What it wrote itself, and what it was told.
    for step in conversation.steps {
      switch step.verb {
      case .says: try listener.take(direct: step.bytes)
      case .publishes: try listener.take(published: step.bytes)
      case .hears, .receives: break
      }
    }
    for event in heard.value {
      switch event {
      case .direct(_, let bytes): try listener.take(direct: bytes)
      case .published(_, let frame): try listener.take(published: frame)
      default: break
      }
    }
    #expect(
      try listener.document().digest().description == conversation.digest,
      "What it was told does not make the document.")
    #expect(listener.refusals.isEmpty)
    #expect(listener.kinds.isSuperset(of: ["hello", "want", "resume", "acknowledge"]))
  }
}

/// Takes what a peer is told, as little as a peer can do: answers, and the streams that they hand over.
private struct Listener {
  private enum Piece {
    case batch([UInt8])
    case state(Snapshot)
    case change(Change)
  }

  private(set) var refusals: [String] = []
  private(set) var kinds: Set<String> = []
  private var pieces: [Piece] = []
  private var state: [UInt8] = []
  private var streams: [UInt32: (decoder: LiveDecoder, next: UInt64)] = [:]
  /// Published before the answer came that hands their stream over.
  private var early: [[UInt8]] = []

  mutating func take(direct bytes: [UInt8]) throws {
    switch try Message(decoding: bytes) {
    case .hello: kinds.insert("hello")
    case .want: kinds.insert("want")
    case .acknowledge: kinds.insert("acknowledge")
    case .refuse(let refusal): refusals.append(refusal.explanation)
    case .changes(let changes): pieces.append(.batch(changes.batch))
    case .snapshot(let part):
      state = part.offset == 0 ? part.bytes : state + part.bytes
      if UInt64(state.count) == part.byteCount { pieces.append(.state(try SnapshotCoding.decode(state))) }
    case .resume(let resume):
      kinds.insert("resume")
      streams[resume.position.stream] = (try LiveDecoder(tables: resume.tables), resume.position.sequence)
      let frames = early
      early = []
      for frame in frames { try take(published: frame) }
    case .live(let frame): try take(published: frame)
    default: break
    }
  }

  mutating func take(published bytes: [UInt8]) throws {
    let frame = try PublishedFrame(decoding: bytes)
    guard let next = streams[frame.stream]?.next else { return early.append(bytes) }
    guard frame.sequence == next else { return }
    streams[frame.stream]?.next += 1
    pieces += try streams[frame.stream]?.decoder.decode(Array(frame.payload)).map { .change($0) } ?? []
  }

  /// What all of it makes, in whatever order each can merge.
  func document() throws -> Document {
    var document = Document()
    var patch = Patch()
    var left = pieces
    var count: Int
    repeat {
      count = left.count
      left = try left.filter { piece in
        switch piece {
        case .batch(let bytes): return try !Batch.merge(bytes, into: &document, patch: &patch).isDone
        case .change(let change): return try !document.merge(change, patch: &patch).isDone
        case .state(let snapshot):
          try document.merge(snapshot, patch: &patch)
          return false
        }
      }
    } while left.count < count
    return document
  }
}

extension MergeOutcome {
  fileprivate var isDone: Bool { self == .merged || self == .duplicate }
}
