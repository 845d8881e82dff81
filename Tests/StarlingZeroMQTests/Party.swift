import StarlingEngine
import StarlingZeroMQ
import Testing

/// A link under test, the thread it owns, and what arrived at it. It lives on that thread as an engine does.
actor Party {
  struct TimedOut: Error, CustomStringConvertible {
    let description: String
  }

  private struct Waiter {
    let what: String
    let deadline: ContinuousClock.Instant
    let condition: (isolated Party) -> Bool
    let continuation: CheckedContinuation<Void, any Error>
  }

  private static let patience: Duration = .seconds(300)

  nonisolated let link: ZeroMQLink
  nonisolated let unownedExecutor: UnownedSerialExecutor
  private var waiters: [Waiter] = []

  /// Everything that arrived, in order, except what `countsOnly` leaves out.
  private(set) var events: [LinkEvent] = []
  private(set) var batchCount = 0
  /// Published frames but for probes.
  private(set) var publishedCount = 0
  var countsOnly = false

  init(
    limits: ZeroMQLink.Limits = ZeroMQLink.Limits(), security: ZeroMQLink.Security? = nil, sharedWith: UnixGroup? = nil
  ) {
    link = ZeroMQLink(limits: limits, security: security, sharedWith: sharedWith)
    unownedExecutor = link.executor.asUnownedSerialExecutor()
  }

  /// A party that has begun; the link stops at the end of `body`.
  static func with<Result: Sendable>(
    limits: ZeroMQLink.Limits = ZeroMQLink.Limits(), security: ZeroMQLink.Security? = nil,
    sharedWith: UnixGroup? = nil, tick: Duration = .milliseconds(10), _ body: (Party) async throws -> Result
  ) async throws -> Result {
    let party = Party(limits: limits, security: security, sharedWith: sharedWith)
    try await party.start(tick: tick)
    do {
      let result = try await body(party)
      await party.stop()
      return result
    } catch {
      await party.stop()
      throw error
    }
  }

  func start(tick: Duration = .milliseconds(10)) throws {
    try link.start(tick: tick) { [weak self] events in
      self?.assumeIsolated { $0.take(events) }
    }
  }

  private func take(_ events: [LinkEvent]) {
    batchCount += 1
    for event in events {
      if case .published(_, let frame) = event, frame.last != UInt8(ascii: "?") { publishedCount += 1 }
      if !countsOnly { self.events.append(event) }
    }
    let now = ContinuousClock.now
    let waiting = waiters
    waiters = []
    for waiter in waiting {
      if waiter.condition(self) {
        waiter.continuation.resume()
      } else if now > waiter.deadline {
        waiter.continuation.resume(throwing: TimedOut(description: "never came: \(waiter.what); came: \(self.events)"))
      } else {
        waiters.append(waiter)
      }
    }
  }

  /// Returns once the condition holds, looked at whenever something arrived and every tick.
  func until(_ what: String, _ condition: @escaping @Sendable (isolated Party) -> Bool) async throws {
    if condition(self) { return }
    try await withCheckedThrowingContinuation {
      waiters.append(
        Waiter(what: what, deadline: .now + Self.patience, condition: condition, continuation: $0))
    }
  }

  /// Returns after the next call of `receive`.
  func untilNextBatch() async throws {
    let count = batchCount
    try await until("a call of receive") { $0.batchCount > count }
  }

  // MARK: The link's calls

  func setTick(_ tick: Duration) { link.setTick(tick) }
  func bind(_ endpoint: String) throws -> String { try link.bind(endpoint) }
  func connect(to endpoint: String) throws -> PeerHandle { try link.connect(to: endpoint) }
  func disconnect(_ peer: PeerHandle) { link.disconnect(peer) }
  func subscribe(_ topic: String) { link.subscribe(Array(topic.utf8)) }
  func unsubscribe(_ topic: String) { link.unsubscribe(Array(topic.utf8)) }
  func publish(_ frame: String) { link.publish(Array(frame.utf8)) }
  func publish(bytes: [UInt8]) { link.publish(bytes) }
  @discardableResult
  func send(_ frame: String, to peer: PeerHandle) -> Bool { link.send(Array(frame.utf8), to: peer) }
  func send(bytes: [UInt8], to peer: PeerHandle) -> Bool { link.send(bytes, to: peer) }
  func stop(linger: Duration = .milliseconds(100)) { link.stop(linger: linger) }

  /// Any call that must be made on the link's thread.
  func run<Result: Sendable>(_ body: @Sendable (isolated Party) throws -> Result) rethrows -> Result { try body(self) }

  // MARK: What arrived

  var published: [String] {
    events.compactMap { if case .published(_, let frame) = $0 { String(decoding: frame, as: UTF8.self) } else { nil } }
  }

  var direct: [String] {
    events.compactMap { if case .direct(_, let frame) = $0 { String(decoding: frame, as: UTF8.self) } else { nil } }
  }

  /// The peer that published each topic last.
  var publishers: [String: PeerHandle] {
    var publishers: [String: PeerHandle] = [:]
    for case .published(let peer, let frame) in events { publishers[String(decoding: frame, as: UTF8.self)] = peer }
    return publishers
  }

  /// The peer that sent each message last.
  var speakers: [String: PeerHandle] {
    var speakers: [String: PeerHandle] = [:]
    for case .direct(let peer, let frame) in events { speakers[String(decoding: frame, as: UTF8.self)] = peer }
    return speakers
  }

  /// The peers that opened, dialled or accepted, in order, as often as they did.
  func opened(dialled: Bool) -> [PeerHandle] {
    events.compactMap { if case .opened(let peer, dialled, _) = $0 { peer } else { nil } }
  }

  var users: [String] {
    events.compactMap { if case .opened(_, dialled: false, .key(let key, _)) = $0 { key } else { nil } }
  }

  var turnedAway: [TurnedAway] {
    events.compactMap { if case .turnedAway(let stranger) = $0 { stranger } else { nil } }
  }

  var failures: [HandshakeFailure] {
    events.compactMap { if case .handshakeFailed(_, _, let failure) = $0 { failure } else { nil } }
  }

  var closed: [PeerHandle] {
    events.compactMap { if case .closed(let peer, _) = $0 { peer } else { nil } }
  }

  /// The events without the frames: "opened 1", "direct 1", "closed 1".
  func story(of peer: PeerHandle) -> [String] {
    events.compactMap {
      switch $0 {
      case .opened(peer, _, _): "opened"
      case .direct(peer, _): "direct"
      case .published(peer, _): "published"
      case .closed(peer, _): "closed"
      default: nil
      }
    }
  }
}

/// Two parties; one dialled the other, and the connection stands.
struct Pair {
  let binder: Party
  let dialler: Party
  /// As the dialler knows the binder.
  let peer: PeerHandle
  let endpoint: String

  static func with(
    _ endpoint: String, limits: ZeroMQLink.Limits = ZeroMQLink.Limits(), _ body: (Pair) async throws -> Void
  ) async throws {
    try await Party.with(limits: limits) { binder in
      try await Party.with(limits: limits) { dialler in
        let bound = try await binder.bind(endpoint)
        let peer = try await dialler.connect(to: bound)
        try await dialler.until("the connection") { $0.opened(dialled: true) == [peer] }
        try await body(Pair(binder: binder, dialler: dialler, peer: peer, endpoint: bound))
      }
    }
  }

  /// As the binder knows the dialler, once it has said hello.
  func greet() async throws -> PeerHandle {
    await dialler.send("hello", to: peer)
    try await binder.until("a greeting") { $0.speakers["hello"] != nil }
    return await binder.speakers["hello"]!
  }

  /// Subscribes, and returns once the binder knows: publishes a probe under the topic until it arrives.
  func subscribe(to topic: String) async throws {
    await dialler.subscribe(topic)
    try await untilHeard(topic)
  }

  /// Publishes until the dialler counts another frame.
  func untilCounted() async throws {
    let before = await dialler.publishedCount
    while await dialler.publishedCount == before {
      await binder.publish("aaaa")
      try await dialler.untilNextBatch()
    }
  }

  func untilHeard(_ topic: String) async throws {
    let probe = topic + "?"
    let before = await dialler.published.count { $0 == probe }
    while await dialler.published.count(where: { $0 == probe }) == before {
      await binder.publish(probe)
      try await dialler.untilNextBatch()
    }
  }
}
