import GRDB
import StarlingCore
import StarlingEngine

extension LogFile {
  /// How many replica ids that the log does not know a member's acknowledgement may name.
  private static let strangerCountMax = 65_536

  /// Reads every record of a document and the index of them, and compares what it finds with what
  /// was written: nothing may be missing or altered. What `records` answers later stands on that.
  func recover(_ name: DocumentID) throws -> RecoveredDocument {
    guard let document = documents[name] else { return RecoveredDocument(snapshot: nil, records: []) }
    if let damage = document.damage { throw damage }
    return try read("recovering '\(name)'") { db in
      let snapshot = try snapshot(of: document, db)
      let records = try self.records(of: document, db)
      var head = document.logStart
      // Of some writers, records below the log start were kept.
      var reached: [ReplicaID: UInt64] = [:]
      var isOrdered = true
      for record in records {
        isOrdered = isOrdered && record.lastCounter > reached[record.replica] ?? 0
        reached[record.replica] = max(reached[record.replica] ?? 0, record.lastCounter)
        head[record.replica] = max(head[record.replica], record.lastCounter)
      }
      guard records.count == document.row.recordCount, head == document.head else {
        throw LogError.corrupt(
          paths.database, "holds \(records.count) of the \(document.row.recordCount) records of '\(name)'")
      }
      documents[name]?.isOrdered = isOrdered
      return RecoveredDocument(
        snapshot: snapshot, records: records, members: try members(of: document, db),
        leases: try leases(of: document, db))
    }
  }

  func snapshot(of name: DocumentID) throws -> StoredSnapshot? {
    guard let document = documents[name] else { return nil }
    return try read("reading the state of '\(name)'") { try snapshot(of: document, $0) }
  }

  func snapshot(of document: LoggedDocument, _ db: Database) throws -> StoredSnapshot? {
    guard document.row.isCompacted else { return nil }
    guard let bytes = try SnapshotRow.bytes(of: document.row.id, db) else {
      throw LogError.corrupt(paths.database, "has a damaged snapshot of '\(document.row.name)'")
    }
    return StoredSnapshot(version: document.logStart, bytes: bytes)
  }

  func members(of document: LoggedDocument, _ db: Database) throws -> [LogMember] {
    guard document.row.hasMembers else { return [] }
    let entryCountMax = document.head.entries.count + Self.strangerCountMax
    guard let members = try MembersRow.members(of: document.row.id, entryCountMax: entryCountMax, db) else {
      throw LogError.corrupt(paths.database, "has a damaged list of the members of '\(document.row.name)'")
    }
    return members
  }

  func leases(of document: LoggedDocument, _ db: Database) throws -> [LogLease] {
    // A file of an earlier format that may only be read has no table of them, and no document is marked to have some.
    guard document.row.hasLeases else { return [] }
    guard let leases = try LeasesRow.leases(of: document.row.id, db) else {
      throw LogError.corrupt(paths.database, "has a damaged list of the leases of '\(document.row.name)'")
    }
    return leases
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
  func records(in name: DocumentID, after version: VersionVector, byteCountMax: Int) throws -> LogAnswer {
    guard let document = documents[name] else { return .records([], isComplete: true) }
    guard version.covers(document.logStart) else { return .belowLogStart }
    var version = version
    return try answer(from: document, byteCountMax: byteCountMax) { db in
      try offer(in: document, after: version, db)
    } passing: {
      version[$0.replica] = max(version[$0.replica], $0.lastCounter)
    }
  }

  /// What is stored of the changes of `writers` and `version` does not cover, also below the log start.
  ///
  /// - Complexity: as `records(in:after:)`.
  func records(
    in name: DocumentID, by writers: Set<ReplicaID>, after version: VersionVector, byteCountMax: Int
  ) throws -> LogAnswer {
    guard var document = documents[name] else { return .records([], isComplete: true) }
    document.head = VersionVector(document.head.entries.filter { writers.contains($0.replica) })
    var version = version
    return try answer(from: document, byteCountMax: byteCountMax) { db in
      try offer(in: document, after: version, db)
    } passing: {
      version[$0.replica] = max(version[$0.replica], $0.lastCounter)
    }
  }

  /// What `version` covers, newest first.
  ///
  /// - Complexity: as `records(in:after:)`.
  func records(in name: DocumentID, before version: VersionVector, byteCountMax: Int) throws -> LogAnswer {
    guard let document = documents[name] else { return .records([], isComplete: true) }
    var version = version
    return try answer(from: document, byteCountMax: byteCountMax) { db in
      try offer(in: document, before: version, db)
    } passing: {
      version[$0.replica] = min(version[$0.replica], $0.firstCounter - 1)
    }
  }

  /// Collects the records that `offer` names, offer by offer, until there is none or enough.
  private func answer(
    from document: LoggedDocument, byteCountMax: Int, offer: (Database) throws -> [Int64], passing: (LogRecord) -> Void
  ) throws -> LogAnswer {
    try read("reading '\(document.row.name)'") { db in
      let selection = try RecordSelection(db, "FROM record WHERE id = ?")
      var answer: [LogRecord] = []
      var byteCount = 0
      while true {
        let offered = try offer(db)
        if offered.isEmpty { return .records(answer, isComplete: true) }
        for id in offered {
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
          passing(record)
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
  private func offer(in document: LoggedDocument, after version: VersionVector, _ db: Database) throws -> [Int64] {
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

  /// The next ids of what `version` covers, descending: the same seen from the other end.
  private func offer(in document: LoggedDocument, before version: VersionVector, _ db: Database) throws -> [Int64] {
    let writers = document.head.entries.filter { version[$0.replica] > document.logStart[$0.replica] }
    let countMax = document.isOrdered ? max(16, 4096 / max(1, writers.count)) : Int.max
    // A record that reaches beyond the version may begin below it: the first to reach it counts too.
    let statement = try db.cachedStatement(
      sql: """
        SELECT id FROM record WHERE document = ?1 AND replica = ?2 AND first <= ?3 AND last > ?5 AND last <= ifnull(
          (SELECT min(last) FROM record WHERE document = ?1 AND replica = ?2 AND last >= ?3), ?3)
        ORDER BY last DESC LIMIT ?4
        """)
    var end = Int64.min
    var ids: [Int64] = []
    for writer in writers {
      let next = try Int64.fetchAll(
        statement,
        arguments: [
          document.row.id, Int64(bitPattern: writer.replica.rawValue), Int64(bitPattern: version[writer.replica]),
          countMax, Int64(bitPattern: document.logStart[writer.replica]),
        ])
      if next.count == countMax, let last = next.last { end = max(end, last) }
      ids += next
    }
    ids.removeAll { $0 < end }
    ids.sort(by: >)
    return ids
  }

  func verified(_ row: RecordRow?, of document: LoggedDocument) throws -> RecordRow {
    guard let row else { throw LogError.corrupt(paths.database, "has a damaged record of '\(document.row.name)'") }
    return row
  }
}
