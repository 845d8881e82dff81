import StarlingCore
import StarlingSession
import StarlingWire

// What a key may use (`Budgets` decides): each message of a peer that has an account is held against it before it costs
// anything.
extension ReplicaEngine {
  /// Whose budgets a peer uses: those of the allowlist's name for its key. A peer that relays has none, nor one that is
  /// trusted for where it is.
  func account(of peer: PeerHandle) -> String? {
    let trust = trust(in: peer)
    return trust.mayRelay ? nil : trust.listedName
  }

  /// Whether it is granted; where not, counts and tells.
  func isGranted(_ verdict: Budgets.Verdict, to peer: PeerHandle, in document: DocumentID) -> Bool {
    guard case .refused(let overdraft) = verdict else { return true }
    refuse(peer, overdraft, in: document)
    return false
  }

  /// Counts, and tells the peer and the operator once a connection.
  func refuse(_ peer: PeerHandle, _ overdraft: Budgets.Overdraft, in document: DocumentID?) {
    counters.budgetRefusals.add(overdraft.resource)
    guard peers[peer]?.isNews(.budget(overdraft.resource)) == true else { return }
    let place = document.map { " with '\($0)'" } ?? ""
    let what = "it passed a budget\(place): \(overdraft)"
    let name = trust(in: peer).listedName
    if name != nil {
      report(.access(event(.overBudget, what, of: peer, document)))
    } else {
      report(.refused(peers[peer]?.hello?.store, explanation: what))
    }
    let whose = name.map { "The key of \($0)" } ?? "This peer"
    refuse(
      peer,
      Message.Refusal(code: .tooLarge, explanation: "\(whose) passed a budget\(place): \(overdraft)."))
  }

  // MARK: Greetings

  /// Whether a greeting is heeded, after which the peer is told of every document. That of a key is heeded so often.
  func mayGreet(_ peer: PeerHandle, _ hello: Message.Hello, isNew: Bool) -> Bool {
    guard account(of: peer) != nil else { return true }
    switch connections.trusts.noteGreeting(of: peer, isNew: isNew, now: clock.uptime()) {
    case .heeded: return true
    case .repeated: return false
    case .refused:
      counters.denied += 1
      let what = "more than \(TrustTable.runCountMax) runs greeted on one connection"
      guard connections.trusts.noteDenial(what, of: peer) else { return false }
      report(.refused(hello.store, explanation: what))
      refuse(peer, Message.Refusal(code: .notWelcome, explanation: "This key was refused: \(what). Connect anew."))
      return false
    }
  }

  // MARK: Versions

  /// What a message of the peer's may hold: of a key, no version that could not be one of something here, and that
  /// nobody could merge in a moment.
  func wireLimits(for peer: PeerHandle) -> WireLimits {
    var limits = WireLimits.standard
    guard account(of: peer) != nil else { return limits }
    limits.dotCountMax = min(
      limits.dotCountMax, 16 * configuration.budgets.versionStrangerCountMax + longestVersion)
    return limits
  }

  /// Whether a message was not decoded because it claims too much; the peer is told so then.
  func isVersionTooLong(_ bytes: [UInt8], _ error: WireError, from peer: PeerHandle) -> Bool {
    guard error.code == .tooLarge, account(of: peer) != nil, Message.claimsVersion(bytes) else { return false }
    let countMax = configuration.budgets.versionStrangerCountMax
    refuse(peer, Budgets.Overdraft(.versionEntries, limit: countMax, isOfProcess: false), in: nil)
    return true
  }

  /// The message with no more in its version than is heeded; nil where nothing of it is.
  func heeding(_ message: Message, from peer: PeerHandle) -> Message? {
    switch message {
    case .have(var have):
      have.version = heeding(have.version, of: have.document, from: peer) ?? have.version
      return .have(have)
    case .want(var want):
      want.version = heeding(want.version, of: want.document, from: peer) ?? want.version
      return .want(want)
    case .resume(var resume):
      resume.version = heeding(resume.version, of: resume.document, from: peer) ?? resume.version
      return .resume(resume)
    // A part of it would count as if it had said no more.
    case .acknowledge(let document, let version, let behind):
      let isHeeded = [version, behind ?? Version()].allSatisfy { heeding($0, of: document, from: peer) == nil }
      return isHeeded ? message : nil
    default: return message
    }
  }

  /// Nil where all of it is heeded.
  private func heeding(_ version: Version, of document: DocumentID, from peer: PeerHandle) -> Version? {
    let countMax = configuration.budgets.versionStrangerCountMax
    guard version.entries.count > countMax else { return nil }
    let heeded = version.keepingStrangers(to: documents[document]?.handle.version ?? Version(), atMost: countMax)
    guard heeded.entries.count < version.entries.count else { return nil }
    refuse(peer, Budgets.Overdraft(.versionEntries, limit: countMax, isOfProcess: false), in: document)
    return heeded
  }

  // MARK: Changes

  /// Whether the log may keep more of the peer's today.
  func mayLog(_ peer: PeerHandle, in hosted: HostedDocument) -> Bool {
    guard let account = account(of: peer) else { return true }
    return isGranted(
      budgets.spend(1, of: .loggedBytes, by: account, now: clock.uptime()), to: peer, in: hosted.id)
  }

  func chargeForLog(_ records: [LogRecord], of peer: PeerHandle) {
    guard !records.isEmpty, let account = account(of: peer) else { return }
    let byteCount = records.reduce(0) { $0 + $1.bytes.count }
    budgets.charge(byteCount, of: .loggedBytes, to: account, now: clock.uptime())
  }

  /// How many bytes of the peer's changes may wait in the document; nil for one without an account.
  func bringer(_ peer: PeerHandle, in hosted: HostedDocument) -> CausalGate.Bringer? {
    guard let account = account(of: peer),
      let room = budgets.room(for: .heldBytes, by: account, in: hosted.id)
    else { return nil }
    return CausalGate.Bringer(name: account, byteCountMax: room)
  }

  /// Notes what waits in the document, after something of the peer's was to wait.
  func noteHeld(of peer: PeerHandle, unheldCount: Int, in hosted: HostedDocument) {
    guard let account = account(of: peer) else { return }
    budgets.hold(hosted.handle.heldByteCount(of: account), of: .heldBytes, by: account, in: hosted.id)
    guard unheldCount > 0 else { return }
    let limits = configuration.budgets
    let isOfProcess = budgets.level(of: .heldBytes, by: account) < limits.heldBytesPerKey / 2
    let limit = isOfProcess ? limits.heldBytes : limits.heldBytesPerKey
    refuse(peer, Budgets.Overdraft(.heldBytes, limit: limit, isOfProcess: isOfProcess), in: hosted.id)
  }

  /// Once a heartbeat: what waited may have merged, and what was said may have been forgotten.
  func reviewBudgets() {
    for account in budgets.holders(of: .heldBytes) {
      for document in budgets.documents(using: .heldBytes, by: account) {
        let level = documents[document]?.handle.heldByteCount(of: account) ?? 0
        budgets.hold(level, of: .heldBytes, by: account, in: document)
      }
    }
    for account in budgets.holders(of: .presenceBytes) {
      for document in budgets.documents(using: .presenceBytes, by: account) {
        let level = documents[document]?.handle.presenceByteCount(of: account) ?? 0
        budgets.hold(level, of: .presenceBytes, by: account, in: document)
      }
    }
  }

  // MARK: Loans

  /// Whether the holder may be lent a new id where it needs one.
  func mayLease(_ holder: LeaseBook.Holder, to peer: PeerHandle, in hosted: HostedDocument) -> Bool {
    guard let account = account(of: peer), hosted.leases.needsFresh(holder) else { return true }
    return isGranted(budgets.mayHold(1, of: .leases, by: account), to: peer, in: hosted.id)
  }

  func noteLeases(of hosted: HostedDocument) {
    let counts = hosted.leases.counts
    for account in Set(counts.keys).union(hosted.lessees) {
      budgets.hold(counts[account] ?? 0, of: .leases, by: account, in: hosted.id)
    }
    hosted.lessees = Set(counts.keys)
  }

  // MARK: Presence

  /// Takes notices, as many as the peer's budget allows.
  func hearPresence(_ notices: [PresenceNotice], from peer: PeerHandle, in hosted: HostedDocument) -> [PresenceNotice] {
    let now = clock.uptime()
    guard let account = account(of: peer),
      let room = budgets.room(for: .presenceBytes, by: account, in: hosted.id)
    else { return hosted.handle.hearPresence(notices, now: now) }
    let refusedCount = hosted.handle.presenceRefusedCount
    let news = hosted.handle.hearPresence(notices, from: account, byteCountMax: room, now: now)
    let level = hosted.handle.presenceByteCount(of: account)
    budgets.hold(level, of: .presenceBytes, by: account, in: hosted.id)
    if hosted.handle.presenceRefusedCount > refusedCount {
      let limit = configuration.budgets.presenceBytesPerKey
      refuse(peer, Budgets.Overdraft(.presenceBytes, limit: limit, isOfProcess: false), in: hosted.id)
    }
    return news
  }

  // MARK: Replica ids

  /// Whether the peer may begin to write under so many more replica ids, which it is then charged for.
  func mayBegin(_ count: Int, _ peer: PeerHandle, in hosted: HostedDocument) -> Bool {
    guard let account = account(of: peer) else { return true }
    return isGranted(
      budgets.spend(count, of: .replicaIDs, by: account, now: clock.uptime()), to: peer, in: hosted.id)
  }
}
