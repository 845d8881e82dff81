import GRDB
import StarlingCore
import StarlingEngine
import StarlingLogTestSupport
import Testing

@testable import StarlingSQLite

@Suite struct `A store of an earlier format` {
  @Test(arguments: [1, 2, 3, 4]) func `is read, and brought to the present one by a process that may write`(format: Int)
    async throws
  {
    let directory = TestDirectory()
    let first = directory.log()
    _ = try await first.open()
    try await first.append([record(ada, 1...3)])
    try await first.close(continuing: ada)
    let database = try DatabaseQueue(path: directory.paths.database)
    try await database.writeWithoutTransaction { db in
      for table in ["checkpoint", "checkpointPiece"] { try db.execute(sql: "DROP TABLE \(table)") }
      if format < 3 { try db.execute(sql: "DROP TABLE leases") }
      if format < 2 { try db.execute(sql: "DROP TABLE members") }
      try db.execute(sql: "PRAGMA user_version = \(format)")
    }
    try database.close()

    let log = directory.log()
    _ = try await log.open()
    let recovered = try await log.recover(library)
    expectEqual(recovered.records, [record(ada, 1...3)])
    #expect(recovered.members.isEmpty && recovered.leases.isEmpty)
    #expect(try await log.recoverFromCheckpoint(library) == nil)
    try await log.checkpoint(library, at: snapshot(version([ada: 3])), recordByteCount: 1)
    let member = LogMember(store: StoreID(rawValue: 1), acknowledged: version([ada: 2]), heardAt: 9)
    try await log.remember([member], of: library)
    let lease = LogLease(replica: bob, number: 1, counter: 2, holder: nil, user: nil)
    try await log.remember(leases: [lease], of: library)
    try await log.close(continuing: ada)
    let later = directory.log()
    _ = try await later.open()
    #expect(try await later.recoverFromCheckpoint(library)?.snapshot == snapshot(version([ada: 3])))
    #expect(try await later.recover(library).members == [member])
    #expect(try await later.recover(library).leases == [lease])
  }

  /// So a program that does not know checkpoints refuses it: it would compact and take back records without them.
  @Test func `says in its header that it is of the present one`() async throws {
    let directory = try await TestDirectory.closed()
    #expect(try TestDirectory.bytes(of: directory.paths.database)[60..<64] == [0, 0, 0, 5])
  }
}
