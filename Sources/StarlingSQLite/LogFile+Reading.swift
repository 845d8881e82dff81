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
    let statement = try db.cachedStatement(
      sql: """
        SELECT \(RecordRow.columns), indexed.replica, indexed.last
        FROM (
          SELECT id, replica, last FROM record INDEXED BY recordByWriter WHERE document = ? ORDER BY id LIMIT -1
        ) AS indexed
        CROSS JOIN record ON record.id = indexed.id
        """)
    let rows = try Row.fetchCursor(statement, arguments: [document.row.id])
    var records: [LogRecord] = []
    var previous: Int64 = 0
    while let row = try rows.next() {
      let found = try verified(row, in: document)
      // An entry read twice stands for one that is lost.
      guard found.id > previous,
        try UInt64(bitPattern: row.decode(Int64.self, atIndex: 7)) == found.record.replica.rawValue,
        try UInt64(bitPattern: row.decode(Int64.self, atIndex: 8)) == found.record.lastCounter
      else { throw LogError.corrupt(paths.database, "has a damaged index of '\(document.row.name)'") }
      previous = found.id
      records.append(found.record)
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
      let selection = try db.cachedStatement(sql: "SELECT \(RecordRow.columns) FROM record WHERE id = ?")
      var version = version
      var answer: [LogRecord] = []
      var byteCount = 0
      while true {
        let offer = try offer(in: document, after: version, db)
        if offer.isEmpty { return .records(answer, isComplete: true) }
        for id in offer {
          // The row is read from the cursor, and ends with it.
          let rows = try Row.fetchCursor(selection, arguments: [id])
          guard let found = try rows.next() else {
            throw LogError.corrupt(paths.database, "has lost record \(id), which its index names")
          }
          let record = try verified(found, in: document).record
          byteCount += record.bytes.count
          guard answer.isEmpty || byteCount <= byteCountMax else { return .records(answer, isComplete: false) }
          answer.append(record)
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

  private func verified(_ row: Row, in document: LoggedDocument) throws -> RecordRow {
    guard let found = try RecordRow(row, in: document.row) else {
      throw LogError.corrupt(
        paths.database,
        "has a damaged record of '\(document.row.name)', number \(try row.decode(Int64.self, atIndex: 0))")
    }
    return found
  }
}
