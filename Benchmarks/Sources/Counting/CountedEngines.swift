import StarlingCore
package import StarlingEngine
import StarlingGuard
import StarlingSession

/// Two engines, each with a log in memory, and between them a link that hands frames over when it is told to: what a
/// process does with a frame and with a write, without a network's own cost.
package final class CountedEngines {
  package static let names = [
    "engine-write", "engine-write-batch", "engine-receive", "engine-receive-turn", "engine-receive-batch",
    "engine-relay-turn",
  ]

  private let executor = ManualExecutor()
  private let (writing, hearing): (PairedLink, PairedLink)
  private let (writer, hearer): (ReplicaEngine, ReplicaEngine)
  package let document: DocumentHandle
  /// The same at the other.
  package let heard: DocumentHandle
  private final class Count: Sendable {
    let value = Guarded(0)
  }

  private let heardCount = Count()
  private let properties = (0..<100).map { Key.name("property-\($0)") }
  private let model: ObjectID

  /// - Parameter isRelay: whether the other passes on what it hears.
  package init(isRelay: Bool = false) {
    writing = PairedLink(executor)
    hearing = PairedLink(executor)
    writing.pair(with: hearing)
    let clock = EngineClock(wallMilliseconds: { 1_700_000_000_000 }, uptime: { .seconds(1) })
    writer = ReplicaEngine(link: writing, log: MemoryLog(), clock: clock)
    var configuration = EngineConfiguration()
    configuration.isRelay = isRelay
    hearer = ReplicaEngine(link: hearing, log: MemoryLog(), configuration: configuration, clock: clock)
    (document, heard) = Self.open(writer, hearer, on: executor)
    model = document.write { document, _ in document.declare(.map, for: "model", in: .root) }
    writing.open(isDialled: false)
    hearing.open(isDialled: true)
    settle()
    let heardCount = heardCount
    heard.onPatch { _ in heardCount.value.withLock { $0 += 1 } }
  }

  private static func open(
    _ writer: ReplicaEngine, _ hearer: ReplicaEngine, on executor: ManualExecutor
  ) -> (DocumentHandle, DocumentHandle) {
    let opened = Guarded<[DocumentHandle]>([])
    executor.perform {
      guard let id = DocumentID("counted") else { return }
      for engine in [writer, hearer] {
        try await engine.start()
        let handle = try await engine.open(id)
        opened.withLock { $0.append(handle) }
      }
    }
    let handles = opened.withLock { $0 }
    precondition(handles.count == 2, "There is no document of that name.")
    return (handles[0], handles[1])
  }

  /// All that was written is heard, logged and acknowledged.
  package func settle() {
    for _ in 0..<20 {
      writing.deliver(turnsOf: .max)
      hearing.deliver(turnsOf: .max)
      while executor.runJobs() > 0 {}
    }
  }

  /// - Parameter count: that is doubled by preparing.
  /// - Returns: how many writes were counted.
  package func run(_ name: String, _ count: Int) -> Int {
    write(count, inTurnsOf: 1)
    settle()
    if name.hasPrefix("engine-write") {
      Counted.work { write(count, inTurnsOf: name == "engine-write-batch" ? 100 : 1) }
      return count
    }
    write(count, inTurnsOf: name == "engine-receive-batch" ? 100 : 1)
    Counted.work { hear(inTurnsOf: name == "engine-receive" ? 1 : 64) }
    settle()
    precondition(heard.version == document.version, "Not all that was written was heard.")
    precondition(heardCount.value.withLock { $0 } > 0, "Nobody was told.")
    return count
  }

  /// What was sent is heard, so many frames at once.
  package func hear(inTurnsOf count: Int) {
    hearing.deliver(turnsOf: count)
    executor.runJobs()
  }

  /// What was written is sent.
  package func send() { writing.deliver(turnsOf: .max) }

  /// One property of one model, of a hundred, each write a transaction of its own.
  private func write(_ count: Int, inTurnsOf turn: Int) {
    for number in 0..<count {
      document.write { document, patch in
        document.set(.integer(Int64(number)), for: properties[number % 100], in: model, patch: &patch)
      }
      if number % turn == turn - 1 { send() }
    }
    send()
  }
}

/// A link to one other, that hands over what came when it is told to.
private final class PairedLink: PeerLink {
  private struct State {
    var other: PairedLink?
    var receive: (@Sendable ([LinkEvent]) -> Void)?
    var inbox: [LinkEvent] = []
  }

  private static let peer = PeerHandle(rawValue: 1)
  private let state = Guarded(State())
  private let thread: ManualExecutor

  init(_ thread: ManualExecutor) { self.thread = thread }

  var executor: any SerialExecutor { thread }

  func pair(with other: PairedLink) {
    state.withLock { $0.other = other }
    other.state.withLock { $0.other = self }
  }

  func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    state.withLock { $0.receive = receive }
  }

  func open(isDialled: Bool) { take(.opened(Self.peer, dialled: isDialled, as: .sameUser)) }

  private func take(_ event: LinkEvent) { state.withLock { $0.inbox.append(event) } }

  /// Hands over what came, so many at once; nothing where nothing came, which is a turn too.
  func deliver(turnsOf count: Int) {
    let (receive, events) = state.withLock { state in
      defer { state.inbox = [] }
      return (state.receive, state.inbox)
    }
    guard let receive else { return }
    var rest = events[...]
    repeat {
      let turn = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      thread.run { receive(turn) }
    } while !rest.isEmpty
  }

  func wake() {}
  func bind(_ endpoint: String) throws -> String { endpoint }
  func connect(to endpoint: String) throws -> PeerHandle { Self.peer }
  func disconnect(_ peer: PeerHandle) {}
  func subscribe(_ topic: [UInt8]) {}
  func unsubscribe(_ topic: [UInt8]) {}
  func publish(_ frame: [UInt8]) { state.withLock({ $0.other })?.take(.published(Self.peer, frame)) }
  func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
    state.withLock({ $0.other })?.take(.direct(Self.peer, frame))
    return true
  }
  func stop(linger: Duration) {}
}
