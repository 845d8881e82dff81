import StarlingCore
package import StarlingWire

// What is said, and what follows from what `Connections` decides.
extension Replication {
  mutating func say(_ message: Message, to peer: PeerHandle) {
    if isOnline { effects.append(.say(message, to: peer)) }
  }

  mutating func send(_ message: [UInt8], to peer: PeerHandle) {
    if isOnline { effects.append(.send(message, to: peer)) }
  }

  mutating func refuse(_ peer: PeerHandle, _ refusal: Message.Refusal) {
    counters.refusalsSent.add(refusal.code)
    say(.refuse(refusal), to: peer)
  }

  mutating func refuseMalformed(_ peer: PeerHandle, _ explanation: String) {
    counters.malformed += 1
    refuse(peer, Message.Refusal(code: .malformed, explanation: explanation))
  }

  // MARK: The link's answers

  /// A message is handed to the link. One that it does not take is lost like any other: the peer notices by the count.
  package mutating func noteHandedOver(to peer: PeerHandle, isHello: Bool) {
    peers[peer]?.tally.sentMessage()
    if isHello { peers[peer]?.tally.sentHello() }
  }

  package mutating func noteSent(byteCount: Int, isTaken: Bool) {
    guard isTaken else {
      counters.undelivered += 1
      return
    }
    counters.messagesSent += 1
    counters.messageBytesSent += byteCount
  }

  // MARK: Greetings

  private var introduction: Connections.Introduction {
    Connections.Introduction(
      store: identity.store, epoch: identity.epoch, agent: policy.agent, isDurable: isDurable,
      grantsLeases: isGrantingLeases)
  }

  /// Tells a peer who we are: for the first time, where that has changed, or where it is to tell us everything again.
  package mutating func greet(_ peer: PeerHandle, wantsReply: Bool) {
    say(.hello(connections.greeting(for: peer, introduction, endpoints, wantsReply: wantsReply)), to: peer)
  }

  /// A peer that lost us in between says hello when asked to. Thousands of its messages may be under way: were each of
  /// them answered, so would each answer be, with where every document stands.
  mutating func askForHello(of peer: PeerHandle) {
    guard schedule.helloAsked[peer].map({ now - $0 >= policy.heartbeat }) ?? true else { return }
    schedule.helloAsked.set(now, for: peer)
    greet(peer, wantsReply: true)
  }

  mutating func receive(_ hello: Message.Hello, from peer: PeerHandle) {
    returned(peer)
    carryOut(connections.receive(hello, from: peer, introduction, endpoints))
  }

  /// The peer may be talked with, and may be told what is written here.
  package mutating func admit(_ peer: PeerHandle, _ hello: Message.Hello) {
    carryOut(connections.welcome(hello, from: peer, introduction, endpoints, now: now))
  }

  // MARK: What Connections decides

  mutating func carryOut(_ effects: [Connections.Effect]) {
    for effect in effects { carryOut(effect) }
  }

  private mutating func carryOut(_ effect: Connections.Effect) {
    switch effect {
    case .say(let message, let peer): say(message, to: peer)
    case .sayHave(let document, let peer):
      if let number = documents.number(of: document) { sayHave(of: number, to: peer) }
    case .refuse(let peer, let refusal): refuse(peer, refusal)
    case .tell(let news): tell(news)
    case .countDenial: counters.denied += 1
    case .countOverdraft(let resource): counters.budgetRefusals.add(resource)
    case .countUnopened: counters.documentsRefused += 1
    case .countElsewhere: counters.messagesElsewhere += 1
    case .greet(let peer, let wantsReply): greet(peer, wantsReply: wantsReply)
    case .admit(let peer, let hello):
      guard isConfined(against: hello.store) else { return admit(peer, hello) }
      effects.append(.withdrawLife(admitting: peer, hello))
    case .metOurselves(let endpoint): carryOut(endpoints.metOurselves(at: endpoint))
    case .met(let peer, let hello): meet(hello, at: peer)
    case .newcomer(let peer): introduce(peer)
    case .forget(let peer): forgotten(peer)
    case .beginAgain(let peer): beginAgain(with: peer)
    case .tellRelays: effects.append(.tellRelays)
    case .begin(let peer, let serves, let follows): begin(with: peer, serves: serves, follows: follows)
    case .stopFollowing(let peer): stopFollowing(peer)
    case .keep(let bindings):
      for binding in bindings { pipeline.keep(binding) }
    case .rememberGenerations: pipeline.mustStoreGenerations = true
    case .rename: renameAll(to: newReplicaID())
    case .suspend(let writer, let explanation, let equivocation):
      effects.append(.suspend(writer, explanation: explanation, equivocation))
    }
  }

  private mutating func tell(_ news: Connections.News) {
    switch news {
    case .joined(let store, let agent):
      counters.peersJoined += 1
      report(.joined(store, agent: agent))
    case .left(let store):
      counters.peersLeft += 1
      report(.left(store))
    case .refused(let store, let explanation): report(.refused(store, explanation: explanation))
    case .access(let event): report(.access(event))
    case .oneWayLink(let link): report(.oneWayLink(link))
    case .rolledBack(let later, let present, let store): report(.rolledBack(from: later, to: present, toldBy: store))
    }
  }

  /// In every document, with a peer that has come.
  private mutating func begin(with peer: PeerHandle, serves: Bool, follows: Bool) {
    noteArrival(of: peer)
    for number in documents.inOrder { begin(with: peer, serves: serves, follows: follows, in: number) }
  }

  private mutating func introduce(_ peer: PeerHandle) {
    tellForgotten(to: peer)
    meetGrantor(peer)
    // Where there is a directory, it alone says who is dialled; a newcomer is a reason to look at once.
    if policy.hasDirectory { endpoints.reviewSoon() } else { dialBack(peer) }
  }

  // MARK: Relays

  /// What a relay is to be told next, if it is to be told something.
  package func news(for relay: PeerHandle) -> Connections.RelayNews? { connections.news(for: relay) }

  package mutating func told(_ news: Connections.RelayNews, to relay: PeerHandle) {
    connections.told(news, to: relay)
  }

  /// One operation was found to have two contents.
  package mutating func note(_ equivocation: EquivocationReport) { carryOut(connections.note(equivocation)) }
}
