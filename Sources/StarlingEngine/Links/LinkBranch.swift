import StarlingGuard
import StarlingSession

/// One link of several: its place in the handle space, and the passage to its thread if it has one of its own.
final class LinkBranch: Sendable {
  let link: any PeerLink
  private let name: String
  private let place: UInt64
  private let linkCount: UInt64
  /// Nil for a link on the engine's thread.
  private let passage: LinkPassage?
  private let tally = Guarded(CompositeLink.Counters())

  init(_ link: any PeerLink, named name: String, place: UInt64, of linkCount: UInt64, passage: LinkPassage?) {
    self.link = link
    self.name = name
    self.place = place
    self.linkCount = linkCount
    self.passage = passage
  }

  var counters: CompositeLink.Counters { tally.withLock { $0 } }

  /// Names the link in what `body` throws.
  func named<Result>(_ body: () throws -> Result) throws(LinkError) -> Result {
    do {
      return try body()
    } catch let error as LinkError {
      throw LinkError(error.code, "The link '\(name)': \(error.message)")
    } catch {
      throw LinkError(.system, "The link '\(name)': \(error)")
    }
  }

  // MARK: Life

  /// Starts a link that is not the first; `first` is woken where something arrived on another thread.
  func start(
    tick: Duration, wakes first: any PeerLink, receive: @escaping @Sendable ([LinkEvent]) -> Void
  ) throws(LinkError) {
    try named {
      try link.start(tick: tick) { [weak self, weak first] events in
        guard let self else { return }
        guard let passage else {
          if !events.isEmpty { receive(translated(events)) }
          return
        }
        let translated = translated(events)
        if !translated.isEmpty, passage.arrive(translated, onLost: { self.drop() }) { first?.wake() }
        for call in passage.takeCalls() { call(link) }
      }
    }
  }

  /// The first link may be woken from now on.
  func engineRuns() { passage?.engineRuns() }

  /// Returns when the link has ended, or did not within a second more than `linger`.
  func stop(linger: Duration) {
    guard let passage else { return link.stop(linger: linger) }
    let ended = ThreadEvent()
    guard
      passage.close(after: { link in
        link.stop(linger: linger)
        ended.signal()
      })
    else { return }
    link.wake()
    _ = ended.wait(timeout: linger + .seconds(1))
  }

  // MARK: Events

  func translated(_ events: [LinkEvent]) -> [LinkEvent] {
    guard !events.isEmpty else { return [] }
    let frameCount = events.count { if case .direct = $0 { true } else if case .published = $0 { true } else { false } }
    tally.withLock { $0.framesReceived += UInt64(frameCount) }
    return events.map { event in
      switch event {
      case .opened(let peer, let dialled, let identity): .opened(outer(peer), dialled: dialled, as: identity)
      case .handshakeFailed(let peer, let endpoint, let failure):
        .handshakeFailed(outer(peer), endpoint: endpoint, failure)
      case .turnedAway: event
      case .direct(let peer, let frame): .direct(outer(peer), frame)
      case .published(let peer, let frame): .published(outer(peer), frame)
      case .closed(let peer, let reason): .closed(outer(peer), reason: reason)
      }
    }
  }

  func takeArrived() -> [LinkEvent] { passage?.takeArrived() ?? [] }

  private func outer(_ peer: PeerHandle) -> PeerHandle {
    PeerHandle(rawValue: peer.rawValue * linkCount + place)
  }

  private func inner(_ peer: PeerHandle) -> PeerHandle {
    PeerHandle(rawValue: peer.rawValue / linkCount)
  }

  // MARK: Calls

  func bind(_ endpoint: String) throws(LinkError) -> String {
    try answer { try $0.bind(endpoint) }
  }

  func connect(to endpoint: String) throws(LinkError) -> PeerHandle {
    outer(try answer { try $0.connect(to: endpoint) })
  }

  func setTick(_ tick: Duration) { perform { $0.setTick(tick) } }

  func disconnect(_ peer: PeerHandle) {
    let peer = inner(peer)
    perform { $0.disconnect(peer) }
  }

  func subscribe(_ topic: [UInt8]) { perform { $0.subscribe(topic) } }
  func unsubscribe(_ topic: [UInt8]) { perform { $0.unsubscribe(topic) } }

  func subscribe(_ topic: [UInt8], at peer: PeerHandle) {
    let peer = inner(peer)
    perform { $0.subscribe(topic, at: peer) }
  }

  func unsubscribe(_ topic: [UInt8], at peer: PeerHandle) {
    let peer = inner(peer)
    perform { $0.unsubscribe(topic, at: peer) }
  }

  func publish(_ frame: [UInt8]) {
    guard perform(byteCount: frame.count, { $0.publish(frame) }) else { return drop() }
    tally.withLock { $0.framesPublished += 1 }
  }

  func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
    let peer = inner(peer)
    tally.withLock { $0.framesSent += 1 }
    guard passage != nil else {
      let isTaken = link.send(frame, to: peer)
      if !isTaken { drop() }
      return isTaken
    }
    let waits = perform(byteCount: frame.count) { [weak self] link in
      if !link.send(frame, to: peer) { self?.drop() }
    }
    if !waits { drop() }
    return waits
  }

  private func drop() { tally.withLock { $0.framesDropped += 1 } }

  /// Makes a call on the link's thread, in its turn.
  ///
  /// - Returns: false if so much waits that it is not made.
  @discardableResult
  private func perform(byteCount: Int = 0, _ call: @escaping LinkPassage.Call) -> Bool {
    guard let passage else {
      call(link)
      return true
    }
    guard passage.add(byteCount: byteCount, call) else { return false }
    link.wake()
    return true
  }

  /// Makes a call on the link's thread, in its turn, and returns what it returns.
  private func answer<Answer: Sendable>(
    _ call: @escaping @Sendable (any PeerLink) throws -> Answer
  ) throws(LinkError) -> Answer {
    guard passage != nil else { return try named { try call(link) } }
    let question = LinkQuestion<Answer>()
    let isAsked = perform { link in question.answer { try call(link) } }
    return try named {
      guard isAsked else { throw LinkError(.misuse, "It has been stopped.") }
      return try question.wait(timeout: .seconds(5))
    }
  }
}
