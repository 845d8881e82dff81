import StarlingCore
import StarlingWire

// Two streams of a document, and the followers of each (Protocol/conversation.md, "Daemons among themselves").
//
// ```
//   our side                      us                      across
//   a process ─┐            ┌───────────┐
//   a process ─┼── changes ►│  merges   │── the side's ──► mesh peers, or the upper daemon
//   below us ──┘            │           │◄───────────────── theirs
//        ▲                  └───────────┘
//        └──── the stream of everything
// ```
extension Replication {
  /// The stream that is handed over to the peer. The side's begins when somebody first asks for it.
  mutating func stream(of number: DocumentNumber, for peer: PeerHandle) -> OutgoingStream {
    guard connections.audience(of: peer) == .across else { return documents[number].stream }
    if let side = documents[number].side { return side }
    let topic = PublishedFrame.sideTopicNumber(of: documents[number].id)
    let side = OutgoingStream(topic: topic, number: newStream())
    documents[number].side = side
    return side
  }

  /// A document is opened that may have been open before. A peer that followed the side's stream then does so still: it
  /// hears of another one with the first `have`, and would hear nothing if there were none.
  mutating func beginSideAgain(of number: DocumentNumber) {
    if let peer = peers.talking.first(where: { connections.audience(of: $0) == .across }) {
      _ = stream(of: number, for: peer)
    }
  }

  /// Where that stands, for a peer that is to notice when it misses something of it.
  func position(of number: DocumentNumber, toldTo peer: PeerHandle) -> StreamPosition? {
    switch connections.audience(of: peer) {
    case .everyone: documents[number].stream.position
    case .across: peers[peer]?.relation == .standby ? nil : documents[number].side?.position
    }
  }

  mutating func sayHave(of number: DocumentNumber, to peer: PeerHandle) {
    say(.have(documents[number].have(at: position(of: number, toldTo: peer))), to: peer)
  }

  /// Remembers what a mesh peer brought and what may not merge yet: the others hear of it from that peer.
  mutating func noteHeld(
    _ parts: () -> [Contribution], from peer: PeerHandle, version: VersionVector, in number: DocumentNumber
  ) {
    guard documents[number].side != nil, connections.audience(of: peer) == .across else { return }
    documents[number].sideChanges.noteHeld(parts(), version: version)
  }

  /// The part of what merged that our mesh peers hear from us alone.
  mutating func ofOurSide(
    _ changes: OrderedChanges, broughtBy parts: () -> [Contribution], from peer: PeerHandle, in number: DocumentNumber
  ) -> OrderedChanges {
    guard documents[number].side != nil else { return changes }
    return documents[number].sideChanges.ours(
      of: changes, broughtBy: connections.audience(of: peer) == .across ? parts() : [])
  }

  // MARK: Topics

  mutating func subscribe(to number: DocumentNumber, at peer: PeerHandle, in relation: Relation) {
    if let topic = topic(of: documents[number].id, in: relation) { effects.append(.subscribe(topic, at: peer)) }
  }

  mutating func unsubscribe(from number: DocumentNumber, at peer: PeerHandle, in relation: Relation) {
    if let topic = topic(of: documents[number].id, in: relation) { effects.append(.unsubscribe(topic, at: peer)) }
  }

  private func topic(of document: DocumentID, in relation: Relation) -> [UInt8]? {
    switch relation {
    case .plain, .uplink: PublishedFrame.topic(of: document)
    case .meshPeer: PublishedFrame.sideTopic(of: document)
    case .standby: nil
    }
  }

  /// Follows a dialled peer in another way from now on.
  mutating func follow(_ peer: PeerHandle, from former: Relation, to relation: Relation) {
    for number in documents.inOrder { unsubscribe(from: number, at: peer, in: former) }
    peers[peer]?.relation = relation
    for number in documents.inOrder {
      subscribe(to: number, at: peer, in: relation)
      documents.activate(number)
      // One that we do not follow yet, we are about to.
      guard documents[number].session.version(of: peer) != nil else { continue }
      if connections.serves(peer) { sayHave(of: number, to: peer) }
      if connections.follows(peer) { beginFollowing(peer, in: number) }
    }
  }
}
