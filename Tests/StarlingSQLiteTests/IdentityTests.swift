import Foundation
import StarlingCore
import StarlingEngine
import StarlingLogTestSupport
import StarlingTestSupport
import Testing

@testable import StarlingSQLite

@Suite struct `A replica id` {
  @Test func `is handed out once for a clean-shutdown marker`() async throws {
    let directory = try await TestDirectory.closed()
    #expect(try await directory.log().open().replica == ada)
    #expect(try await directory.log().open().replica == nil)
  }

  @Test func `is handed out run after run where each closes`() async throws {
    let directory = try await TestDirectory.closed()
    for counter in 2...5 as ClosedRange<UInt64> {
      let log = directory.log()
      #expect(try await log.open().replica == ada)
      try await log.append([record(ada, counter)])
      try await log.close(continuing: ada)
    }
  }

  @Test(arguments: [SQLiteLog.Durability.full, .normal])
  func `is off the disk as a clean-shutdown marker before the opener hears of it`(durability: SQLiteLog.Durability)
    async throws
  {
    let directory = try await TestDirectory.closed()
    #expect(TestDirectory.exists(directory.paths.cleanShutdownMarker))
    let log = directory.log(durability: durability)
    #expect(try await log.open().replica == ada)
    #expect(!TestDirectory.exists(directory.paths.cleanShutdownMarker))
    try await log.close(continuing: ada)
  }

  @Test func `is not handed out from a copy`() async throws {
    let directory = try await TestDirectory.closed()
    #expect(try await directory.copied().log().open().replica == nil)
    #expect(try await directory.log().open().replica == ada, "the original may go on")
  }

  @Test func `is not handed out from a backup, even one put back into the same file`() async throws {
    let directory = try await TestDirectory.closed()
    let files = [directory.paths.database, directory.paths.cleanShutdownMarker]
    let backup = try files.map(TestDirectory.bytes)
    let log = directory.log()
    #expect(try await log.open().replica == ada)
    try await log.append([record(ada, 2)])
    try await log.close(continuing: ada)
    for (file, bytes) in zip(files, backup) { try TestDirectory.overwrite(file, with: bytes) }
    let restored = directory.log()
    #expect(try await restored.open().replica == nil)
    expectEqual(try await restored.recover(library).records, [record(ada, 1), record(bob, 1)])
  }

  @Test func `is not handed out where the database is behind the clean-shutdown marker`() async throws {
    let directory = try await TestDirectory.closed()
    let before = try TestDirectory.bytes(of: directory.paths.database)
    let log = directory.log()
    _ = try await log.open()
    try await log.append([record(ada, 2)])
    try await log.close(continuing: ada)
    try TestDirectory.overwrite(directory.paths.database, with: before)
    #expect(try await directory.log().open().replica == nil)
  }

  @Test func `is not handed out on another machine, nor on one without a name`() async throws {
    let elsewhere = try await TestDirectory.closed()
    #expect(try await elsewhere.log(on: "fedcba9876543210fedcba9876543210").open().replica == nil)
    let nowhere = try await TestDirectory.closed()
    #expect(try await nowhere.log(on: nil).open().replica == nil)
    let never = TestDirectory()
    let log = never.log(on: nil)
    _ = try await log.open()
    try await log.close(continuing: ada)
    #expect(!TestDirectory.exists(never.paths.cleanShutdownMarker))
  }

  @Test func `is not handed out for a clean-shutdown marker that is cut or altered anywhere`() async throws {
    let directory = try await TestDirectory.closed()
    let cleanShutdownMarker = try TestDirectory.bytes(of: directory.paths.cleanShutdownMarker)
    let found = try #require(try SystemDisk().identity(of: directory.paths.database))
    let log = directory.log()
    let store = try await log.open().store
    func facts(_ text: String) -> ReplicaID? {
      guard let replica = CleanShutdownMarker.replica(in: text) else { return nil }
      let facts = CleanShutdownMarker(
        store: store, replica: replica, machine: machine, database: found, heads: replica == ada ? [(1, 1)] : [])
      return facts.text == text ? replica : nil
    }
    #expect(facts(String(decoding: cleanShutdownMarker, as: UTF8.self)) == ada)
    for place in cleanShutdownMarker.indices {
      #expect(facts(String(decoding: cleanShutdownMarker[..<place], as: UTF8.self)) == nil, "cut at \(place)")
      var altered = cleanShutdownMarker
      altered[place] ^= 1
      let text = String(decoding: altered, as: UTF8.self)
      // Of the replica's own digits the heads are the proof: another replica has none here.
      #expect(facts(text) == nil, "altered at \(place): \(text)")
    }
  }

  @Test func `is not handed out after a crash before the close`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.append([record(ada, 1)])
    #expect(try await directory.copied().log().open().replica == nil)
  }

  @Test func `names the machine as the system does`() throws {
    let text = try #require(try SystemDisk().read("/etc/machine-id"))
    #expect(CleanShutdownMarker.machineID() == text.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}

@Suite struct `The connection` {
  @Test(arguments: SQLiteLog.Durability.allCases)
  func `writes as durably as was asked, by its own account`(durability: SQLiteLog.Durability) async throws {
    let directory = try await TestDirectory.closed()
    let file = try LogFile.open(directory.paths, durability: durability, machine: machine, acceptsDamage: false)
    try file.append([record(ada, 2)])
    #expect(try file.standingDurability() == durability)
  }
}

@Suite struct `The lock of a store` {
  @Test func `ends with the log, also while another thread begins a program`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    let copies = CopiedDescriptors(ofFileAt: directory.paths.lock)
    #expect(copies.count > 0)
    try await log.close(continuing: ada)
    let next = directory.log()
    _ = try await next.open()
    try await next.close(continuing: ada)
    withExtendedLifetime(copies) {}
  }

  @Test func `tells the second the process id of the first`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    let error = await expectError(.busy) { _ = try await directory.log().open() }
    let program = try #require(CommandLine.arguments.first?.split(separator: "/").last)
    #expect(
      error?.message
        == "Another process (pid \(getpid()), \(program)) holds '\(directory.store)'. Stop it or open another directory."
    )
  }

  @Test func `ends with the close, and with the object`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.close(continuing: ada)
    #expect(try TestDirectory.bytes(of: directory.paths.lock).isEmpty)
    do { _ = try await directory.log().open() }
    do { _ = try await directory.log().open() }
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: flock), "needs flock(1)"))
  func `is one that other processes meet, and ends when its holder is killed`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    #expect(run(flock, ["--nonblock", directory.paths.lock, "true"]) == 1)
    try await log.close(continuing: ada)
    #expect(run(flock, ["--nonblock", directory.paths.lock, "true"]) == 0)

    let holder = Process()
    let output = Pipe()
    holder.executableURL = URL(fileURLWithPath: flock)
    holder.arguments = ["--no-fork", directory.paths.lock, "/bin/sh", "-c", "echo held; exec sleep 600"]
    holder.standardOutput = output
    try holder.run()
    #expect(output.fileHandleForReading.readData(ofLength: 5) == Data("held\n".utf8))
    await expectError(.busy) { _ = try await directory.log().open() }
    kill(holder.processIdentifier, SIGKILL)
    holder.waitUntilExit()
    #expect(try await directory.log().open().replica == ada)
  }

  /// Whoever looks on holds back the write-ahead log: it cannot be emptied on closing, and goes when the onlooker does.
  @Test(.enabled(if: FileManager.default.fileExists(atPath: shell), "needs sqlite3(1)"))
  func `does not keep SQLite's own shell from looking on, at the cost of a clean-shutdown marker`() async throws {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.append([record(ada, 1)])
    let onlooker = Process()
    let (input, output) = (Pipe(), Pipe())
    onlooker.executableURL = URL(fileURLWithPath: shell)
    onlooker.arguments = [directory.paths.database]
    (onlooker.standardInput, onlooker.standardOutput) = (input, output)
    try onlooker.run()
    try input.fileHandleForWriting.write(contentsOf: Data("BEGIN; SELECT count(*) FROM record;\n".utf8))
    #expect(output.fileHandleForReading.readData(ofLength: 2) == Data("1\n".utf8))
    try await log.append([record(ada, 2)])
    await expectError(.busy) { try await log.close(continuing: ada) }
    try input.fileHandleForWriting.close()
    onlooker.waitUntilExit()
    let later = directory.log()
    #expect(try await later.open().replica == nil)
    expectEqual(try await later.recover(library).records, [record(ada, 1), record(ada, 2)])
  }
}

private let flock = "/usr/bin/flock"
private let shell = "/usr/bin/sqlite3"
