package import StarlingCore
package import StarlingWire

// Documents that are opened, and those that peers speak of and that are not open.
extension Replication {
  /// What the log remembers of a document.
  package struct Remembered: Sendable {
    package var compaction = Compaction()
    package var members: [LogMember] = []
    package var leases: [LogLease] = []

    package init() {}
  }

  /// The document is here from now on: joins its topic, and follows the peers that are here.
  package mutating func host(_ document: DocumentID, at version: VersionVector, _ remembered: Remembered)
    -> DocumentNumber
  {
    let wasOpen = closed.remove(document)
    let own = ownWrites(remembered.members)
    let number = documents.insert(
      DocumentState(
        id: document, version: version, replica: replica, stream: newStream(),
        members: members(remembered.members, beside: version), own: own,
        recipients: recipients(remembered.members, of: own.writers),
        // What the last run left, if this one may go on under that run's replica id; or what this one did.
        leases: LeaseTable(remembered.leases, continues: identity.continues || wasOpen)))
    noteLeases(of: number)
    pipeline.open(document, at: version, remembered.compaction)
    effects.append(.keepSpare(number))
    documents.activate(number)
    reviewBehind(of: number)
    effects.append(.reviewCheckpoint(number))
    for (peer, relation) in endpoints.connections { subscribe(to: number, at: peer, in: relation) }
    documents[number].sharers = peers.stores(speakingOf: document)
    if counters.documentsClosed > 0 { beginSideAgain(of: number) }
    for peer in peers.talking { begin(with: peer, in: number) }
    seekLease(of: number)
    return number
  }

  // MARK: Opening

  /// How whoever asks comes by a document.
  package enum Opening: Sendable {
    case isOpen(DocumentNumber)
    /// Somebody else has asked before.
    case isUnderWay
    /// It is to be recovered from the log (`recovered`, `failedToOpen`).
    case begins
  }

  /// Somebody asks for a document.
  ///
  /// - Throws: why it cannot be opened.
  package mutating func open(_ document: DocumentID) throws -> Opening {
    try checkStands(document)
    if let number = documents.number(of: document) { return .isOpen(number) }
    if let damage = damaged[document] { throw damage }
    return opening.insert(document).inserted ? .begins : .isUnderWay
  }

  /// What the log holds of it is read.
  package mutating func recovered(_ document: DocumentID) throws {
    opening.remove(document)
    try checkStands(document)
  }

  /// What the log holds of it cannot be read. Then it is not served, and nothing of it is changed: written to, it could
  /// use dots a second time that are in what cannot be read (Documentation/Operating.md, "When the disk fails").
  package mutating func failedToOpen(_ document: DocumentID, _ error: any Error) {
    opening.remove(document)
    guard let error = error as? LogError, error.code == .corrupt, damaged[document] == nil else { return }
    damaged[document] = error
    report(.quarantined(document, error))
  }

  /// Why nothing at all can be served of what the log holds.
  package var damageOfAll: LogError? {
    documents.count > 0 ? nil : damaged.min { $0.key.name < $1.key.name }?.value
  }

  private func checkStands(_ document: DocumentID) throws {
    try checkShard(document)
    guard pipeline.forgotten.contains(document) else { return }
    throw ForgetError(
      .forgotten, "'\(document)' was forgotten in this group, for good. Choose another name for a new document.")
  }

  // MARK: For peers

  /// A relay opens what its peers talk about, and then does what they asked for. Each document costs memory, also one
  /// in which nobody has written.
  mutating func openDocument(_ document: DocumentID, for peer: PeerHandle, heeding message: Message?) {
    guard policy.isRelay, !pipeline.forgotten.contains(document) else { return }
    let isOpening = opening.contains(document)
    let library = Connections.Library(
      count: documents.count + opening.count, countMax: policy.documentCountMax,
      isOpen: documents.number(of: document) != nil || isOpening, isStored: closed.contains(document),
      isDamaged: damaged[document] != nil)
    guard ask({ $0.mayOpen(document, for: peer, in: library, &$1) }) else { return }
    effects.append(.openDocument(document, for: peer, heeding: message))
  }

  /// It is open, for a peer that may have gone since.
  package mutating func opened(for peer: PeerHandle, heeding message: Message?) {
    if let message, peers[peer]?.hello != nil { heed(message, from: peer) }
  }

  /// It could not be opened.
  ///
  /// - Parameter account: that of the peer when it was asked for.
  package mutating func failedToOpen(
    _ document: DocumentID, for peer: PeerHandle, account: String?, _ error: LogError?
  ) {
    if let account, documents.number(of: document) == nil {
      connections.budgets.hold(0, of: .documents, by: account, in: document)
    }
    guard let error else { return }
    if damaged[document] != nil {
      carryOut(connections.refuseDamaged(document, for: peer))
    } else {
      report(.logFailed(error))
    }
  }

  package func account(of peer: PeerHandle) -> String? { connections.account(of: peer) }

  // MARK: Measures

  /// Counts again what each key uses: what waited may have merged, and what was said may have been forgotten.
  ///
  /// - Parameter level: how much an account uses now in a document.
  package mutating func reviewBudgets(_ level: (Budgets.Resource, _ account: String, DocumentNumber) -> Int) {
    let documents = documents
    connections.reviewBudgets { resource, account, document in
      documents.number(of: document).map { level(resource, account, $0) } ?? 0
    }
  }

  /// What whoever runs the replica knows of it: whether anything is said of the document, here or elsewhere.
  package mutating func notePresence(in number: DocumentNumber, isPresent: Bool) {
    documents[number].isPresent = isPresent
    if isPresent, documents[number].attention != .active { documents.activate(number) }
  }

  /// Whether anybody watches how far the document has come.
  package mutating func noteWatched(_ isWatched: Bool, _ number: DocumentNumber) {
    documents[number].isWatched = isWatched
    documents.activate(number)
  }

  /// Something was written or said in the document.
  package mutating func activate(_ number: DocumentNumber) { documents.activate(number) }

  /// How far the document has come.
  ///
  /// - Complexity: O(peers · length of their versions)
  package func progress(of number: DocumentNumber) -> DocumentProgress {
    documents[number].session.progress(at: documents[number].version)
  }
}
