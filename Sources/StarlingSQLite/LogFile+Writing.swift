import GRDB
import StarlingCore
import StarlingEngine

extension LogFile {
  /// One transaction, whatever the number of records.
  func append(_ records: [LogRecord]) throws {
    for record in records { try record.checkCounters() }
    guard !records.isEmpty else { return }
    var touched: [DocumentID: LoggedDocument] = [:]
    var next = nextRecord
    try write("appending") { db in
      var rest = records[...]
      while let name = rest.first?.document {
        let run = rest.prefix { $0.document == name }
        rest = rest.dropFirst(run.count)
        var document = touched[name] ?? documents[name] ?? nextDocument(name, besides: touched)
        try insert(run, into: &document, from: &next, db)
        touched[name] = document
      }
      for (name, document) in touched where document.row.hasCheckpoint {
        try drop(checkpointOf: &touched[name, default: document], whereItCovers: records, db)
      }
      try write(touched, to: db)
    }
    documents.merge(touched) { $1 }
    nextRecord = next
  }

  /// The snapshot takes the place of the records it covers but for those to be kept, and others come behind them, in
  /// one transaction.
  func compact(
    _ name: DocumentID, into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64], appending records: [LogRecord]
  ) throws {
    for record in records { try record.checkCounters() }
    var document = documents[name] ?? nextDocument(name, besides: [:])
    try snapshot.checkCovers(document.logStart)
    checkpointsBegun[name] = nil
    let recordCount = document.row.recordCount
    var next = nextRecord
    try write("compacting '\(name)'") { db in
      let deletion = try db.cachedStatement(
        sql: "DELETE FROM record WHERE document = ? AND replica = ? AND last <= ?")
      for entry in snapshot.version.entries {
        let counter = min(entry.counter, kept[entry.replica] ?? .max)
        try deletion.execute(arguments: [
          document.row.id, Int64(bitPattern: entry.replica.rawValue), Int64(bitPattern: counter),
        ])
        document.row.recordCount -= Int64(db.changesCount)
      }
      document.row.isCompacted = true
      try compact(checkpointOf: &document, into: snapshot.version, recordCountBefore: recordCount, db)
      document.logStart = snapshot.version
      document.kept = kept
      document.head.merge(snapshot.version)
      try insert(records, into: &document, from: &next, db)
      try SnapshotRow(document: document.row.id, snapshot: snapshot).write(to: db)
      try write([name: document], to: db)
    }
    documents[name] = document
    nextRecord = next
    giveBackFreePages()
  }

  /// Removes the records beyond those counters and appends others, in one transaction.
  func retract(_ name: DocumentID, beyond counters: [ReplicaID: UInt64], appending records: [LogRecord]) throws {
    for record in records { try record.checkCounters() }
    var document = documents[name] ?? nextDocument(name, besides: [:])
    try document.logStart.checkRetractable(beyond: counters)
    checkpointsBegun[name] = nil
    var next = nextRecord
    try write("taking changes of '\(name)' back") { db in
      for (replica, counter) in counters {
        let arguments: StatementArguments = [
          document.row.id, Int64(bitPattern: replica.rawValue), Int64(bitPattern: counter),
        ]
        let straddling = try Row.fetchOne(
          db, sql: "SELECT first, last FROM record WHERE document = ?1 AND replica = ?2 AND last > ?3 AND first <= ?3",
          arguments: arguments)
        if let straddling {
          let (first, last): (Int64, Int64) = (straddling[0], straddling[1])
          try LogRecord.checkRetractable(
            replica, from: UInt64(bitPattern: first), to: UInt64(bitPattern: last), beyond: counters)
        }
        try db.execute(
          sql: "DELETE FROM record WHERE document = ? AND replica = ? AND last > ?", arguments: arguments)
        document.row.recordCount -= Int64(db.changesCount)
        let last = try Int64.fetchOne(
          db, sql: "SELECT max(last) FROM record WHERE document = ? AND replica = ?",
          arguments: [document.row.id, Int64(bitPattern: replica.rawValue)])
        document.head[replica] = max(document.logStart[replica], UInt64(bitPattern: last ?? 0))
      }
      if document.row.hasCheckpoint, document.checkpoint?.version.isRetracted(beyond: counters) ?? true {
        try drop(checkpointOf: &document, db)
      }
      try insert(records, into: &document, from: &next, db)
      try write([name: document], to: db)
    }
    documents[name] = document
    nextRecord = next
  }

  private func insert(
    _ records: some Sequence<LogRecord>, into document: inout LoggedDocument, from next: inout Int64, _ db: Database
  ) throws {
    let insertion = try RecordInsertion(db)
    for record in records {
      guard let number = document.accept(record) else { continue }
      try insertion.run(RecordRow(id: next, document: number, record: record))
      next += 1
    }
  }

  /// Stores the members of a document, in place of what was stored before, in one transaction.
  func remember(_ members: [LogMember], of name: DocumentID) throws {
    var document = documents[name] ?? nextDocument(name, besides: [:])
    document.row.hasMembers = true
    try write("storing the members of '\(name)'") { db in
      try MembersRow(document: document.row.id, members: members).write(to: db)
      try write([name: document], to: db)
    }
    documents[name] = document
  }

  /// Which replica ids are leased, in place of what was stored before, in one transaction.
  func remember(leases: [LogLease], of name: DocumentID) throws {
    var document = documents[name] ?? nextDocument(name, besides: [:])
    document.row.hasLeases = true
    try write("storing the leases of '\(name)'") { db in
      try LeasesRow(document: document.row.id, leases: leases).write(to: db)
      try write([name: document], to: db)
    }
    documents[name] = document
  }

  /// Removes all but the name, in one transaction, and then also from the pages that are free and from the write-ahead
  /// log.
  func forget(_ name: DocumentID) throws {
    var document = documents[name] ?? nextDocument(name, besides: [:])
    document = LoggedDocument(row: DocumentRow(id: document.row.id, name: name, isForgotten: true), isOrdered: true)
    checkpointsBegun[name] = nil
    // What is deleted is overwritten, wherever it lies (sqlite.org/pragma.html#pragma_secure_delete).
    try setSecureDeletion("ON")
    defer { try? setSecureDeletion("FAST") }
    try write("forgetting '\(name)'") { db in
      for table in ["record", "snapshot", "members", "leases", "checkpoint", "checkpointPiece"] {
        try db.execute(sql: "DELETE FROM \(table) WHERE document = ?", arguments: [document.row.id])
      }
      try write([name: document], to: db)
    }
    documents[name] = document
    // Pages that were freed before hold what they held then.
    try? database.writeWithoutTransaction { db in
      try retractMark()
      try db.execute(sql: "PRAGMA incremental_vacuum")
      _ = try db.checkpoint(.truncate)
    }
    noteMark()
  }

  private func setSecureDeletion(_ mode: String) throws {
    try database.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA secure_delete = \(mode)") }
  }

  private func nextDocument(_ name: DocumentID, besides touched: [DocumentID: LoggedDocument]) -> LoggedDocument {
    let newcomers = touched.keys.count { documents[$0] == nil }
    return LoggedDocument(row: DocumentRow(id: Int64(documents.count + newcomers) + 1, name: name), isOrdered: true)
  }

  func write(_ touched: [DocumentID: LoggedDocument], to db: Database) throws {
    for document in touched.values { try document.row.write(to: db) }
    let newcomers = touched.keys.count { documents[$0] == nil }
    guard newcomers > 0 else { return }
    try MetaRow(store: store, documentCount: Int64(documents.count + newcomers), isOpen: true).write(to: db)
  }

  /// Once half the file is free, shortens it. The compaction stands whether or not that succeeds.
  private func giveBackFreePages() {
    try? database.writeWithoutTransaction { db in
      let free = try Int64.fetchOne(db, sql: "PRAGMA freelist_count") ?? 0
      let all = try Int64.fetchOne(db, sql: "PRAGMA page_count") ?? 0
      if free > all / 2 { try db.execute(sql: "PRAGMA incremental_vacuum") }
    }
    noteMark()
  }
}

extension LogFile.LoggedDocument {
  /// Counts the record in and returns the document's number; nil if the snapshot covers the record and it need not be
  /// kept.
  fileprivate mutating func accept(_ record: LogRecord) -> Int64? {
    guard record.lastCounter > min(logStart[record.replica], kept[record.replica] ?? .max) else { return nil }
    if record.lastCounter > head[record.replica] {
      head[record.replica] = record.lastCounter
    } else {
      isOrdered = false
    }
    row.recordCount += 1
    return row.id
  }
}
