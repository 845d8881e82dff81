import GRDB
import StarlingCore
import StarlingEngine

// Checkpoints: states beside the records, from which recovery begins.
//
// ```
//   begin ──► piece ──► piece ──► ... ──► end        a transaction each; appends go on in between
//                                          │
//                      the row names the new pieces; the former ones go, some at a time
// ```
// A compaction, a retraction or a forgetting in between ends it: the pieces are left over then, and removed by the next
// one.
extension LogFile {
  /// A checkpoint that is being written.
  struct CheckpointWriting {
    let name: DocumentID
    let state: StoredSnapshot
    let document: Int64
    let number: Int64
    let recordByteCount: Int
    fileprivate let turn: UInt64
    fileprivate var offset = 0
    fileprivate var place: Int64 = 0
    fileprivate var isClean = false
  }

  func begin(
    checkpointOf name: DocumentID, at state: StoredSnapshot, recordByteCount: Int
  ) throws -> CheckpointWriting {
    if let refusal { throw refusal }
    guard let document = documents[name] else {
      throw LogError(.misuse, "A checkpoint of '\(name)', but the log holds nothing of that document.")
    }
    guard checkpointsBegun[name] == nil else {
      throw LogError(.misuse, "A checkpoint of '\(name)' is being written already.")
    }
    try state.checkStands(in: LogExtent(logStart: document.logStart, head: document.head))
    checkpointCount += 1
    checkpointsBegun[name] = checkpointCount
    return CheckpointWriting(
      name: name, state: state, document: document.row.id, number: (document.checkpoint?.number ?? 0) + 1,
      recordByteCount: recordByteCount, turn: checkpointCount)
  }

  /// Writes the next piece, and at last the row.
  ///
  /// - Returns: whether nothing is left to do.
  func goOn(_ writing: inout CheckpointWriting) throws -> Bool {
    guard checkpointsBegun[writing.name] == writing.turn, let document = documents[writing.name] else { return true }
    do {
      if !writing.isClean {
        writing.isClean = try clear(document)
        return false
      }
      let bytes = writing.state.bytes
      if writing.offset < bytes.count {
        let end = min(writing.offset + CheckpointRow.pieceByteCount, bytes.count)
        try write("writing a checkpoint of '\(writing.name)'") { db in
          try CheckpointRow.write(
            bytes[writing.offset..<end], of: writing.document, number: writing.number, place: writing.place, to: db)
        }
        (writing.offset, writing.place) = (end, writing.place + 1)
        return false
      }
      if document.checkpoint?.number != writing.number {
        try end(writing)
        return false
      }
      guard try clear(document) else { return false }
      checkpointsBegun[writing.name] = nil
      return true
    } catch {
      checkpointsBegun[writing.name] = nil
      throw error
    }
  }

  /// Nobody goes on with it.
  func giveUp(_ writing: CheckpointWriting) {
    if checkpointsBegun[writing.name] == writing.turn { checkpointsBegun[writing.name] = nil }
  }

  /// Removes some of the pieces that belong to no checkpoint.
  private func clear(_ document: LoggedDocument) throws -> Bool {
    let isLeft = try read("looking for rests of checkpoints of '\(document.row.name)'") { db in
      try Int64.fetchOne(
        db, sql: "SELECT 1 FROM checkpointPiece WHERE document = ? AND number <> ? LIMIT 1",
        arguments: [document.row.id, document.checkpoint?.number ?? -1]) != nil
    }
    guard isLeft else { return true }
    var isClean = false
    try write("removing a former checkpoint of '\(document.row.name)'") { db in
      isClean = try CheckpointRow.removePieces(
        of: document.row.id, but: document.checkpoint?.number, atMost: 4, db)
    }
    return isClean
  }

  /// All pieces are there. Appends in between have added records, which are counted as it is written.
  private func end(_ writing: CheckpointWriting) throws {
    guard var document = documents[writing.name] else { return }
    try write("ending a checkpoint of '\(writing.name)'") { db in
      let row = CheckpointRow(
        document: document.row.id, number: writing.number,
        recordCount: document.row.recordCount - (try recordCount(of: document, after: writing.state.version, db)),
        recordByteCount: Int64(writing.recordByteCount), isOrdered: document.isOrdered,
        byteCount: Int64(writing.state.bytes.count), version: writing.state.version)
      try row.write(to: db)
      document.row.hasCheckpoint = true
      document.checkpoint = row
      try document.row.write(to: db)
    }
    documents[writing.name] = document
  }

  private func recordCount(of document: LoggedDocument, after version: VersionVector, _ db: Database) throws -> Int64 {
    let statement = try db.cachedStatement(
      sql: "SELECT count(*) FROM record WHERE document = ? AND replica = ? AND last > ?")
    return try document.head.entries.reduce(0) { sum, writer in
      guard writer.counter > version[writer.replica] else { return sum }
      return sum
        + (try Int64.fetchOne(
          statement,
          arguments: [
            document.row.id, Int64(bitPattern: writer.replica.rawValue), Int64(bitPattern: version[writer.replica]),
          ]) ?? 0)
    }
  }

  // MARK: Beside other writes

  /// A snapshot comes to stand at `logStart`: records that the checkpoint covered are gone.
  func compact(
    checkpointOf document: inout LoggedDocument, into logStart: VersionVector, recordCountBefore: Int64, _ db: Database
  ) throws {
    guard document.row.hasCheckpoint else { return }
    guard var row = document.checkpoint, row.version.stays(above: logStart) else {
      return try drop(checkpointOf: &document, db)
    }
    row.recordCount -= recordCountBefore - document.row.recordCount
    try row.write(to: db)
    document.checkpoint = row
  }

  /// Records that a checkpoint covers are not appended after it, but where a log was put together by hand: then it
  /// counts others than it did.
  func drop(checkpointOf document: inout LoggedDocument, whereItCovers records: [LogRecord], _ db: Database) throws {
    guard let version = document.checkpoint?.version else { return }
    let name = document.row.name
    guard records.contains(where: { $0.document == name && $0.lastCounter <= version[$0.replica] }) else { return }
    try drop(checkpointOf: &document, db)
  }

  func drop(checkpointOf document: inout LoggedDocument, _ db: Database) throws {
    try db.execute(sql: "DELETE FROM checkpoint WHERE document = ?", arguments: [document.row.id])
    _ = try CheckpointRow.removePieces(of: document.row.id, but: nil, db)
    document.row.hasCheckpoint = false
    document.checkpoint = nil
  }

  // MARK: Recovering

  /// The latest checkpoint and what came after it.
  ///
  /// - Complexity: O(checkpoint + records that it does not cover + writers), whatever the log holds behind it.
  func recoverFromCheckpoint(_ name: DocumentID) throws -> RecoveredDocument? {
    guard let document = documents[name], document.row.hasCheckpoint else { return nil }
    if let damage = document.damage { throw damage }
    return try read("recovering '\(name)' from its checkpoint") { db in
      guard let checkpoint = document.checkpoint, let bytes = try checkpoint.bytes(db) else {
        throw LogError.corrupt(paths.database, "has a damaged checkpoint of '\(name)'")
      }
      let records = try self.records(of: document, after: checkpoint.version, db)
      var head = checkpoint.version
      var isOrdered = checkpoint.isOrdered
      for record in records {
        isOrdered = isOrdered && record.lastCounter > head[record.replica]
        head[record.replica] = max(head[record.replica], record.lastCounter)
      }
      guard Int64(records.count) + checkpoint.recordCount == document.row.recordCount, head == document.head else {
        throw LogError.corrupt(
          paths.database,
          "holds \(records.count) of the \(document.row.recordCount - checkpoint.recordCount) records of '\(name)' that "
            + "came after its checkpoint")
      }
      documents[name]?.isOrdered = isOrdered
      return RecoveredDocument(
        snapshot: StoredSnapshot(version: checkpoint.version, bytes: bytes), records: records,
        members: try members(of: document, db), leases: try leases(of: document, db),
        history: .init(logStart: document.logStart, byteCount: Int(checkpoint.recordByteCount)))
    }
  }

  /// The records that `version` does not cover, in the order of appending.
  private func records(of document: LoggedDocument, after version: VersionVector, _ db: Database) throws -> [LogRecord]
  {
    let lacking = document.head.entries.filter { $0.counter > version[$0.replica] }
    let statement = try db.cachedStatement(
      sql: "SELECT id, last FROM record WHERE document = ? AND replica = ? AND last > ?")
    var indexed: [(id: Int64, replica: ReplicaID, last: UInt64)] = []
    for writer in lacking {
      let rows = try Row.fetchCursor(
        statement,
        arguments: [
          document.row.id, Int64(bitPattern: writer.replica.rawValue), Int64(bitPattern: version[writer.replica]),
        ])
      while let row = try rows.next() {
        indexed.append((row[0], writer.replica, UInt64(bitPattern: row[1])))
      }
    }
    indexed.sort { $0.id < $1.id }
    let selection = try RecordSelection(db, "FROM record WHERE id = ?")
    var records: [LogRecord] = []
    records.reserveCapacity(indexed.count)
    var previous: Int64 = 0
    for entry in indexed {
      let before = records.count
      try selection.run(entry.id, in: document.row) { row, _ in
        records.append(try verified(row, of: document).record)
      }
      guard records.count > before else {
        throw LogError.corrupt(paths.database, "has lost record \(entry.id), which its index names")
      }
      // An entry read twice stands for one that is lost.
      guard entry.id > previous, records[before].replica == entry.replica, records[before].lastCounter == entry.last
      else { throw LogError.corrupt(paths.database, "has a damaged index of '\(document.row.name)'") }
      previous = entry.id
    }
    return records
  }
}
