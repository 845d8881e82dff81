public import StarlingCore
import StarlingSession
import StarlingWire

/// Waits until others have said that they forgot a document.
struct ForgetWaiter {
  let document: DocumentID
  let count: Int
  let deadline: Duration?
  let continuation: CheckedContinuation<Void, any Error>
}

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
    if let logError { throw promiseError(logError) }
    if !forgotten.contains(document) {
      if let refusal = refusal(toForget: document) { throw refusal }
      begin(forgetting: document)
    }
    try await storeForgotten(document)
    guard count > 0 else { return }
    let number = makeWaiterNumber()
    let deadline = limit.map { clock.uptime() + $0 }
    try await withTaskCancellationHandler {
      try Task.checkCancellation()
      try await withCheckedThrowingContinuation { continuation in
        forgetWaiters[number] = ForgetWaiter(
          document: document, count: count, deadline: deadline, continuation: continuation)
        serveForgetWaiters(now: clock.uptime())
      }
    } onCancel: {
      giveUp(number)
    }
  }

  /// The documents of the group that are forgotten, ascending by name.
  public var forgottenDocuments: [DocumentID] { forgotten.list() }

  private func refusal(toForget document: DocumentID) -> ForgetError? {
    if !configuration.mayForget(document) {
      return ForgetError(
        .kept, "'\(document)' is the main document of the group, which stays. Load {} into it to empty it.")
    }
    if !log.forgetsDocuments {
      return ForgetError(
        .unsupported, "This replica's log cannot forget '\(document)'. Empty the document, or remove the whole store.")
    }
    if forgotten.isFull {
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
    guard forgotten.insert(document) else { return }
    if let hosted = documents[document] { drop(hosted) }
    quarantined[document] = nil
    pending.records.removeAll { $0.document == document }
    pending.versions[document] = nil
    forgetting.append(document)
    startLogging()
  }

  private func drop(_ hosted: HostedDocument) {
    hosted.isForgotten = true
    documents[hosted.id] = nil
    budgets.release(hosted.id)
    documentsInOrder.removeAll { $0 === hosted }
    astir.removeAll { $0 === hosted }
    owing.removeAll { $0 === hosted }
    for topic in documentsByTopic.keys { documentsByTopic[topic]?.removeAll { $0 === hosted } }
    documentsByTopic = documentsByTopic.filter { !$0.value.isEmpty }
    for dialled in endpoints.values { unsubscribe(from: hosted, at: dialled) }
    for (peer, _) in peersInOrder {
      peers[peer]?.interests.remove(hosted.id)
      peers[peer]?.documents[hosted.id] = nil
      peers[peer]?.flow.end(hosted.id)
    }
    endAnswers()
    hosted.progressWatchers.finish()
    failWaiters(of: hosted.id, FlushError(.forgotten, "'\(hosted.id)' was forgotten while somebody waited for it."))
    if !hosted.handle.forget() { emptying.append(hosted.handle) }
    report(.forgotten(hosted.id))
  }

  /// Empties those in which a transaction was open.
  func emptyForgotten() {
    if !emptying.isEmpty { emptying.removeAll { $0.forget() } }
  }

  /// What the log is to be told of next.
  func takeForgotten() -> DocumentID? {
    guard !forgetting.isEmpty else { return nil }
    storing = forgetting.removeFirst()
    return storing
  }

  /// The log refused it; it is told again once it works.
  func putBack(forgotten document: DocumentID) {
    storing = nil
    forgetting.insert(document, at: 0)
  }

  /// The log has it.
  func stored(forgotten document: DocumentID) {
    storing = nil
    for continuation in forgetStores.removeValue(forKey: document) ?? [] { continuation.resume() }
    for (peer, known) in peersInOrder where known.hello != nil && covers(peer, document) {
      peers[peer]?.toldForgotten.insert(document)
      say(.forget([document]), to: peer)
    }
  }

  /// Whoever waits hears that the log refuses; what is not stored yet stays to be.
  func failForgetting(_ error: any Error) {
    let waiting = forgetStores.sorted { $0.key.name < $1.key.name }
    forgetStores = [:]
    for (_, continuations) in waiting { for continuation in continuations { continuation.resume(throwing: error) } }
    for (number, waiter) in forgetWaiters.sorted(by: { $0.key < $1.key }) {
      forgetWaiters[number] = nil
      waiter.continuation.resume(throwing: error)
    }
  }

  private func storeForgotten(_ document: DocumentID) async throws {
    guard forgetting.contains(document) || storing == document else { return }
    try await withCheckedThrowingContinuation { forgetStores[document, default: []].append($0) }
  }

  // MARK: Peers

  private func covers(_ peer: PeerHandle, _ document: DocumentID) -> Bool {
    trust(in: peer).covers(document)
  }

  /// A peer that has come hears of all that it may read.
  func tellForgotten(to peer: PeerHandle) {
    guard !forgotten.isEmpty else { return }
    // What the log does not have yet is told once it does.
    let waiting = Set(forgetting + (storing.map { [$0] } ?? []))
    let list = forgotten.list { covers(peer, $0) && !waiting.contains($0) }
    guard !list.isEmpty else { return }
    peers[peer]?.toldForgotten.formUnion(list)
    say(.forget(list), to: peer)
  }

  func receive(forgotten list: [DocumentID], from peer: PeerHandle) {
    guard peers[peer]?.hello != nil else { return }
    for document in list {
      guard isTrustedToForget(peer, document) else { continue }
      peers[peer]?.saidForgotten.insert(document)
      guard !forgotten.contains(document) else { continue }
      if let refusal = refusal(toForget: document) {
        report(.refused(peers[peer]?.hello?.store, explanation: refusal.message))
        refuse(peer, Message.Refusal(code: .notWelcome, explanation: refusal.message))
        continue
      }
      begin(forgetting: document)
    }
    serveForgetWaiters(now: clock.uptime())
  }

  /// Whoever relays may, and whoever need not prove anything: a process of this user, or one that was dialled.
  private func isTrustedToForget(_ peer: PeerHandle, _ document: DocumentID) -> Bool {
    if trust(in: peer).mayRelay, covers(peer, document) { return true }
    deny(peer, .writeRefused, "it may not have '\(document)' forgotten, which only relays may", document)
    return false
  }

  /// Whether the message is about a document that is forgotten; its sender is told so, once a connection.
  func isAboutForgotten(_ message: Message, from peer: PeerHandle) -> Bool {
    guard !forgotten.isEmpty, let document = message.document, forgotten.contains(document) else { return false }
    guard covers(peer, document),
      peers[peer]?.toldForgotten.insert(document).inserted == true
        || peers[peer]?.refusedForgotten.insert(document).inserted == true
    else { return true }
    say(.forget([document]), to: peer)
    peers[peer]?.refusedForgotten.insert(document)
    refuse(
      peer,
      Message.Refusal(
        code: .notWelcome,
        explanation:
          "'\(document)' was forgotten in this group and is not taken back. Forget it there too (starling forget), "
          + "or update a program that does not know how; to keep what it holds, dump it and load it under another name."
      ))
    return true
  }

  func serveForgetWaiters(now: Duration) {
    guard !forgetWaiters.isEmpty else { return }
    for (number, waiter) in forgetWaiters.sorted(by: { $0.key < $1.key }) {
      let stores = Set(
        peers.values.compactMap { $0.saidForgotten.contains(waiter.document) ? $0.hello?.store : nil })
      if stores.count >= waiter.count {
        forgetWaiters[number] = nil
        waiter.continuation.resume()
      } else if let deadline = waiter.deadline, deadline <= now {
        forgetWaiters[number] = nil
        waiter.continuation.resume(
          throwing: FlushError(
            .timedOut,
            "The time is over: \(stores.count) of \(waiter.count) stores have forgotten '\(waiter.document)'."))
      }
    }
  }
}
