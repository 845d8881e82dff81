import CZeroMQ
import StarlingEngine

// Frames on their way out. libzmq takes them at once; nothing is held back here.
extension LinkSockets {
  func publish(_ frame: [UInt8]) {
    guard isAllowed(frame), accepting.open != nil || accepting.secured != nil else { return }
    tally.framesPublished += 1
    if let publisher = accepting.open?.publisher { publish(frame, by: publisher) }
    if let publisher = accepting.secured?.publisher { publish(frame, by: publisher) }
  }

  private func publish(_ frame: [UInt8], by publisher: LinkSocket) {
    mark(publisher)
    frame.withUnsafeBytes { bytes in
      guard publisher.send(bytes) == .full else { return }
      // Somebody's queue is full indeed: that one misses the frame, and what follows until it has
      // caught up by half; nobody else does. libzmq leaves it aside meanwhile, so this is rare.
      publisher.set(ZMQ_XPUB_NODROP, 0)
      _ = publisher.send(bytes)
      publisher.set(ZMQ_XPUB_NODROP, 1)
      tally.overflows += 1
    }
  }

  func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
    guard isAllowed(frame) else { return false }
    let isSent = dialled[peer].map { send(frame, toDialled: $0) } ?? send(frame, toAccepted: peer)
    if isSent { tally.framesSent += 1 } else { tally.framesUndelivered += 1 }
    return isSent
  }

  private func send(_ frame: [UInt8], toDialled peer: DialledPeer) -> Bool {
    guard peer.connections.isOpen else { return false }
    defer { mark(peer.dealer) }
    return frame.withUnsafeBytes { isSent(peer.dealer.send($0)) }
  }

  private func send(_ frame: [UInt8], toAccepted peer: PeerHandle) -> Bool {
    if let route = accepting.open?.routes[peer] { return send(frame, along: route, .open) }
    if let route = accepting.secured?.routes[peer] { return send(frame, along: route, .secured) }
    return false
  }

  private func send(_ frame: [UInt8], along route: RoutingID, _ listener: Listener) -> Bool {
    guard let router = accepting[listener]?.router else { return false }
    defer { mark(router) }
    // "1 returns an EHOSTUNREACH error code if the message cannot be routed or EAGAIN error code if
    // the SNDHWM is reached" (zmq_setsockopt, ZMQ_ROUTER_MANDATORY); the address says so already.
    switch route.withBytes({ router.send($0, hasMore: true) }) {
    case .sent: return frame.withUnsafeBytes { isSent(router.send($0)) }
    case .full: return isSent(.full)
    case .unreachable:
      ended(route, listener)
      return false
    }
  }

  private func isSent(_ outcome: LinkSocket.Sending) -> Bool {
    if outcome == .full { tally.queuesFull += 1 }
    return outcome == .sent
  }

  private func isAllowed(_ frame: [UInt8]) -> Bool {
    guard frame.count <= limits.frameByteCountMax else {
      tally.framesTooLarge += 1
      return false
    }
    return true
  }

  func disconnect(_ peer: PeerHandle) {
    if dialled[peer] != nil { hangUp(onDialled: peer) } else { hangUp(onAccepted: peer) }
  }
}
