import StarlingCore
import StarlingSession
import StarlingWire

// Does what `Connections` decides.
extension ReplicaEngine {
  func perform(_ effects: [Connections.Effect]) {
    for effect in effects { perform(effect) }
  }

  private func perform(_ effect: Connections.Effect) {
    switch effect {
    case .say(let message, let peer): say(message, to: peer)
    case .refuse(let peer, let refusal): refuse(peer, refusal)
    case .tell(let news): tell(news)
    case .countDenial: counters.denied += 1
    case .countOverdraft(let resource): counters.budgetRefusals.add(resource)
    case .countUnopened: counters.documentsRefused += 1
    case .greet(let peer, let wantsReply): greet(peer, wantsReply: wantsReply)
    case .admit(let peer, let hello):
      guard maySpeak(to: hello.store) else { return }
      perform(connections.welcome(hello, from: peer, introduction, endpoints, now: clock.uptime()))
    case .metOurselves(let endpoint): perform(endpoints.metOurselves(at: endpoint))
    case .met(let peer, let hello): meet(hello, at: peer)
    case .newcomer(let peer): introduce(peer)
    case .forget(let peer): forgotten(peer)
    case .beginAnew(let peer): begin(anew: peer)
    case .tellRelays: tellRelays()
    case .begin(let peer, let serves, let follows): begin(with: peer, serves: serves, follows: follows)
    case .unfollow(let peer): stopFollowing(peer)
    case .keep(let bindings): for binding in bindings { pipeline.keep(binding) }
    case .rememberGenerations: pipeline.owesGenerations = true
    case .rename: renameAll(to: newReplicaID())
    case .suspend(let writer, let explanation, let equivocation):
      configuration.suspend(writer, explanation)
      // Afterwards: one that is kept is not acted on again, so that who was let in again stays.
      configuration.noteEquivocation(equivocation)
    }
  }

  private func tell(_ news: Connections.News) {
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
  private func begin(with peer: PeerHandle, serves: Bool, follows: Bool) {
    for hosted in documentsInOrder {
      if serves { sayHave(of: hosted, to: peer) }
      if follows { beginFollowing(peer, in: hosted) }
      rouse(hosted)
    }
  }

  private func introduce(_ peer: PeerHandle) {
    tellForgotten(to: peer)
    meetLessor(peer)
    // Where there is a directory, it alone says who is dialled; a newcomer is a reason to look at once.
    if configuration.discover != nil { endpoints.reviewSoon() } else { dialBack(peer) }
  }
}
