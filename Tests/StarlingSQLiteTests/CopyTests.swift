import Foundation
import StarlingCore
import StarlingEngine
import StarlingLogTestSupport
import Testing

@testable import StarlingSQLite

@Suite struct `Copies of a store` {
  private let home = TestDirectory()

  private var backup: String { home.path + "/backup.sqlite" }

  private func records(_ counters: ClosedRange<UInt64>) -> [LogRecord] {
    counters.flatMap { counter in [library, garden].map { record(ada, counter, in: $0, padding: 200) } }
  }

  private func expect(_ counters: ClosedRange<UInt64>, in directory: TestDirectory) async throws {
    let log = directory.log()
    let opened = try await log.open()
    #expect(opened.documents == [garden, library])
    #expect(opened.replica == nil, "A copy continues under an id of its own.")
    for document in opened.documents {
      let recovered = try await log.recover(document)
      expectEqual(recovered.records, records(counters).filter { $0.document == document }, "\(document)")
    }
    try await log.close(continuing: bob)
  }

  // MARK: Good ones

  @Test func `hold what was stored when they were made, while the store goes on`() async throws {
    let log = home.log()
    let store = try await log.open().store
    try await log.append(records(1...40))
    var told: [Double] = []
    let report = try SQLiteLog.backUp(home.store, to: backup) { told.append($0) }
    #expect(report.isWhole && report.store == store)
    #expect(report.documents.map(\.name) == [garden, library])
    #expect(report.documents.allSatisfy { $0.recordCount == 40 && $0.operationCount == 40 })
    #expect(told == told.sorted() && told.last == 1)
    try await log.append(records(41...50))
    try await log.close(continuing: ada)

    let restored = TestDirectory()
    #expect(try SQLiteLog.restore(backup, to: restored.store).isWhole)
    try await expect(1...40, in: restored)
    // The store itself does not notice: it continues under its id.
    let again = home.log()
    #expect(try await again.open().replica == ada)
    let all = try await again.recover(library).records
    expectEqual(all, records(1...50).filter { $0.document == library }, "")
    try await again.close(continuing: ada)
  }

  @Test func `can be made of a store that is closed, and of one that was not closed in good order`() async throws {
    let log = home.log()
    _ = try await log.open()
    try await log.append(records(1...10))
    let crashed = try home.copied()
    try await log.close(continuing: ada)
    let files = try FileManager.default.contentsOfDirectory(atPath: home.store).sorted()
    _ = try SQLiteLog.backUp(home.store, to: backup)
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.store).sorted() == files)
    #expect(try await home.log().open().replica == ada)
    #expect(try SQLiteLog.backUp(crashed.store, to: crashed.path + "/backup").documents.first?.recordCount == 10)
    let restored = TestDirectory()
    _ = try SQLiteLog.restore(crashed.path + "/backup", to: restored.store)
    try await expect(1...10, in: restored)
  }

  // MARK: Damaged ones

  @Test func `are not made of what is damaged, nor restored from it, and a check names it`() async throws {
    let log = home.log()
    _ = try await log.open()
    try await log.append(records(1...10))
    _ = try SQLiteLog.backUp(home.store, to: backup)
    try await log.close(continuing: ada)
    let bytes = try TestDirectory.bytes(of: backup)
    var foundCount = 0
    for place in stride(from: 0, to: bytes.count, by: 211) {
      var damaged = bytes
      damaged[place] ^= 0x55
      try TestDirectory.overwrite(backup, with: damaged)
      let opened = TestDirectory()
      try FileManager.default.createDirectory(atPath: opened.store, withIntermediateDirectories: true)
      try Data(damaged).write(to: URL(fileURLWithPath: opened.paths.database))
      let isDamage = await Self.isRefused(by: opened.log())
      let report = try? SQLiteLog.check(backup)
      guard isDamage else { continue }
      foundCount += 1
      #expect(report?.isWhole != true, "byte \(place) is wrong, and nothing is said of it")
      let restored = TestDirectory()
      #expect(throws: LogError.self, "byte \(place)") { try SQLiteLog.restore(backup, to: restored.store) }
      #expect(!TestDirectory.exists(restored.paths.database), "byte \(place)")
      #expect(throws: LogError.self, "byte \(place)") {
        try SQLiteLog.backUp(opened.store, to: opened.path + "/backup")
      }
      #expect(
        !TestDirectory.exists(opened.path + "/backup") && !TestDirectory.exists(opened.path + "/backup.unfinished"))
    }
    #expect(foundCount > 20)
  }

  /// Whether a replica that reads all of it meets damage.
  private static func isRefused(by log: any ChangeLog) async -> Bool {
    do {
      for document in try await log.open().documents { _ = try await log.recover(document) }
      return false
    } catch {
      return true
    }
  }

  @Test func `of one document's damage say which document it is`() async throws {
    let log = home.log()
    _ = try await log.open()
    try await log.append(records(1...3) + [record(bob, 1, in: garden, padding: 50)])
    try await log.close(continuing: ada)
    #expect(run("/usr/bin/env", ["python3", "-c", Self.damaging, home.paths.database]) == 0)
    let report = try SQLiteLog.check(home.store)
    #expect(report.faults.isEmpty)
    #expect(report.documents.filter { $0.damage != nil }.map(\.name) == [garden])
    #expect(report.firstFault?.message.contains("'garden'") == true)
  }

  /// Writes other bytes into a record, as a program that means well might.
  private static let damaging = """
    import sqlite3, sys
    db = sqlite3.connect(sys.argv[1])
    place = db.execute("SELECT id FROM document WHERE name = 'garden'").fetchone()[0]
    db.execute("UPDATE record SET bytes = x'00' WHERE id = (SELECT min(id) FROM record WHERE document = ?)", (place,))
    db.commit()
    """

  @Test func `of a store whose write-ahead log is gone say so`() async throws {
    let log = home.log()
    _ = try await log.open()
    try await log.append(records(1...3))
    let crashed = try home.copied()
    try TestDirectory.remove(crashed.paths.writeAheadLog)
    let report = try SQLiteLog.check(crashed.store)
    #expect(report.faults.first?.message.contains(crashed.paths.writeAheadLog) == true)
    #expect(throws: LogError.self) { try SQLiteLog.backUp(crashed.store, to: backup) }
    try await log.close(continuing: ada)
  }

  // MARK: In the wrong place

  @Test func `replace nothing`() async throws {
    let log = home.log()
    _ = try await log.open()
    try await log.append(records(1...3))
    _ = try SQLiteLog.backUp(home.store, to: backup)
    let before = try TestDirectory.bytes(of: backup)
    await expectError(.misuse) { _ = try SQLiteLog.backUp(self.home.store, to: self.backup) }
    await expectError(.misuse) { _ = try SQLiteLog.restore(self.backup, to: self.home.store) }
    await expectError(.misuse) { _ = try SQLiteLog.check(self.home.path + "/none") }
    await expectError(.misuse) { _ = try SQLiteLog.check(self.home.path) }
    #expect(try TestDirectory.bytes(of: backup) == before)
    try await log.close(continuing: ada)
  }
}
