import StarlingCore
import StarlingSession
import StarlingWire

// Endpoints: `Endpoints` decides who is dialled, when, and until when (Protocol/conversation.md, "Connections"). Here it is
// asked, and what it decides is done.
extension ReplicaEngine {
  /// - Returns: what the link refused, if it did.
  @discardableResult
  func perform(_ effects: [Endpoints.Effect]) -> (any Error)? {
    var refusal: (any Error)?
    for effect in effects {
      switch effect {
      case .dial(let endpoint, let attempt):
        do {
          let peer = try link.connect(to: endpoint)
          perform(endpoints.connected(endpoint, attempt: attempt, as: peer))
        } catch {
          endpoints.failed(endpoint, attempt: attempt)
          refusal = refusal ?? error
        }
      case .subscribe(let peer, let relation):
        for hosted in documentsInOrder { subscribe(to: hosted, at: peer, in: relation) }
      case .hangUp(let peer, let relation):
        forget(peer)
        connections.trusts.close(peer)
        if let relation { for hosted in documentsInOrder { unsubscribe(from: hosted, at: peer, in: relation) } }
        link.disconnect(peer)
      case .follow(let peer, let former, let relation): follow(peer, from: former, to: relation)
      }
    }
    return refusal
  }

  /// The daemons to dial; nil for a replica that is none.
  var plan: Membership.Plan? {
    membership?.plan(now: clock.uptime(), mayDial: configuration.mayDial)
  }

  /// Dials an endpoint before it is known who is there.
  ///
  /// - Throws: what the link refuses.
  func dialByHand(_ endpoint: String) throws {
    if let refusal = perform(endpoints.dialByHand(endpoint, plan, now: clock.uptime())) { throw refusal }
  }

  /// Dials by hand what was dialled by hand.
  func redial() {
    for endpoint in endpoints.dialledByHand.sorted() { try? dialByHand(endpoint) }
  }

  /// Dials who dialled us at the endpoint that it named; what fails is tried again in a while.
  func dialBack(_ peer: PeerHandle) {
    guard
      let endpoint = connections.endpointToDialBack(
        peer, isDaemon: membership != nil, mayDial: configuration.mayDialBack)
    else { return }
    perform(endpoints.dial(endpoint, as: .learned, now: clock.uptime()))
  }

  /// Lets go of every connection. Endpoints dialled by hand are remembered for `redial`.
  func dropPeers() {
    perform(endpoints.hangUpAll())
    for peer in peers.all {
      forget(peer)
      connections.trusts.close(peer)
      link.disconnect(peer)
    }
  }

  /// Dials what the directory names and lets go of what is gone.
  func discover() {
    guard isOnline else { return }
    let now = clock.uptime()
    if let discover = configuration.discover {
      if let review = configuration.reviewUnreachable {
        let lost = endpoints.recentlyLost(now: now)
        if !lost.isEmpty { review(lost) }
      }
      guard let wanted = discover() else { return dialAnnounced(now: now) }
      perform(endpoints.discovered(Set(wanted), now: now))
    } else {
      perform(endpoints.expire(.learned, now: now))
      // There may have been no room for one more.
      for peer in peers.all { dialBack(peer) }
    }
    dialAnnounced(now: now)
    arrangeConnections(now: now)
  }

  private func dialAnnounced(now: Duration) {
    perform(endpoints.expire(.announced, now: now))
    for endpoint in configuration.beckoned?() ?? [] where configuration.mayDial(endpoint) {
      perform(endpoints.announced(endpoint, plan, now: now))
    }
  }

  /// Dials the daemons that the plan names, and hangs up on those that it names no more.
  private func arrangeConnections(now: Duration) {
    guard let membership, let plan else { return }
    perform(endpoints.arrange(plan, now: now, isHere: membership.isHere, isTalking: isTalking))
    chooseUplink()
  }

  /// Takes the stream of one of the upper daemons, of another where that is lost.
  func chooseUplink() {
    guard membership != nil else { return }
    perform(
      endpoints.chooseUplink(planned: { plan?.uplinks.map(\.store) ?? [] }) {
        peers[$0]?.isRelay == true
      })
  }

  private func isTalking(_ peer: PeerHandle) -> Bool { peers[peer]?.hello != nil }
}
