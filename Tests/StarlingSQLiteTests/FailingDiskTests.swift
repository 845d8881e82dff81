import StarlingCore
import StarlingEngine
import StarlingLogTestSupport
import StarlingSimulatedDisk
import StarlingTestSupport
import Testing

@testable import StarlingSQLite

/// A store on a simulated disk whose calls go wrong, one after the other.
private struct FailingDisk {
  let disk = SimulatedDisk()
  var durability = SQLiteLog.Durability.full

  var log: SQLiteLog {
    SQLiteLog(directory: disk.path("store"), durability: durability, machine: machine, on: disk.process())
  }

  /// A store whose process was killed.
  static func crashed(_ records: [LogRecord]) async throws -> FailingDisk {
    let failing = FailingDisk()
    let log = failing.log
    _ = try await log.open()
    for record in records { try await log.append([record]) }
    withExtendedLifetime(log) { failing.disk.endProcesses() }
    return failing
  }

  /// What the store holds, by a process that ends well.
  func records() async throws -> [LogRecord] {
    let log = log
    _ = try await log.open()
    defer { disk.endProcesses() }
    return try await log.recover(library).records
  }

  /// Opens, appends and closes, however far that goes; then the process ends.
  ///
  /// - Returns: whether the record was acknowledged.
  func live(appending record: LogRecord) async -> Bool {
    let log = log
    var isAcknowledged = false
    do {
      _ = try await log.open()
      try await log.append([record])
      isAcknowledged = true
      try await log.close(continuing: ada)
    } catch {
      // Whoever looks after the program ends it in good order.
      try? await log.close(continuing: ada)
    }
    return isAcknowledged
  }
}

@Suite struct `A simulated process that is killed` {
  @Test func `reaches the disk no more, though its log is released then`() async throws {
    let disk = try await FailingDisk.crashed([record(ada, 1)]).disk
    // A log that nobody closed takes back its mark where it still can.
    #expect(try disk.process().names(in: disk.path("store")).contains("mark"))
  }
}

@Suite struct `A call of a disk that fails` {
  private let before = [record(ada, 1), record(bob, 1, padding: 5000)]
  private let after = record(bob, 2, padding: 9000)

  @Test(arguments: [DiskFault.Kind.noSpace, .ioError, .unreadable], [1, 3])
  func `leaves a store that opens again and holds what it acknowledged, whichever call it is`(
    _ kind: DiskFault.Kind, count: Int
  ) async throws {
    let image = try await FailingDisk.crashed(before).disk.image()
    var (call, isOver) = (0, false)
    while !isOver {
      call += 1
      let failing = FailingDisk()
      failing.disk.restore(image)
      let first = call
      failing.disk.plan(DiskFault(kind, calls: first...first + count - 1, forgetsUnsynced: call.isMultiple(of: 2)))
      let isAcknowledged = await failing.live(appending: after)
      isOver = (kind == .unreadable ? failing.disk.readCount : failing.disk.callCount) < first
      failing.disk.plan(nil)
      failing.disk.endProcesses()
      let found = try await failing.records()
      #expect(found == before + [after] || !isAcknowledged && found == before, "call \(call)")
    }
    #expect(call > 20)
  }
}

@Suite struct `A second loss of power` {
  /// The rest of the first transaction that was lost stands behind the second one, and that is there in part.
  @Test func `leaves nothing that looks like damage`() async throws {
    let acknowledged = record(ada, 1)
    for seed in UInt64(1)...6 {
      for call in 1...24 {
        var dice = Dice(seed: seed)
        let failing = try await FailingDisk.crashed([acknowledged])
        let log = failing.log
        _ = try await log.open()
        failing.disk.cutPower(afterCalls: 5)
        await #expect(throws: LogError.self) { try await log.append([record(ada, 2, padding: 20_000)]) }
        failing.disk.losePower(.any, using: &dice)
        failing.disk.cutPower(afterCalls: call)
        _ = try? await failing.log.open()
        failing.disk.losePower(.any, using: &dice)
        let found = try await failing.records()
        #expect(found.first == acknowledged, "seed \(seed), call \(call)")
      }
    }
  }
}

@Suite struct `A store that need not survive a loss of power` {
  @Test func `opens after one, at an earlier state`() async throws {
    let records = (1...6).map { record(ada, UInt64($0), padding: 3000) }
    for seed in UInt64(1)...40 {
      var dice = Dice(seed: seed)
      var failing = FailingDisk()
      failing.durability = .normal
      let log = failing.log
      _ = try await log.open()
      for record in records { try await log.append([record]) }
      let loss = dice.pick([PowerLoss.any, .tornPages, .tornSectors])
      // Released before that, it would leave the store in good order.
      withExtendedLifetime(log) { failing.disk.losePower(loss, using: &dice) }
      let found = try await failing.records()
      #expect(found == Array(records.prefix(found.count)), "seed \(seed)")
    }
  }
}

@Suite struct `A store that can only be read` {
  @Test func `knows the starts of others, and does not count its own`() async throws {
    let failing = FailingDisk()
    let log = failing.log
    _ = try await log.open()
    let others = [StoredGenerations.Other(store: StoreID(rawValue: 9), name: "", generation: 4, epoch: 1)]
    try await log.remember(StoredGenerations(own: 0, others: others))
    try await log.close(continuing: ada)
    let first = failing.disk.callCount + 1
    failing.disk.plan(DiskFault(.noSpace, calls: first...first + 10_000))
    let opened = try await failing.log.open()
    #expect(!opened.isDurable && opened.generations == StoredGenerations(own: 1, others: others))
  }
}
