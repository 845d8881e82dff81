import GRDB
import StarlingCore
import StarlingEngine
import StarlingLogTestSupport
import Testing

@testable import StarlingSQLite

@Suite struct `A checkpoint in a file` {
  private func open(_ directory: TestDirectory) throws -> LogFile {
    try LogFile.open(directory.paths, durability: .full, machine: machine, acceptsDamage: false)
  }

  private func state(_ counter: UInt64, byteCount: Int) -> StoredSnapshot {
    StoredSnapshot(
      version: version([ada: counter]), bytes: [UInt8](repeating: UInt8(truncatingIfNeeded: counter), count: byteCount))
  }

  /// A store with nine records and a checkpoint of three pieces behind the third.
  private func store() throws -> (TestDirectory, LogFile, former: StoredSnapshot) {
    let directory = TestDirectory()
    let file = try open(directory)
    try file.append((1...9 as ClosedRange<UInt64>).map { record(ada, $0) })
    let former = state(3, byteCount: CheckpointRow.pieceByteCount * 2 + 5)
    try write(former, in: file)
    return (directory, file, former)
  }

  private func write(_ state: StoredSnapshot, in file: LogFile) throws {
    var writing = try file.begin(checkpointOf: library, at: state, recordByteCount: 1)
    while try !file.goOn(&writing) {}
  }

  @Test func `is the former or the new one, whole, wherever the program ends`() throws {
    let (directory, file, former) = try store()
    let new = state(7, byteCount: CheckpointRow.pieceByteCount * 6 + 5)
    var writing = try file.begin(checkpointOf: library, at: new, recordByteCount: 1)
    var found: [StoredSnapshot] = []
    var isDone = false
    var steps = 0
    while !isDone {
      isDone = try file.goOn(&writing)
      steps += 1
      // Appends go on in between.
      try file.append([record(bob, UInt64(steps))])
      let survivor = try open(try directory.copied())
      let recovered = try #require(try survivor.recoverFromCheckpoint(library))
      let state = try #require(recovered.snapshot)
      #expect(state == former || state == new)
      #expect(recovered.records.filter { $0.replica == ada }.count == (state == former ? 6 : 2))
      #expect(recovered.records.filter { $0.replica == bob }.count == steps)
      #expect(try survivor.recover(library).records.count == 9 + steps)
      found.append(state)
      // What was left over does not stand in the way of the next.
      try write(self.state(8, byteCount: 10), in: survivor)
      #expect(try survivor.recoverFromCheckpoint(library)?.snapshot == self.state(8, byteCount: 10))
      #expect(try pieceCount(in: survivor) == 1)
    }
    #expect(found.first == former && found.last == new && steps > 8)
    #expect(try pieceCount(in: file) == 7)
  }

  private func pieceCount(in file: LogFile) throws -> Int? {
    try file.read("counting") { try Int.fetchOne($0, sql: "SELECT count(*) FROM checkpointPiece") }
  }

  @Test(arguments: ["fold", "retract", "forget"])
  func `gives way to what comes while it is written`(_ other: String) throws {
    let (_, file, former) = try store()
    var writing = try file.begin(checkpointOf: library, at: state(7, byteCount: 1 << 20), recordByteCount: 1)
    _ = try file.goOn(&writing)
    _ = try file.goOn(&writing)
    switch other {
    case "fold": try file.compact(library, into: snapshot(version([ada: 2])), keeping: [:])
    case "retract": try file.retract(library, beyond: [ada: 5], appending: [])
    default: try file.forget(library)
    }
    #expect(try file.goOn(&writing))
    #expect(try file.recoverFromCheckpoint(library)?.snapshot == (other == "forget" ? nil : former))
  }

  @Test func `that is altered or lost is told, and hides nothing`() throws {
    let damages = [
      "UPDATE checkpointPiece SET bytes = zeroblob(5) WHERE place = 2", "DELETE FROM checkpointPiece WHERE place = 1",
      "DELETE FROM checkpointPiece WHERE place = 2", "UPDATE checkpoint SET records = 2",
      "UPDATE checkpoint SET recordByteCount = 2", "DELETE FROM checkpoint",
    ]
    for damage in damages {
      let (directory, file, _) = try store()
      try file.close(continuing: ada)
      let database = try DatabaseQueue(path: directory.paths.database)
      try database.write { try $0.execute(sql: damage) }
      try database.close()
      let damaged = try open(directory)
      let error = #expect(throws: LogError.self, "\(damage)") { try damaged.recoverFromCheckpoint(library) }
      #expect(error?.code == .corrupt && error?.message.contains("checkpoint of 'library'") == true)
      #expect(try damaged.recover(library).records.count == 9)
      try write(state(9, byteCount: 4), in: damaged)
      #expect(try damaged.recoverFromCheckpoint(library)?.records == [])
      #expect(try pieceCount(in: damaged) == 1)
    }
  }

  @Test func `does not hide that a record after it is lost`() throws {
    let (directory, file, _) = try store()
    try file.close(continuing: ada)
    let database = try DatabaseQueue(path: directory.paths.database)
    try database.write { try $0.execute(sql: "DELETE FROM record WHERE last = 6") }
    try database.close()
    let damaged = try open(directory)
    #expect(throws: LogError.self) { try damaged.recoverFromCheckpoint(library) }
    #expect(throws: LogError.self) { try damaged.recover(library) }
  }

  @Test func `is dropped where a record that it covers is appended again`() throws {
    let (_, file, _) = try store()
    try file.append([record(ada, 2)])
    #expect(try file.recoverFromCheckpoint(library) == nil)
    #expect(try file.recover(library).records.count == 10)
  }
}
