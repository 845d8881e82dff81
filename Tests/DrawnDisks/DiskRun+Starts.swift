import StarlingCore
import StarlingEngine
import StarlingSQLite
import StarlingSimulatedDisk
import StarlingTestSupport

// A start of the store: what it finds, and under which id it goes on.
extension DiskRun {
  /// - Returns: nil where the store does not open, because the disk fails or is damaged.
  mutating func start() async throws -> (log: SQLiteLog, replica: ReplicaID)? {
    let log = makeLog()
    // Once a start has begun, the next one proves nothing.
    let closedAs = proven
    proven = nil
    do {
      let opened = try await log.open()
      note(
        "\(disk.callCount): opened, id \(opened.replica.map { "\($0)" } ?? "none"), \(opened.generations.own). start")
      let found = try await StoreContents(readBy: log, opened)
      guard let refusal = opened.refusal else { return (log, try begin(log, opened, found, closedAs)) }
      return try await write(log, afterOpeningForReading: opened, found, refusal)
    } catch let error as LogError {
      note("\(disk.callCount): not opened or read: \(error)")
      if disk.isDark { return nil }
      return try await look(after: error)
    }
  }

  private mutating func begin(
    _ log: SQLiteLog, _ opened: OpenedLog, _ found: StoreContents, _ closedAs: ReplicaID?
  ) throws -> ReplicaID {
    count("starts")
    try judge(found)
    guard opened.store == StoreID(rawValue: 7) else { throw Violation("the store has another name") }
    try judge(opened.generations.own)
    defer {
      isPutBack = false
      generation = opened.generations.own
      greatestGeneration = max(greatestGeneration, generation)
    }
    guard let replica = opened.replica else {
      if let closedAs { throw Violation("the store was closed as \(closedAs), and does not go on so") }
      return fresh()
    }
    count("ids handed out")
    if let closedAs, closedAs != replica { throw Violation("closed as \(closedAs), and opened as \(replica)") }
    guard written.isKnown(replica, to: found) else {
      // Peers that met the later start tell (Protocol/conversation.md, "Generations").
      guard isPutBack || hasLostSynced, opened.generations.own <= greatestGeneration else {
        throw Violation("\(replica) is handed out, and dots of it were used that the store does not know")
      }
      count("repeated starts")
      return fresh()
    }
    return replica
  }

  private mutating func fresh() -> ReplicaID { ReplicaID(rawValue: dice.next() | 1 << 32) }

  private mutating func judge(_ found: StoreContents) throws {
    try check(found)
    (contents, possible) = (found, [found])
  }

  private mutating func check(_ found: StoreContents) throws {
    if let stranger = written.stranger(in: found) { throw Violation("\(stranger) was never written") }
    guard let place = (hasLostSynced ? history : possible).lastIndex(where: { isFound($0, found) }) else {
      throw Violation(
        "the store holds \(found.summary), and should hold one of "
          + "\((hasLostSynced ? history.suffix(3) : possible[...]).map(\.summary))")
    }
    if hasLostSynced, place < history.count - 1 { count("earlier states") }
  }

  /// Starts stand apart from documents: damage may take back the one and leave the other. Those that are not as they
  /// were written count as unknown: peers tell.
  private func isFound(_ expected: StoreContents, _ found: StoreContents) -> Bool {
    var expected = expected
    if mayBeDamaged, found.starts.isEmpty || history.contains(where: { $0.starts == found.starts }) {
      expected.starts = found.starts
    }
    return expected == found
  }

  private func judge(_ next: UInt64) throws {
    guard !hasLostSynced, durability == .full, next <= generation else { return }
    throw Violation("start \(next) was counted before")
  }

  /// The disk refused when the store opened: it is read, and written once the disk can be.
  private mutating func write(
    _ log: SQLiteLog, afterOpeningForReading opened: OpenedLog, _ found: StoreContents, _ refusal: LogError
  ) async throws -> (log: SQLiteLog, replica: ReplicaID)? {
    guard kind == .failing, opened.replica == nil, !opened.isDurable, refusal.code == .unwritable else {
      throw Violation("it is only read: \(refusal)")
    }
    count("opened for reading")
    // What nobody was told of may be lost yet, though it was read.
    try check(found)
    disk.plan(nil)
    guard refusal.isTransient else { return nil }
    do {
      try await log.append([])
      try judge(found)
      // Its start is counted now.
      generation += 1
      greatestGeneration = max(greatestGeneration, generation)
      return (log, fresh())
    } catch let error as LogError {
      if disk.isDark { return nil }
      throw Violation("the disk works again, and the log does not: \(error)")
    }
  }

  /// It does not open, or cannot be read.
  private mutating func look(after error: LogError) async throws -> (log: SQLiteLog, replica: ReplicaID)? {
    switch kind {
    case .failing where error.code == .unwritable:
      count("refused")
      disk.plan(nil)
      disk.endProcesses()
      return nil
    case .lying where hasLostSynced, .misplacing:
      guard error.code == .corrupt, error.message.contains(disk.path("store")) else {
        throw Violation("it does not say what is damaged: \(error)")
      }
      count("told")
      try await acceptDamage()
      return nil
    default: throw Violation("the store does not open: \(error)")
    }
  }

  /// What is whole is gone on with, or it says again that it is damaged. It holds nothing that was never written.
  private mutating func acceptDamage() async throws {
    disk.endProcesses()
    disk.plan(nil)
    let log = makeLog(acceptsDamage: true)
    do {
      let opened = try await log.open()
      let found = try await StoreContents(readBy: log, opened)
      if let stranger = written.stranger(in: found) { throw Violation("\(stranger) was never written") }
      guard opened.damage == nil || opened.replica == nil else {
        throw Violation("a damaged store goes on as \(opened.replica!)")
      }
      count("damage accepted")
    } catch let error as LogError {
      guard error.code == .corrupt else { throw Violation("it does not say what is damaged: \(error)") }
    }
  }
}
