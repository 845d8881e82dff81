package import StarlingCore
package import StarlingWire

extension LogPipeline {
  /// What the log is told next.
  package enum Job: Sendable {
    /// Stores the owners of these ids, before anything that was written under them.
    case keepWriters([WriterBinding])
    case append(Group)
    case forget(DocumentID)
    case rememberGenerations
    /// - Parameters:
    ///   - own: own changes that the state holds and the log does not, which are appended in the same step.
    ///   - states: how many states were merged when it was taken.
    case compact(DocumentID, Compaction.CompactedState, own: [LogRecord], states: Int)
    /// Into a state of the past, where so many days are kept.
    case compactAged(DocumentID, StoredSnapshot)
    case rememberMembers(DocumentID, [LogMember])
    /// Changes that the group refuses are given up here, and written again: nothing is appended until then.
    case giveUpRefused(DocumentID)
    case retract(DocumentID, Retraction)
    case rememberLeases(DocumentID, LeaseRecord)
    /// Nothing waits that would show whether the log works again.
    case probe

    /// The one document that it is about.
    var document: DocumentID? {
      switch self {
      case .keepWriters, .append, .rememberGenerations, .probe: nil
      case .forget(let document), .compact(let document, _, _, _), .compactAged(let document, _),
        .rememberMembers(let document, _), .giveUpRefused(let document), .retract(let document, _),
        .rememberLeases(let document, _):
        document
      }
    }
  }

  /// Whether a caller must begin to take jobs; it then takes them until `next` has none.
  ///
  /// A job costs as much for one record as for hundreds. So records that follow others closely wait for a moment, unless
  /// somebody waits for them, they are many, or the log is to be told something else.
  package mutating func begins(now: @autoclosure () -> Duration, isAwaited: Bool = true) -> Bool {
    guard !isRunning, failure == nil ? isWaiting : retry.isDue(now()) else { return false }
    if failure == nil, policy.pause > .zero {
      let now = now()
      if !isAwaited, now < pausesUntil, pending.records.count <= Self.pausedRecordCountMax, !hasMoreThanRecords {
        return false
      }
      pausesUntil = now + policy.pause
    }
    isRunning = true
    isTurnOfGroup = false
    return true
  }

  /// Whether the log is told something, or is to be told again after it failed.
  package var isBusy: Bool { isRunning || failure != nil || isWaiting }

  /// Whether records wait, and for nothing but more of them.
  package var pauses: Bool {
    policy.pause > .zero && !isRunning && failure == nil && !pending.records.isEmpty && !hasMoreThanRecords
  }

  private static let pausedRecordCountMax = 256

  private var isWaiting: Bool { !pending.records.isEmpty || hasMoreThanRecords }

  private var hasMoreThanRecords: Bool {
    !writers.isEmpty || forgotten.isToStore || mustStoreGenerations || documentsWithWork.contains { self[$0].hasWork }
  }

  /// The next job; nil once nothing waits, or the log has failed.
  ///
  /// - Parameters:
  ///   - version: what is merged in a document.
  ///   - isWriting: whether a transaction is open there.
  ///   - cut: its state; nil while one is.
  package mutating func next(
    version: (DocumentID) -> VersionVector, isWriting: (DocumentID) -> Bool, cut: (DocumentID) -> DocumentCut?
  ) -> Job? {
    precondition(job == nil, "The log is told one thing at a time.")
    guard isRunning else { return nil }
    job = take(version: version, isWriting: isWriting, cut: cut)
    if job == nil { rest() }
    checkInvariants()
    return job
  }

  /// A state that was taken as a cut is written down.
  package mutating func wroteDown(_ snapshot: StoredSnapshot) {
    guard case .compact(let document, .cut, let own, let states)? = job else { return }
    job = .compact(document, .writtenDown(snapshot), own: own, states: states)
  }

  /// The state that is to replace records holds changes of this store whose records wait. They are stored in the same
  /// step: only their records bring them to a peer that takes no states from this replica, and the process may end
  /// before the next step.
  ///
  /// - Parameter writers: the ids under which this store writes the document. What the cut holds of them was enqueued.
  /// - Returns: nil where it must be stored first which ids these are; the state is taken again afterwards.
  package mutating func bringOwn(_ writers: Set<ReplicaID>) -> Job? {
    guard case .compact(let document, .cut(let cut), _, let states)? = job, let place = place(of: document) else {
      return job
    }
    guard logs[place].members == nil else {
      job = nil
      return nil
    }
    let own = pending.records.filter {
      $0.document == document && writers.contains($0.replica) && $0.firstCounter <= cut.version[$0.replica]
    }
    job = .compact(document, .cut(cut), own: own, states: states)
    return job
  }

  /// Nobody takes jobs any more. Documents that the log is to be told nothing of now, nor to compact as soon
  /// as they can be, are not looked at.
  mutating func rest() {
    isRunning = false
    for place in documentsWithWork.compactMap(place) {
      logs[place].isListedWithWork = logs[place].hasWork || logs[place].compaction.isDue(policy.compaction)
    }
    documentsWithWork = documentsWithWork.filter { self[$0].isListedWithWork }
  }

  private mutating func take(
    version: (DocumentID) -> VersionVector, isWriting: (DocumentID) -> Bool, cut: (DocumentID) -> DocumentCut?
  ) -> Job? {
    if !writers.isEmpty { return .keepWriters(takeWriters()) }
    if isTurnOfGroup, let group = takeGroup() {
      isTurnOfGroup = false
      return .append(group)
    }
    isTurnOfGroup = true
    if let document = forgotten.takeToStore() { return .forget(document) }
    if mustStoreGenerations {
      mustStoreGenerations = false
      return .rememberGenerations
    }
    return takeCompaction(cut) ?? takeAged(version) ?? takeMembers() ?? takeRefused(isWriting) ?? takeLeases()
      ?? takeGroup().map { .append($0) } ?? (failure == nil ? nil : .probe)
  }

  /// Records of documents that are blocked stay.
  private mutating func takeGroup() -> Group? {
    var group = Group()
    swap(&group, &pending)
    let blocked = Set(documentsWithWork.filter { self[$0].isBlocked })
    if !blocked.isEmpty {
      pending.records = group.records.filter { blocked.contains($0.document) }
      pending.versions = group.versions.filter { blocked.contains($0.key) }
      group.records.removeAll { blocked.contains($0.document) }
      for document in blocked { group.versions[document] = nil }
    }
    return group.records.isEmpty ? nil : group
  }

  private mutating func takeCompaction(_ cut: (DocumentID) -> DocumentCut?) -> Job? {
    for document in documentsWithWork {
      guard let place = place(of: document), logs[place].compaction.isDue(policy.compaction),
        logs[place].retraction == nil, logs[place].members == nil,
        let state = logs[place].compaction.takeCompaction({ cut(document) })
      else { continue }
      return .compact(document, state, own: [], states: logs[place].compaction.statesMerged)
    }
    return nil
  }

  private mutating func takeAged(_ version: (DocumentID) -> VersionVector) -> Job? {
    for document in documentsWithWork {
      guard let place = place(of: document), logs[place].compaction.isAged else { continue }
      // One that was made before changes were taken back holds them.
      let version = logs[place].retraction == nil ? version(document) : VersionVector()
      if let state = logs[place].compaction.takeAged(version: version) { return .compactAged(document, state) }
    }
    return nil
  }

  /// First those of a document whose records wait for that.
  private mutating func takeMembers() -> Job? {
    let waiting = documentsWithWork.filter { self[$0].members != nil }
    guard let document = waiting.first(where: { !self[$0].unlogged.isEmpty }) ?? waiting.first,
      let place = place(of: document), let members = logs[place].members
    else { return nil }
    logs[place].members = nil
    return .rememberMembers(document, members)
  }

  private func takeRefused(_ isWriting: (DocumentID) -> Bool) -> Job? {
    for document in documentsWithWork {
      guard let place = place(of: document) else { continue }
      if let retraction = logs[place].retraction {
        if logs[place].members == nil { return .retract(document, retraction) }
      } else if logs[place].mayGiveUpRefused, !isWriting(document) {
        return .giveUpRefused(document)
      }
    }
    return nil
  }

  private mutating func takeLeases() -> Job? {
    for document in documentsWithWork {
      guard let place = place(of: document), let record = logs[place].leases else { continue }
      logs[place].leases = nil
      return .rememberLeases(document, record)
    }
    return nil
  }

  /// What the job under way is about, as far as it waits: nothing else of it may be counted twice, or lost.
  private func checkInvariants() {
    #if DEBUG
      assert(isRunning || job == nil, "\(String(describing: job)) is under way, and nobody takes jobs.")
      guard case .append(let group)? = job else { return }
      for document in Set(group.records.map(\.document)) {
        let count = (group.records + pending.records).count { $0.document == document }
        let waiting = self[document].unlogged.count
        assert(waiting == count, "\(waiting) records of '\(document)' wait, and \(count) are on their way.")
      }
    #endif
  }
}
