import StarlingCore
import StarlingSession
import StarlingWire

// What this replica durably holds, told to the peers that it follows, and what others say of themselves
// (Protocol/conversation.md, "Acknowledgements").
extension ReplicaEngine {
  /// Tells the peers that we follow what we hold, at most once an interval; again with each heartbeat,
  /// for those who joined or were lost to us meanwhile.
  func acknowledgeIfDue(_ hosted: HostedDocument, now: Duration) {
    guard
      let statement = hosted.acknowledgements.take(
        durable: pipeline[hosted.id].durable, isLogFailing: pipeline.failure != nil, now: now,
        interval: configuration.acknowledgementInterval, hold: hosted.handle.acknowledgeable)
    else { return }
    let (side, all) = (statement.behind(isBeside: true), statement.behind(isBeside: false))
    let toSide = Message.acknowledge(hosted.id, statement.version, behind: side).encoded()
    let toOthers =
      side == all ? toSide : Message.acknowledge(hosted.id, statement.version, behind: all).encoded()
    for peer in connections.followed {
      send(connections.isBeside(peer) ? toSide : toOthers, to: peer)
    }
  }

  /// Tells one of them alone, who was told nothing yet.
  func acknowledge(_ hosted: HostedDocument, to peer: PeerHandle) {
    guard
      let statement = hosted.acknowledgements.tell(
        durable: pipeline[hosted.id].durable, isLogFailing: pipeline.failure != nil,
        hold: hosted.handle.acknowledgeable)
    else { return }
    let behind = statement.behind(isBeside: connections.isBeside(peer))
    say(.acknowledge(hosted.id, statement.version, behind: behind), to: peer)
  }

  func owesAcknowledgement(_ hosted: HostedDocument) -> Bool {
    hosted.acknowledgements.areOwed(isLogFailing: pipeline.failure != nil, durable: pipeline[hosted.id].durable)
  }

  func receiveAcknowledgement(
    of document: DocumentID, _ version: Version, behind: Version?, from peer: PeerHandle
  ) {
    // Nobody waits for a reader: it writes nothing that could stand on what was let go of, and promises nothing.
    guard let hosted = documents[document], let hello = peers[peer]?.hello, trust(in: peer).mayWrite else { return }
    perform(connections.hearFollower(peer))
    let version = connections.heeded(version, from: peer, beside: hosted.handle.version)
    let isKept = hosted.members.acknowledge(
      hello.store, version, behind: behind, beside: hosted.handle.version, isDurable: hello.isDurable,
      isBeside: connections.isBeside(peer), now: clock.wallMilliseconds())
    if !isKept {
      let limit = Members.Policy().strangerCountMax
      refuse(peer, Budgets.Overdraft(.versionEntries, limit: limit, isOfProcess: true), in: document)
    }
    if hello.isDurable { hosted.own.acknowledge(version, held: hosted.handle.version) }
    serveWaiters(of: hosted)
    noteDue(hosted)
  }
}
