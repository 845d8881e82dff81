import StarlingCore
import StarlingSession
import StarlingWire

/// Reads one document's past from a log: pages of changes, and states that are no more. It runs beside
/// the engine, which continues; a compaction under way shows in what it finds and is waited out.
struct LogReader: Sendable {
  let log: any ChangeLog
  let document: DocumentID
  /// The policy that compacts the log, to be named where it has compacted too much.
  let policy: EngineConfiguration.History
  /// Of what it writes down.
  let keptTextSpanCountMin: Int

  private static let pageByteCount = 1 << 18

  // MARK: Pages

  /// The changes that follow the cursor, at most `countMax` of them.
  @concurrent
  func page(
    _ order: HistoryOrder, from cursor: HistoryCursor?, atMost countMax: Int, isDetailed: Bool
  ) async throws -> HistoryPage {
    let extent = try await log.extent(of: document)
    var page = HistoryPage(changes: [], next: nil, beginning: extent.logStart)
    switch order {
    case .oldestFirst:
      var version = cursor?.version ?? VersionVector()
      version.merge(extent.logStart)
      let isWhole = try await readForwards(from: &version) { change, version in
        guard page.changes.count < countMax else { return false }
        version[change.replica] = change.lastCounter
        page.changes.append(ChangeSummary(change, version: version, isDetailed: isDetailed))
        return true
      }
      if !isWhole { page.next = HistoryCursor(order: order, version: version) }
    case .newestFirst:
      var version = cursor?.version ?? extent.head
      let isWhole = try await readBackwards(from: &version) { change, version in
        guard change.lastCounter > extent.logStart[change.replica] else { return true }
        guard page.changes.count < countMax else { return false }
        page.changes.append(ChangeSummary(change, version: version, isDetailed: isDetailed))
        version[change.replica] = change.firstCounter - 1
        return true
      }
      if !isWhole { page.next = HistoryCursor(order: order, version: version) }
    }
    return page
  }

  /// Calls `body` for each change that `version` does not cover; `body` raises it by what it has taken.
  ///
  /// - Returns: whether nothing is left; false once `body` takes no more.
  private func readForwards(
    from version: inout VersionVector, _ body: (Change, inout VersionVector) throws -> Bool
  ) async throws -> Bool {
    while true {
      switch try await log.records(in: document, after: version, byteCountMax: Self.pageByteCount) {
      case .belowLogStart:
        // A compaction came between; what it took is known as a state alone now.
        version.merge(try await log.extent(of: document).logStart)
      case .records(let records, let isComplete):
        for record in records {
          for change in try changes(of: record) where change.lastCounter > version[change.replica] {
            guard try body(change, &version) else { return false }
          }
          version[record.replica] = max(version[record.replica], record.lastCounter)
        }
        if isComplete { return true }
      }
    }
  }

  /// Calls `body` for each change that `version` covers, the newest first; `body` lowers it.
  private func readBackwards(
    from version: inout VersionVector, _ body: (Change, inout VersionVector) throws -> Bool
  ) async throws -> Bool {
    while case .records(let records, let isComplete) = try await log.records(
      in: document, before: version, byteCountMax: Self.pageByteCount)
    {
      for record in records {
        for change in try changes(of: record).reversed() where change.lastCounter <= version[change.replica] {
          guard try body(change, &version) else { return false }
        }
        version[record.replica] = min(version[record.replica], record.firstCounter - 1)
      }
      if isComplete { return true }
    }
    return true
  }

  private func changes(of record: LogRecord) throws -> [Change] {
    do {
      return try Batch.decode(record.bytes, limits: .own)
    } catch {
      throw HistoryError(.unreadable, "A record of '\(document)' cannot be read.", cause: error)
    }
  }

  // MARK: States

  /// The document at `version`: the state below it, and the changes that the version covers.
  ///
  /// - Throws: `HistoryError` where the log does not reach back, or forward, to it; `LogError`.
  @concurrent
  func document(at version: VersionVector) async throws -> Document {
    while true {
      let extent = try await log.extent(of: document)
      guard version.covers(extent.logStart) else { throw forgotten(version, extent.logStart) }
      guard extent.head.covers(version) else {
        let missing = version.entries.filter { $0.counter > extent.head[$0.replica] }
        throw HistoryError(
          .notHere, "'\(document)' at \(version) is not known here: \(VersionVector(missing)) has not come yet.")
      }
      var past = try await stateAtLogStart()
      // A compaction may have come between the two.
      guard version.covers(past.version) else { continue }
      var passed = past.version
      var isCompacted = false
      while past.version != version, !isCompacted {
        switch try await log.records(in: document, after: passed, byteCountMax: Self.pageByteCount) {
        case .belowLogStart:
          isCompacted = true
        case .records(let records, let isComplete):
          for record in records {
            try replay(record, in: &past, upTo: version)
            passed[record.replica] = max(passed[record.replica], record.lastCounter)
          }
          if isComplete, past.version != version {
            throw HistoryError(
              .inBetween,
              """
              '\(document)' never stood at \(version): it cuts a transaction in two, or covers a change and not what \
              that stands on. Take the version of a change from the document's history.
              """)
          }
        }
      }
      if !isCompacted { return past }
    }
  }

  /// The state of the changes that were written before a moment and stand on none that was written after,
  /// with what the log's snapshot covers; nil where there is nothing to add to that.
  ///
  /// Reads no further than to the first stretch of the log in which nothing is old.
  ///
  /// - Parameter limit: milliseconds since 1970-01-01 UTC.
  @concurrent
  func state(ofChangesBefore limit: UInt64) async throws -> StoredSnapshot? {
    let logStart = try await log.extent(of: document).logStart
    var past: Document?
    var passed = logStart
    while true {
      guard
        case .records(let records, let isComplete) = try await log.records(
          in: document, after: passed, byteCountMax: Self.pageByteCount)
      else { return nil }
      var isSomethingOld = false
      for record in records {
        passed[record.replica] = max(passed[record.replica], record.lastCounter)
        for change in try changes(of: record) where change.stamp.milliseconds < limit {
          if past == nil { past = try await stateAtLogStart() }
          if try past?.takes(change, in: document) == true { isSomethingOld = true }
        }
      }
      if isComplete || !isSomethingOld { break }
    }
    guard var past, past.version != logStart else { return nil }
    past.openFully()
    return StoredSnapshot(of: past.cut(), spanCountMin: keptTextSpanCountMin)
  }

  /// The document without changes that are refused for good; nil where it cannot be made.
  @concurrent
  func remainder(without refused: RefusedChanges) async throws -> RefusedChanges.Remainder? {
    while true {
      let logStart = try await log.extent(of: document).logStart
      guard refused.counters.allSatisfy({ logStart[$0.key] <= $0.value }) else { return nil }
      var remainder = RefusedChanges.Remainder(document: try await stateAtLogStart(), refused: refused)
      guard remainder.document.version == logStart else { continue }
      var passed = logStart
      var isCompacted = false
      var isComplete = false
      while !isComplete, !isCompacted {
        switch try await log.records(in: document, after: passed, byteCountMax: Self.pageByteCount) {
        case .belowLogStart:
          isCompacted = true
        case .records(let records, let isLast):
          for record in records {
            guard try remainder.take(record) else { return nil }
            passed[record.replica] = max(passed[record.replica], record.lastCounter)
          }
          isComplete = isLast
        }
      }
      if !isCompacted { return remainder }
    }
  }

  private func stateAtLogStart() async throws -> Document {
    var state = Document()
    if let snapshot = try await log.snapshot(of: document) {
      do {
        state = try SnapshotCoding.open(snapshot.bytes, limits: .own)
      } catch {
        throw HistoryError(.unreadable, "The state below the log of '\(document)' cannot be read.", cause: error)
      }
    }
    state.holdsRemovedObjects = true
    return state
  }

  private func replay(_ record: LogRecord, in past: inout Document, upTo version: VersionVector) throws {
    guard record.firstCounter <= version[record.replica] else { return }
    do {
      try past.merge(changes(of: record), coveredBy: version)
    } catch {
      throw HistoryError(.unreadable, "A change in the log of '\(document)' cannot be merged.", cause: error)
    }
  }

  private func forgotten(_ version: VersionVector, _ logStart: VersionVector) -> HistoryError {
    HistoryError(
      .forgotten,
      """
      '\(document)' at \(version) is forgotten: the log begins at \(logStart). \(policy.explanation)
      """)
  }
}

extension Document {
  /// Whether the change is merged now and was not before.
  fileprivate mutating func takes(_ change: Change, in document: DocumentID) throws -> Bool {
    var patch = Patch()
    do {
      return try merge(change, patch: &patch) == .merged
    } catch {
      throw HistoryError(.unreadable, "A change in the log of '\(document)' cannot be merged.", cause: error)
    }
  }
}

extension EngineConfiguration.History {
  fileprivate var explanation: String {
    switch self {
    case .everything: "It keeps everything that came as changes; what is below came as a state."
    case .days(let days): "It keeps the changes of \(days) days."
    case .stateOnly: "It keeps the state alone."
    }
  }
}
