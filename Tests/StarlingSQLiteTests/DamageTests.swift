import StarlingTestSupport
import Foundation
import StarlingCore
import StarlingEngine
import StarlingLogTestSupport
import Testing

@testable import StarlingSQLite

/// A store with a little of everything, closed in good order.
private struct Specimen {
  let directory = TestDirectory()
  let database: [UInt8]
  var models: [DocumentID: LogModel] = [:]
  let members = [LogMember(store: StoreID(rawValue: 7), acknowledged: version([ada: 3, bob: 4]), heardAt: 5)]
  let leases = [LogLease(replica: bob, number: 7, counter: 4, holder: StoreID(rawValue: 7), user: "key")]

  init() async throws {
    let log = directory.log()
    _ = try await log.open()
    for document in [library, garden] {
      let records = (1...60 as ClosedRange<UInt64>).flatMap { counter in
        let padding = counter == 50 ? 9000 : 10
        return [record(ada, counter, in: document, padding: 150), record(bob, counter, in: document, padding: padding)]
      }
      try await log.append(records)
      models[document] = LogModel(records: records)
    }
    let compacted = StoredSnapshot(version: version([ada: 20, bob: 10]), bytes: [UInt8](repeating: 7, count: 10_000))
    try await log.compact(garden, into: compacted)
    models[garden]?.compact(into: compacted)
    try await log.remember(members, of: library)
    try await log.remember(leases: leases, of: library)
    for (document, state) in checkpoints { try await log.checkpoint(document, at: state, recordByteCount: 3) }
    try await log.close(continuing: ada)
    database = try TestDirectory.bytes(of: directory.paths.database)
  }

  let checkpoints = [
    library: StoredSnapshot(version: version([ada: 50, bob: 49]), bytes: [UInt8](repeating: 9, count: 9_000)),
    garden: StoredSnapshot(version: version([ada: 60, bob: 59]), bytes: [UInt8](repeating: 8, count: 900)),
  ]

  /// Opens `bytes` as the database and reads everything. Every answer is right, or an error;
  /// returns whether there was one.
  func isRefused(_ bytes: [UInt8], _ comment: String) async throws -> Bool {
    let copy = TestDirectory()
    try FileManager.default.createDirectory(atPath: copy.store, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: copy.paths.database))
    defer { try? FileManager.default.removeItem(atPath: copy.path) }
    let log = copy.log()
    do {
      #expect(try await log.open().documents == [garden, library], "\(comment)")
    } catch let error as LogError {
      #expect(error.code == .corrupt || error.code == .tooNew, "\(comment): \(error)")
      #expect(error.message.contains(copy.paths.database), "\(comment): \(error)")
      #expect(try TestDirectory.bytes(of: copy.paths.database) == bytes, "\(comment): altered")
      return true
    }
    var isRefused = false
    for (document, model) in models {
      do {
        let recovered = try await log.recover(document)
        #expect(recovered.snapshot?.bytes == model.snapshot?.bytes, "\(comment)")
        #expect(recovered.members == (document == library ? members : []), "\(comment)")
        #expect(recovered.leases == (document == library ? leases : []), "\(comment)")
        expectEqual(recovered.records, model.records, comment)
        let answer = try await log.records(in: document, after: model.logStart, byteCountMax: .max)
        expectEqual(answer.plain?.records, model.records, comment)
      } catch let error as LogError {
        #expect(error.code == .corrupt, "\(comment): \(error)")
        isRefused = true
      }
      do {
        let recovered = try #require(try await log.recoverFromCheckpoint(document), "\(comment)")
        let checkpoint = checkpoints[document]
        #expect(recovered.snapshot == checkpoint && recovered.history?.byteCount == 3, "\(comment)")
        #expect(recovered.history?.logStart == model.logStart, "\(comment)")
        expectEqual(
          recovered.records,
          model.records.filter { $0.lastCounter > checkpoint?.version[$0.replica] ?? 0 }, comment)
      } catch let error as LogError {
        #expect(error.code == .corrupt, "\(comment): \(error)")
        isRefused = true
      }
    }
    return isRefused
  }
}

@Suite struct `A damaged database` {
  @Test func `is refused wherever it is cut`() async throws {
    let specimen = try await Specimen()
    let count = specimen.database.count
    var lengths = Set([0, 1, 15, 16, 99, 100, 101, 511, 512, 1024, 4095, 4097, count - 1, count - 100])
    lengths.formUnion(stride(from: 4096, to: count, by: 4096))
    for length in lengths.sorted() {
      #expect(try await specimen.isRefused(Array(specimen.database[..<length]), "cut at \(length)"))
    }
    #expect(try await !specimen.isRefused(specimen.database, "whole"))
  }

  @Test(arguments: [UInt64(1), 2]) func `never answers wrongly, whichever bit flips`(seed: UInt64) async throws {
    let specimen = try await Specimen()
    var generator = Dice(seed: seed)
    var refusedCount = 0
    for _ in 0..<250 {
      var bytes = specimen.database
      let place = Int.random(in: bytes.indices, using: &generator)
      bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      if try await specimen.isRefused(bytes, "seed \(seed), flipped at \(place)") { refusedCount += 1 }
    }
    #expect(refusedCount > 100, "most of the file is not slack")
  }

  @Test(arguments: [UInt64(3)]) func `never answers wrongly, whichever page is lost`(seed: UInt64) async throws {
    let specimen = try await Specimen()
    var generator = Dice(seed: seed)
    for page in 0..<specimen.database.count / 4096 {
      for filling in ["zeros", "noise", "another page"] {
        var bytes = specimen.database
        let range = page * 4096..<(page + 1) * 4096
        switch filling {
        case "zeros": bytes.replaceSubrange(range, with: repeatElement(0, count: 4096))
        case "noise":
          bytes.replaceSubrange(range, with: (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) })
        default:
          let other = Int.random(in: 0..<bytes.count / 4096, using: &generator) * 4096
          bytes.replaceSubrange(range, with: bytes[other..<other + 4096])
        }
        _ = try await specimen.isRefused(bytes, "seed \(seed), page \(page), \(filling)")
      }
    }
  }

  /// In a page of an index (sqlite.org/fileformat.html, "B-tree Pages"), places of cells of two bytes
  /// each follow a header of eight; one that repeats another hides an entry and doubles one.
  @Test func `is refused whichever entry of the index stands there twice`() async throws {
    let specimen = try await Specimen()
    let pages = stride(from: 0, to: specimen.database.count, by: 4096).filter { specimen.database[$0] == 0x0A }
    #expect(!pages.isEmpty)
    for page in pages {
      let count = Int(specimen.database[page + 3]) << 8 + Int(specimen.database[page + 4])
      for cell in stride(from: 0, to: count - 1, by: 9) {
        let place = page + 8 + 2 * cell
        var bytes = specimen.database
        bytes.replaceSubrange(place + 2..<place + 4, with: bytes[place..<place + 2])
        #expect(try await specimen.isRefused(bytes, "page \(page / 4096), cell \(cell)"))
      }
    }
  }

  @Test func `is refused where it never was one`() async throws {
    let specimen = try await Specimen()
    #expect(try await specimen.isRefused(Array("Dear diary, ".utf8) + [UInt8](repeating: 0x20, count: 9000), "a text"))
    var foreign = specimen.database
    foreign.replaceSubrange(68..<72, with: [0, 0, 0, 0])
    #expect(try await specimen.isRefused(foreign, "another program's database"))
  }

  @Test func `is refused with words for its owner where it is of a later format`() async throws {
    let directory = try await TestDirectory.closed()
    var bytes = try TestDirectory.bytes(of: directory.paths.database)
    bytes.replaceSubrange(60..<64, with: [0, 0, 0, 6])
    try TestDirectory.overwrite(directory.paths.database, with: bytes)
    let error = await expectError(.tooNew) { _ = try await directory.log().open() }
    #expect(error?.message.contains("has format 6; this program reads up to 5") == true)
    #expect(try TestDirectory.bytes(of: directory.paths.database) == bytes)
  }

  @Test func `does not keep an asker from what lies beyond the damage`() async throws {
    let directory = TestDirectory()
    let records = (1...4000).map { record(ada, $0, padding: 400) }
    let log = directory.log()
    _ = try await log.open()
    try await log.append(records)
    try await log.close(continuing: ada)
    var bytes = try TestDirectory.bytes(of: directory.paths.database)
    // Every page but the last that holds the bytes of a record.
    let filling = [UInt8](repeating: 0x2E, count: 64)
    let pages = stride(from: 0, to: bytes.count, by: 4096).filter { page in
      Data(bytes[page..<page + 4096]).range(of: Data(filling)) != nil
    }
    for page in pages.dropLast(20) {
      bytes.replaceSubrange(page + 2048..<page + 4096, with: repeatElement(0, count: 2048))
    }
    try TestDirectory.overwrite(directory.paths.database, with: bytes)

    // So this is answered without a look at the older records.
    let reader = directory.log()
    _ = try await reader.open()
    let answer = try await reader.records(in: library, after: version([ada: 3990]), byteCountMax: .max)
    expectEqual(answer.plain?.records, Array(records[3990...]))
    await expectError(.corrupt) {
      _ = try await reader.records(in: library, after: version([ada: 5]), byteCountMax: .max)
    }
    await expectError(.corrupt) { _ = try await reader.recover(library) }
  }
}

@Suite struct `A missing file` {
  @Test func `is named where it is the write-ahead log of a crashed store`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.append([record(ada, 1)])
    let crashed = try directory.copied()
    try TestDirectory.remove(crashed.paths.writeAheadLog)
    let error = await expectError(.corrupt) { _ = try await crashed.log().open() }
    #expect(error?.message.contains("'\(crashed.paths.writeAheadLog)' is gone") == true)
    // The way on that the message names.
    let later = SQLiteLog(directory: crashed.store, machine: machine, acceptsDamage: true)
    #expect(try await later.open().replica == nil)
    expectEqual(try await later.recover(library).records, [])
  }

  @Test func `is named where it is the database`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.append([record(ada, 1)])
    let crashed = try directory.copied()
    try TestDirectory.remove(crashed.paths.database)
    await expectError(.corrupt) { _ = try await crashed.log().open() }
    #expect(TestDirectory.exists(crashed.paths.writeAheadLog))
    #expect(!TestDirectory.exists(crashed.paths.database))
  }

  @Test func `costs nothing that was acknowledged where the write-ahead log goes under a running store`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.append([record(ada, 1)])
    try TestDirectory.remove(directory.paths.writeAheadLog)
    let error = await expectError(.corrupt) { try await log.append([record(ada, 2)]) }
    #expect(error?.message.contains("removed or replaced '\(directory.paths.writeAheadLog)'") == true)
    await expectError(.corrupt) { try await log.append([record(ada, 2)]) }
    expectEqual(try await log.recover(library).records, [record(ada, 1)])
    try await log.close(continuing: ada)
    let later = directory.log()
    #expect(try await later.open().replica == nil)
    expectEqual(try await later.recover(library).records, [record(ada, 1)])
  }

  @Test func `costs nothing that was acknowledged where the database goes under a running store`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    let store = try await log.open().store
    try await log.append([record(ada, 1)])
    try TestDirectory.remove(directory.paths.database)
    let error = await expectError(.corrupt) { try await log.append([record(ada, 2)]) }
    #expect(error?.message.contains("is in '\(directory.paths.rescued)' now") == true)
    try await log.close(continuing: ada)
    try FileManager.default.moveItem(atPath: directory.paths.rescued, toPath: directory.paths.database)
    let later = directory.log()
    let opened = try await later.open()
    #expect(opened.store == store && opened.replica == nil)
    expectEqual(try await later.recover(library).records, [record(ada, 1)])
  }

  @Test func `makes a new store where all are missing`() async throws {
    let directory = try await TestDirectory.closed()
    let log = directory.log()
    let store = try await log.open().store
    try await log.close(continuing: ada)
    try TestDirectory.remove(directory.store)
    let opened = try await directory.log().open()
    #expect(opened.store != store && opened.replica == nil && opened.documents.isEmpty)
  }
}
