public import StarlingCore
public import StarlingWire

// What a key may use (`Budgets` decides): each message of a peer that has an account is held against it before it costs
// anything.
extension Connections {
  /// The account whose budgets a peer uses: the allowlist's name for its key. A peer that relays has none, nor one that
  /// is trusted for where it is.
  public func account(of peer: PeerHandle) -> String? {
    trusts[peer].mayRelay ? nil : trusts[peer].listedName
  }

  private mutating func isGranted(
    _ verdict: Budgets.Verdict, to peer: PeerHandle, in document: DocumentID, _ effects: inout [Effect]
  ) -> Bool {
    guard case .refused(let overdraft) = verdict else { return true }
    refuse(peer, overdraft, in: document, &effects)
    return false
  }

  /// Counts, and tells the peer and the operator once a connection.
  public mutating func refuse(
    _ peer: PeerHandle, _ overdraft: Budgets.Overdraft, in document: DocumentID?, _ effects: inout [Effect]
  ) {
    effects.append(.countOverdraft(overdraft.resource))
    guard peers[peer]?.isNews(.budget(overdraft.resource)) == true else { return }
    let place = document.map { " with '\($0)'" } ?? ""
    let what = "it passed a budget\(place): \(overdraft)"
    let name = trust(in: peer).listedName
    let news =
      name != nil
      ? News.access(event(.overBudget, what, of: peer, document))
      : .refused(peers[peer]?.hello?.store, explanation: what)
    let whose = name.map { "The key of \($0)" } ?? "This peer"
    let explanation = "\(whose) passed a budget\(place): \(overdraft)."
    effects += [.tell(news), .refuse(peer, Message.Refusal(code: .tooLarge, explanation: explanation))]
  }

  private mutating func refuse(
    _ peer: PeerHandle, _ resource: Budgets.Resource, isOfProcess: Bool = false, in document: DocumentID?,
    _ effects: inout [Effect]
  ) {
    guard let limit = budgets.limit(of: resource) else { return }
    let overdraft = Budgets.Overdraft(
      resource, limit: isOfProcess ? limit.perProcess : limit.perKey, isOfProcess: isOfProcess)
    refuse(peer, overdraft, in: document, &effects)
  }

  // MARK: Versions

  /// How many replica ids unknown here a version may name.
  private var strangerCountMax: Int { budgets.limit(of: .versionEntries)?.perKey ?? .max / 32 }

  /// A document stands at a version of so many replica ids.
  public mutating func noteVersion(entryCount: Int) { longestVersion = max(longestVersion, entryCount) }

  /// What a message of the peer's may hold: of a key, no version that could not be one of something here, and that
  /// nobody could merge in a moment.
  public func wireLimits(for peer: PeerHandle) -> WireLimits {
    var limits = WireLimits.standard
    guard account(of: peer) != nil else { return limits }
    limits.dotCountMax = min(limits.dotCountMax, 16 * strangerCountMax + longestVersion)
    return limits
  }

  /// Whether a message was not decoded because it claims too much; the peer is told so then.
  public mutating func isVersionTooLong(
    _ bytes: [UInt8], _ error: WireError, from peer: PeerHandle, _ effects: inout [Effect]
  ) -> Bool {
    guard error.code == .tooLarge, account(of: peer) != nil, Message.claimsVersion(bytes) else { return false }
    refuse(peer, .versionEntries, in: nil, &effects)
    return true
  }

  /// The message with no more in its version than is heeded; nil where nothing of it is.
  ///
  /// - Parameter version: where a document stands here.
  public mutating func heeding(
    _ message: Message, from peer: PeerHandle, _ effects: inout [Effect], version: (DocumentID) -> VersionVector
  ) -> Message? {
    switch message {
    case .have(var have):
      have.version = heeding(have.version, of: have.document, from: peer, &effects, version) ?? have.version
      return .have(have)
    case .want(var want):
      want.version = heeding(want.version, of: want.document, from: peer, &effects, version) ?? want.version
      return .want(want)
    case .resume(var resume):
      resume.version = heeding(resume.version, of: resume.document, from: peer, &effects, version) ?? resume.version
      return .resume(resume)
    // A part of it would count as if it had said no more.
    case .acknowledge(let document, let acknowledged, let behind):
      for claim in [acknowledged, behind ?? VersionVector()]
      where heeding(claim, of: document, from: peer, &effects, version) != nil { return nil }
      return message
    default: return message
    }
  }

  /// Nil where all of it is heeded.
  private mutating func heeding(
    _ claim: VersionVector, of document: DocumentID, from peer: PeerHandle, _ effects: inout [Effect],
    _ version: (DocumentID) -> VersionVector
  ) -> VersionVector? {
    guard claim.entries.count > strangerCountMax else { return nil }
    let heeded = claim.keepingStrangers(to: version(document), atMost: strangerCountMax)
    guard heeded.entries.count < claim.entries.count else { return nil }
    refuse(peer, .versionEntries, in: document, &effects)
    return heeded
  }

  // MARK: Changes

  /// Whether the log may keep more of the peer's today.
  public mutating func mayLog(
    _ peer: PeerHandle, in document: DocumentID, now: Duration, _ effects: inout [Effect]
  ) -> Bool {
    guard let account = account(of: peer) else { return true }
    return isGranted(budgets.spend(1, of: .loggedBytes, by: account, now: now), to: peer, in: document, &effects)
  }

  /// The log is handed so many bytes that the peer brought.
  public mutating func charge(_ peer: PeerHandle, forLogged byteCount: @autoclosure () -> Int, now: Duration) {
    guard let account = account(of: peer) else { return }
    budgets.charge(byteCount(), of: .loggedBytes, to: account, now: now)
  }

  /// How many bytes of the peer's changes may wait in the document; nil for one without an account.
  public func bringer(_ peer: PeerHandle, in document: DocumentID) -> CausalGate.Bringer? {
    guard let account = account(of: peer), let capacity = budgets.capacity(for: .heldBytes, by: account, in: document)
    else {
      return nil
    }
    return CausalGate.Bringer(name: account, byteCountMax: capacity)
  }

  /// Notes what waits in the document, after something of the peer's was to wait.
  ///
  /// - Parameters:
  ///   - level: how many bytes of an account wait there.
  ///   - unheldCount: the number of changes that found no capacity.
  public mutating func noteHeld(
    of peer: PeerHandle, level: (_ account: String) -> Int, unheldCount: Int, in document: DocumentID,
    _ effects: inout [Effect]
  ) {
    guard let account = account(of: peer) else { return }
    budgets.hold(level(account), of: .heldBytes, by: account, in: document)
    guard unheldCount > 0, let limit = budgets.limit(of: .heldBytes) else { return }
    let isOfProcess = budgets.level(of: .heldBytes, by: account) < limit.perKey / 2
    refuse(peer, .heldBytes, isOfProcess: isOfProcess, in: document, &effects)
  }

  /// Once a heartbeat: what waited may have merged, and what was said may have been forgotten.
  ///
  /// - Parameter level: how much an account uses now in a document.
  public mutating func reviewBudgets(_ level: (Budgets.Resource, _ account: String, DocumentID) -> Int) {
    for resource in [Budgets.Resource.heldBytes, .presenceBytes] {
      for account in budgets.holders(of: resource) {
        for document in budgets.documents(using: resource, by: account) {
          budgets.hold(level(resource, account, document), of: resource, by: account, in: document)
        }
      }
    }
  }

  // MARK: Documents and leases

  /// Whether one more document may be open for the peer, which is then charged for it.
  mutating func mayHold(_ document: DocumentID, for peer: PeerHandle, _ effects: inout [Effect]) -> Bool {
    guard let account = account(of: peer) else { return true }
    guard isGranted(budgets.mayHold(1, of: .documents, by: account), to: peer, in: document, &effects) else {
      return false
    }
    budgets.hold(1, of: .documents, by: account, in: document)
    return true
  }

  /// Whether the holder may be granted a lease of a new id.
  public mutating func mayLease(to peer: PeerHandle, in document: DocumentID, _ effects: inout [Effect]) -> Bool {
    guard let account = account(of: peer) else { return true }
    return isGranted(budgets.mayHold(1, of: .leases, by: account), to: peer, in: document, &effects)
  }

  // MARK: Presence

  /// How many bytes of presence the peer's account may have in the document; nil where it has none.
  public func presenceCapacity(of peer: PeerHandle, in document: DocumentID) -> (account: String, byteCount: Int)? {
    guard let account = account(of: peer),
      let capacity = budgets.capacity(for: .presenceBytes, by: account, in: document)
    else { return nil }
    return (account, capacity)
  }

  /// Notes how much presence of an account stands in the document.
  public mutating func notePresence(
    _ level: Int, of peer: PeerHandle, by account: String, hasRefused: Bool, in document: DocumentID,
    _ effects: inout [Effect]
  ) {
    budgets.hold(level, of: .presenceBytes, by: account, in: document)
    if hasRefused { refuse(peer, .presenceBytes, in: document, &effects) }
  }

  // MARK: Replica ids

  /// Whether the peer may begin to write under so many more replica ids, which it is then charged for.
  mutating func mayBegin(
    _ count: Int, _ peer: PeerHandle, in document: DocumentID, now: Duration, _ effects: inout [Effect]
  ) -> Bool {
    guard let account = account(of: peer) else { return true }
    return isGranted(budgets.spend(count, of: .replicaIDs, by: account, now: now), to: peer, in: document, &effects)
  }
}
