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

/// The sockets by which we are dialled, and the peers that dialled.
final class Accepting {
  let router: LinkSocket
  let publisher: LinkSocket
  let routerMonitor: LinkSocket
  let publisherMonitor: LinkSocket
  var listening: [ListeningPair] = []
  /// Connections of the ROUTER; those that spoke are peers.
  var asking = MonitoredConnections()
  /// Connections of the XPUB.
  var subscribing = MonitoredConnections()
  /// Peers that spoke, until their end is announced.
  var peers: [RoutingID: Peer] = [:]
  var routes: [PeerHandle: RoutingID] = [:]
  /// Peers that are gone and whose last words may not have been read.
  var ended: [RoutingID] = []
  /// Connections beyond the limit, to be cut once their monitor holds nothing more.
  var excess: [(channel: LinkEndpoint.Channel, descriptor: Int32)] = []
  /// What was wrong with the connection whose end is told next.
  var failures: [LinkEndpoint.Channel: TurnedAway.Reason] = [:]
  /// Connections whose keys were refused, and whose end has not been told yet.
  var refusedCounts: [LinkEndpoint.Channel: Int] = [:]

  init(router: LinkSocket, publisher: LinkSocket, routerMonitor: LinkSocket, publisherMonitor: LinkSocket) {
    self.router = router
    self.publisher = publisher
    self.routerMonitor = routerMonitor
    self.publisherMonitor = publisherMonitor
  }

  struct Peer {
    let handle: PeerHandle
    /// Its connection, by descriptor.
    let connection: Int32
    /// The key that it proved, where its listening socket asks for one.
    let key: PublicKey?
    /// Whether we hung up: it is not heard any more.
    var isHungUp = false
  }

  func connection(_ channel: LinkEndpoint.Channel, _ descriptor: Int32) -> MonitoredConnections.Connection? {
    channel == .ask ? asking[descriptor] : subscribing[descriptor]
  }
}

/// What lies behind each listening socket, once somebody listens there.
struct Listeners {
  var open: Accepting?
  var secured: Accepting?

  subscript(listener: Listener) -> Accepting? {
    get {
      switch listener {
      case .open: open
      case .secured: secured
      }
    }
    _modify {
      switch listener {
      case .open: yield &open
      case .secured: yield &secured
      }
    }
  }
}

// Accepting peers.
//
// A ROUTER names the peer of a message and does not tell when it goes (ZMQ_ROUTER_NOTIFY is a draft).
// But a message knows the descriptor that it came by, and the monitor tells the end of that.
extension LinkSockets {
  /// CURVE's longest word, INITIATE, has 257 bytes and what the dialling side says of itself (RFC 26 of ZeroMQ).
  private static let handshakeByteCountMax = 1024

  func bind(_ text: String) throws(LinkError) -> String {
    let endpoint = try LinkEndpoint(text)
    let listener = security != nil && endpoint.isTCP ? Listener.secured : .open
    let accepting = try openAccepting(listener)
    let pair = try ListeningPair(endpoint, key: security?.keys.publicKey, for: owners)
    do {
      try accepting.router.listen(
        on: pair.ask, address: pair.endpoint.address(of: .ask), isIPv6: endpoint.isIPv6)
    } catch {
      pair.abandon(.ask, .publish)
      throw error
    }
    do {
      try accepting.publisher.listen(
        on: pair.publish, address: pair.endpoint.address(of: .publish), isIPv6: endpoint.isIPv6)
    } catch {
      accepting.router.stopListening(at: pair.endpoint.address(of: .ask))
      pair.abandon(.publish)
      throw error
    }
    self.accepting[listener]?.listening.append(pair)
    mark(accepting.router)
    mark(accepting.publisher)
    return pair.endpoint.text
  }

  private func openAccepting(_ listener: Listener) throws(LinkError) -> Accepting {
    if let accepting = accepting[listener] { return accepting }
    var made: [LinkSocket] = []
    do {
      if listener == .secured { try openAuthenticator() }
      let router = try make(ZMQ_ROUTER, as: .router(listener))
      made.append(router)
      setCommon(router)
      if listener == .secured { lock(router, in: Self.askDomain) }
      router.set(ZMQ_MAXMSGSIZE, wide: Int64(limits.frameByteCountMax))
      router.set(ZMQ_SNDHWM, limits.directQueueCountMax)
      router.set(ZMQ_RCVHWM, limits.directQueueCountMax)
      router.set(ZMQ_ROUTER_MANDATORY, 1)
      let publisher = try make(ZMQ_XPUB, as: .publisher(listener))
      made.append(publisher)
      setCommon(publisher)
      if listener == .secured { lock(publisher, in: Self.publishDomain) }
      publisher.set(ZMQ_SNDHWM, limits.publishedQueueCountMax)
      // A full queue is told of before a frame is dropped for it: while it sends, libzmq learns only
      // now and then how far a queue has been read, and would drop for a subscriber that keeps pace.
      publisher.set(ZMQ_XPUB_NODROP, 1)
      // All that comes in are subscriptions: a byte, or ZMTP's word for it, and the topic.
      // Where there are keys, the words of the handshake are longer.
      publisher.set(
        ZMQ_MAXMSGSIZE, wide: Int64(limits.topicByteCountMax + (listener == .open ? 16 : Self.handshakeByteCountMax)))
      publisher.set(ZMQ_RCVHWM, 256)
      // Every peer's every subscription is told, so that they can be counted for each. libzmq applies
      // them itself: in manual mode (ZMQ_XPUB_MANUAL) version 4.3.4 keeps the pointer of a
      // subscriber that left before its subscription was looked at, and writes to it.
      publisher.set(ZMQ_XPUB_VERBOSER, 1)
      let routerMonitor = try makeMonitor(of: router)
      made.append(routerMonitor)
      let publisherMonitor = try makeMonitor(of: publisher)
      let opened = Accepting(
        router: router, publisher: publisher, routerMonitor: routerMonitor, publisherMonitor: publisherMonitor)
      accepting[listener] = opened
      return opened
    } catch {
      retire(made.filter { !$0.isMonitor }, monitors: made.filter(\.isMonitor))
      throw error
    }
  }

  // MARK: Messages

  /// `[routing id][frame]`; the first part was read.
  func takeDirect(from router: LinkSocket, at listener: Listener) {
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
    // Of what is asked once for a connection, its first message tells.
    let isNew = accepting[listener]?.peers[route] == nil
    let connection = isNew ? message.connection : -1
    let key = isNew && listener == .secured ? message.user.flatMap { PublicKey($0) } : nil
    guard let frame = lastPart(from: router), let handle = peer(at: route, by: connection, key: key, listener) else {
      return
    }
    tally.framesReceived += 1
    events.append(.direct(handle, frame))
  }

  /// The peer of a connection, which is announced when it first speaks; nil if it is not to be heard.
  private func peer(at route: RoutingID, by connection: Int32, key: PublicKey?, _ listener: Listener) -> PeerHandle? {
    if let known = accepting[listener]?.peers[route] { return known.isHungUp ? nil : known.handle }
    guard let monitor = accepting[listener]?.routerMonitor else { return nil }
    // What was told of this connection and of earlier ones under the same descriptor.
    readAll(monitor)
    let peerCount = Listener.allCases.reduce(0) { $0 + (accepting[$1]?.peers.count ?? 0) }
    guard peerCount < limits.acceptedPeerCountMax, listener == .open || key != nil else {
      refuse(connection, of: .ask, listener)
      return nil
    }
    let handle = PeerHandle(rawValue: makeName())
    accepting[listener]?.peers[route] = Accepting.Peer(handle: handle, connection: connection, key: key)
    accepting[listener]?.routes[handle] = route
    events.append(.opened(handle, dialled: false, as: identity(of: connection, key: key, listener)))
    // A message that does not know its connection: only a send will tell when the peer is gone.
    guard connection >= 0 else { return handle }
    if let previous = accepting[listener]?.asking.name(connection, as: route) { ended(previous, listener) }
    if accepting[listener]?.asking[connection] == nil { ended(route, listener) }
    return handle
  }

  /// What is known of the peer that came by a connection: at the secured socket its key, at the other where it came
  /// from.
  private func identity(of connection: Int32, key: PublicKey?, _ listener: Listener) -> PeerIdentity {
    let known = accepting[listener]?.asking[connection]
    switch (listener, key) {
    case (.secured, let key?): return .key(key.description, address: known?.address)
    case (.secured, nil): return .unknown
    case (.open, _):
      // Without keys nobody listens for TCP beyond loopback (`ListeningPair`).
      let isFile = known?.isOfFileSystem ?? accepting.open?.listening.allSatisfy { !$0.endpoint.isTCP } ?? false
      return isFile ? .sameUser : .sameMachine
    }
  }

  /// A byte that says whether it comes or goes, and the topic.
  func takeSubscription(from publisher: LinkSocket, at listener: Listener) {
    let connection = message.connection
    let key = listener == .secured ? message.user.flatMap { PublicKey($0) } : nil
    guard let bytes = lastPart(from: publisher), let isSubscribed = bytes.first, isSubscribed <= 1 else {
      tally.malformed += 1
      return
    }
    // Those of a connection that is gone come from nobody.
    guard connection >= 0, let monitor = accepting[listener]?.publisherMonitor else { return }
    if accepting[listener]?.subscribing[connection] == nil { readAll(monitor) }
    if let key { accepting[listener]?.subscribing.note(key, of: connection) }
    let count = accepting[listener]?.subscribing.countSubscription(of: connection, by: isSubscribed == 1 ? 1 : -1) ?? 0
    let countOfAll = accepting[listener]?.subscribing.subscriptionCount ?? 0
    if !limits.allowSubscriptions(count, of: countOfAll) || bytes.count - 1 > limits.topicByteCountMax {
      refuse(connection, of: .publish, listener)
    }
  }

  // MARK: Ends

  func accepted(_ channel: LinkEndpoint.Channel, at listener: Listener, tells event: MonitorEvent) {
    switch event {
    case .accepted(let descriptor):
      let count =
        switch channel {
        case .ask: accepting[listener]?.asking.add(descriptor)
        case .publish: accepting[listener]?.subscribing.add(descriptor)
        }
      // Half as many again as may be peers: one that comes back may be here twice for a while.
      if let count, count > limits.acceptedPeerCountMax + limits.acceptedPeerCountMax / 2,
        let accepting = accepting[listener]
      {
        self.accepting[listener]?.excess.append((channel, descriptor))
        mark(channel == .ask ? accepting.routerMonitor : accepting.publisherMonitor)
      }
    case .gone(let descriptor):
      tellFailure(channel, of: descriptor, listener)
      switch channel {
      case .ask: if let route = accepting[listener]?.asking.remove(descriptor) { ended(route, listener) }
      case .publish: accepting[listener]?.subscribing.remove(descriptor)
      }
    case .failed, .notUnderstood:
      tally.handshakesAccepted.add(event)
      // libzmq says whose it was with the next event, which ends the connection.
      if listener == .secured { accepting[listener]?.failures[channel] = event == .failed ? .unfinished : .unproved }
    // Told already when we were asked for the key.
    case .notAdmitted: tally.handshakesAccepted.add(event)
    case .connected, .standing: break
    }
  }

  /// Tells of a connection that ended before its peer was introduced.
  private func tellFailure(_ channel: LinkEndpoint.Channel, of descriptor: Int32, _ listener: Listener) {
    guard listener == .secured, let accepting = accepting[listener] else { return }
    let reason = self.accepting[listener]?.failures.removeValue(forKey: channel)
    let connection = accepting.connection(channel, descriptor)
    guard connection?.isIntroduced != true else { return }
    // Of these was told when they showed their keys.
    if let count = accepting.refusedCounts[channel], count > 0 {
      self.accepting[listener]?.refusedCounts[channel] = count - 1
      return
    }
    // libzmq says nothing of those who do not speak its protocol at all. A peer that may subscribe need not do so.
    guard reason != nil || channel == .ask else { return }
    if reason == nil { tally.handshakesAccepted.unfinished += 1 }
    events.append(.turnedAway(TurnedAway(reason ?? .unfinished, address: connection?.address)))
  }

  /// The end is announced once the ROUTER has nothing more, so that it comes after the last words.
  func ended(_ route: RoutingID, _ listener: Listener) {
    guard let router = accepting[listener]?.router else { return }
    accepting[listener]?.ended.append(route)
    mark(router)
  }

  /// Called when the ROUTER has nothing more.
  func announceEnded(at listener: Listener) {
    guard let ended = accepting[listener]?.ended, !ended.isEmpty else { return }
    accepting[listener]?.ended = []
    for route in ended {
      guard let peer = accepting[listener]?.peers.removeValue(forKey: route) else { continue }
      accepting[listener]?.routes[peer.handle] = nil
      if !peer.isHungUp { events.append(.closed(peer.handle, reason: "The peer hung up.")) }
    }
  }

  /// Called when one of the monitors has nothing more.
  func cutExcess(at listener: Listener) {
    guard let excess = accepting[listener]?.excess, !excess.isEmpty else { return }
    accepting[listener]?.excess = []
    for (channel, descriptor) in excess { refuse(descriptor, of: channel, listener) }
  }

  /// Cuts a connection that passed a limit, or whose key is no longer admitted.
  func refuse(
    _ descriptor: Int32, of channel: LinkEndpoint.Channel, _ listener: Listener, as reason: TurnedAway.Reason = .excess,
    key: PublicKey? = nil
  ) {
    guard cut(descriptor, of: channel, listener) else { return }
    tally.connectionsRefused += 1
    let address = accepting[listener]?.connection(channel, descriptor)?.address
    events.append(.turnedAway(TurnedAway(reason, user: key?.description, address: address)))
  }

  private func cut(_ descriptor: Int32, of channel: LinkEndpoint.Channel, _ listener: Listener) -> Bool {
    guard let accepting = accepting[listener],
      readAll(channel == .ask ? accepting.routerMonitor : accepting.publisherMonitor)
    else { return false }
    switch channel {
    case .ask: return self.accepting[listener]?.asking.cut(descriptor) ?? false
    case .publish: return self.accepting[listener]?.subscribing.cut(descriptor) ?? false
    }
  }

  func hangUp(onAccepted handle: PeerHandle) {
    for listener in Listener.allCases {
      guard let route = accepting[listener]?.routes[handle], let peer = accepting[listener]?.peers[route] else {
        continue
      }
      accepting[listener]?.peers[route]?.isHungUp = true
      accepting[listener]?.routes[handle] = nil
      _ = cut(peer.connection, of: .ask, listener)
    }
  }
}
