import CZeroMQ
import StarlingEngine
import StarlingThread

/// A peer that we dial: its SUB and DEALER, which libzmq connects again whenever they are lost.
final class DialledPeer {
  let endpoint: LinkEndpoint
  let subscriber: LinkSocket
  let dealer: LinkSocket
  let monitors: [LinkSocket]
  var connections = DialledConnections() { didSet { sayWhatIsWanted() } }
  /// What can be cut of them.
  var asking = MonitoredConnections()
  var subscribing = MonitoredConnections()
  /// When it was heard last, since it opened.
  var heardAt = Duration.zero
  /// How it is asked whether it is there.
  var probe: Probe?
  /// Why it could not be opened, as was told last.
  var lastFailure: HandshakeFailure?
  /// Whether it was announced as opened before.
  var wasOpen = false

  init(endpoint: LinkEndpoint, subscriber: LinkSocket, dealer: LinkSocket, monitors: [LinkSocket]) {
    self.endpoint = endpoint
    self.subscriber = subscriber
    self.dealer = dealer
    self.monitors = monitors
    sayWhatIsWanted()
  }

  private func sayWhatIsWanted() {
    subscriber.isWanted = connections.isOpen
    dealer.isWanted = connections.isOpen
  }
}

/// A connection to be tried again.
struct Redial {
  static let askingAgain: Duration = .seconds(2)
  static let subscribingAgain: Duration = .seconds(30)

  let peer: PeerHandle
  let channel: LinkEndpoint.Channel
  let due: Duration
}

// Dialling.
extension LinkSockets {
  /// How long what was sent to a peer may still go out after we hung up.
  private static let hangUpLinger: Duration = .milliseconds(100)
  /// As many as Linux takes.
  private static let keepaliveSecondsMax = 32_767

  func connect(to text: String) throws(LinkError) -> PeerHandle {
    let endpoint = try LinkEndpoint(text)
    if case .tcp(_, port: 0, _) = endpoint {
      throw LinkError(.endpoint, "'\(text)': port 0 chooses a port to listen at; nobody can be dialled there.")
    }
    try endpoint.checkDialling(owners)
    guard dialled.count < limits.dialledPeerCountMax else {
      throw LinkError(
        .system, "\(dialled.count) endpoints are dialled already, as many as Limits.dialledPeerCountMax allows.")
    }
    let handle = PeerHandle(rawValue: makeName())
    var made: [LinkSocket] = []
    do {
      let subscriber = try make(ZMQ_SUB, as: .subscriber(handle))
      made.append(subscriber)
      setConnecting(subscriber, to: endpoint)
      try prove(subscriber, to: endpoint)
      subscriber.set(ZMQ_RCVHWM, limits.publishedQueueCountMax)
      // Our own subscriptions are never dropped.
      subscriber.set(ZMQ_SNDHWM, 0)
      for topic in topics.keys { subscriber.set(ZMQ_SUBSCRIBE, topic) }
      let dealer = try make(ZMQ_DEALER, as: .dealer(handle))
      made.append(dealer)
      setConnecting(dealer, to: endpoint)
      try prove(dealer, to: endpoint)
      dealer.set(ZMQ_SNDHWM, limits.directQueueCountMax)
      dealer.set(ZMQ_RCVHWM, limits.directQueueCountMax)
      let monitors = [try makeMonitor(of: subscriber), try makeMonitor(of: dealer)]
      made += monitors
      try subscriber.connect(endpoint.address(of: .publish))
      try dealer.connect(endpoint.address(of: .ask))
      dialled[handle] = DialledPeer(endpoint: endpoint, subscriber: subscriber, dealer: dealer, monitors: monitors)
    } catch {
      retire(made.filter { !$0.isMonitor }, monitors: made.filter(\.isMonitor))
      throw error
    }
    return handle
  }

  func setConnecting(_ socket: LinkSocket, to endpoint: LinkEndpoint) {
    setCommon(socket)
    // A name is looked up for IPv4: with both, libzmq would try but the first address of either kind.
    socket.set(ZMQ_IPV6, endpoint.isIPv6 ? 1 : 0)
    socket.set(ZMQ_MAXMSGSIZE, wide: Int64(limits.frameByteCountMax))
    // Somebody on this machine who restarts is found at once; the wait doubles up to the maximum. After a cut, nobody
    // waits for longer than that and one attempt.
    socket.set(ZMQ_RECONNECT_IVL, 20)
    socket.set(ZMQ_RECONNECT_IVL_MAX, 500)
    socket.set(ZMQ_CONNECT_TIMEOUT, 2000)
    // "If this option is set to 1, messages shall be queued only to completed connections"
    // (zmq_setsockopt): a peer that comes back must not hear what was said to its predecessor. And each connection has
    // a queue of its own: where a full one outlives the connection that filled it, libzmq 4.3.4 ends the process when
    // it is read (`_input_stopped`).
    socket.set(ZMQ_IMMEDIATE, 1)
  }

  /// What holds for every socket with connections.
  func setCommon(_ socket: LinkSocket) {
    socket.set(ZMQ_IPV6, 0)
    socket.set(ZMQ_HANDSHAKE_IVL, Int(limits.handshake.roundedUpMilliseconds))
    // "Sets how long before an unacknowledged TCP retransmit times out" (zmq_setsockopt); nothing where the system
    // has no such option.
    socket.set(ZMQ_TCP_MAXRT, Int(limits.unreceived.roundedUpMilliseconds))
    // A machine that vanished answers no packet any more: it is asked after a quarter of the time until a silent peer
    // is given up, and given up after all of it at the latest. libzmq's own heartbeats are never turned on: its timer
    // ends the process where it finds a peer that has hung up while the queue of what it sent is full (`out_event`,
    // "Assertion failed: !_io_error"), in every version so far.
    let whole = Int(clamping: (limits.silence + limits.answer).components.seconds)
    let quarter = min(max(1, whole / 4), Self.keepaliveSecondsMax)
    socket.set(ZMQ_TCP_KEEPALIVE, 1)
    socket.set(ZMQ_TCP_KEEPALIVE_IDLE, quarter)
    socket.set(ZMQ_TCP_KEEPALIVE_INTVL, quarter)
    socket.set(ZMQ_TCP_KEEPALIVE_CNT, 3)
  }

  func hangUp(onDialled handle: PeerHandle) {
    guard let peer = dialled.removeValue(forKey: handle) else { return }
    if let probe = peer.probe { retire([probe.socket], monitors: [probe.monitor]) }
    retire([peer.subscriber, peer.dealer], monitors: peer.monitors, linger: Self.hangUpLinger)
  }

  func dialled(_ handle: PeerHandle, _ channel: LinkEndpoint.Channel, tells event: MonitorEvent) {
    guard let peer = dialled[handle] else { return }
    tally.handshakesDialled.add(event)
    note(event, of: channel, at: handle)
    switch event {
    case .standing: dialled[handle]?.lastFailure = nil
    case .failed: failed(handle, peer.endpoint.key == nil ? nil : .unproved)
    case .notUnderstood: failed(handle, peer.endpoint.key == nil ? .wantsKeys : .unproved)
    case .notAdmitted where channel == .publish:
      redial(handle, channel, after: Redial.subscribingAgain)
    case .notAdmitted:
      redial(handle, channel, after: Redial.askingAgain)
      failed(handle, .notAdmitted)
    case .accepted, .connected, .gone: break
    }
    switch dialled[handle]?.connections.hear(event, of: channel) {
    case .opened: opened(handle, peer)
    case .closed:
      endProbe(of: handle)
      // What it said last comes before its end.
      readAll(peer.subscriber)
      readAll(peer.dealer)
      events.append(.closed(handle, reason: "The connection to \(peer.endpoint.text) was lost."))
    case nil: break
    }
  }

  /// A connection that was not admitted libzmq tries no more, as after any error of the protocol. Somebody may
  /// authorise the key in between.
  private func redial(_ handle: PeerHandle, _ channel: LinkEndpoint.Channel, after delay: Duration) {
    let redial = Redial(peer: handle, channel: channel, due: .uptime + delay)
    redials.append(redial)
    tickComes(by: redial.due)
  }

  /// Whatever is due again.
  func redialIfDue(now: Duration) {
    guard !redials.isEmpty else { return }
    for redial in redials where redial.due <= now {
      guard let peer = dialled[redial.peer] else { continue }
      let socket = redial.channel == .ask ? peer.dealer : peer.subscriber
      socket.redial(peer.endpoint.address(of: redial.channel))
      mark(socket)
    }
    redials.removeAll { $0.due <= now }
  }

  private func opened(_ handle: PeerHandle, _ peer: DialledPeer) {
    if peer.wasOpen { tally.reconnects += 1 }
    dialled[handle]?.wasOpen = true
    dialled[handle]?.heardAt = .uptime
    events.append(.opened(handle, dialled: true, as: peer.endpoint.identity))
    mark(peer.subscriber)
    mark(peer.dealer)
  }

  /// Each reason is told once, however often libzmq tries again.
  private func failed(_ handle: PeerHandle, _ failure: HandshakeFailure?) {
    guard let failure, let peer = dialled[handle], peer.lastFailure != failure else { return }
    dialled[handle]?.lastFailure = failure
    events.append(.handshakeFailed(handle, endpoint: peer.endpoint.text, failure))
  }

  // MARK: Topics

  func subscribe(_ topic: [UInt8]) {
    topics[topic, default: 0] += 1
    guard topics[topic] == 1 else { return }
    for peer in dialled.values {
      peer.subscriber.set(ZMQ_SUBSCRIBE, topic)
      mark(peer.subscriber)
    }
  }

  func unsubscribe(_ topic: [UInt8]) {
    guard let count = topics[topic] else { return }
    topics[topic] = count > 1 ? count - 1 : nil
    guard count == 1 else { return }
    for peer in dialled.values {
      peer.subscriber.set(ZMQ_UNSUBSCRIBE, topic)
      mark(peer.subscriber)
    }
  }

  /// libzmq counts how often a socket subscribed to a topic, and keeps it for whoever answers at the endpoint next.
  func subscribe(_ topic: [UInt8], at peer: PeerHandle) { set(ZMQ_SUBSCRIBE, topic, at: peer) }

  func unsubscribe(_ topic: [UInt8], at peer: PeerHandle) { set(ZMQ_UNSUBSCRIBE, topic, at: peer) }

  private func set(_ option: Int32, _ topic: [UInt8], at peer: PeerHandle) {
    guard let peer = dialled[peer] else { return }
    peer.subscriber.set(option, topic)
    mark(peer.subscriber)
  }
}
