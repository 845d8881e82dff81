import StarlingCore
import StarlingEngine
import StarlingWire
import StarlingGuard
import Testing

/// A network in memory with engines on it, all driven by the test's thread and clock.
final class World: Sendable {
  let network: MemoryNetwork
  /// Kept, as a program keeps its engine.
  private let engines = Box<[ReplicaEngine]>([])

  init(weather: @escaping MemoryNetwork.Weather = MemoryNetwork.calm) {
    network = MemoryNetwork(weather: weather)
  }

  /// An engine under way: it listens at its name if it is dialable, and dials `peers`.
  func node(
    _ name: String, dialable: Bool = true, dialling peers: [String] = [], log: any ChangeLog = MemoryLog(),
    _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) throws -> Node {
    let node = try idleNode(name, log: log, configure)
    try perform {
      try await node.engine.start()
      if dialable { try await node.engine.bind("memory:\(name)") }
      for peer in peers { try await node.engine.connect(to: "memory:\(peer)") }
    }
    return node
  }

  func idleNode(
    _ name: String, log: any ChangeLog = MemoryLog(), _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) throws -> Node {
    var configuration = EngineConfiguration()
    configuration.agent = name
    configure(&configuration)
    let events = Box<[EngineEvent]>([])
    let link = network.makeLink(named: name)
    let network = network
    let engine = ReplicaEngine(
      link: link, log: log, configuration: configuration,
      clock: EngineClock(
        wallMilliseconds: { 1_800_000_000_000 + UInt64(network.now / .milliseconds(1)) }, uptime: { network.now }),
      report: { event in events.change { $0.append(event) } })
    engines.change { $0.append(engine) }
    return Node(name: name, engine: engine, link: link, log: log, events: events, world: self)
  }

  /// Runs `body` to its end, in the network's time.
  @discardableResult
  func perform<Result: Sendable>(
    atMost limit: Duration = .seconds(30), _ body: @escaping @Sendable () async throws -> Result
  ) throws -> Result {
    let outcome = begin(body)
    guard network.run(atMost: limit, until: { outcome.value != nil }), let result = outcome.value else {
      throw Unfinished()
    }
    return try result.get()
  }

  /// Starts `body`; its outcome appears once it has ended.
  func begin<Result: Sendable>(
    _ body: @escaping @Sendable () async throws -> Result
  ) -> Box<Swift.Result<Result, any Error>?> {
    let outcome = Box<Swift.Result<Result, any Error>?>(nil)
    Task(executorPreference: network.executor) {
      do {
        let result = try await body()
        outcome.change { $0 = .success(result) }
      } catch {
        outcome.change { $0 = .failure(error) }
      }
    }
    return outcome
  }

  func run(for duration: Duration) {
    network.run(for: duration)
  }

  func run(atMost limit: Duration = .seconds(10), until condition: () -> Bool) -> Bool {
    network.run(atMost: limit, until: condition)
  }

  struct Unfinished: Error {}
}

/// One engine of a `World`.
struct Node: Sendable {
  static let library = DocumentID("library")!

  let name: String
  let engine: ReplicaEngine
  let link: MemoryLink
  let log: any ChangeLog
  let events: Box<[EngineEvent]>
  let world: World

  func open(_ document: DocumentID = Node.library) throws -> DocumentHandle {
    try world.perform { [engine] in try await engine.open(document) }
  }

  func flush(_ goal: FlushGoal, _ document: DocumentID = Node.library) throws {
    try world.perform { [engine] in try await engine.flush(document, until: goal) }
  }

  func close() throws {
    try world.perform { [engine] in try await engine.close() }
  }

  var status: EngineStatus {
    get throws { try world.perform { [engine] in await engine.status() } }
  }

  var counters: EngineCounters {
    get throws { try status.counters }
  }

  /// Ends as a process does that is killed.
  func vanish() {
    link.vanish()
    world.network.executor.run { engine.assumeIsolated { $0.abandon() } }
  }
}

/// A value that tasks and tests share.
final class Box<Value: Sendable>: Sendable {
  private let state: Guarded<Value>

  init(_ value: Value) {
    state = Guarded(value)
  }

  var value: Value { state.withLock { $0 } }

  func change(_ body: (inout Value) -> Void) {
    state.withLock { body(&$0) }
  }
}

extension DocumentHandle {
  func set(_ value: Int64, for key: Key = "title") {
    write { document, patch in document.set(.integer(value), for: key, in: .root, patch: &patch) }
  }

  func value(of key: Key = "title") -> Value? {
    read { document in
      if case .value(let value, _) = document.visible(key, in: .root) { value } else { nil }
    }
  }

  func count(of key: Key) -> Int64 {
    read { $0.count(key, in: .root) }
  }
}

/// A peer that the test speaks for, message by message.
final class Stranger {
  let link: MemoryLink
  private let world: World
  private let heard = Box<[LinkEvent]>([])
  private let connection = Box<PeerHandle?>(nil)

  /// Dials `name`, or listens at its own where that is nil.
  init(_ ownName: String, dialling name: String?, in world: World) throws {
    self.world = world
    link = world.network.makeLink(named: ownName)
    try link.start(tick: .milliseconds(50)) { [heard, connection] events in
      for event in events {
        if case .opened(let peer, _) = event { connection.change { $0 = peer } }
        heard.change { $0.append(event) }
      }
    }
    if let name {
      _ = try link.connect(to: "memory:\(name)")
      guard world.run(until: { connection.value != nil }) else { throw World.Unfinished() }
    } else {
      _ = try link.bind("memory:\(ownName)")
    }
  }

  /// What was sent to it directly.
  var messages: [Message] {
    heard.value.compactMap { event in
      if case .direct(_, let bytes) = event { try? Message(decoding: bytes) } else { nil }
    }
  }

  func say(_ message: Message) {
    say(bytes: message.encoded())
  }

  func say(bytes: [UInt8]) {
    if let peer = connection.value { _ = link.send(bytes, to: peer) }
    world.run(for: .milliseconds(5))
  }

  func publish(_ bytes: [UInt8]) {
    link.publish(bytes)
    world.run(for: .milliseconds(5))
  }

  static func hello(
    versions: ClosedRange<UInt16> = 1...1, store: UInt64 = 77, epoch: UInt64 = 1, endpoints: [String] = [],
    wantsReply: Bool = true
  ) -> Message {
    .hello(
      Message.Hello(
        lowestVersion: versions.lowerBound, highestVersion: versions.upperBound, store: StoreID(rawValue: store),
        epoch: epoch, agent: "stranger", endpoints: endpoints, isDurable: false, relays: false, wantsReply: wantsReply))
  }
}

extension [Message] {
  var hellos: [Message.Hello] { compactMap { if case .hello(let hello) = $0 { hello } else { nil } } }
  var haves: [Message.Have] { compactMap { if case .have(let have) = $0 { have } else { nil } } }
  var wants: [Message.Want] { compactMap { if case .want(let want) = $0 { want } else { nil } } }
  var changes: [Message.Changes] { compactMap { if case .changes(let changes) = $0 { changes } else { nil } } }
  var parts: [Message.SnapshotPart] { compactMap { if case .snapshot(let part) = $0 { part } else { nil } } }
  var resumes: [Message.Resume] { compactMap { if case .resume(let resume) = $0 { resume } else { nil } } }
  var refusals: [Message.Refusal] { compactMap { if case .refuse(let refusal) = $0 { refusal } else { nil } } }
  var live: [[UInt8]] { compactMap { if case .live(let frame) = $0 { frame } else { nil } } }
  var acknowledgements: [Version] { compactMap { if case .acknowledge(_, let version) = $0 { version } else { nil } } }
  var goodbyes: Int { count { if case .goodbye = $0 { true } else { false } } }
}

/// A log whose writes the test lets through, or fails.
final class HeldLog: ChangeLog {
  private let log: MemoryLog
  private let appends = Gate()
  private let folds = Gate()

  init(_ log: MemoryLog = MemoryLog()) {
    self.log = log
  }

  func holdAppends() { appends.hold() }
  func holdFolds() { folds.hold() }
  func letThrough() {
    appends.open()
    folds.open()
  }
  /// Fails what is under way and all that comes.
  func fail() {
    appends.fail()
    folds.fail()
  }

  var appendsWaiting: Int { appends.waiting }
  var foldsWaiting: Int { folds.waiting }

  func open() async throws -> OpenedLog { try await log.open() }
  func recover(_ document: DocumentID) async throws -> RecoveredDocument { try await log.recover(document) }
  func append(_ records: [LogRecord]) async throws {
    try await appends.pass()
    try await log.append(records)
  }
  func records(in document: DocumentID, after version: Version, byteCountMax: Int) async throws -> LogAnswer {
    try await log.records(in: document, after: version, byteCountMax: byteCountMax)
  }
  func fold(_ document: DocumentID, into snapshot: StoredSnapshot) async throws {
    try await folds.pass()
    try await log.fold(document, into: snapshot)
  }
  func close(continuing replica: ReplicaID) async throws { try await log.close(continuing: replica) }
}

/// Where calls wait while it is held.
private final class Gate: Sendable {
  private struct State {
    var isHeld = false
    var hasFailed = false
    var waiting: [CheckedContinuation<Void, any Error>] = []
  }

  private let state = Guarded(State())
  private static let failure = LogError(.unwritable, "The disk is full.")

  var waiting: Int { state.withLock { $0.waiting.count } }

  func hold() { state.withLock { $0.isHeld = true } }

  func open() {
    for continuation in end({ $0.isHeld = false }) { continuation.resume() }
  }

  func fail() {
    for continuation in end({ $0.hasFailed = true }) { continuation.resume(throwing: Self.failure) }
  }

  private func end(_ change: (inout State) -> Void) -> [CheckedContinuation<Void, any Error>] {
    state.withLock { state in
      change(&state)
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  func pass() async throws {
    try await withCheckedThrowingContinuation { continuation in
      let outcome = state.withLock { state -> Result<Void, any Error>? in
        if state.hasFailed { return .failure(Self.failure) }
        guard state.isHeld else { return .success(()) }
        state.waiting.append(continuation)
        return nil
      }
      if let outcome { continuation.resume(with: outcome) }
    }
  }
}
