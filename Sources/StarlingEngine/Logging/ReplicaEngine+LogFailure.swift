import StarlingCore
import StarlingSession

// A log that refuses (Documentation/Operating.md, "When the disk fails").
//
// ```
//   append refused ──► logFailed ──► tried again: 0.1 s, 0.2 s, ... 5 s ──► accepted ──► logRecovered
//                         │  records are kept up to the backlog's bound; past it a document is stored as a state
//                         └─ cannot pass, or is not to be retried ──► the replica goes on in memory for good
// ```
extension ReplicaEngine {
  /// Whether the log accepts nothing any more.
  var isLogLost: Bool { logRetry.isStopped }

  /// The replica goes on in memory, says so, and acknowledges nothing until the log accepts writes again.
  func fail(_ error: LogError) {
    let isNews = logError == nil
    logError = error
    counters.logFailures += 1
    let mayPass = error.isTransient && configuration.onLogFailure == .retry
    switch logRetry.failed(mayPass: mayPass, now: clock.uptime()) {
    case .again:
      boundBacklogs()
      if isNews { report(.logFailed(error)) }
      perform(waiters.logFailed(isLost: false))
    case .stopped:
      report(.logFailed(error))
      giveUpLog(error)
    }
  }

  private func giveUpLog(_ error: LogError) {
    pending = PendingAppend()
    for hosted in documents.values {
      hosted.handle.addUnlogged(-hosted.unlogged.byteCount)
      hosted.unlogged = []
      hosted.retained = []
    }
    perform(waiters.logFailed(isLost: true))
    for hosted in documentsInOrder {
      roomMayHaveCome(in: hosted)
      if hosted.retraction != nil { publishWrittenAgain(hosted) }
    }
  }

  /// Why nothing can be promised now.
  func promiseError(_ error: LogError) -> LogError {
    guard !isLogLost else { return error }
    var error = error
    error.message += " It is tried again until it works; a flush with a time limit waits for that."
    return error
  }

  /// The log has accepted something.
  func noteLogWorks() {
    guard logError != nil, let outage = logRetry.worked(now: clock.uptime()) else { return }
    logError = nil
    // It could only be read when it was opened, and can be written now.
    if identity.refusal != nil {
      identity.refusal = nil
      identity.isDurable = true
    }
    counters.logRecoveries += 1
    report(.logRecovered(after: outage))
    // Peers that heard meanwhile that nothing is kept here learn that it is.
    for peer in peers.talking where peers[peer]?.isRefused == false { greet(peer, wantsReply: false) }
    for hosted in documentsInOrder {
      hosted.mustAcknowledge = true
      rouse(hosted)
      roomMayHaveCome(in: hosted)
    }
  }

  // MARK: What waits

  /// All documents together may hold this many times the bound of one.
  private static let backlogsMax = 4

  /// What the log refused is first when it is tried again.
  func putBack(_ group: PendingAppend) {
    pending.records = group.records + pending.records
    pending.versions.merge(group.versions) { later, _ in later }
  }

  /// While the log fails, the records of one document are kept up to twice the backlog's bound: past the bound peers are
  /// put off and writers who ask wait, and only those who do not ask get further. Then its records are dropped, and its
  /// state is stored instead: nothing is lost but the single changes.
  func boundBacklog(of hosted: HostedDocument) {
    // Records of a group under way are counted off when its append returns.
    guard logError != nil, logging == nil,
      hosted.handle.backlogByteCount / 2 >= configuration.backlogByteCountMax
    else { return }
    dropRecords(of: [hosted])
  }

  /// The same for all documents together, after each attempt.
  private func boundBacklogs() {
    let documents = documentsInOrder.filter { !$0.unlogged.isEmpty }
      .map { (hosted: $0, byteCount: $0.unlogged.byteCount) }.sorted { $0.byteCount > $1.byteCount }
    var excess = documents.reduce(0) { $0 + $1.byteCount } - Self.backlogsMax * configuration.backlogByteCountMax
    var dropped: [HostedDocument] = []
    for (hosted, byteCount) in documents {
      guard excess > 0 || byteCount / 2 >= configuration.backlogByteCountMax else { break }
      dropped.append(hosted)
      excess -= byteCount
    }
    dropRecords(of: dropped)
  }

  private func dropRecords(of dropped: [HostedDocument]) {
    // Those that take the place of what is taken back go into the log with that.
    let dropped = dropped.filter { $0.retraction == nil }
    guard !dropped.isEmpty else { return }
    let names = Set(dropped.map(\.id))
    pending.records.removeAll { names.contains($0.document) }
    for hosted in dropped {
      counters.recordsDropped += hosted.unlogged.count
      hosted.handle.addUnlogged(-hosted.unlogged.byteCount)
      hosted.unlogged = []
      hosted.retained = []
      // As of a state that came: durable once it is folded, and nothing is appended before.
      hosted.statesMerged += 1
      owe(hosted)
      roomMayHaveCome(in: hosted)
    }
  }

  /// Operations that the log has not accepted, of each document that has such.
  var unsaved: [DocumentID: UInt64] {
    var unsaved: [DocumentID: UInt64] = [:]
    for hosted in documentsInOrder {
      let version = hosted.handle.version
      guard !hosted.durable.covers(version) else { continue }
      unsaved[hosted.id] = version.entries.reduce(0) { $0 + ($1.counter - min($1.counter, hosted.durable[$1.replica])) }
    }
    return unsaved
  }
}
