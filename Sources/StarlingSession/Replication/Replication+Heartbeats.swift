package import StarlingCore
package import StarlingWire

// Heartbeats (Protocol/conversation.md, "Heartbeats"). What costs time goes through the documents in which something
// happened, and through a few of the others in turn.
//
// ```
//   written, spoken of, acknowledged ──► due ──► told, told again twice ──► told when it is its turn
// ```
extension Replication {
  /// The documents that the heartbeat is about get their digests first.
  mutating func prepareBeat() {
    let turns = heartbeatRound.take(of: documents.count)
    let told = turns.told.flatMap { documents.inOrder[$0] }
    var isTaken = Set(told)
    beating = told.map { ($0, isTurn: true) }
    for number in turns.reviewed.flatMap({ documents.inOrder[$0] }) + documents.takeDue()
    where isTaken.insert(number).inserted {
      beating.append((number, isTurn: false))
    }
    for (number, _) in beating {
      documents[number].isDue = false
      reviewDigest(of: number)
    }
    effects.append(.beat)
  }

  package mutating func beat() {
    let connected = connected
    if hasRecipients { connections.relaysMet.stand(connected.named, lifetime: policy.memberLifetime, now: now) }
    let daemons = daemonsWithKeys
    for (number, isTurn) in beating where documents.contains(number) {
      beat(number, isTurn: isTurn, beside: connected, daemons)
    }
    beating = []
    let heartbeats = connections.peers.takeHeartbeats()
    for peer in heartbeats.due { effects.append(.sayHeartbeat(to: peer)) }
    for peer in heartbeats.lacking { lostMessages(of: peer) }
    // A greeting or its answer may be lost like any other frame.
    for peer in peers.unanswered { greet(peer, wantsReply: true) }
    effects.append(.tellRelays)
    if isOnline { carryOut(connections.reviewOneWayLinks(plan, now: now)) }
    effects.append(.reviewBudgets)
    reviewAnswers()
  }

  private mutating func beat(
    _ number: DocumentNumber, isTurn: Bool, beside connected: Connected, _ daemons: [PeerHandle]
  ) {
    rememberMembers(of: number)
    collectTombstones(in: number, beside: connected)
    reviewBehind(of: number)
    reviewStranded(in: number, at: daemons)
    if documents.look(at: number, { $0.pointee.holdsChanges }) {
      effects.append(.dropUnclaimed(number, beyond: documents.look(at: number) { $0.pointee.session.versionOfPeers }))
    }
    let (entryCount, statement) = documents.look(at: number) {
      ($0.pointee.version.entries.count, $0.pointee.heartbeatStatement)
    }
    connections.noteVersion(entryCount: entryCount)
    let telling = documents[number].heartbeat.tells(statement, isTurn: isTurn)
    if telling.isNews { schedule.calmSince = now }
    if telling != .nobody {
      sayHave(of: number, to: telling)
      documents[number].acknowledgements.mark()
      documents.activate(number)
    } else if isUnsettled(number) {
      documents.activate(number)
    }
  }

  /// Whether the next heartbeat looks at the document too. One that waits is looked at in its time without that.
  private func isUnsettled(_ number: DocumentNumber) -> Bool {
    documents.look(at: number) {
      switch $0.pointee.attention {
      case .active: true
      case .waiting: $0.pointee.isMakingDigest
      case .idle: $0.pointee.isMakingDigest || !$0.pointee.session.isSettled
      }
    }
  }

  /// - Parameter count: how many changes are left that wait for what they stand on.
  package mutating func waits(_ count: Int, in number: DocumentNumber) {
    if documents.contains(number), count == 0 { documents[number].holdsChanges = false }
  }

  private mutating func sayHave(of number: DocumentNumber, to those: DocumentHeartbeat.Telling) {
    var haves: [StreamPosition?: [UInt8]] = [:]
    for peer in connections.listeners(in: documents[number].id, isUnaskedToo: those != .followers) {
      let position = position(of: number, toldTo: peer)
      let have = haves[position] ?? Message.have(documents[number].have(at: position)).encoded()
      haves[position] = have
      if !those.isNews { peers[peer]?.tally.willRepeat() }
      send(have, to: peer)
    }
  }

  // MARK: Digests

  /// A document that has rested for a heartbeat gets its digest: what is gone through now stands for a while.
  private mutating func reviewDigest(of number: DocumentNumber) {
    let (version, lacksDigest) = documents.look(at: number) {
      (
        $0.pointee.version,
        $0.pointee.versionAtLastHeartbeat == $0.pointee.version && $0.pointee.digest?.version != $0.pointee.version
      )
    }
    if lacksDigest {
      if !documents.look(at: number, { $0.pointee.isMakingDigest }) {
        documents[number].isMakingDigest = true
        effects.append(.digest(number))
      }
      effects.append(.trim(number))
    }
    documents[number].versionAtLastHeartbeat = version
  }

  /// - Parameter digest: nil where a transaction is open: another time.
  package mutating func digested(_ digest: (version: VersionVector, value: Digest)?, _ number: DocumentNumber) {
    guard documents.contains(number) else { return }
    documents[number].isMakingDigest = false
    guard let digest else { return }
    documents[number].digest = digest
    documents.noteDue(number)
  }

  // MARK: Counting

  /// How many messages the peer was sent, this one included, when it is said.
  package func heartbeat(for peer: PeerHandle) -> Message { .heartbeat(peers[peer]?.tally.nextCount ?? 0) }

  /// The peer says how many messages it has sent.
  mutating func receive(heartbeat count: UInt64, from peer: PeerHandle) {
    if peers[peer]?.tally.receivedHeartbeat(count) == true { lostMessages(of: peer) }
  }

  /// Both begin to tell each other everything again.
  private mutating func lostMessages(of peer: PeerHandle) {
    counters.messagesLost += 1
    greet(peer, wantsReply: true)
  }
}
