import StarlingGuard
import StarlingSession

/// A `PeerLink` on a `MemoryNetwork`. All of its calls and events happen on the network's thread.
public final class MemoryLink: PeerLink {
  /// One end of a connection: who is at the other, and under which handle it knows us.
  private struct Connection {
    let other: MemoryLink
    let otherHandle: PeerHandle
    /// An accepted peer is announced when it first speaks.
    var isAnnounced: Bool
  }

  private struct State {
    var receive: (@Sendable ([LinkEvent]) -> Void)?
    var tick = Duration.zero
    /// Tells the ticks that are due from those that come no more.
    var beatNumber = 0
    var isWakeDue = false
    var bound: [String] = []
    var dialled: [PeerHandle: String] = [:]
    var dialledCountMax = Int.max
    var connections: [PeerHandle: Connection] = [:]
    var topics: [[UInt8]] = []
    /// Those of one dialled peer.
    var topicsAt: [PeerHandle: [[UInt8]]] = [:]

    func isSubscribed(to frame: [UInt8], from peer: PeerHandle) -> Bool {
      topics.contains { frame.starts(with: $0) } || topicsAt[peer]?.contains { frame.starts(with: $0) } == true
    }
  }

  /// The link's name in the network, for tests and diagnostics.
  public let name: String
  /// The identity that it proves, to peers that it dials and to peers that dial it.
  private let identity: PeerIdentity
  private let network: MemoryNetwork
  private let state = Guarded(State())

  init(name: String, identity: PeerIdentity, network: MemoryNetwork) {
    self.name = name
    self.identity = identity
    self.network = network
  }

  public var executor: any SerialExecutor { network.executor }

  public func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    state.withLock {
      $0.receive = receive
      $0.tick = tick
    }
    beat()
  }

  private func beat() {
    let next = state.withLock { state -> (tick: Duration, number: Int)? in
      state.beatNumber += 1
      return state.receive == nil ? nil : (state.tick, state.beatNumber)
    }
    guard let next else { return }
    network.schedule(after: next.tick) { [weak self] in
      guard let self, isDue(next.number) else { return }
      tell([])
      if isDue(next.number) { beat() }
    }
  }

  private func isDue(_ number: Int) -> Bool { state.withLock { $0.beatNumber == number } }

  public func setTick(_ tick: Duration) {
    let isSooner = state.withLock { state in
      defer { state.tick = tick }
      return tick < state.tick
    }
    if isSooner { beat() }
  }

  public func wake() {
    let isFirst = state.withLock { state in
      defer { state.isWakeDue = true }
      return !state.isWakeDue
    }
    guard isFirst else { return }
    network.schedule(after: .zero) { [weak self] in
      self?.state.withLock { $0.isWakeDue = false }
      self?.tell([])
    }
  }

  private func tell(_ events: [LinkEvent]) {
    state.withLock { $0.receive }?(events)
  }

  // MARK: Connections

  public func bind(_ endpoint: String) throws -> String {
    try network.bind(self, at: endpoint)
    state.withLock { $0.bound.append(endpoint) }
    return endpoint
  }

  public func connect(to endpoint: String) throws -> PeerHandle {
    let handle = network.makeHandle()
    let hasCapacity = state.withLock { state in
      guard state.dialled.count < state.dialledCountMax else { return false }
      state.dialled[handle] = endpoint
      return true
    }
    guard hasCapacity else { throw LinkError(.system, "As many endpoints are dialled already as may be.") }
    dial(handle)
    return handle
  }

  /// Has further endpoints refused while so many are dialled, as by a link that has no more sockets.
  public func limitDialled(to count: Int) {
    state.withLock { $0.dialledCountMax = count }
  }

  /// Tries now, and every tenth of a second until somebody listens.
  private func dial(_ handle: PeerHandle) {
    network.schedule(after: .milliseconds(1)) { [weak self] in
      guard let self, let endpoint = state.withLock({ $0.connections[handle] == nil ? $0.dialled[handle] : nil })
      else { return }
      guard let other = network.link(at: endpoint), network.admits(from: name, to: other.name),
        network.admits(from: other.name, to: name)
      else {
        network.schedule(after: .milliseconds(100)) { [weak self] in self?.dial(handle) }
        return
      }
      let otherHandle = network.makeHandle()
      other.accept(self, as: otherHandle, knownAs: handle)
      state.withLock {
        $0.connections[handle] = Connection(other: other, otherHandle: otherHandle, isAnnounced: true)
      }
      tell([.opened(handle, dialled: true, as: other.identity)])
    }
  }

  private func accept(_ link: MemoryLink, as handle: PeerHandle, knownAs otherHandle: PeerHandle) {
    state.withLock {
      $0.connections[handle] = Connection(other: link, otherHandle: otherHandle, isAnnounced: false)
    }
  }

  public func disconnect(_ peer: PeerHandle) {
    let connection = state.withLock { state in
      state.dialled[peer] = nil
      state.topicsAt[peer] = nil
      return state.connections.removeValue(forKey: peer)
    }
    if let connection { connection.other.lose(connection.otherHandle, reason: "hung up") }
  }

  /// Breaks a connection as a network does: both ends hear of it, and the one that dialled dials again.
  public func interrupt(_ peer: PeerHandle) {
    guard let connection = state.withLock({ $0.connections[peer] }) else { return }
    connection.other.lose(connection.otherHandle, reason: "interrupted")
    lose(peer, reason: "interrupted")
  }

  /// The same for all that stand.
  public func interruptAll() {
    for peer in state.withLock({ $0.connections.keys.sorted { $0.rawValue < $1.rawValue } }) { interrupt(peer) }
  }

  private func lose(_ handle: PeerHandle, reason: String, after delay: Duration = .milliseconds(1)) {
    network.schedule(after: delay) { [weak self] in
      guard let self, state.withLock({ $0.connections.removeValue(forKey: handle) }) != nil else { return }
      tell([.closed(handle, reason: reason)])
      if state.withLock({ $0.dialled[handle] != nil }) { dial(handle) }
    }
  }

  // MARK: Frames

  public func subscribe(_ topic: [UInt8]) {
    state.withLock { $0.topics.append(topic) }
  }

  public func unsubscribe(_ topic: [UInt8]) {
    state.withLock { state in state.topics.firstIndex(of: topic).map { _ = state.topics.remove(at: $0) } }
  }

  public func subscribe(_ topic: [UInt8], at peer: PeerHandle) {
    state.withLock { $0.topicsAt[peer, default: []].append(topic) }
  }

  public func unsubscribe(_ topic: [UInt8], at peer: PeerHandle) {
    state.withLock { state in
      if let place = state.topicsAt[peer]?.firstIndex(of: topic) { state.topicsAt[peer]?.remove(at: place) }
    }
  }

  public func publish(_ frame: [UInt8]) {
    let connections = state.withLock { state in
      // Those that dialled us, in a fixed order.
      state.connections.filter { state.dialled[$0.key] == nil }.sorted { $0.key.rawValue < $1.key.rawValue }
    }
    for (own, connection) in connections {
      let other = connection.other
      let handle = connection.otherHandle
      guard other.state.withLock({ $0.isSubscribed(to: frame, from: handle) }) else { continue }
      let passage = MemoryNetwork.Passage(from: name, to: other.name, isPublished: true, byteCount: frame.count)
      network.carry(passage) { [weak other] in other?.deliver(.published(handle, frame), from: own, to: handle) }
    }
  }

  public func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
    guard let connection = state.withLock({ $0.connections[peer] }) else { return false }
    let other = connection.other
    let handle = connection.otherHandle
    let passage = MemoryNetwork.Passage(from: name, to: other.name, isPublished: false, byteCount: frame.count)
    network.carry(passage) { [weak other] in other?.deliver(.direct(handle, frame), from: peer, to: handle) }
    return true
  }

  private func deliver(_ event: LinkEvent, from otherHandle: PeerHandle, to handle: PeerHandle) {
    let (isNew, identity) = state.withLock { state -> (Bool?, PeerIdentity) in
      // What was under way when its connection ended went with it, though the dialler's handle lives on.
      guard let connection = state.connections[handle], connection.otherHandle == otherHandle else {
        return (nil, .unknown)
      }
      state.connections[handle]?.isAnnounced = true
      return (!connection.isAnnounced, connection.other.identity)
    }
    guard let isNew else { return }
    tell(isNew ? [.opened(handle, dialled: false, as: identity), event] : [event])
  }

  // MARK: Ending

  /// What is under way arrives, where it needs no longer than `linger`.
  public func stop(linger: Duration) {
    end(reason: "stopped", after: max(linger, .milliseconds(1)))
  }

  /// Ends at once, as a process does that is killed: nobody is told but those who were connected.
  public func vanish(reason: String = "killed") {
    end(reason: reason, after: .milliseconds(1))
  }

  private func end(reason: String, after delay: Duration) {
    let (bound, connections) = state.withLock { state in
      defer {
        state.receive = nil
        state.bound = []
        state.dialled = [:]
        state.topicsAt = [:]
        state.connections = [:]
      }
      return (state.bound, state.connections.sorted { $0.key.rawValue < $1.key.rawValue })
    }
    for endpoint in bound { network.unbind(endpoint) }
    for (_, connection) in connections { connection.other.lose(connection.otherHandle, reason: reason, after: delay) }
  }
}
