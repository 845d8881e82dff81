import Foundation
import StarlingCore
import StarlingEngine
import StarlingLogTestSupport
import Testing

@testable import StarlingSQLite

@Suite struct `A store that forgets a document` {
  private let drafts = DocumentID("drafts")!

  private func secret(_ counters: ClosedRange<UInt64>, of document: DocumentID) -> LogRecord {
    LogRecord(
      document: document, replica: ada, firstCounter: counters.lowerBound, lastCounter: counters.upperBound,
      bytes: Array(repeatElement(Array("do not keep this ".utf8), count: 2000).joined()))
  }

  /// Whether the words stand in any file of the store.
  private func isHeld(_ text: String, in directory: TestDirectory) throws -> Bool {
    let folder = URL(filePath: directory.paths.directory)
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil).contains {
      try Data(contentsOf: $0).range(of: Data(text.utf8)) != nil
    }
  }

  @Test func `keeps its name, and no byte of it`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.append([secret(1...3, of: drafts), record(ada, 1...3)])
    try await log.append([secret(4...4, of: drafts)])
    let snapshot = StoredSnapshot(version: version([ada: 3]), bytes: Array("do not keep this state".utf8))
    try await log.compact(drafts, into: snapshot)
    try await log.remember(
      [LogMember(store: StoreID(rawValue: 1), acknowledged: version([ada: 2]), heardAt: 9)], of: drafts)
    #expect(try isHeld("do not keep this", in: directory))
    try await log.forget(drafts)
    #expect(try !isHeld("do not keep this", in: directory))
    // What comes after it has numbers of its own.
    let later = DocumentID("later")!
    try await log.append([secret(1...1, of: later)])
    try await log.close(continuing: ada)

    let again = directory.log()
    let opened = try await again.open()
    #expect(opened.forgotten == [drafts])
    #expect(opened.documents == [later, library].sorted { $0.name < $1.name })
    #expect(opened.replica == ada)
    let recovered = try await again.recover(drafts)
    #expect(recovered.records.isEmpty && recovered.snapshot == nil && recovered.members.isEmpty)
    expectEqual(try await again.recover(library).records, [record(ada, 1...3)])
    try await again.close(continuing: ada)
  }

  @Test func `keeps the name of one that it never had, also through a crash`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.forget(drafts)
    try await log.forget(drafts)
    let crashed = try directory.copied()
    let again = crashed.log()
    #expect(try await again.open().forgotten == [drafts])
  }
}
