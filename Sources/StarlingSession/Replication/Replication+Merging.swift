package import StarlingCore
package import StarlingWire

// What merged, and what follows from it.
extension Replication {
  /// Whether changes up to these may merge that a peer brings: they are its own, leased to nobody else, and within what
  /// its key may have the log keep.
  ///
  /// - Parameter isAlive: whether a store's liveness lock stands.
  package mutating func mayMerge(
    _ lastDots: some Sequence<Dot>, from peer: PeerHandle, in number: DocumentNumber, isAlive: (StoreID) -> Bool
  ) -> Bool {
    guard documents.contains(number) else { return false }
    let document = documents[number].id
    return ask { [now] in $0.mayLog(peer, in: document, now: now, &$1) } && areOwn(lastDots, from: peer, in: number)
      && keepToLeases(lastDots, from: peer, in: number, isAlive: isAlive)
  }

  /// The account that pays for what has to wait.
  package func bringer(_ peer: PeerHandle, in number: DocumentNumber) -> CausalGate.Bringer? {
    connections.bringer(peer, in: documents[number].id)
  }

  private mutating func areOwn(_ lastDots: some Sequence<Dot>, from peer: PeerHandle, in number: DocumentNumber) -> Bool
  {
    if trust(in: peer).mayRelay { return true }
    let (documents, replica) = (documents, replica)
    return ask { [now, wall] in
      $0.areOwn(
        lastDots, from: peer, in: documents[number].id, version: documents[number].version, now: now, wall: wall, &$1,
        hasWritten: { documents.hasWritten($0) || $0 == replica })
    }
  }

  // MARK: Changes

  /// - Parameters:
  ///   - parts: what came from the peer; some of it may have merged already.
  ///   - level: how many bytes of an account's changes wait in the document.
  package mutating func merged(
    _ merged: Merged, of parts: () -> [Contribution], from peer: PeerHandle, in number: DocumentNumber,
    level: (_ account: String) -> Int
  ) {
    documents[number].version = merged.version
    if !merged.missing.isEmpty {
      documents[number].holdsChanges = true
      noteHeld(parts, from: peer, version: merged.version, in: number)
      var effects: [Connections.Effect] = []
      connections.noteHeld(
        of: peer, level: level, unheldCount: merged.received.unheldCount, in: documents[number].id, &effects)
      carryOut(effects)
    }
    if !merged.isEmpty { log(merged, broughtBy: parts, from: peer, in: number) }
    noteStanding(after: merged, in: number)
    if let refused = merged.refused {
      refuseMalformed(peer, "A change of '\(documents[number].id)': \(refused)")
    }
    if !merged.anchorsLacking.isEmpty {
      carryOut(
        documents[number].session.lackAnchors(
          merged.anchorsLacking, from: peer, version: merged.version, now: now), in: number)
    }
    if !merged.missing.isEmpty {
      carryOut(
        documents[number].session.miss(merged.missing, from: peer, version: merged.version, now: now), in: number)
    }
  }

  private mutating func log(
    _ merged: Merged, broughtBy parts: () -> [Contribution], from peer: PeerHandle, in number: DocumentNumber
  ) {
    let changes = merged.changes
    let changeCount = changes.changeCount
    counters.changesMerged += changeCount
    counters.mergeBatch.add(changeCount)
    reportFarFutureStamps(of: changes, in: number)
    let records = records(of: changes, in: number)
    if !records.isEmpty { connections.charge(peer, forLogged: records.byteCount, now: now) }
    enqueue(records, in: number)
    guard policy.isRelay else { return }
    publish(changes, of: number, toSide: ofOurSide(changes, broughtBy: parts, from: peer, in: number))
  }

  /// Which version is durable once the records of what merged are. What was written here is handed over first.
  private mutating func noteStanding(after merged: Merged, in number: DocumentNumber) {
    if merged.hasOutbox {
      effects.append(.takeOutbox(number))
    } else if !isRetracting(number) {
      pipeline.note(merged.version, of: documents[number].id)
    }
  }

  private mutating func reportFarFutureStamps(of merged: OrderedChanges, in number: DocumentNumber) {
    let judge = HybridClock()
    let wall = wall
    var writers: [ReplicaID] = []
    for row in merged.rows where row.part.latestStamp.map({ judge.isFarFuture($0, now: wall) }) ?? false {
      writers.append(row.part.replica)
    }
    merged.changes.withBorrowed { changes in
      for place in changes.indices where judge.isFarFuture(changes[place].value.stamp, now: wall) {
        writers.append(changes[place].value.replica)
      }
    }
    for writer in writers {
      counters.farFutureStamps += 1
      report(.farFutureStamp(documents[number].id, writer))
    }
  }

  // MARK: States

  /// A state of a peer's was merged.
  package mutating func merged(
    _ merged: Merged, state: ValidatedSnapshot, from peer: PeerHandle, in number: DocumentNumber,
    level: (_ account: String) -> Int
  ) {
    counters.snapshotsMerged += 1
    // What came as state is in no record, so it is durable only once it is compacted. Those who follow
    // our stream learn from the next heartbeat that we are ahead, and ask.
    let adopted = merged.isAdopted ? StoredSnapshot(version: state.version, bytes: state.bytes) : nil
    pipeline.mergedState(in: documents[number].id, adopting: adopted, of: state.version)
    // One of the same version may have brought back what was forgotten here.
    documents[number].digest = nil
    self.merged(merged, of: { [] }, from: peer, in: number, level: level)
  }

  package mutating func refuse(stateOf number: DocumentNumber, from peer: PeerHandle, _ error: any Error) {
    refuseMalformed(peer, "The state of '\(documents[number].id)': \(error)")
  }

  /// Tombstones were stored that changes of a peer stand on. No record holds them: what stands on them goes to the log
  /// behind a state that does.
  package mutating func adopted(_ count: Int, in number: DocumentNumber) {
    guard count > 0 else { return }
    counters.pathsAdopted += 1
    pipeline.mergedState(in: documents[number].id)
  }

  package mutating func refuse(tombstonesOf number: DocumentNumber, from peer: PeerHandle, _ error: any Error) {
    refuseMalformed(peer, "The tombstones of '\(documents[number].id)': \(error)")
  }

  // MARK: Another state of our own version

  /// Which state stays, ours or that of `peer` (Protocol/conversation.md, "Divergence").
  package func authority(of peer: PeerHandle) -> Document.Authority {
    switch (policy.isRelay, connections.isTrustedRelay(peer)) {
    case (true, false): .this
    case (false, true): .other
    case (true, true), (false, false): .neither
    }
  }

  /// Somebody forgot what the other still holds, or a writer gave one dot two contents: one of the two states stayed.
  package mutating func settled(_ settlement: Settlement, with peer: PeerHandle, in number: DocumentNumber) {
    counters.snapshotsMerged += 1
    documents[number].digest = nil
    documents.noteDue(number)
    if settlement.outcome != .kept {
      // What came as a state is in no record.
      pipeline.mergedState(in: documents[number].id)
      documents.activate(number)
    }
    if settlement.outcome != .equal { tell(settlement, with: peer, in: number) }
  }

  /// Tells the operator, and has the keys refused that wrote one dot twice.
  private mutating func tell(_ settlement: Settlement, with peer: PeerHandle, in number: DocumentNumber) {
    counters.equivocations += 1
    guard let store = peers[peer]?.hello?.store else { return }
    let document = documents[number].id
    report(.settled(document, store, settlement))
    for replica in Set(settlement.equivocations.map(\.replica)).sorted(by: { $0.rawValue < $1.rawValue }) {
      guard let dot = settlement.equivocations.first(where: { $0.replica == replica })?.dot else { continue }
      note(EquivocationReport(dot, in: document))
    }
  }
}

extension Catalogue {
  /// Whether anything that was written under an id is here, or is to be.
  fileprivate func hasWritten(_ replica: ReplicaID) -> Bool {
    inOrder.contains { self[$0].replica == replica || self[$0].version[replica] > 0 }
  }
}
