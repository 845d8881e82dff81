package import StarlingCore

// Somebody else writes under our replica id: a store that was copied, or put back from a copy
// (Protocol/conversation.md, "Divergence").
//
// ```
//   merge, under the document's lock: more under our id than we made ──► spare id ──► all other documents ──► readers
//   have: a peer knows more of our id than we do ───────────────────────────────────► all documents
// ```
extension Replication {
  /// Lets every document that is written under `number`'s id go on under a new one.
  mutating func rename(for number: DocumentNumber) {
    guard documents[number].leaseClient.held == nil else { return writeAsOneself(in: number) }
    renameAll(to: newReplicaID())
  }

  /// A merge has let the document go on as `fresh`, and no reader has been told yet: one of them may write to any
  /// document.
  package mutating func renamed(_ number: DocumentNumber, to fresh: ReplicaID) {
    spareReplica = newReplicaID()
    for other in documents.inOrder { effects.append(.keepSpare(other)) }
    documents[number].replica = fresh
    guard documents[number].leaseClient.held == nil else {
      documents[number].leaseClient.lose()
      return report(.renamed(documents[number].id, to: fresh))
    }
    renameAll(to: fresh)
  }

  mutating func renameAll(to fresh: ReplicaID) {
    counters.renames += 1
    let ours = documents.inOrder.filter { documents[$0].leaseClient.held == nil }
    for number in ours { rename(number, to: fresh) }
    replica = fresh
    doubtLeases()
    for number in ours { report(.renamed(documents[number].id, to: fresh)) }
  }

  mutating func rename(_ number: DocumentNumber, to fresh: ReplicaID) {
    documents[number].replica = fresh
    effects.append(.rename(number, to: fresh))
  }

  /// The replica closes: nothing is written under a lease any more, and no peer is heard.
  package mutating func beginClosing() {
    isClosing = true
    let fresh = newReplicaID()
    for number in documents.inOrder where documents[number].leaseClient.held != nil { rename(number, to: fresh) }
  }
}
