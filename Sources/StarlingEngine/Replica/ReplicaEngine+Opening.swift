import StarlingCore
import StarlingSession
import StarlingWire

// Documents that peers speak of and that are not open: a relay opens them, as far as the peer's key may have it do so.
extension ReplicaEngine {
  /// A relay opens what its peers talk about, and then does what they asked for. Each document costs memory, also one in
  /// which nobody has written.
  func openForPeer(
    _ document: DocumentID, to peer: PeerHandle, _ answer: @escaping @Sendable (isolated ReplicaEngine) -> Void
  ) {
    guard configuration.isRelay, !pipeline.forgotten.contains(document) else { return }
    let library = Connections.Library(
      count: documents.count + openings.count, countMax: configuration.documentCountMax,
      isOpen: documents[document] != nil || openings[document] != nil, isDamaged: quarantined[document] != nil)
    guard ask({ $0.mayOpen(document, for: peer, in: library, &$1) }) else { return }
    begin { await $0.openAndAnswer(document, to: peer, answer) }
  }

  private func openAndAnswer(
    _ document: DocumentID, to peer: PeerHandle, _ answer: @Sendable (isolated ReplicaEngine) -> Void
  ) async {
    // It may have gone when the opening ends.
    let account = connections.account(of: peer)
    do {
      _ = try await open(document)
      if peers[peer]?.hello != nil { answer(self) }
    } catch {
      if let account, documents[document] == nil {
        connections.budgets.hold(0, of: .documents, by: account, in: document)
      }
      guard let error = error as? LogError else { return }
      if quarantined[document] != nil {
        perform(connections.refuseDamaged(document, for: peer))
      } else {
        report(.logFailed(error))
      }
    }
  }
}
