package import StarlingCore

/// What the log has of one document, and what it is still to be told of it. `LogPipeline` decides by it.
///
/// ```
///   records:  ... durable │ under way │ pending ...
///                         └──── unlogged ────────┘
///     └ retained ┘   while an answer reads the log, which may have read it before they were in it
/// ```
package struct DocumentLog: Sendable {
  let id: DocumentID

  /// Records whose append has not returned, oldest first.
  package internal(set) var unlogged: [LogRecord] = []
  package internal(set) var retained: [LogRecord] = []
  var readerCount = 0
  /// The weight of those that were kept when others were dropped, and still wait.
  private(set) var keptByteCount = 0
  /// What the log has accepted.
  package internal(set) var durable: VersionVector
  package internal(set) var compaction: Compaction

  /// The members, as they are to be stored.
  var members: [LogMember]?
  /// Which ids are leased, as it is to be stored.
  var leases: LeaseRecord?
  /// Our own changes that are to be written again, and what the log is still to be told of that.
  package internal(set) var refused = RefusedChanges()
  package internal(set) var retraction: Retraction?

  /// Whether the log is to be told more of it than records.
  var isListedWithWork = false

  init(_ id: DocumentID, durable: VersionVector, compaction: Compaction) {
    self.id = id
    self.durable = durable
    self.compaction = compaction
  }

  /// Whether something beside records waits for the log.
  var hasWork: Bool {
    compaction.mustCompact || compaction.isAged || members != nil || leases != nil || !refused.isEmpty
      || retraction != nil
  }

  /// Whether it could be closed, as far as the log is concerned.
  var isIdle: Bool { unlogged.isEmpty && readerCount == 0 && !isListedWithWork && !hasWork && compaction.isIdle }

  /// Whether records wait for something else. Where a state must be compacted first they may stand on what only that
  /// holds. Under which ids this store writes is among the members, and stored before the first record of one of them.
  var isBlocked: Bool { compaction.mustCompact || members != nil || retraction != nil }

  /// Whether the refused changes may be written again: the log holds all that is merged here, but for records.
  var mayGiveUpRefused: Bool {
    retraction == nil && !refused.isEmpty && !compaction.mustCompact && members == nil
  }

  /// - Returns: whether that is further than before.
  mutating func advance(to version: VersionVector) -> Bool {
    guard !durable.covers(version) else { return false }
    durable.merge(version)
    return true
  }

  /// The log has got the oldest records.
  mutating func logged(_ count: Int, byteCount: Int) {
    unlogged.removeFirst(count)
    noteLogged(byteCount: byteCount)
  }

  /// The log has got these records in the place of others, or with a state.
  mutating func logged(byteCount: Int, where isLogged: (LogRecord) -> Bool) {
    unlogged.removeAll(where: isLogged)
    noteLogged(byteCount: byteCount)
  }

  private mutating func noteLogged(byteCount: Int) { keptByteCount = max(0, keptByteCount - byteCount) }

  /// The log does not get the records, but for those that are kept.
  ///
  /// - Returns: how many it does not get, and their weight.
  mutating func dropRecords(but isKept: (LogRecord) -> Bool = { _ in false }) -> (count: Int, byteCount: Int) {
    let (count, byteCount) = (unlogged.count, unlogged.byteCount)
    unlogged.removeAll { !isKept($0) }
    retained.removeAll { !isKept($0) }
    keptByteCount = unlogged.byteCount
    return (count - unlogged.count, byteCount - keptByteCount)
  }
}
