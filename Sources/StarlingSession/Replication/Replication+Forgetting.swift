package import StarlingCore
import StarlingWire

// Documents that are forgotten for good (Protocol/conversation.md, "Forgetting").
//
// ```
//   forget ─┐                             ┌─► the caller
//           ├─► out of the catalogue ─► log ─► every peer, which passes it on if it relays
//   a peer ─┘   handles are empty         └─► answers to whoever still speaks of it
// ```
extension Replication {
  /// Why the document cannot be forgotten; nil where it can.
  package func refusal(toForget document: DocumentID) -> ForgetError? {
    if !policy.mayForget(document) {
      return ForgetError(
        .kept, "'\(document)' is the main document of the group, which stays. Load {} into it to empty it.")
    }
    if !policy.forgetsDocuments {
      return ForgetError(
        .unsupported, "This replica's log cannot forget '\(document)'. Empty the document, or remove the whole store.")
    }
    if pipeline.forgotten.isFull {
      return ForgetError(
        .full,
        "\(ForgottenDocuments.countMax) documents of this group are forgotten already, and no more names can be kept. Empty "
          + "'\(document)' instead, or begin another group.")
    }
    return nil
  }

  /// Somebody here wants it forgotten.
  ///
  /// - Throws: why it is not.
  package mutating func forgetHere(_ document: DocumentID) throws {
    if let error = pipeline.promiseError { throw error }
    guard !pipeline.forgotten.contains(document) else { return }
    if let refusal = refusal(toForget: document) { throw refusal }
    forget(document)
  }

  /// Drops the document; the log is told next.
  package mutating func forget(_ document: DocumentID) {
    guard pipeline.forget(document) else { return }
    if let number = documents.number(of: document) { drop(number) }
    closed.remove(document)
    damaged[document] = nil
    effects.append(.log)
  }

  private mutating func drop(_ number: DocumentNumber) {
    let document = documents[number].id
    for (peer, relation) in endpoints.connections { unsubscribe(from: number, at: peer, in: relation) }
    documents.remove(number)
    connections.budgets.release(document)
    peers.forget(document)
    effects.append(.goOnAnswering(nil, .all))
    carryOut(waiters.forget(document))
    effects += [.close(number), .report(.forgotten(document))]
  }

  /// The log has it.
  mutating func stored(forgotten document: DocumentID) {
    carryOut(waiters.storedForgotten(document))
    for peer in peers.talking { carryOut(connections.tell(forgotten: [document], to: peer)) }
  }

  // MARK: Peers

  /// A peer that has come hears of all that it may read.
  mutating func tellForgotten(to peer: PeerHandle) {
    guard !pipeline.forgotten.isEmpty else { return }
    // What the log does not have yet is told once it does.
    carryOut(connections.tell(forgotten: pipeline.forgotten.list(where: pipeline.forgotten.isStored), to: peer))
  }

  mutating func receive(forgotten list: [DocumentID], from peer: PeerHandle) {
    guard peers[peer]?.hello != nil else { return }
    for document in list {
      guard ask({ $0.isTrustedToForget(peer, document, &$1) }) else { continue }
      peers[peer]?.sayForgotten(document)
      guard !pipeline.forgotten.contains(document) else { continue }
      if let refusal = refusal(toForget: document) {
        report(.refused(peers[peer]?.hello?.store, explanation: refusal.message))
        refuse(peer, Message.Refusal(code: .notWelcome, explanation: refusal.message))
        continue
      }
      forget(document)
    }
    reviewWaiters()
  }

  /// Whether the message is about a document that is forgotten; its sender is told so, once a connection.
  mutating func isAboutForgotten(_ message: Message, from peer: PeerHandle) -> Bool {
    guard !pipeline.forgotten.isEmpty, let document = message.document, pipeline.forgotten.contains(document) else {
      return false
    }
    carryOut(connections.refuse(forgotten: document, to: peer))
    return true
  }
}
