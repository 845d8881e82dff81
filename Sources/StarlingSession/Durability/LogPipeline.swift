package import StarlingCore
package import StarlingWire

/// What waits for a replica's log, what the log is told next, and what follows from its answers. Performs nothing.
///
/// ```
///   enqueue, noteWork ──► waiting ── next ──► under way ── done ────► durable: effects
///                            ▲                    │
///                            └──── put back ──────┴─── failed ─► tried again after a pause, or given up
/// ```
///
/// The log is told one thing at a time. Groups of records and the rest take turns: without pause between the groups
/// nothing else would ever have its turn, and peers may have thousands of documents opened, and the log is told
/// something of each.
package struct LogPipeline: Sendable {
  package struct Policy: Sendable {
    package var compaction: Compaction.Policy
    /// Bytes of changes of one document that may wait for the log.
    package var backlogByteCountMax: Int
    /// The pause before the log is tried again: the first one and the longest.
    package var retryPauses: ClosedRange<Duration>
    /// Whether a log that refused a write is tried again where that may help.
    package var isRetried: Bool
    /// How long records wait for more, after others were appended, where nobody waits for them.
    package var pause: Duration

    package init(
      compaction: Compaction.Policy = Compaction.Policy(), backlogByteCountMax: Int = .max,
      retryPauses: ClosedRange<Duration> = .milliseconds(100) ... .seconds(5), isRetried: Bool = true,
      pause: Duration = .zero
    ) {
      self.compaction = compaction
      self.backlogByteCountMax = backlogByteCountMax
      self.retryPauses = retryPauses
      self.isRetried = isRetried
      self.pause = pause
    }
  }

  /// Records of one group commit.
  package struct Group: Sendable {
    package internal(set) var records: [LogRecord] = []
    /// For each document, the version that stands once the records are appended.
    var versions: [DocumentID: VersionVector] = [:]
  }

  package var policy: Policy

  /// In no order; `places` tells where each is.
  var logs: [DocumentLog] = []
  private var places: [DocumentID: Int] = [:]
  /// Documents that have more for the log than records, in the order in which that came up.
  var documentsWithWork: [DocumentID] = []
  var pending = Group()

  /// Documents that are forgotten for good.
  package var forgotten = ForgottenDocuments()
  /// The owners of replica ids that the disk must hold before the log goes on.
  var writers: [WriterBinding] = []
  /// Whether the log is to be told how often this store and others were started.
  package var mustStoreGenerations = false

  /// Whether somebody takes one job after the other, and which is under way.
  var isRunning = false
  var job: Job?
  var isTurnOfGroup = false
  /// Until when records wait for more.
  var pausesUntil = Duration.zero
  /// What the log has accepted so far.
  package internal(set) var commitCount = 0

  /// Why the log accepts nothing now, and when it is tried again.
  package internal(set) var failure: LogError?
  var retry: LogRetry

  package init(_ policy: Policy = Policy()) {
    self.policy = policy
    retry = LogRetry(pauses: policy.retryPauses)
  }

  // MARK: Documents

  /// A document that stands at `version`; the log has all of that.
  package mutating func open(_ document: DocumentID, at version: VersionVector, _ compaction: Compaction = Compaction())
  {
    precondition(places[document] == nil, "'\(document)' is opened twice.")
    places[document] = logs.count
    logs.append(DocumentLog(document, durable: version, compaction: compaction))
    if compaction.isDue(policy.compaction) { noteWork(document) }
  }

  /// Nothing that waits of the document is stored, but its name among those that are forgotten.
  ///
  /// - Returns: false for one that is known, and where there is no capacity for more.
  package mutating func forget(_ document: DocumentID) -> Bool {
    guard forgotten.insert(document) else { return false }
    pending.records.removeAll { $0.document == document }
    drop(document)
    return true
  }

  /// A document that is idle is open no more.
  package mutating func close(_ document: DocumentID) { drop(document) }

  private mutating func drop(_ document: DocumentID) {
    pending.versions[document] = nil
    documentsWithWork.removeAll { $0 == document }
    guard let place = places.removeValue(forKey: document) else { return }
    logs.swapAt(place, logs.count - 1)
    logs.removeLast()
    if place < logs.count { places[logs[place].id] = place }
  }

  /// Whether the log has everything of the document up to `version`, and nothing is read or stored of it.
  package func isIdle(_ document: DocumentID, at version: VersionVector) -> Bool {
    guard failure == nil, let place = places[document], job?.document != document else { return false }
    return logs[place].isIdle && logs[place].durable == version
  }

  func place(of document: DocumentID) -> Int? { places[document] }

  /// What is known of a document; of one that is not open, or is forgotten, nothing.
  package subscript(document: DocumentID) -> DocumentLog {
    places[document].map { logs[$0] } ?? DocumentLog(document, durable: VersionVector(), compaction: Compaction())
  }

  /// What the log has accepted of a document; asked of many, so nothing else of it is copied.
  package func durable(of document: DocumentID) -> VersionVector {
    places[document].map { logs[$0].durable } ?? VersionVector()
  }

  // MARK: Records

  package var pendingRecordCount: Int { pending.records.count }

  /// Whether the log has everything that was written and merged, as far as it was enqueued.
  package var isWhole: Bool {
    failure == nil && pending.records.isEmpty && !logs.contains(where: \.compaction.mustCompact)
  }

  /// Records that are to be appended.
  ///
  /// - Returns: how many bytes more of the document wait; nil where nothing of it is kept any more.
  package mutating func enqueue(_ records: [LogRecord], in document: DocumentID) -> Int? {
    guard !isLost, let place = places[document] else { return nil }
    pending.records.append(contentsOf: records)
    logs[place].unlogged.append(contentsOf: records)
    return records.byteCount
  }

  /// Which version stands once all that waits of the document is appended.
  package mutating func note(_ version: VersionVector, of document: DocumentID) { pending.versions[document] = version }

  /// As noted since the last group was taken.
  package func standing(of document: DocumentID) -> VersionVector? { pending.versions[document] }

  // MARK: Answers

  /// An answer begins to read the log: it may not see what the log accepts after that.
  package mutating func beginReading(_ document: DocumentID) {
    guard let place = places[document] else { return }
    logs[place].readerCount += 1
  }

  /// Records that an answer may not have seen in the log. What takes the place of refused changes is told to nobody
  /// before the log has it.
  package func recordsInMemory(of document: DocumentID) -> [LogRecord] {
    isRetracting(document) ? [] : self[document].retained + self[document].unlogged
  }

  package mutating func endReading(_ document: DocumentID) {
    guard let place = places[document] else { return }
    logs[place].readerCount -= 1
    if logs[place].readerCount == 0 { logs[place].retained = [] }
  }

  // MARK: More than records

  mutating func noteWork(_ document: DocumentID) {
    guard let place = places[document], !logs[place].isListedWithWork else { return }
    logs[place].isListedWithWork = true
    documentsWithWork.append(document)
  }

  /// A state was merged, which no record holds.
  ///
  /// - Parameters:
  ///   - snapshot: its bytes, where it is what stands now.
  ///   - version: the state's; nil where others that hold that may lack what came.
  package mutating func mergedState(
    in document: DocumentID, adopting snapshot: StoredSnapshot? = nil, of version: VersionVector? = nil
  ) {
    guard let place = places[document] else { return }
    logs[place].compaction.merged(adopting: failure == nil ? snapshot : nil, of: version)
    noteWork(document)
  }

  package mutating func remember(_ members: [LogMember], of document: DocumentID) {
    guard let place = places[document] else { return }
    logs[place].members = members
    noteWork(document)
  }

  /// What is leased is to be stored, and an answer sent once it is.
  ///
  /// - Parameters:
  ///   - entries: nil where nothing of them is new.
  ///   - all: as they stand.
  /// - Returns: an answer that waits for nothing.
  package mutating func remember(
    _ entries: [LogLease]?, of document: DocumentID, saying answer: LeaseRecord.Answer?,
    all: @autoclosure () -> [LogLease]
  ) -> LeaseRecord.Answer? {
    guard let place = places[document] else { return answer }
    if let entries {
      logs[place].leases = LeaseRecord(entries: entries, answers: logs[place].leases?.answers ?? [])
    } else if let answer, logs[place].leases == nil {
      guard isStoringLeases(of: document) else { return answer }
      logs[place].leases = LeaseRecord(entries: all())
    }
    if let answer { logs[place].leases?.answers.append(answer) }
    if logs[place].leases != nil { noteWork(document) }
    return nil
  }

  private func isStoringLeases(of document: DocumentID) -> Bool {
    if case .rememberLeases(document, _)? = job { true } else { false }
  }

  package mutating func keep(_ writer: WriterBinding) { writers.append(writer) }

  package mutating func takeWriters() -> [WriterBinding] {
    defer { writers = [] }
    return writers
  }

  // MARK: Changes that are written again

  /// The group refuses our changes of `replica` beyond `counter`, and nobody else has them.
  ///
  /// - Parameter own: the ids under which this store ever wrote the document.
  package mutating func refused(
    _ replica: ReplicaID, beyond counter: UInt64, own: Set<ReplicaID>, in document: DocumentID
  ) {
    guard let place = places[document] else { return }
    logs[place].refused.counters[replica] = max(counter, logs[place].refused.counters[replica] ?? 0)
    logs[place].refused.own = own
    noteWork(document)
  }

  /// Somebody else has them after all.
  package mutating func keepRefused(of replica: ReplicaID, in document: DocumentID) {
    if let place = places[document] { logs[place].refused.counters[replica] = nil }
  }

  /// They cannot be written again.
  package mutating func leaveRefused(in document: DocumentID) -> RefusedChanges {
    guard let place = places[document] else { return RefusedChanges() }
    defer { logs[place].refused = RefusedChanges() }
    return logs[place].refused
  }

  /// Whether nothing of the document is told to anybody before the log has taken changes back.
  package func isRetracting(_ document: DocumentID) -> Bool {
    guard retractionCount > 0, let place = places[document] else { return false }
    return logs[place].retraction != nil
  }

  /// How many such documents there are; few replicas ever have one.
  private(set) var retractionCount = 0

  /// They were given up here, and what they did is written again; nobody is told before the log has it.
  ///
  /// - Parameter own: the change that was written, for the log.
  /// - Returns: how many bytes more of the document wait.
  package mutating func giveUp(_ retraction: Retraction, in document: DocumentID, appending own: [LogRecord]) -> Int {
    guard let place = places[document] else { return 0 }
    precondition(logs[place].retraction == nil, "Changes of '\(document)' are given up twice.")
    let byteCount = logs[place].unlogged.byteCount
    var retraction = retraction
    retraction.records = logs[place].unlogged.filter(retraction.leaves) + own
    logs[place].unlogged = retraction.records
    logs[place].retained.removeAll { !retraction.leaves($0) }
    pending.records.removeAll { $0.document == document }
    pending.versions[document] = nil
    logs[place].durable = logs[place].durable.limited(to: retraction.counters)
    logs[place].compaction.gaveUp()
    logs[place].refused = RefusedChanges()
    logs[place].retraction = retraction
    retractionCount += 1
    noteWork(document)
    return retraction.records.byteCount - byteCount
  }

  mutating func takeRetraction(at place: Int) -> Retraction? {
    guard let retraction = logs[place].retraction else { return nil }
    logs[place].retraction = nil
    retractionCount -= 1
    return retraction
  }
}
