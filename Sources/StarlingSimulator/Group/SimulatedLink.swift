import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingWire

/// A link of a simulated process: corrupts some of what arrives, stands still with its process, and
/// listens to what the process promises.
///
/// ```
///   engine ◄── stands still? ◄── corrupts? ◄── MemoryLink ◄── network faults
///   engine ──► notes promises ──────────────► MemoryLink
/// ```
final class SimulatedLink: WrappingLink {
  private struct State {
    var receive: (@Sendable ([LinkEvent]) -> Void)?
    var isFrozen = false
    /// What arrived while the process stood still, as far as queues hold it.
    var waiting: [LinkEvent] = []
    var waitingFrameCount = 0
    var connections: Set<PeerHandle> = []
    var promises: [DocumentID: SeenVersion] = [:]

    mutating func hold(_ event: LinkEvent, framesAtMost countMax: Int) {
      switch event {
      case .direct, .published:
        guard waitingFrameCount < countMax else { return }
        waitingFrameCount += 1
      case .opened, .handshakeFailed, .turnedAway, .closed: break
      }
      waiting.append(event)
    }
  }

  /// Frames that wait for a process that stands still; later ones are lost to it.
  private static let waitingFrameCountMax = 64

  let memory: MemoryLink
  var wrapped: any PeerLink { memory }
  private let networkFaults: SimulatedNetworkFaults
  private let state = Guarded(State())

  init(_ memory: MemoryLink, networkFaults: SimulatedNetworkFaults) {
    self.memory = memory
    self.networkFaults = networkFaults
  }

  /// The versions that the process has acknowledged to others.
  var promises: [DocumentID: SeenVersion] { state.withLock { $0.promises } }

  // MARK: What arrives

  func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    state.withLock { $0.receive = receive }
    try memory.start(tick: tick) { [weak self] in self?.take($0) }
  }

  private func take(_ events: [LinkEvent]) {
    guard !events.isEmpty else {
      state.withLock { $0.isFrozen ? nil : $0.receive }?([])
      return
    }
    let events = events.map(damaged)
    let receive = state.withLock { state -> (@Sendable ([LinkEvent]) -> Void)? in
      for event in events {
        switch event {
        case .opened(let peer, _, _): state.connections.insert(peer)
        case .closed(let peer, _): state.connections.remove(peer)
        case .handshakeFailed, .turnedAway, .direct, .published: break
        }
      }
      guard !state.isFrozen else {
        for event in events { state.hold(event, framesAtMost: Self.waitingFrameCountMax) }
        return nil
      }
      return state.receive
    }
    receive?(events)
  }

  private func damaged(_ event: LinkEvent) -> LinkEvent {
    switch event {
    case .direct(let peer, _): networkFaults.corruption().map { .direct(peer, $0) } ?? event
    case .published(let peer, _): networkFaults.corruption().map { .published(peer, $0) } ?? event
    case .opened, .handshakeFailed, .turnedAway, .closed: event
    }
  }

  func freeze() {
    state.withLock { $0.isFrozen = true }
  }

  func thaw() {
    let (receive, events) = state.withLock { state in
      defer {
        state.isFrozen = false
        state.waiting = []
        state.waitingFrameCount = 0
      }
      return (state.receive, state.waiting)
    }
    receive?(events)
  }

  // MARK: What goes out

  func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
    if Message.isAcknowledgement(frame),
      case .acknowledge(let document, let version, _)? = try? Message(decoding: frame)
    {
      state.withLock { $0.promises[document, default: SeenVersion()].merge(SeenVersion(version)) }
    }
    return memory.send(frame, to: peer)
  }

  // MARK: Connections

  /// Breaks one of the connections.
  func interrupt(pick: UInt64) {
    let connections = state.withLock { $0.connections.sorted { $0.rawValue < $1.rawValue } }
    guard !connections.isEmpty else { return }
    memory.interrupt(connections[Int(pick % UInt64(connections.count))])
  }
}
