package import StarlingCore
import StarlingWire

// What this replica durably holds, told to the peers that it follows, and what others say of themselves
// (Protocol/conversation.md, "Acknowledgements").
//
// ```
//   durable further ──► due? ──► how much of it may be told (a transaction may hold some back) ──► told
// ```
extension Replication {
  /// Tells the peers that we follow what we hold, at most once an interval; again with each heartbeat,
  /// for those who joined or were lost to us since.
  mutating func acknowledgeIfDue(_ number: DocumentNumber) {
    guard hasAcknowledgementDue(number), documents.look(at: number, { $0.pointee.acknowledgements.isDue(now) }) else {
      return
    }
    effects.append(.acknowledge(number, to: nil))
  }

  /// Tells one of them alone, which was told nothing yet.
  mutating func acknowledge(_ number: DocumentNumber, to peer: PeerHandle) {
    guard pipeline.failure == nil else { return }
    effects.append(.acknowledge(number, to: peer))
  }

  /// - Parameter hold: as much of what is durable as may be told.
  package mutating func acknowledge(
    _ number: DocumentNumber, to peer: PeerHandle?, hold: (VersionVector) -> VersionVector
  ) {
    let durable = pipeline.durable(of: documents[number].id)
    if let peer {
      guard
        let statement = documents[number].acknowledgements.tell(
          durable: durable, isLogFailing: pipeline.failure != nil, hold: hold)
      else { return }
      let behind = statement.behind(isBeside: connections.isBeside(peer))
      return say(.acknowledge(documents[number].id, statement.version, behind: behind), to: peer)
    }
    guard
      let (statement, isRepeated) = documents[number].acknowledgements.take(
        durable: durable, isLogFailing: pipeline.failure != nil, now: now, interval: policy.acknowledgementInterval,
        hold: hold)
    else { return }
    tell(statement, isRepeated: isRepeated, in: number)
  }

  private mutating func tell(_ statement: Acknowledgements.Statement, isRepeated: Bool, in number: DocumentNumber) {
    let document = documents[number].id
    let (side, all) = (statement.behind(isBeside: true), statement.behind(isBeside: false))
    let toSide = Message.acknowledge(document, statement.version, behind: side).encoded()
    let toOthers =
      side == all ? toSide : Message.acknowledge(document, statement.version, behind: all).encoded()
    for peer in documents[number].session.known {
      if isRepeated { peers[peer]?.tally.willRepeat() }
      send(connections.isBeside(peer) ? toSide : toOthers, to: peer)
    }
  }

  private func hasAcknowledgementDue(_ number: DocumentNumber) -> Bool {
    documents.look(at: number) {
      $0.pointee.acknowledgements.areDue(
        isLogFailing: pipeline.failure != nil, durable: pipeline.durable(of: $0.pointee.id))
    }
  }

  mutating func receiveAcknowledgement(
    of document: DocumentID, _ version: VersionVector, behind: VersionVector?, from peer: PeerHandle
  ) {
    // Nobody waits for a reader: it writes nothing that could stand on a collected tombstone, and promises nothing.
    guard let number = documents.number(of: document), let hello = peers[peer]?.hello, trust(in: peer).mayWrite else {
      return
    }
    carryOut(connections.hearFollower(peer))
    let held = documents[number].version
    let version = connections.heeded(version, from: peer, beside: held)
    let isKept = documents[number].members.acknowledge(
      hello.store, version, behind: behind, beside: held, isDurable: hello.isDurable,
      isBeside: connections.isBeside(peer), now: wall)
    if !isKept {
      var effects: [Connections.Effect] = []
      let limit = Members.Policy().strangerCountMax
      let overdraft = Budgets.Overdraft(.versionEntries, limit: limit, isOfProcess: true)
      connections.refuse(peer, overdraft, in: document, &effects)
      carryOut(effects)
    }
    if hello.isDurable { noteOwn(version, heldBy: peer, beside: held, in: number) }
    serveWaiters(of: number)
    documents.noteDue(number)
  }
}
