import CZeroMQ
import StarlingEngine

// Frames on their way out. libzmq takes them at once; nothing is held back here.
extension LinkSockets {
  func publish(_ frame: [UInt8]) {
    guard isAllowed(frame), let publisher = accepting?.publisher else { return }
    tally.framesPublished += 1
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
    guard peer.isOpen else { return false }
    defer { mark(peer.dealer) }
    return frame.withUnsafeBytes { peer.dealer.send($0) } == .sent
  }

  private func send(_ frame: [UInt8], toAccepted peer: PeerHandle) -> Bool {
    guard let accepting, let route = accepting.routes[peer] else { return false }
    defer { mark(accepting.router) }
    // "1 returns an EHOSTUNREACH error code if the message cannot be routed or EAGAIN error code if
    // the SNDHWM is reached" (zmq_setsockopt, ZMQ_ROUTER_MANDATORY); the address says so already.
    switch route.withBytes({ accepting.router.send($0, hasMore: true) }) {
    case .sent: return frame.withUnsafeBytes { accepting.router.send($0) } == .sent
    case .full: return false
    case .unreachable:
      ended(route)
      return false
    }
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
