import Foundation
import StarlingCore
import StarlingEngine
import StarlingLogTestSupport
import Testing

@testable import StarlingSQLite

/// Mounting file systems of a test's own.
private enum Mount {
  /// - Parameter arguments: what `mount` needs besides the place.
  static func with(_ arguments: String..., at path: String, _ body: () async throws -> Void) async throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    try #require(run("/bin/mount", arguments + [path]) == 0)
    let outcome: Result<Void, any Error>
    do {
      outcome = .success(try await body())
    } catch {
      outcome = .failure(error)
    }
    #expect(run("/bin/umount", ["--lazy", path]) == 0)
    try outcome.get()
  }

  static func change(_ options: String, at path: String) -> Bool { run("/bin/mount", ["-o", options, path]) == 0 }

  static func fill(_ path: String) { run("/bin/dd", ["if=/dev/zero", "of=\(path)/ballast", "status=none"]) }

  static let isPossible: Bool = {
    let path = TestDirectory().path
    return run("/bin/mount", ["-t", "tmpfs", "tmpfs", path]) == 0 && run("/bin/umount", [path]) == 0
  }()
}

@Suite(.enabled(if: Mount.isPossible, "needs the right to mount"), .serialized) struct `A disk` {
  @Test func `that is full refuses an append whole and keeps those before it`() async throws {
    let directory = TestDirectory()
    try await Mount.with("-t", "tmpfs", "-o", "size=1m", "tmpfs", at: directory.store) {
      let log = directory.log()
      _ = try await log.open()
      var acknowledged: [LogRecord] = []
      var refused: LogError?
      while refused == nil, acknowledged.count < 1000 {
        let group = (1...4).map { record(ada, UInt64(acknowledged.count + $0), padding: 2000) }
        do {
          try await log.append(group)
          acknowledged += group
        } catch let error as LogError {
          refused = error
        }
      }
      #expect(refused?.code == .unwritable)
      #expect(refused?.message.contains("is full") == true, "\(refused?.description ?? "")")
      #expect(!acknowledged.isEmpty)
      expectEqual(try await log.recover(library).records, acknowledged)

      let crashed = try directory.copied()
      let survivor = crashed.log()
      _ = try await survivor.open()
      expectEqual(try await survivor.recover(library).records, acknowledged)

      // Space again: what was refused may be repeated. The id is not proved any more.
      #expect(Mount.change("remount,size=8m", at: directory.store))
      let repeated = record(ada, UInt64(acknowledged.count + 1))
      try await log.append([repeated])
      try await log.close(continuing: ada)
      let later = directory.log()
      #expect(try await later.open().replica == nil)
      expectEqual(try await later.recover(library).records, acknowledged + [repeated])
      try await later.close(continuing: ada)
    }
  }

  @Test func `that is full when the store opens leaves it to be read`() async throws {
    let original = try await TestDirectory.closed()
    let directory = TestDirectory()
    try await Mount.with("-t", "tmpfs", "-o", "size=1m", "tmpfs", at: directory.store) {
      for file in ["starling.sqlite", "lock", "ticket"] {
        try FileManager.default.copyItem(atPath: original.store + "/" + file, toPath: directory.store + "/" + file)
      }
      Mount.fill(directory.store)
      let log = directory.log()
      let opened = try await log.open()
      #expect(opened.replica == nil && !opened.isDurable && opened.documents == [library])
      expectEqual(try await log.recover(library).records, [record(ada, 1), record(bob, 1)])
      let error = await expectError(.unwritable) { try await log.append([record(ada, 2)]) }
      #expect(error?.message.contains("full") == true, "\(error?.description ?? "")")
      try await log.close(continuing: ada)

      try TestDirectory.remove(directory.store + "/ballast")
      let later = directory.log()
      let reopened = try await later.open()
      #expect(reopened.isDurable)
      expectEqual(try await later.recover(library).records, [record(ada, 1), record(bob, 1)])
      try await later.close(continuing: ada)
    }
  }

  @Test func `that was full when the store opened is written once there is space`() async throws {
    let original = try await TestDirectory.closed()
    let directory = TestDirectory()
    try await Mount.with("-t", "tmpfs", "-o", "size=1m", "tmpfs", at: directory.store) {
      for file in ["starling.sqlite", "lock", "ticket"] {
        try FileManager.default.copyItem(atPath: original.store + "/" + file, toPath: directory.store + "/" + file)
      }
      Mount.fill(directory.store)
      let log = directory.log()
      let opened = try await log.open()
      #expect(opened.refusal?.isTransient == true)
      let error = await expectError(.unwritable) { try await log.append([]) }
      #expect(error?.isTransient == true)
      try TestDirectory.remove(directory.store + "/ballast")
      try await log.append([])
      try await log.append([record(ada, 2)])
      expectEqual(try await log.recover(library).records, [record(ada, 1), record(bob, 1), record(ada, 2)])
      try await log.close(continuing: ada)
      let later = directory.log()
      #expect(try await later.open().replica == ada)
      expectEqual(try await later.recover(library).records, [record(ada, 1), record(bob, 1), record(ada, 2)])
      try await later.close(continuing: ada)
    }
  }

  @Test func `that is full holds no half-made store`() async throws {
    let directory = TestDirectory()
    try await Mount.with("-t", "tmpfs", "-o", "size=64k", "tmpfs", at: directory.store) {
      Mount.fill(directory.store)
      await expectError(.unwritable) { _ = try await directory.log().open() }
      #expect(!TestDirectory.exists(directory.paths.database))
      #expect(Mount.change("remount,size=8m", at: directory.store))
      let opened = try await directory.log().open()
      #expect(opened.isDurable)
    }
  }

  @Test(arguments: [true, false]) func `that is read-only leaves the store to be read, without an id`(
    isClosed: Bool
  ) async throws {
    let original = try await TestDirectory.closed()
    if !isClosed {
      let log = original.log()
      _ = try await log.open()
      try await log.append([record(ada, 2)])
    }
    let source = isClosed ? original : try original.copied()
    let directory = TestDirectory()
    try await Mount.with("--bind", source.store, at: directory.store) {
      #expect(Mount.change("remount,bind,ro", at: directory.store))
      let log = directory.log()
      let opened = try await log.open()
      #expect(opened.replica == nil && !opened.isDurable)
      let records = [record(ada, 1), record(bob, 1)] + (isClosed ? [] : [record(ada, 2)])
      expectEqual(try await log.recover(library).records, records)
      expectEqual(
        try await log.records(in: library, after: VersionVector(), byteCountMax: .max).plain?.records, records)
      let error = await expectError(.unwritable) { try await log.append([record(ada, 3)]) }
      #expect(error?.message.contains(directory.store) == true, "\(error?.description ?? "")")
      await expectError(.unwritable) { try await log.compact(library, into: snapshot(version([ada: 1]))) }
      try await log.close(continuing: ada)
    }
  }

  @Test func `that is read-only and holds no store says so`() async throws {
    let directory = TestDirectory()
    try await Mount.with("-t", "tmpfs", "-o", "ro", "tmpfs", at: directory.path + "/disk") {
      let log = SQLiteLog(directory: directory.path + "/disk/store", machine: machine)
      let error = await expectError(.unwritable) { _ = try await log.open() }
      #expect(error?.description.contains("Read-only file system") == true, "\(error?.description ?? "")")
    }
  }
}

@Suite struct `A store's directory` {
  @Test func `is made for its owner alone, with those above it`() async throws {
    let directory = TestDirectory()
    let log = SQLiteLog(directory: directory.path + "/a/b", machine: machine)
    _ = try await log.open()
    for path in ["/a", "/a/b"] {
      let mode = try FileManager.default.attributesOfItem(atPath: directory.path + path)[.posixPermissions]
      #expect(mode as? Int == 0o700)
    }
  }

  @Test func `holds two files more while the store is open than the three it is known for`() async throws {
    let directory = try await TestDirectory.closed()
    func files() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.store).sorted() }
    #expect(try files() == ["lock", "starling.sqlite", "ticket"])
    let log = directory.log()
    _ = try await log.open()
    #expect(try files() == ["lock", "mark", "starling.sqlite", "starling.sqlite-shm", "starling.sqlite-wal"])
  }

  @Test func `shrinks when a compaction frees most of it`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.append((1...2000).map { record(ada, $0, padding: 1000) })
    try await log.compact(library, into: snapshot(version([ada: 2000])))
    try await log.close(continuing: ada)
    #expect(try #require(try SystemDisk().identity(of: directory.paths.database)).byteCount < 100_000)
  }
}
