import StarlingCore
import StarlingSession
import StarlingWire

// Two streams of a document, and who follows which (Protocol/conversation.md, "Daemons among themselves").
//
// ```
//   our side                      us                      across
//   a process ─┐            ┌───────────┐
//   a process ─┼── changes ►│  merges   │── the side's ──► fellows, or the upper daemon
//   below us ──┘            │           │◄───────────────── theirs
//        ▲                  └───────────┘
//        └──── the stream of everything
// ```
extension ReplicaEngine {
  /// The stream that is handed over to the peer. The side's begins when somebody first asks for it.
  func stream(of hosted: HostedDocument, for peer: PeerHandle) -> OutgoingStream {
    guard connections.audience(of: peer) == .across else { return hosted.stream }
    if let side = hosted.side { return side }
    let side = OutgoingStream(topic: PublishedFrame.sideTopicNumber(of: hosted.id), number: newStream())
    hosted.side = side
    return side
  }

  /// Where that stands, for a peer that is to notice when it misses something of it.
  func position(of hosted: HostedDocument, toldTo peer: PeerHandle) -> StreamPosition? {
    switch connections.audience(of: peer) {
    case .everyone: hosted.stream.position
    case .across: peers[peer]?.relation == .standby ? nil : hosted.side?.position
    }
  }

  func sayHave(of hosted: HostedDocument, to peer: PeerHandle) {
    say(.have(hosted.have(at: position(of: hosted, toldTo: peer))), to: peer)
  }

  /// Remembers what a fellow brought and what may not merge yet: the others hear of it from the fellow.
  func noteHeld(_ parts: () -> [Contribution], from peer: PeerHandle, version: Version, in hosted: HostedDocument) {
    guard hosted.side != nil, connections.audience(of: peer) == .across else { return }
    hosted.sideChanges.noteHeld(parts(), version: version)
  }

  /// Of what merged, that part that our fellows hear from us alone.
  func ofOurSide(
    _ changes: [Change], broughtBy parts: () -> [Contribution], from peer: PeerHandle, in hosted: HostedDocument
  ) -> [Change] {
    guard hosted.side != nil else { return changes }
    return hosted.sideChanges.ours(
      of: changes, broughtBy: connections.audience(of: peer) == .across ? parts() : nil)
  }

  // MARK: Topics

  func subscribe(to hosted: HostedDocument, at peer: PeerHandle, in relation: Relation) {
    if let topic = topic(of: hosted, in: relation) { link.subscribe(topic, at: peer) }
  }

  func unsubscribe(from hosted: HostedDocument, at peer: PeerHandle, in relation: Relation) {
    if let topic = topic(of: hosted, in: relation) { link.unsubscribe(topic, at: peer) }
  }

  private func topic(of hosted: HostedDocument, in relation: Relation) -> [UInt8]? {
    switch relation {
    case .plain, .uplink: PublishedFrame.topic(of: hosted.id)
    case .fellow: PublishedFrame.sideTopic(of: hosted.id)
    case .standby: nil
    }
  }

  /// Follows a dialled peer in another way from now on.
  func follow(_ peer: PeerHandle, from former: Relation, to relation: Relation) {
    for hosted in documentsInOrder { unsubscribe(from: hosted, at: peer, in: former) }
    peers[peer]?.relation = relation
    for hosted in documentsInOrder {
      subscribe(to: hosted, at: peer, in: relation)
      rouse(hosted)
      // One that we do not follow yet, we are about to.
      guard hosted.session.version(of: peer) != nil else { continue }
      if connections.serves(peer) { sayHave(of: hosted, to: peer) }
      if connections.follows(peer) { beginFollowing(peer, in: hosted) }
    }
  }
}
