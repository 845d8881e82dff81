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
    guard configuration.isRelay, !forgotten.contains(document) else { return }
    // A reader reads what is open. It hears of the others once somebody who may write opens them.
    guard trust(in: peer).mayWrite else {
      counters.documentsRefused += 1
      return
    }
    guard quarantined[document] == nil else { return refuseDamaged(document, for: peer) }
    guard mayOpen(document, for: peer) else { return }
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
      if quarantined[document] != nil { refuseDamaged(document, for: peer) } else { report(.logFailed(error)) }
    }
  }

  /// Whether one more document may be opened for the peer, which is then charged for it.
  private func mayOpen(_ document: DocumentID, for peer: PeerHandle) -> Bool {
    if documents[document] != nil || openings[document] != nil { return true }
    guard documents.count + openings.count < configuration.documentCountMax else {
      refuseToOpen(document, for: peer)
      return false
    }
    let isGranted = ask { $0.mayOpen(document, for: peer, &$1) }
    if !isGranted { counters.documentsRefused += 1 }
    return isGranted
  }

  /// Counts, and tells peer and operator once a connection.
  private func refuseToOpen(_ document: DocumentID, for peer: PeerHandle) {
    counters.documentsRefused += 1
    guard peers[peer]?.isNews(.room) == true else { return }
    let explanation = "'\(document)' is not opened: \(documents.count) documents are open, as many as may be for peers."
    report(.refused(peers[peer]?.hello?.store, explanation: explanation))
    refuse(peer, Message.Refusal(code: .notWelcome, explanation: explanation))
  }
}
