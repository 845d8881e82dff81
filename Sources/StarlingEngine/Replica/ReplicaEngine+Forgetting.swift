public import StarlingCore
import StarlingSession
import StarlingWire

// Documents that are forgotten for good (Protocol/conversation.md, "Forgetting").
//
// ```
//   forget ─┐                          ┌─► the caller
//           ├─► out of the engine ─► log ─► every peer, which passes it on if it relays
//   a peer ─┘   handles are empty      └─► answers to whoever still speaks of it
// ```
extension ReplicaEngine {
  /// Forgets a document for good: here, and at every member of the group as soon as it hears of it. What was written to it
  /// is gone from the log, its handle reads as empty and takes no writes, and no peer that was away brings it back. Its name
  /// cannot be used again in the group.
  ///
  /// - Parameters:
  ///   - count: how many other stores must have forgotten it durably before the call returns.
  ///   - limit: how long to wait for them; nil for as long as it takes.
  /// - Throws: `ForgetError`, and nothing is forgotten; `LogError` where the log failed; `FlushError(.timedOut)` where the
  ///   others did not answer in time: it is forgotten here then, and by them when they hear of it.
  public func forget(_ document: DocumentID, confirmedBy count: Int = 0, atMost limit: Duration? = nil) async throws {
    guard phase == .running else {
      throw LogError(.misuse, "'\(document)' is forgotten while the replica is not running.")
    }
    if let error = pipeline.promiseError { throw error }
    if !pipeline.forgotten.contains(document) {
      if let refusal = refusal(toForget: document) { throw refusal }
      begin(forgetting: document)
    }
    try await storeForgotten(document)
    guard count > 0 else { return }
    try await wait(
      Waiters.Wait(for: .forgotten(by: count), in: document, until: limit.map { clock.uptime() + $0 }))
  }

  /// The documents of the group that are forgotten, ascending by name.
  public var forgottenDocuments: [DocumentID] { pipeline.forgotten.list() }

  private func refusal(toForget document: DocumentID) -> ForgetError? {
    if !configuration.mayForget(document) {
      return ForgetError(
        .kept, "'\(document)' is the main document of the group, which stays. Load {} into it to empty it.")
    }
    if !log.forgetsDocuments {
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

  // MARK: Here

  /// Lets go of the document; the log is told next.
  private func begin(forgetting document: DocumentID) {
    guard pipeline.forget(document) else { return }
    if let hosted = documents[document] { drop(hosted) }
    quarantined[document] = nil
    startLogging()
  }

  private func drop(_ hosted: HostedDocument) {
    hosted.isForgotten = true
    documents[hosted.id] = nil
    connections.budgets.release(hosted.id)
    documentsInOrder.removeAll { $0 === hosted }
    astir.removeAll { $0 === hosted }
    for topic in documentsByTopic.keys { documentsByTopic[topic]?.removeAll { $0 === hosted } }
    documentsByTopic = documentsByTopic.filter { !$0.value.isEmpty }
    for (peer, relation) in endpoints.connections { unsubscribe(from: hosted, at: peer, in: relation) }
    peers.forget(hosted.id)
    endAnswers()
    hosted.progressWatchers.finish()
    perform(waiters.forget(hosted.id))
    if !hosted.handle.forget() { emptying.append(hosted.handle) }
    report(.forgotten(hosted.id))
  }

  /// Empties those in which a transaction was open.
  func emptyForgotten() {
    if !emptying.isEmpty { emptying.removeAll { $0.forget() } }
  }

  /// The log has it.
  func stored(forgotten document: DocumentID) {
    perform(waiters.storedForgotten(document))
    for peer in peers.talking { perform(connections.tell(forgotten: [document], to: peer)) }
  }

  private func storeForgotten(_ document: DocumentID) async throws {
    guard !pipeline.forgotten.isStored(document) else { return }
    let number = waiters.makeNumber()
    // Not to be cancelled: it is on its way to the log.
    try await withCheckedThrowingContinuation { continuation in
      waiters.add(Waiters.Wait(for: .forgottenHere, in: document), as: number)
      continuations[number] = .throwing(continuation)
    }
  }

  // MARK: Peers

  /// A peer that has come hears of all that it may read.
  func tellForgotten(to peer: PeerHandle) {
    guard !pipeline.forgotten.isEmpty else { return }
    // What the log does not have yet is told once it does.
    perform(connections.tell(forgotten: pipeline.forgotten.list(where: pipeline.forgotten.isStored), to: peer))
  }

  func receive(forgotten list: [DocumentID], from peer: PeerHandle) {
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
      begin(forgetting: document)
    }
    reviewWaiters(now: clock.uptime())
  }

  /// Whether the message is about a document that is forgotten; its sender is told so, once a connection.
  func isAboutForgotten(_ message: Message, from peer: PeerHandle) -> Bool {
    guard !pipeline.forgotten.isEmpty, let document = message.document, pipeline.forgotten.contains(document) else {
      return false
    }
    perform(connections.refuse(forgotten: document, to: peer))
    return true
  }
}
