import CZeroMQ
import StarlingEngine

/// How a ROUTER names one accepted connection: a zero and four bytes of its own choice.
///
/// A peer may choose its own name, which then begins with another byte; such peers are not served,
/// because a name that comes back would make two connections look like one.
struct RoutingID: Hashable {
  private let number: UInt32

  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 5, bytes[0] == 0 else { return nil }
    number = bytes.loadUnaligned(fromByteOffset: 1, as: UInt32.self)
  }

  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let bytes = (UInt8(0), UInt8(0), UInt8(0), UInt8(0), UInt8(0))
    return withUnsafeBytes(of: number) { number in
      var bytes = bytes
      return withUnsafeMutableBytes(of: &bytes) {
        $0[1...].copyBytes(from: number)
        return body(UnsafeRawBufferPointer($0))
      }
    }
  }
}

/// The sockets by which we are dialled, and who dialled.
struct Accepting {
  let router: LinkSocket
  let publisher: LinkSocket
  let routerMonitor: LinkSocket
  let publisherMonitor: LinkSocket
  var listening: [ListeningPair] = []
  /// Connections of the ROUTER; those that spoke are peers.
  var asking = AcceptedConnections()
  /// Connections of the XPUB.
  var subscribing = AcceptedConnections()
  /// Peers that spoke, until their end is announced.
  var peers: [RoutingID: Peer] = [:]
  var routes: [PeerHandle: RoutingID] = [:]
  /// Peers that are gone and whose last words may not have been read.
  var ended: [RoutingID] = []
  /// Connections beyond the limit, to be cut once their monitor holds nothing more.
  var excess: [(channel: LinkEndpoint.Channel, descriptor: Int32)] = []

  struct Peer {
    let handle: PeerHandle
    /// Its connection, by descriptor.
    let connection: Int32
    /// Whether we hung up: it is not heard any more.
    var isHungUp = false
  }
}

// Accepting peers.
//
// A ROUTER names the peer of a message and does not tell when it goes (ZMQ_ROUTER_NOTIFY is a draft).
// But a message knows the descriptor that it came by, and the monitor tells the end of that.
extension LinkSockets {
  func bind(_ text: String) throws(LinkError) -> String {
    let endpoint = try LinkEndpoint(text)
    let accepting = try openAccepting()
    let pair = try ListeningPair(endpoint)
    do {
      try accepting.router.listen(on: pair.ask, address: pair.endpoint.address(of: .ask))
    } catch {
      pair.abandon(.ask, .publish)
      throw error
    }
    do {
      try accepting.publisher.listen(on: pair.publish, address: pair.endpoint.address(of: .publish))
    } catch {
      accepting.router.stopListening(at: pair.endpoint.address(of: .ask))
      pair.abandon(.publish)
      throw error
    }
    self.accepting?.listening.append(pair)
    mark(accepting.router)
    mark(accepting.publisher)
    return pair.endpoint.text
  }

  private func openAccepting() throws(LinkError) -> Accepting {
    if let accepting { return accepting }
    var made: [LinkSocket] = []
    do {
      let router = try make(ZMQ_ROUTER, as: .router)
      made.append(router)
      setCommon(router)
      router.set(ZMQ_MAXMSGSIZE, wide: Int64(limits.frameByteCountMax))
      router.set(ZMQ_SNDHWM, limits.directQueueCountMax)
      router.set(ZMQ_RCVHWM, limits.directQueueCountMax)
      router.set(ZMQ_ROUTER_MANDATORY, 1)
      let publisher = try make(ZMQ_XPUB, as: .publisher)
      made.append(publisher)
      setCommon(publisher)
      publisher.set(ZMQ_SNDHWM, limits.publishedQueueCountMax)
      // A full queue is told of before a frame is dropped for it: while it sends, libzmq learns only
      // now and then how far a queue has been read, and would drop for a subscriber that keeps pace.
      publisher.set(ZMQ_XPUB_NODROP, 1)
      // All that comes in are subscriptions: a byte, or ZMTP's word for it, and the topic.
      publisher.set(ZMQ_MAXMSGSIZE, wide: Int64(limits.topicByteCountMax + 16))
      publisher.set(ZMQ_RCVHWM, 256)
      // Every peer's every subscription is told, so that they can be counted for each. libzmq applies
      // them itself: in manual mode (ZMQ_XPUB_MANUAL) version 4.3.4 keeps the pointer of a
      // subscriber that left before its subscription was looked at, and writes to it.
      publisher.set(ZMQ_XPUB_VERBOSER, 1)
      let routerMonitor = try makeMonitor(of: router)
      made.append(routerMonitor)
      let publisherMonitor = try makeMonitor(of: publisher)
      accepting = Accepting(
        router: router, publisher: publisher, routerMonitor: routerMonitor, publisherMonitor: publisherMonitor)
    } catch {
      retire(made.filter { !$0.isMonitor }, monitors: made.filter(\.isMonitor))
      throw error
    }
    return accepting!
  }

  // MARK: Messages

  /// `[routing id][frame]`, of which the first part was read.
  func takeDirect(from router: LinkSocket) {
    let route = RoutingID(message.bytes)
    guard message.hasMore, router.receive(into: message) else {
      tally.malformed += 1
      return
    }
    guard let route else {
      dropRest(of: router)
      tally.malformed += 1
      return
    }
    let connection = accepting?.peers[route] == nil ? message.connection : -1
    guard let frame = lastPart(from: router), let handle = peer(at: route, by: connection) else { return }
    tally.framesReceived += 1
    events.append(.direct(handle, frame))
  }

  /// The peer of a connection, which is announced when it first speaks; nil if it is not to be heard.
  private func peer(at route: RoutingID, by connection: Int32) -> PeerHandle? {
    if let known = accepting?.peers[route] { return known.isHungUp ? nil : known.handle }
    guard let accepting else { return nil }
    // What was told of this connection and of earlier ones under the same descriptor.
    readAll(accepting.routerMonitor)
    guard accepting.peers.count < limits.acceptedPeerCountMax else {
      refuse(connection, of: .ask)
      return nil
    }
    let handle = PeerHandle(rawValue: makeName())
    self.accepting?.peers[route] = Accepting.Peer(handle: handle, connection: connection)
    self.accepting?.routes[handle] = route
    events.append(.opened(handle, dialled: false))
    // A message that does not know its connection: only a send will tell when the peer is gone.
    guard connection >= 0 else { return handle }
    if let previous = self.accepting?.asking.name(connection, as: route) { ended(previous) }
    if self.accepting?.asking[connection] == nil { ended(route) }
    return handle
  }

  /// A byte that says whether it comes or goes, and the topic.
  func takeSubscription(from publisher: LinkSocket) {
    let connection = message.connection
    guard let bytes = lastPart(from: publisher), let isSubscribed = bytes.first, isSubscribed <= 1 else {
      tally.malformed += 1
      return
    }
    // Those of a connection that is gone come from nobody.
    guard connection >= 0, let monitor = accepting?.publisherMonitor else { return }
    if accepting?.subscribing[connection] == nil { readAll(monitor) }
    let count = accepting?.subscribing.countSubscription(of: connection, by: isSubscribed == 1 ? 1 : -1) ?? 0
    if count > limits.subscriptionCountMax || bytes.count - 1 > limits.topicByteCountMax {
      refuse(connection, of: .publish)
    }
  }

  // MARK: Ends

  func accepted(_ channel: LinkEndpoint.Channel, tells event: MonitorEvent) {
    switch event {
    case .accepted(let descriptor):
      let count =
        switch channel {
        case .ask: accepting?.asking.add(descriptor)
        case .publish: accepting?.subscribing.add(descriptor)
        }
      // Half as many again as may be peers: one that comes back may be here twice for a while.
      if let count, count > limits.acceptedPeerCountMax + limits.acceptedPeerCountMax / 2, let accepting {
        self.accepting?.excess.append((channel, descriptor))
        mark(channel == .ask ? accepting.routerMonitor : accepting.publisherMonitor)
      }
    case .gone(let descriptor):
      switch channel {
      case .ask: if let route = accepting?.asking.remove(descriptor) { ended(route) }
      case .publish: accepting?.subscribing.remove(descriptor)
      }
    case .failed: tally.handshakesFailed += 1
    case .standing: break
    }
  }

  /// The end is announced once the ROUTER has nothing more, so that it comes after the last words.
  func ended(_ route: RoutingID) {
    guard let accepting else { return }
    self.accepting?.ended.append(route)
    mark(accepting.router)
  }

  /// Called when the ROUTER has nothing more.
  func announceEnded() {
    guard let ended = accepting?.ended, !ended.isEmpty else { return }
    accepting?.ended = []
    for route in ended {
      guard let peer = accepting?.peers.removeValue(forKey: route) else { continue }
      accepting?.routes[peer.handle] = nil
      if !peer.isHungUp { events.append(.closed(peer.handle, reason: "The peer hung up.")) }
    }
  }

  /// Called when one of the monitors has nothing more.
  func cutExcess() {
    guard let excess = accepting?.excess, !excess.isEmpty else { return }
    accepting?.excess = []
    for (channel, descriptor) in excess { refuse(descriptor, of: channel) }
  }

  /// Cuts a connection that passed a limit.
  private func refuse(_ descriptor: Int32, of channel: LinkEndpoint.Channel) {
    if cut(descriptor, of: channel) { tally.connectionsRefused += 1 }
  }

  private func cut(_ descriptor: Int32, of channel: LinkEndpoint.Channel) -> Bool {
    guard let accepting, readAll(channel == .ask ? accepting.routerMonitor : accepting.publisherMonitor) else {
      return false
    }
    switch channel {
    case .ask: return self.accepting?.asking.cut(descriptor) ?? false
    case .publish: return self.accepting?.subscribing.cut(descriptor) ?? false
    }
  }

  func hangUp(onAccepted handle: PeerHandle) {
    guard let accepting, let route = accepting.routes[handle], let peer = accepting.peers[route] else { return }
    self.accepting?.peers[route]?.isHungUp = true
    self.accepting?.routes[handle] = nil
    _ = cut(peer.connection, of: .ask)
  }
}
