import CZeroMQ
import StarlingEngine
import StarlingThread

/// A connection by which a dialled peer is asked whether it is there: it subscribes to nothing and says nothing.
struct Probe {
  let socket: LinkSocket
  let monitor: LinkSocket
  let due: Duration
  /// How often the peer was looked at since. If this thread stood still in between, the answer may not have been read.
  var lookCount = 0
}

// Peers that are silent though their connections stand.
//
// A process that stands still keeps its connections. libzmq's heartbeats would tell, and may end ours (`setCommon`). So
// a dialled peer from which nothing came for a while is dialled once more, beside the connections that it has:
//
// ```
//   heard ── silence ──► asked ── any answer, any frame ──► heard
//                          └──── answer ──► cut: closed, and dialled again by libzmq
// ```
//
// The answer is ZeroMQ's handshake, which the peer's I/O thread makes without its application, as it would answer a
// heartbeat. One that the peer refuses is an answer too.
extension LinkSockets {
  /// What libzmq tells of a dialled connection, for `hangUpOnSilent`.
  func note(_ event: MonitorEvent, of channel: LinkEndpoint.Channel, at handle: PeerHandle) {
    switch (event, channel) {
    case (.connected(let descriptor), .ask): _ = dialled[handle]?.asking.add(descriptor)
    case (.connected(let descriptor), .publish): _ = dialled[handle]?.subscribing.add(descriptor)
    case (.gone(let descriptor), .ask): dialled[handle]?.asking.remove(descriptor)
    case (.gone(let descriptor), .publish): dialled[handle]?.subscribing.remove(descriptor)
    case (.accepted, _), (.standing, _), (.failed, _), (.notAdmitted, _), (.notUnderstood, _): break
    }
  }

  /// Looks at least twelve times in the time for which a peer may be silent, and four times in that for its answer.
  func askTheSilentIfDue(now: Duration) {
    guard now >= nextAsking else { return }
    nextAsking = now + min(limits.silence / 12, limits.answer / 4)
    for (handle, peer) in dialled where peer.connections.isOpen {
      if isHeard(peer) {
        heard(handle, now: now)
      } else if peer.probe != nil {
        lookAgain(at: handle, now: now)
      } else if now - peer.heardAt >= limits.silence {
        ask(handle, now: now)
      }
    }
  }

  /// Whether anything came since this was asked last.
  private func isHeard(_ peer: DialledPeer) -> Bool {
    defer {
      peer.subscriber.isHeard = false
      peer.dealer.isHeard = false
    }
    return peer.subscriber.isHeard || peer.dealer.isHeard
  }

  private func heard(_ handle: PeerHandle, now: Duration) {
    dialled[handle]?.heardAt = now
    endProbe(of: handle)
  }

  // MARK: Asking

  private func ask(_ handle: PeerHandle, now: Duration) {
    guard let endpoint = dialled[handle]?.endpoint else { return }
    var made: [LinkSocket] = []
    do {
      let socket = try make(ZMQ_SUB, as: .probe(handle))
      made.append(socket)
      setConnecting(socket, to: endpoint)
      // How long to wait is ours to say.
      socket.set(ZMQ_HANDSHAKE_IVL, 0)
      try prove(socket, to: endpoint)
      let monitor = try makeMonitor(of: socket)
      made.append(monitor)
      try socket.connect(endpoint.address(of: .publish))
      dialled[handle]?.probe = Probe(socket: socket, monitor: monitor, due: now + limits.answer)
      tally.silencesAsked += 1
    } catch {
      // Without a socket to ask by, it is taken for being there, and asked later.
      retire(made.filter { !$0.isMonitor }, monitors: made.filter(\.isMonitor))
      dialled[handle]?.heardAt = now
    }
  }

  func probe(of handle: PeerHandle, tells event: MonitorEvent) {
    switch event {
    case .connected, .accepted: break
    // The next look ends the probe: it may be what is just being read.
    case .standing, .gone, .failed, .notAdmitted, .notUnderstood: dialled[handle]?.dealer.isHeard = true
    }
  }

  private func lookAgain(at handle: PeerHandle, now: Duration) {
    dialled[handle]?.probe?.lookCount += 1
    guard let peer = dialled[handle], let probe = peer.probe, now >= probe.due, probe.lookCount > 2 else { return }
    // What came while this thread stood still.
    for socket in [probe.monitor, peer.subscriber, peer.dealer] { readAll(socket) }
    if isHeard(peer) { heard(handle, now: now) } else { hangUpOnSilent(handle) }
  }

  func endProbe(of handle: PeerHandle) {
    guard let probe = dialled[handle]?.probe else { return }
    dialled[handle]?.probe = nil
    retire([probe.socket], monitors: [probe.monitor])
  }

  /// Cuts both connections; libzmq takes them for ended by the peer, and dials again.
  private func hangUpOnSilent(_ handle: PeerHandle) {
    endProbe(of: handle)
    guard let peer = dialled[handle] else { return }
    for monitor in peer.monitors where !readAll(monitor) { return }
    dialled[handle]?.asking.cutAll()
    dialled[handle]?.subscribing.cutAll()
    dialled[handle]?.heardAt = .uptime
    tally.silencesEnded += 1
  }
}
