import StarlingCore
import StarlingEngine
import StarlingGuard

/// A network in memory with engines on it, all driven by the test's thread and clock.
final class World: Sendable {
  let network: MemoryNetwork
  /// Kept, as a program keeps its engine.
  private let engines = Box<[ReplicaEngine]>([])

  init(faultPlan: @escaping MemoryNetwork.FaultPlan = MemoryNetwork.calm) {
    network = MemoryNetwork(faultPlan: faultPlan)
  }

  /// An engine under way: it listens at its name if it is dialable, and dials `peers`.
  func node(
    _ name: String, dialable: Bool = true, dialling peers: [String] = [], as user: String? = nil,
    log: any ChangeLog = MemoryLog(), _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) throws -> Node {
    let node = try idleNode(name, as: user, log: log, configure)
    try perform {
      try await node.engine.start()
      if dialable { try await node.engine.bind("memory:\(name)") }
      for peer in peers { try await node.engine.connect(to: "memory:\(peer)") }
    }
    return node
  }

  /// - Parameter wrap: the link that the engine has, made of the one that is on the network.
  func idleNode(
    _ name: String, as user: String? = nil, log: any ChangeLog = MemoryLog(),
    through wrap: (MemoryLink) -> any PeerLink = { $0 }, _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) throws -> Node {
    var configuration = EngineConfiguration()
    configuration.agent = name
    configuration.background = nil
    configure(&configuration)
    let events = Box<[EngineEvent]>([])
    let link = network.makeLink(named: name, as: user.map { .key($0) } ?? .sameUser)
    let network = network
    let engine = ReplicaEngine(
      link: wrap(link), log: log, configuration: configuration,
      clock: EngineClock(
        wallMilliseconds: { 1_800_000_000_000 + UInt64(network.now / .milliseconds(1)) }, uptime: { network.now }),
      report: { event in events.change { $0.append(event) } })
    engines.change { $0.append(engine) }
    return Node(name: name, engine: engine, link: link, log: log, events: events, world: self)
  }

  /// Runs `body` to its end, in the network's time.
  @discardableResult
  func perform<Result: Sendable>(
    timeout limit: Duration = .seconds(30), _ body: @escaping @Sendable () async throws -> Result
  ) throws -> Result {
    let outcome = begin(body)
    guard network.run(timeout: limit, until: { outcome.value != nil }), let result = outcome.value else {
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

  /// Starts `body` in a task of its own; whether it ended because that was cancelled appears once it has ended.
  func beginCancellable(
    _ body: @escaping @Sendable () async throws -> Void
  ) -> (task: Task<Void, Never>, wasCancelled: Box<Bool?>) {
    let wasCancelled = Box<Bool?>(nil)
    let task = Task(executorPreference: network.executor) {
      do {
        try await body()
        wasCancelled.change { $0 = false }
      } catch {
        wasCancelled.change { $0 = error is CancellationError }
      }
    }
    return (task, wasCancelled)
  }

  func run(for duration: Duration) {
    network.run(for: duration)
  }

  func run(timeout limit: Duration = .seconds(10), until condition: () -> Bool) -> Bool {
    network.run(timeout: limit, until: condition)
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

  /// What its operator was told of refusals.
  var refusals: [String] {
    events.value.compactMap { if case .refused(_, let explanation) = $0 { explanation } else { nil } }
  }

  /// Ends as a process does that is killed.
  func vanish() {
    link.vanish()
    world.network.executor.run { engine.assumeIsolated { $0.abandon() } }
  }
}

extension EngineConfiguration {
  /// Keeps the state and nothing else, whoever may hold what was written here.
  mutating func keepStateAlone(byteCountMin: Int) {
    history = .stateOnly(byteCountMin: byteCountMin)
    keepsOwnChanges = false
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
