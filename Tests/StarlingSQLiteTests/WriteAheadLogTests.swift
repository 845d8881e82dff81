import Foundation
import GRDB
import StarlingCore
import StarlingEngine
import StarlingLogTestSupport
import StarlingTestSupport
import Testing

@testable import StarlingSQLite

/// A store whose process was killed, with some transactions in its write-ahead log.
private struct Crashed {
  let directory: TestDirectory
  let records: [LogRecord]
  let log: [UInt8]
  static let frameByteCount = 24 + 4096

  init() async throws {
    let running = TestDirectory()
    let log = running.log()
    _ = try await log.open()
    var records: [LogRecord] = []
    for number in 1...40 as ClosedRange<UInt64> {
      let group = [record(ada, 2 * number - 1, padding: 300), record(ada, 2 * number, padding: 300)]
      try await log.append(group)
      records += group
    }
    directory = try running.copied()
    self.records = records
    self.log = try TestDirectory.bytes(of: directory.paths.writeAheadLog)
  }

  /// The same with another write-ahead log.
  func with(_ bytes: [UInt8]) throws -> TestDirectory {
    let copy = try directory.copied()
    try TestDirectory.overwrite(copy.paths.writeAheadLog, with: bytes)
    return copy
  }

  /// Whether it is refused; where it is not, everything that was acknowledged must be there.
  func isRefused(_ bytes: [UInt8], _ comment: String) async throws -> Bool {
    let copy = try with(bytes)
    defer { try? FileManager.default.removeItem(atPath: copy.path) }
    let log = copy.log()
    do {
      _ = try await log.open()
    } catch let error as LogError {
      #expect(error.code == .corrupt && error.message.contains("--accept-damage"), "\(comment): \(error)")
      #expect(error.message.contains(copy.paths.writeAheadLog), "\(comment): \(error)")
      #expect(try TestDirectory.bytes(of: copy.paths.writeAheadLog) == bytes, "\(comment): altered")
      return true
    }
    let recovered = try await log.recover(library).records
    #expect(recovered == records, "\(comment): \(recovered.count) of \(records.count) records, opened in silence")
    return false
  }
}

@Suite struct `The mark of a write-ahead log` {
  @Test func `proves nothing where it says more frames than there can be`() {
    #expect(CommitMark("Starling mark 1 salts 00000000000000ff frames 7fffffffffffffff\n") != nil)
    #expect(CommitMark("Starling mark 1 salts 00000000000000ff frames 8000000000000003\n") == nil)
  }

  /// Written over instead, the former mark could be what a loss of power leaves beside the later log.
  @Test func `is gone for good before the log that it is about is emptied`() async throws {
    let copy = try await Crashed().directory.copied()
    let aside = copy.path + "/former"
    try FileManager.default.linkItem(atPath: copy.paths.mark, toPath: aside)
    let former = try TestDirectory.bytes(of: aside)
    let log = copy.log()
    _ = try await log.open()
    try await log.append([record(bob, 1)])
    #expect(try TestDirectory.bytes(of: aside) == former)
    #expect(try TestDirectory.bytes(of: copy.paths.mark) != former)
    try await log.close(continuing: ada)
    #expect(!TestDirectory.exists(copy.paths.mark))
  }

  @Test func `is gone for good before a document is forgotten for good`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.append([record(ada, 1)])
    let aside = directory.path + "/former"
    try FileManager.default.linkItem(atPath: directory.paths.mark, toPath: aside)
    try await log.forget(library)
    let (mark, former) = (try SystemDisk().identity(of: directory.paths.mark), try SystemDisk().identity(of: aside))
    #expect(mark?.inode != former?.inode)
  }

  @Test func `is another one once the log has begun again`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.append([record(ada, 1)])
    let aside = directory.path + "/former"
    try FileManager.default.linkItem(atPath: directory.paths.mark, toPath: aside)
    // More than the thousand pages after which SQLite empties the log.
    for number in 2...8 as ClosedRange<UInt64> { try await log.append([record(ada, number, padding: 1 << 20)]) }
    let (mark, former) = (try SystemDisk().identity(of: directory.paths.mark), try SystemDisk().identity(of: aside))
    #expect(mark?.inode != former?.inode)
  }
}

@Suite struct `The write-ahead log of a killed store` {
  @Test func `is taken as it is where nothing is wrong`() async throws {
    let crashed = try await Crashed()
    #expect(try await !crashed.isRefused(crashed.log, "whole"))
  }

  @Test(arguments: [UInt64(1)]) func `is refused or whole, whichever bit flips`(seed: UInt64) async throws {
    let crashed = try await Crashed()
    var generator = Dice(seed: seed)
    var refusedCount = 0
    for _ in 0..<60 {
      var bytes = crashed.log
      let place = Int.random(in: bytes.indices, using: &generator)
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      if try await crashed.isRefused(bytes, "seed \(seed), flipped at \(place)") { refusedCount += 1 }
    }
    #expect(refusedCount > 40)
  }

  @Test func `is refused wherever it is cut`() async throws {
    let crashed = try await Crashed()
    let frames = (crashed.log.count - 32) / Crashed.frameByteCount
    var lengths = [0, 1, 31, 32, 33]
    for frame in stride(from: 1, to: frames, by: max(1, frames / 12)) {
      lengths += [32 + frame * Crashed.frameByteCount, 32 + frame * Crashed.frameByteCount + 100]
    }
    for length in lengths where length < crashed.log.count {
      _ = try await crashed.isRefused(Array(crashed.log[..<length]), "cut at \(length)")
    }
    #expect(try await crashed.isRefused(Array(crashed.log[..<(32 + frames / 2 * Crashed.frameByteCount)]), "halved"))
  }

  @Test func `may end in a transaction that nobody was told of`() async throws {
    let crashed = try await Crashed()
    let torn = Array(crashed.log.suffix(Crashed.frameByteCount))
    var bytes = crashed.log
    // One more frame of the same log that was not written whole.
    bytes += torn[..<16] + [1, 2, 3, 4, 5, 6, 7, 8] + torn[24...]
    #expect(try await !crashed.isRefused(bytes, "torn"))
  }

  @Test func `may have begun again many times`() async throws {
    let running = TestDirectory()
    let log = running.log()
    _ = try await log.open()
    var records: [LogRecord] = []
    for number in 1...600 as ClosedRange<UInt64> {
      let next = record(ada, number, padding: 9000)
      try await log.append([next])
      records.append(next)
      guard number.isMultiple(of: 50) else { continue }
      let later = try running.copied().log()
      #expect(try await later.open().damage == nil)
      #expect(try await later.recover(library).records == records)
    }
    try await log.compact(library, into: snapshot(version([ada: 590])))
    let later = try running.copied().log()
    _ = try await later.open()
    #expect(try await later.recover(library).records.count == 10)
  }

  @Test func `is taken as it is where its mark says more frames than there can be`() async throws {
    let directory = try await Crashed().directory.copied()
    let mark = "Starling mark 1 salts 00000000000000ff frames 8000000000000003\n"
    try Data(mark.utf8).write(to: URL(filePath: directory.paths.mark))
    #expect(try await directory.log().open().damage == nil)
  }

  /// As a disk may leave it that says to have synced what it has not.
  @Test func `may be missing without a mark: then the loss must be accepted too`() async throws {
    let directory = try await Crashed().directory.copied()
    for path in [directory.paths.writeAheadLog, directory.paths.mark] { try TestDirectory.remove(path) }
    let error = await #expect(throws: LogError.self) { try await directory.log().open() }
    #expect(error?.message.contains("'\(directory.paths.writeAheadLog)' is missing") == true)
    #expect(error?.message.contains("--accept-damage") == true)
    let log = SQLiteLog(directory: directory.store, machine: machine, acceptsDamage: true)
    let opened = try await log.open()
    #expect(opened.replica == nil && opened.isDurable && opened.damage?.message == error?.message)
    try await log.append([record(bob, 1)])
    try await log.close(continuing: bob)
  }

  @Test func `is gone on from under a new id where its damage is accepted`() async throws {
    let crashed = try await Crashed()
    var bytes = crashed.log
    bytes[bytes.count / 2] ^= 1
    let damaged = try crashed.with(bytes)
    let log = SQLiteLog(directory: damaged.store, machine: machine, acceptsDamage: true)
    let opened = try await log.open()
    #expect(opened.replica == nil && opened.isDurable)
    #expect(opened.damage?.message.contains("is damaged at byte") == true, "\(String(describing: opened.damage))")
    let recovered = try await log.recover(library).records
    #expect(!recovered.isEmpty && recovered == Array(crashed.records[..<recovered.count]))
    #expect(try TestDirectory.bytes(of: damaged.paths.damaged) == bytes)
    try await log.append([record(bob, 1)])
    try await log.close(continuing: bob)
    // It is an ordinary store again.
    let later = damaged.log()
    let reopened = try await later.open()
    #expect(reopened.replica == bob && reopened.damage == nil)
  }
}

@Suite struct `A store whose database is gone` {
  @Test(arguments: [true, false]) func `does not begin empty in silence`(isClosed: Bool) async throws {
    let closed = try await TestDirectory.closed()
    let directory: TestDirectory
    if isClosed {
      directory = closed
    } else {
      let log = closed.log()
      _ = try await log.open()
      try await log.append([record(ada, 2)])
      directory = try closed.copied()
      try TestDirectory.remove(directory.paths.writeAheadLog)
    }
    try TestDirectory.remove(directory.paths.database)
    let error = await expectError(.corrupt) { _ = try await directory.log().open() }
    #expect(error?.message.contains("--accept-damage") == true)
    #expect(!TestDirectory.exists(directory.paths.database))

    let log = SQLiteLog(directory: directory.store, machine: machine, acceptsDamage: true)
    let opened = try await log.open()
    #expect(opened.replica == nil && opened.documents.isEmpty && opened.damage != nil)
    try await log.close(continuing: ada)
    #expect(try await directory.log().open().damage == nil)
  }
}

@Suite struct `One damaged document` {
  @Test func `keeps no other from being read, though its snapshot is lost`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.append([record(ada, 1), record(ada, 1, in: garden)])
    try await log.compact(garden, into: snapshot(version([ada: 1])))
    try await log.close(continuing: ada)
    let database = try DatabaseQueue(path: directory.paths.database)
    try await database.write { try $0.execute(sql: "UPDATE snapshot SET versionChecksum = versionChecksum + 1") }
    try database.close()
    let later = directory.log()
    #expect(try await later.open().documents == [garden, library])
    expectEqual(try await later.recover(library).records, [record(ada, 1)])
    await expectError(.corrupt) { _ = try await later.recover(garden) }
  }
}
