import StarlingSession

// Connections that could be made in one direction only: `Connections` decides who follows whom over them.
extension ReplicaEngine {
  func reviewOneWayLinks(now: Duration) {
    if isOnline { perform(connections.reviewOneWayLinks(plan, now: now)) }
  }

  func perform(_ effects: [Connections.OneWayEffect]) {
    for effect in effects {
      switch effect {
      case .tell(let link): report(.oneWayLink(link))
      case .follow(let peer): begin(with: peer, serves: false, follows: true)
      case .serve(let peer): begin(with: peer, serves: true, follows: false)
      case .unfollow(let peer): for hosted in documentsInOrder { unfollow(peer, in: hosted) }
      }
    }
  }
}
