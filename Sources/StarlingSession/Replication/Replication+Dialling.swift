import StarlingCore
import StarlingWire

// Endpoints: `Endpoints` decides who is dialled, when, and until when (Protocol/conversation.md, "Connections").
extension Replication {
  mutating func carryOut(_ decided: [Endpoints.Effect]) {
    for effect in decided {
      switch effect {
      case .dial(let endpoint, let attempt): effects.append(.dial(endpoint, attempt: attempt))
      case .subscribe(let peer, let relation):
        for number in documents.inOrder { subscribe(to: number, at: peer, in: relation) }
      case .hangUp(let peer, let relation):
        forget(peer)
        connections.trusts.close(peer)
        if let relation { for number in documents.inOrder { unsubscribe(from: number, at: peer, in: relation) } }
        effects.append(.disconnect(peer))
      case .follow(let peer, let former, let relation): follow(peer, from: former, to: relation)
      }
    }
  }

  package mutating func dialled(_ endpoint: String, attempt: UInt64, as peer: PeerHandle) {
    carryOut(endpoints.connected(endpoint, attempt: attempt, as: peer))
  }

  package mutating func failed(_ endpoint: String, attempt: UInt64) {
    endpoints.failed(endpoint, attempt: attempt)
  }

  /// Peers are accepted at the endpoint from now on.
  package mutating func bind(_ endpoint: String) {
    endpoints.bind(endpoint)
    membership?.become(endpoints: endpoints.toldToMembers, tier: policy.tier)
  }

  /// The application wants it dialled, now or once the replica works online.
  package mutating func connect(to endpoint: String) {
    endpoints.wantByHand(endpoint)
    if isOnline { dialByHand(endpoint) }
  }

  /// Dials an endpoint before it is known who is there.
  mutating func dialByHand(_ endpoint: String) { carryOut(endpoints.dialByHand(endpoint, plan, now: now)) }

  /// Dials who dialled us at the endpoint that it named; what fails is tried again in a while.
  mutating func dialBack(_ peer: PeerHandle) {
    guard
      let endpoint = connections.endpointToDialBack(
        peer, isDaemon: membership != nil, mayDial: policy.mayDialBack)
    else { return }
    carryOut(endpoints.dial(endpoint, as: .learned, now: now))
  }

  // MARK: Discovering

  /// Which endpoints there are: dials those, and drops what is gone.
  ///
  /// - Parameters:
  ///   - listed: what the directory names; nil where it could not be read, or there is none.
  ///   - announced: what somebody called out.
  package mutating func discovered(_ listed: [String]?, announced: [String]) {
    guard isOnline else { return }
    if policy.hasDirectory {
      guard let listed else { return dial(announced: announced) }
      carryOut(endpoints.discovered(Set(listed), now: now))
    } else {
      carryOut(endpoints.expire(.learned, now: now))
      // There may have been no capacity for one more.
      for peer in peers.all { dialBack(peer) }
    }
    dial(announced: announced)
    arrangeConnections()
  }

  private mutating func dial(announced: [String]) {
    carryOut(endpoints.expire(.announced, now: now))
    for endpoint in announced where policy.mayDial(endpoint) {
      carryOut(endpoints.announced(endpoint, plan, now: now))
    }
  }

  /// The daemons to dial; nil for a replica that is none.
  var plan: Membership.Plan? { membership?.plan(now: now, mayDial: policy.mayDial) }

  /// Dials the daemons that the plan names, and hangs up on those that it names no more.
  private mutating func arrangeConnections() {
    guard let membership, let plan else { return }
    let peers = peers
    carryOut(
      endpoints.arrange(plan, now: now, isHere: membership.isHere, isTalking: { peers[$0]?.hello != nil }))
    chooseUplink()
  }

  /// Takes the stream of one of the upper daemons, of another where that is lost.
  mutating func chooseUplink() {
    guard membership != nil else { return }
    let (peers, plan) = (peers, plan)
    carryOut(
      endpoints.chooseUplink(planned: { plan?.uplinks.map(\.store) ?? [] }, isRelay: { peers[$0]?.isRelay == true }))
  }
}
