import Foundation
import CRawSQLite
import Measuring
import Starling

private let writeCount = Scale.count(400)
private let roundCount = Scale.isQuick ? 1 : 5

extension Case {
  /// Writes that are on disk when they return, by one writer and by 64 at once, beside plain SQLite with a write-ahead
  /// log that is synchronised at each commit: a row of the same size each, and as many rows a transaction as there are
  /// writers.
  static let durable: [Case] = [
    durableWrites("durable-writes", writers: 1), durableWrites("durable-writes-64", writers: 64),
  ]

  private static func durableWrites(_ name: String, writers: Int) -> Case {
    Case(name) {
      let store = Store()
      let replica = try await store.open()
      let lines = try (0..<writers).map { try replica.model(Line.self, named: "line-\($0)", isolation: nil) }
      let database = try RawDatabase()
      var (ours, theirs): ([Double], [Double]) = ([], [])
      let perWriter = max(1, writers == 1 ? writeCount : writeCount / 16)
      for round in 0...roundCount {
        let own = try await writing(perWriter, to: lines, of: replica, round)
        let plain = try Sampling.time { for number in 0..<perWriter { try database.commit(rows: writers, number) } }
        guard round > 0 else { continue }
        ours.append(perSecond(perWriter * writers, in: own))
        theirs.append(perSecond(perWriter * writers, in: plain))
      }
      try await replica.close()
      database.close()
      store.remove()
      return [Figure(name, .perSecond, Sample(ours), peers: ["sqlite": Sample(theirs).median])]
    }
  }

  static func perSecond(_ count: Int, in time: Duration) -> Double {
    (Double(count) * 1e9 / Unit.nanoseconds.value(of: time)).rounded()
  }

  /// Each line has a writer of its own, which waits for each of its writes.
  static func writing(
    _ count: Int, to lines: [Line], of replica: Replica, _ round: Int
  ) async throws -> Duration {
    let begin = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for line in lines {
        group.addTask {
          for number in 0..<count {
            line.value = RawDatabase.value(round * count + number)
            try await replica.flush(until: .durable)
          }
        }
      }
      try await group.waitForAll()
    }
    return ContinuousClock.now - begin
  }
}

/// SQLite as one has it without anything around it.
private final class RawDatabase {
  private var database: OpaquePointer?
  private var insert: OpaquePointer?
  private let path = Scratch.path("plain")

  struct Failure: Error {
    let description: String
  }

  init() throws {
    guard sqlite3_open(path, &database) == SQLITE_OK else { throw Failure(description: "SQLite opens nothing.") }
    try run("PRAGMA journal_mode = WAL")
    try run("PRAGMA synchronous = FULL")
    try run("CREATE TABLE log (number INTEGER PRIMARY KEY, value BLOB)")
    guard sqlite3_prepare_v2(database, "INSERT INTO log (value) VALUES (?)", -1, &insert, nil) == SQLITE_OK else {
      throw failure()
    }
  }

  /// 64 bytes that no other number gives.
  static func value(_ number: Int) -> Data {
    Message(.write, Int64(number)).withBytes { Data($0) }
  }

  func commit(rows: Int, _ number: Int) throws {
    try run("BEGIN")
    for row in 0..<rows {
      let value = Array(Self.value(number &* rows &+ row))
      sqlite3_bind_blob(insert, 1, value, CInt(value.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      guard sqlite3_step(insert) == SQLITE_DONE else { throw failure() }
      sqlite3_reset(insert)
    }
    try run("COMMIT")
  }

  func close() {
    sqlite3_finalize(insert)
    sqlite3_close(database)
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }

  private func run(_ statement: String) throws {
    guard sqlite3_exec(database, statement, nil, nil, nil) == SQLITE_OK else { throw failure() }
  }

  private func failure() -> Failure { Failure(description: String(cString: sqlite3_errmsg(database))) }
}
