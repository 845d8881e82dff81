import StarlingCore
import StarlingSession
import StarlingWire

// Performs what `Replication` decides.
extension ReplicaEngine {
  func perform(_ effect: Replication.Effect) {
    switch effect {
    case .say(let message, let peer): if !say(message, to: peer) { replication.untold(message, to: peer) }
    case .send(let bytes, let peer): send(bytes, to: peer)
    case .sayHeartbeat(let peer): say(replication.heartbeat(for: peer), to: peer)
    case .publish(let frame): link.publish(frame)
    case .subscribe(let topic, let peer): link.subscribe(topic, at: peer)
    case .unsubscribe(let topic, let peer): link.unsubscribe(topic, at: peer)
    case .dial(let endpoint, let attempt): dial(endpoint, attempt: attempt)
    case .disconnect(let peer): link.disconnect(peer)
    case .discover: discover()
    case .reviewTrust: decide { $0.reviewTrust(configuration.allowlist) }
    case .tellRelays: tellRelays()
    case .suspend(let writer, let explanation, let equivocation):
      configuration.suspend(writer, explanation)
      // Afterwards: one that is kept is not acted on again, so that a writer that was let in again stays.
      configuration.noteEquivocation(equivocation)

    case .merge(let changes, let peer, let number): merge(changes, from: peer, in: number)
    case .mergeParts(let parts, let peer, let number): merge(parts, from: peer, in: number)
    case .mergeState(let state, let peer, let number): merge(state, from: peer, in: number)
    case .adopt(let paths, let peer, let expected, let number):
      adopt(paths, from: peer, expecting: expected, in: number)
    case .takeOutbox(let number): if let document = document(number) { takeOutbox(of: document) }
    case .reviewDisowned(let replica, let number, let peer, let isLeased):
      decide { $0.reviewDisowned(replica, in: number, by: peer, isLeased: isLeased) }
    case .rename(let number, let replica): document(number)?.handle.rename(to: replica)
    case .keepSpare(let number): document(number)?.handle.keepSpare(replication.spareReplica)
    case .takeUp(let grant, let number): takeUp(grant, in: number)
    case .countUnlogged(let number, let byteCount): document(number)?.handle.addUnlogged(byteCount)
    case .digest(let number): makeDigest(of: number)
    case .trim(let number): trim(number)
    case .collectTombstones(let number, let stable): collectTombstones(in: number, stable: stable)
    case .dropUnclaimed(let number, let claimed):
      let left = document(number)?.handle.dropUnclaimed(beyond: claimed) ?? 0
      decide { $0.waits(left, in: number) }
    case .openDocument(let document, let peer, let message):
      begin { await $0.open(document, for: peer, heeding: message) }
    case .reopen(let document): begin { await $0.reopen(document) }
    case .close(let number):
      replication.counters.presenceRefused += document(number)?.handle.presenceRefusedCount ?? 0
      openDocuments.remove(number)
    case .tellProgress(let number): if let document = document(number) { tellProgress(of: document) }
    case .beat: decide { $0.beat() }

    case .reviewPresence(let number): reviewPresence(of: number)
    case .hearPresence(let notices, let account, let byteCountMax, let peer, let number):
      hearPresence(notices, account: account, byteCountMax: byteCountMax, from: peer, in: number)
    case .tellPresence(let number, let peer): tellPresence(of: number, to: peer)
    case .reviewBudgets: reviewBudgets()

    case .log: startLogging(isAwaited: !replication.waiters.isEmpty)
    case .reviewCheckpoint(let number): if let document = document(number) { reviewCheckpoint(of: document) }
    case .compactAgedLogs(let limit): compactAgedLogs(before: limit)
    case .acknowledge(let number, let peer):
      guard let handle = document(number)?.handle else { return }
      decide { $0.acknowledge(number, to: peer, hold: handle.acknowledgeable) }
    case .compare(let comparison): begin { await $0.compare(comparison) }
    case .tellEvidence(let number, let peer): tellEvidence(of: number, to: peer)

    case .answer(let want, let peer): begin { await $0.answer(want, to: peer) }
    case .goOnAnswering(let peer, let waiting): waitingAnswers.resume(waiting, for: peer)
    case .reviewCuts: openDocuments.reviewCuts(now: clock.uptime())

    case .withdrawLife(let peer, let hello): if withdrawLife() { decide { $0.admit(peer, hello) } }
    case .showLife(let grantor): showLife(to: grantor)
    case .keepForGood(let number): if !withdrawLife() { decide { $0.writeAsOneself(in: number) } }
    case .reviewLeases: reviewLeases()

    case .report(let event): report(event)
    case .resume(let waiter): resume(waiter)
    }
  }

  // MARK: The link

  @discardableResult
  func say(_ message: Message, to peer: PeerHandle) -> Bool {
    let isHello = if case .hello = message { true } else { false }
    return send(message.encoded(), isHello: isHello, to: peer)
  }

  @discardableResult
  private func send(_ message: [UInt8], isHello: Bool = false, to peer: PeerHandle) -> Bool {
    guard replication.isOnline else { return false }
    replication.noteHandedOver(to: peer, isHello: isHello)
    let isTaken = link.send(message, to: peer)
    replication.noteSent(byteCount: message.count, isTaken: isTaken)
    return isTaken
  }

  private func tellRelays() {
    for relay in replication.connections.trustedRelays {
      while let news = replication.news(for: relay), say(news.message, to: relay) {
        replication.told(news, to: relay)
      }
    }
  }

  private func dial(_ endpoint: String, attempt: UInt64) {
    do {
      let peer = try link.connect(to: endpoint)
      decide { $0.dialled(endpoint, attempt: attempt, as: peer) }
    } catch {
      decide { $0.failed(endpoint, attempt: attempt) }
      dialRefusal = dialRefusal ?? error
    }
  }

  /// Looks which endpoints there are.
  func discover() {
    guard replication.isOnline else { return }
    if let review = configuration.reviewUnreachable {
      let lost = replication.endpoints.recentlyLost(now: clock.uptime())
      if !lost.isEmpty { review(lost) }
    }
    let (listed, announced) = (configuration.discover?(), configuration.announced?() ?? [])
    decide { $0.discovered(listed, announced: announced) }
  }

  // MARK: Presence

  /// Says what is new here, and again what must not be forgotten.
  func sayPresence(of document: OpenDocument) {
    let handle = document.handle
    // As it nearly always is.
    guard handle.isPresent else { return }
    let now = clock.uptime()
    decide { $0.sayPresence(of: document.number, isPresent: handle.isPresent) { handle.takePresence(now: now) } }
  }

  private func reviewPresence(of number: DocumentNumber) {
    guard let document = document(number) else { return }
    sayPresence(of: document)
    document.handle.forgetPresence(now: clock.uptime())
    replication.notePresence(in: number, isPresent: document.handle.isPresent)
  }

  private func hearPresence(
    _ notices: [PresenceNotice], account: String?, byteCountMax: Int, from peer: PeerHandle, in number: DocumentNumber
  ) {
    guard let handle = document(number)?.handle else { return }
    let heard = handle.hearPresence(notices, of: account, byteCountMax: byteCountMax, now: clock.uptime())
    decide { $0.heard(heard, from: peer, in: number) }
  }

  private func tellPresence(of number: DocumentNumber, to peer: PeerHandle) {
    guard let handle = document(number)?.handle else { return }
    let notices = handle.everythingPresent(includingOthers: configuration.isRelay, now: clock.uptime())
    decide { $0.tell(presence: notices, of: number, to: peer) }
  }

  private func reviewBudgets() {
    decide {
      $0.reviewBudgets { resource, account, document in
        guard let handle = self.document(document)?.handle else { return 0 }
        return resource == .heldBytes ? handle.heldByteCount(of: account) : handle.presenceByteCount(of: account)
      }
    }
  }
}
