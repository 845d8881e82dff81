package import StarlingCore

extension LogPipeline {
  /// What follows from the log's answers, in the order in which it is performed.
  package enum Effect: Sendable {
    /// So many bytes less of the document wait.
    case relieved(DocumentID, byteCount: Int)
    /// So many records were dropped, in whose place the document's state is stored.
    case dropped(DocumentID, recordCount: Int)
    /// More of the document is durable.
    case durable(DocumentID)
    /// Records of the document are in the log: a checkpoint may be due.
    case appended(DocumentID)
    /// The log has noted that the document is forgotten.
    case forgotten(DocumentID)
    /// What is leased is stored.
    case tell(LeaseRecord.Answer, DocumentID)
    /// The log has what was written again, or is given up.
    case writtenAgain(DocumentID, Retraction)
    /// The log refused; whether that is news, and whether it is not tried again.
    case failed(LogError, isNews: Bool, isLost: Bool)
    /// The log accepts writes again.
    case recovered(after: Duration)
  }

  /// Whether the log accepts nothing any more.
  package var isLost: Bool { retry.isStopped }

  /// Whether it accepts nothing now, and is tried again.
  package var isRetried: Bool { failure != nil && !isLost }

  /// Why nothing can be promised now.
  package var promiseError: LogError? {
    guard var error = failure, !isLost else { return failure }
    error.message += " It is tried again until it works; a flush with a time limit waits for that."
    return error
  }

  // MARK: Accepted

  /// The job under way is done.
  package mutating func done(now: Duration) -> [Effect] {
    guard let job else { preconditionFailure("Nothing is under way.") }
    self.job = nil
    switch job {
    // They say nothing of the log.
    case .keepWriters, .giveUpRefused: return []
    case .probe: return worked(now)
    default: break
    }
    commitCount += 1
    return worked(now) + effects(of: job)
  }

  private mutating func effects(of job: Job) -> [Effect] {
    switch job {
    case .keepWriters, .giveUpRefused, .probe, .rememberGenerations, .rememberMembers: return []
    case .append(let group): return accepted(group)
    case .forget(let document):
      forgotten.stored()
      return [.forgotten(document)]
    case .compact(let document, let state, let own, let states):
      guard case .writtenDown(let snapshot) = state else {
        preconditionFailure("A state of '\(document)' is stored that was not written down.")
      }
      guard let place = place(of: document) else { return [] }
      logs[place].compaction.compacted(into: snapshot, states: states)
      return accepted(own, with: snapshot, at: place)
    case .compactAged(let document, let state):
      if let place = place(of: document) { logs[place].compaction.compacted(intoAged: state) }
      return []
    case .retract(let document, let retraction): return retracted(document, retraction)
    case .rememberLeases(let document, let record): return record.answers.map { .tell($0, document) }
    }
  }

  private mutating func accepted(_ group: Group) -> [Effect] {
    var effects: [Effect] = []
    var records = group.records[...]
    while let document = records.first?.document {
      let run = records.prefix { $0.document == document }
      records = records.dropFirst(run.count)
      guard let place = place(of: document) else { continue }
      let byteCount = run.reduce(0) { $0 + $1.bytes.count }
      logs[place].logged(run.count, byteCount: byteCount)
      logs[place].compaction.accepted(byteCount: byteCount)
      if logs[place].readerCount > 0 { logs[place].retained.append(contentsOf: run) }
      if logs[place].compaction.isDue(policy.compaction) { noteWork(document) }
      effects.append(.relieved(document, byteCount: byteCount))
    }
    for (document, version) in group.versions.sorted(by: { $0.key.name < $1.key.name }) {
      guard let place = place(of: document) else { continue }
      if logs[place].advance(to: version) { effects.append(.durable(document)) }
      effects.append(.appended(document))
    }
    return effects
  }

  /// Records that were appended with a state need not be appended any more.
  private mutating func accepted(_ own: [LogRecord], with snapshot: StoredSnapshot, at place: Int) -> [Effect] {
    let document = logs[place].id
    var isFurther = logs[place].advance(to: snapshot.version)
    var effects: [Effect] = []
    if !own.isEmpty {
      let last = Dictionary(own.map { ($0.replica, $0.lastCounter) }, uniquingKeysWith: max)
      let isStored = { (record: LogRecord) in last[record.replica].map { record.lastCounter <= $0 } ?? false }
      pending.records.removeAll { $0.document == document && isStored($0) }
      logs[place].logged(byteCount: own.byteCount, where: isStored)
      if logs[place].readerCount > 0 { logs[place].retained.append(contentsOf: own) }
      logs[place].compaction.accepted(byteCount: own.byteCount)
      effects.append(.relieved(document, byteCount: own.byteCount))
      // Nothing else waits that would tell of it.
      if logs[place].unlogged.isEmpty, let version = pending.versions.removeValue(forKey: document) {
        isFurther = logs[place].advance(to: version) || isFurther
      }
    }
    return effects + (isFurther ? [.durable(document)] : [])
  }

  private mutating func retracted(_ document: DocumentID, _ retraction: Retraction) -> [Effect] {
    guard let place = place(of: document), takeRetraction(at: place) != nil else { return [] }
    let byteCount = retraction.records.byteCount
    logs[place].logged(retraction.records.count, byteCount: byteCount)
    logs[place].compaction.retracted(byteCount: byteCount)
    let isFurther = logs[place].advance(to: retraction.version)
    return [.relieved(document, byteCount: byteCount), .writtenAgain(document, retraction)]
      + (isFurther ? [.durable(document)] : [])
  }

  private mutating func worked(_ now: Duration) -> [Effect] {
    guard failure != nil, let outage = retry.worked(now: now) else { return [] }
    failure = nil
    return [.recovered(after: outage)]
  }

  // MARK: Refused

  /// The log refused the job under way, or to be opened for writing. What was to be stored waits again; unless it would
  /// only have saved space, nothing is tried before a pause.
  ///
  /// - Parameter own: as for `boundBacklog`.
  package mutating func failed(
    _ error: LogError, now: Duration, keeping own: OwnCounters = { _ in [:] }
  ) -> [Effect] {
    let job = job
    self.job = nil
    if let job, putBack(job, error) { return [] }
    defer { rest() }
    let isNews = failure == nil
    failure = error
    switch retry.failed(mayPass: error.isTransient && policy.isRetried, now: now) {
    case .again: return boundBacklogs(keeping: own) + [.failed(error, isNews: isNews, isLost: false)]
    case .stopped: return giveUpLog(error)
    }
  }

  /// - Returns: whether the log need not have failed.
  private mutating func putBack(_ job: Job, _ error: LogError) -> Bool {
    switch job {
    case .keepWriters, .giveUpRefused, .retract, .probe: break
    case .append(let group): putBack(group)
    case .forget: forgotten.putBack()
    case .rememberGenerations: mustStoreGenerations = true
    case .compact(let document, .writtenDown(let snapshot), _, _):
      guard error.isTransient, let place = place(of: document), !logs[place].compaction.mustCompact else { break }
      // It only saves space. What waits to be appended needs less of it, and shows whether the log has failed.
      logs[place].compaction.compactionRefused(stateByteCount: snapshot.bytes.count)
      return failure == nil
    case .compact: break
    case .compactAged(let document, let state):
      if let place = place(of: document) { logs[place].compaction.putBack(aged: state) }
    case .rememberMembers(let document, let members):
      if let place = place(of: document) { logs[place].members = logs[place].members ?? members }
    case .rememberLeases(let document, let record):
      guard let place = place(of: document) else { break }
      logs[place].leases = LeaseRecord(
        entries: logs[place].leases?.entries ?? record.entries,
        answers: record.answers + (logs[place].leases?.answers ?? []))
    }
    return false
  }

  /// What the log refused is first when it is tried again.
  private mutating func putBack(_ group: Group) {
    pending.records = group.records.filter { place(of: $0.document) != nil } + pending.records
    pending.versions.merge(group.versions.filter { place(of: $0.key) != nil }) { later, _ in later }
  }

  /// The replica closes: the next attempt is due at once, for there is no later one.
  package mutating func hasten() { retry.hasten() }

  /// Whether what is left is to be handed to the log once more as the replica closes: it works, and has accepted more
  /// than `commitCount`. What a transaction holds up that nobody ends is left behind.
  package func mayTakeMore(than commitCount: Int) -> Bool {
    failure == nil && !pending.records.isEmpty && self.commitCount != commitCount
  }

  private mutating func giveUpLog(_ error: LogError) -> [Effect] {
    pending = Group()
    var effects: [Effect] = []
    var writtenAgain: [Effect] = []
    for place in logs.indices.sorted(by: { logs[$0].id.name < logs[$1].id.name }) {
      effects.append(.relieved(logs[place].id, byteCount: logs[place].dropRecords().byteCount))
      if let retraction = takeRetraction(at: place) { writtenAgain.append(.writtenAgain(logs[place].id, retraction)) }
    }
    return [.failed(error, isNews: true, isLost: true)] + effects + writtenAgain
  }

  // MARK: Backlogs

  /// All documents together may hold this many times the bound of one.
  private static let backlogsMax = 4

  /// For each id under which this store writes a document, up to which counter another store has what it wrote.
  package typealias OwnCounters = (DocumentID) -> [ReplicaID: UInt64]

  /// While the log fails, the records of one document are kept up to twice the backlog's bound: past the bound peers
  /// are put off and writers who ask wait, and only those who do not ask get further. Then its records are dropped, and
  /// its state is stored instead: nothing is lost but the single changes.
  ///
  /// - Parameters:
  ///   - byteCount: what of the document waits for the log, or to be published.
  ///   - own: what is kept past the bound. Only these records bring it to a peer that takes no states from here.
  package mutating func boundBacklog(
    of document: DocumentID, byteCount: Int, keeping own: OwnCounters = { _ in [:] }
  ) -> [Effect] {
    // Records of a group under way are counted off when its append returns.
    guard failure != nil, !isRunning, let place = place(of: document),
      (byteCount - logs[place].keptByteCount) / 2 >= policy.backlogByteCountMax
    else { return [] }
    return dropRecords(of: [document], keeping: own)
  }

  /// The same for all documents together, after each attempt.
  private mutating func boundBacklogs(keeping own: OwnCounters) -> [Effect] {
    let waiting = logs.lazy.filter { !$0.unlogged.isEmpty }
      .map { (id: $0.id, byteCount: $0.unlogged.byteCount - $0.keptByteCount) }
      .sorted { $0.byteCount == $1.byteCount ? $0.id.name < $1.id.name : $0.byteCount > $1.byteCount }
    let (total, isMore) = policy.backlogByteCountMax.multipliedReportingOverflow(by: Self.backlogsMax)
    var excess = waiting.reduce(0) { $0 + $1.byteCount } - (isMore ? .max : total)
    var dropped: [DocumentID] = []
    for (id, byteCount) in waiting {
      guard excess > 0 || byteCount / 2 >= policy.backlogByteCountMax else { break }
      dropped.append(id)
      excess -= byteCount
    }
    return dropRecords(of: dropped, keeping: own)
  }

  private mutating func dropRecords(of documents: [DocumentID], keeping own: OwnCounters) -> [Effect] {
    var effects: [Effect] = []
    // Those that take the place of what is taken back go into the log with that.
    let places = documents.compactMap(place).filter { logs[$0].retraction == nil }
    guard !places.isEmpty else { return [] }
    let counters = Dictionary(uniqueKeysWithValues: places.map { (logs[$0].id, own(logs[$0].id)) })
    let isKept = { (record: LogRecord) in
      guard let own = counters[record.document] else { return true }
      return own[record.replica].map { $0 < record.lastCounter } ?? false
    }
    pending.records.removeAll { !isKept($0) }
    for place in places {
      let id = logs[place].id
      let (recordCount, byteCount) = logs[place].dropRecords(but: isKept)
      guard recordCount > 0 else { continue }
      effects.append(.dropped(id, recordCount: recordCount))
      effects.append(.relieved(id, byteCount: byteCount))
      // As of a state that came: durable once it is compacted, and nothing is appended before.
      logs[place].compaction.merged(adopting: nil)
      noteWork(id)
    }
    return effects
  }

  // MARK: Compaction

  /// Begins, for each document, to make a state of what is older than the log is to keep.
  ///
  /// - Returns: the documents that get one.
  package mutating func beginAging() -> [DocumentID] {
    guard failure == nil else { return [] }
    let places = logs.indices.filter { logs[$0].compaction.beginAging() }
    return places.map { logs[$0].id }.sorted { $0.name < $1.name }
  }

  /// - Parameter state: nil where there is none.
  package mutating func aged(_ document: DocumentID, _ state: StoredSnapshot?) {
    guard let place = place(of: document) else { return }
    logs[place].compaction.aged(state)
    noteWork(document)
  }

  /// What is to be done now for a checkpoint of the document.
  ///
  /// - Parameters:
  ///   - isLast: whether the replica closes.
  ///   - cut: nil while a transaction is open.
  package mutating func checkpointStep(
    of document: DocumentID, isLast: Bool = false, _ cut: () -> DocumentCut?
  ) -> Compaction.CheckpointStep? {
    guard failure == nil, let place = place(of: document), !isLast || pending.records.isEmpty else { return nil }
    return logs[place].compaction.checkpointStep(
      policy.compaction, durable: logs[place].durable, isHeld: logs[place].retraction != nil, isLast: isLast, cut)
  }

  package mutating func checkpointWritten(_ state: StoredSnapshot, of document: DocumentID) {
    if let place = place(of: document) { logs[place].compaction.checkpointWritten(state) }
  }

  package mutating func checkpointEnded(of document: DocumentID, isStored: Bool) {
    if let place = place(of: document) { logs[place].compaction.checkpoints.ended(isStored: isStored) }
  }
}
