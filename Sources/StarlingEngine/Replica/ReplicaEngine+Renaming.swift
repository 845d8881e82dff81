import StarlingCore
import StarlingSession

// Somebody else writes under our replica id: a store that was copied, or put back from a copy (Protocol/conversation.md,
// "Identities").
//
// ```
//   merge, under the document's lock: more under our id than we made ──► spare id ──► all other documents ──► readers
//   have: a peer knows more of our id than we do ───────────────────────────────────► all documents
// ```
extension ReplicaEngine {
  /// Lets every document that is written under `document`'s id go on under a new one.
  func rename(for document: HostedDocument) {
    guard document.tenure.held == nil else { return writeAsOneself(in: document) }
    renameAll(to: newReplicaID())
  }

  /// A merge has let the document go on as `fresh`, and no reader has been told yet: one of them may write to any document.
  func renamed(_ document: HostedDocument, to fresh: ReplicaID) {
    spareReplica = newReplicaID()
    for hosted in documentsInOrder { hosted.handle.keepSpare(spareReplica) }
    guard document.tenure.held == nil else {
      document.tenure.lose()
      return report(.renamed(document.id, to: fresh))
    }
    renameAll(to: fresh)
  }

  func renameAll(to fresh: ReplicaID) {
    counters.renames += 1
    let ours = documentsInOrder.filter { $0.tenure.held == nil }
    for hosted in ours { hosted.handle.rename(to: fresh) }
    replica = fresh
    for hosted in ours { report(.renamed(hosted.id, to: fresh)) }
  }
}
