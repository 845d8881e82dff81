import GRDB
import StarlingCore
import StarlingEngine

extension LogFile {
  /// Reads every record of a document and the index of them, and compares what it finds with what
  /// was written: nothing may be missing or altered. What `records` answers later stands on that.
  func recover(_ name: DocumentID) throws -> RecoveredDocument {
    guard let document = documents[name] else { return RecoveredDocument(snapshot: nil, records: []) }
    return try read("recovering '\(name)'") { db in
      var snapshot: StoredSnapshot?
      if document.row.isFolded {
        guard let bytes = try SnapshotRow.bytes(of: document.row.id, db) else {
          throw LogError.corrupt(paths.database, "has a damaged snapshot of '\(name)'")
        }
        snapshot = StoredSnapshot(version: document.floor, bytes: bytes)
      }
      let records = try self.records(of: document, db)
      var head = document.floor
      var isOrdered = true
      for record in records {
        isOrdered = isOrdered && record.lastCounter > head[record.replica]
        head[record.replica] = max(head[record.replica], record.lastCounter)
      }
      guard records.count == document.row.recordCount, head == document.head else {
        throw LogError.corrupt(
          paths.database, "holds \(records.count) of the \(document.row.recordCount) records of '\(name)'")
      }
      documents[name]?.isOrdered = isOrdered
      return RecoveredDocument(snapshot: snapshot, records: records)
    }
  }

  /// In the order of appending. The ids come from the index and are sorted first, so that neither
  /// other documents nor the bytes pass through the sorting. Without a limit SQLite would take the
  /// order of the inner selection for superfluous.
  private func records(of document: LoggedDocument, _ db: Database) throws -> [LogRecord] {
    let selection = try RecordSelection(
      db,
      """
      FROM (
        SELECT id, replica, last FROM record INDEXED BY recordByWriter WHERE document = ? ORDER BY id LIMIT -1
      ) AS indexed
      CROSS JOIN record ON record.id = indexed.id
      """, and: ", indexed.replica, indexed.last")
    var records: [LogRecord] = []
    var previous: Int64 = 0
    try selection.run(document.row.id, in: document.row) { row, indexed in
      let row = try verified(row, of: document)
      // An entry read twice stands for one that is lost.
      guard row.id > previous, UInt64(bitPattern: indexed(0)) == row.record.replica.rawValue,
        UInt64(bitPattern: indexed(1)) == row.record.lastCounter
      else { throw LogError.corrupt(paths.database, "has a damaged index of '\(document.row.name)'") }
      previous = row.id
      records.append(row.record)
    }
    return records
  }

  /// What a peer at `version` lacks.
  ///
  /// - Complexity: proportional to what is answered and to the number of writers, not to the log.
  func records(in name: DocumentID, after version: Version, byteCountMax: Int) throws -> LogAnswer {
    guard let document = documents[name] else { return .records([], isComplete: true) }
    guard version.covers(document.floor) else { return .belowFloor }
    return try read("reading '\(name)'") { db in
      let selection = try RecordSelection(db, "FROM record WHERE id = ?")
      var version = version
      var answer: [LogRecord] = []
      var byteCount = 0
      while true {
        let offer = try offer(in: document, after: version, db)
        if offer.isEmpty { return .records(answer, isComplete: true) }
        for id in offer {
          let before = answer.count
          try selection.run(id, in: document.row) { row, _ in answer.append(try verified(row, of: document).record) }
          guard answer.count > before, let record = answer.last else {
            throw LogError.corrupt(paths.database, "has lost record \(id), which its index names")
          }
          byteCount += record.bytes.count
          if before > 0, byteCount > byteCountMax {
            answer.removeLast()
            return .records(answer, isComplete: false)
          }
          version[record.replica] = max(version[record.replica], record.lastCounter)
        }
      }
    }
  }

  /// The next ids that a peer at `version` lacks, ascending; none if it lacks nothing.
  ///
  /// Each writer offers its next few. Up to the end of the first offer that was cut short, the
  /// order among them is known:
  ///
  /// ```
  ///   writer a   3  4  9 | …            3 4 5 6 9 are next;
  ///   writer b   5  6  12 ·             12 has to wait for what a has after 9
  /// ```
  ///
  /// That takes a writer's ids to ascend with its counters; where that is not known, it offers all.
  private func offer(in document: LoggedDocument, after version: Version, _ db: Database) throws -> [Int64] {
    let lacking = document.head.entries.filter { $0.counter > version[$0.replica] }
    let countMax = document.isOrdered ? max(16, 4096 / max(1, lacking.count)) : Int.max
    let statement = try db.cachedStatement(
      sql: "SELECT id FROM record WHERE document = ? AND replica = ? AND last > ? ORDER BY last LIMIT ?")
    var end = Int64.max
    var ids: [Int64] = []
    for writer in lacking {
      let next = try Int64.fetchAll(
        statement,
        arguments: [
          document.row.id, Int64(bitPattern: writer.replica.rawValue),
          Int64(bitPattern: version[writer.replica]), countMax,
        ])
      if next.count == countMax, let last = next.last { end = min(end, last) }
      ids += next
    }
    ids.removeAll { $0 > end }
    ids.sort()
    return ids
  }

  private func verified(_ row: RecordRow?, of document: LoggedDocument) throws -> RecordRow {
    guard let row else { throw LogError.corrupt(paths.database, "has a damaged record of '\(document.row.name)'") }
    return row
  }
}
