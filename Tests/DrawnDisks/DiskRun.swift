import StarlingCore
import StarlingEngine
import StarlingSQLite
import StarlingSimulatedDisk
import StarlingTestSupport

/// A few lives of one store on a simulated disk, drawn from a seed: what it holds after each is held against what was
/// acknowledged.
///
/// ```
///   open ── calls ── close ──────────────┐
///    │        └──── killed ──────────────┤── the disk is copied, put back or left ── open ── ...
///    └─ refused     the power goes ──────┘
///       by name     at any call
/// ```
package struct DiskRun {
  package enum Kind: String, CaseIterable {
    /// What is synced is there.
    case honest
    /// Calls fail for a while.
    case failing
    /// Syncs do nothing.
    case lying
    /// A write goes elsewhere, or nowhere.
    case misplacing
  }

  package let seed: UInt64
  package let kind: Kind
  let disk = SimulatedDisk()
  let planted: PlantedStoreFault?
  var dice: Dice
  var operations = StoreOperations()
  var written = WrittenDots()
  /// What the store holds, as far as its writers were told.
  var contents = StoreContents()
  /// What a start may find.
  var possible = [StoreContents()]
  /// Every whole state that the store was ever to be in.
  var history = [StoreContents()]
  /// Whether power was lost that took with it what was said to be there.
  var hasLostSynced = false
  var durability = SQLiteLog.Durability.full
  /// Where the store went on last, if it was closed in good order and nothing happened to it.
  var proven: ReplicaID?
  var image: (disk: DiskImage, contents: StoreContents, generation: UInt64)?
  var isPutBack = false
  /// That of the last start, and the greatest there ever was: what is put back counts again.
  var generation: UInt64 = 0
  var greatestGeneration: UInt64 = 0
  /// How often what happened.
  package private(set) var tally: [String: Int] = [:]
  /// The call of this life that failed last, and was not made again.
  private var refused: StoreOperation?
  /// What a program that acknowledges too early has not stored yet.
  private var late: StoreOperation?
  /// Whether nothing is stored any more until the store is opened again.
  private var isOver = false
  /// Whether the process of this life was killed.
  private var hasEnded = false
  /// What happened, for people.
  var lines: [String] = []

  package init(seed: UInt64, kind: Kind? = nil, planting planted: PlantedStoreFault? = nil) {
    self.seed = seed
    self.planted = planted
    dice = Dice(seed: seed)
    let drawn = dice.pick([.honest, .honest, .honest, .failing, .failing, .lying, .lying, .misplacing] as [Kind])
    self.kind = kind ?? drawn
  }

  /// Whether something may be gone that was said to be there.
  var mayBeDamaged: Bool { hasLostSynced || kind == .misplacing }

  mutating func note(_ line: String) { lines.append(line) }

  mutating func count(_ name: String) { tally[name, default: 0] += 1 }

  func makeLog(acceptsDamage: Bool = false, in directory: String = "store") -> SQLiteLog {
    SQLiteLog(
      directory: disk.path(directory), durability: durability, machine: "0123456789abcdef0123456789abcdef",
      acceptsDamage: acceptsDamage, store: StoreID(rawValue: 7), on: disk.process())
  }

  // MARK: Lives

  /// - Returns: what was wrong, with all that led there; nil if nothing was.
  package mutating func finding() async -> String? {
    do {
      try await run()
      return nil
    } catch {
      return "seed \(seed): \(error)\n\(lines.joined(separator: "\n"))"
    }
  }

  private mutating func run() async throws {
    disk.setJournaling(dice.oneIn(2))
    disk.plant(planted?.onDisk)
    if kind == .honest, dice.oneIn(6) { durability = .normal }
    note("\(kind) disk, durability \(durability)")
    for _ in 0..<2 + dice.roll(4) {
      guard try await live() else { return }
      try await betweenLives()
    }
    // However it was treated, it opens once more and takes what is appended.
    _ = try await start()
  }

  /// - Returns: false where the store was damaged, and said so.
  private mutating func live() async throws -> Bool {
    hasEnded = false
    if dice.oneIn(3) { disk.cutPower(afterCalls: 1 + dice.roll(40)) }
    if kind == .lying, dice.oneIn(2) { disk.lie(afterCalls: dice.roll(30)) }
    if kind == .failing, dice.oneIn(2) { planFault() }
    guard let life = try await start() else { return disk.isDark || !mayBeDamaged }
    let (log, replica) = life
    if kind == .misplacing { planFault() }
    if kind == .failing { planFault() }
    if kind == .lying { disk.lie(afterCalls: dice.roll(60)) }
    if dice.oneIn(3), !disk.isDark { disk.cutPower(afterCalls: 1 + dice.roll(90)) }
    var hasFailed = false
    (refused, late, isOver) = (nil, nil, false)
    for _ in 0..<dice.roll(14) where !disk.isDark && !isOver {
      guard try await step(log, as: replica, &hasFailed) else { return false }
    }
    if !disk.isDark, dice.oneIn(2) { return try await close(log, as: replica, hasFailed) }
    // A program that ends by itself releases the log; one that is killed does not.
    if dice.oneIn(4) { note("released") } else { withExtendedLifetime(log) { end() } }
    return true
  }

  /// One call; then, if it failed, the end of the fault and another try.
  private mutating func step(_ log: SQLiteLog, as replica: ReplicaID, _ hasFailed: inout Bool) async throws -> Bool {
    // What failed is repeated first: its dots are taken.
    guard let operation = refused ?? operations.draw(&dice, contents, as: replica) else { return true }
    let next = contents.after(operation)
    try written.note(operation, by: replica)
    history.append(next)
    do {
      if planted == .acknowledgedBeforeWritten {
        let former = late
        late = operation
        try await former?.perform(on: log)
      } else {
        try await operation.perform(on: log)
      }
      note("\(disk.callCount): \(operation.name)")
    } catch let error as LogError {
      note("\(disk.callCount): \(operation.name): \(error)")
      possible.append(next)
      (refused, hasFailed) = (operation, true)
      if disk.isDark { return true }
      return try await goOn(log, after: error)
    }
    (contents, possible, refused) = (next, [next], nil)
    return true
  }

  /// A call failed. The store says why; what it held it holds, and it works again once the disk does.
  private mutating func goOn(_ log: SQLiteLog, after error: LogError) async throws -> Bool {
    if mayBeDamaged, error.code == .corrupt {
      count("told")
      return false
    }
    guard kind == .failing || kind == .misplacing, error.code == .unwritable, !error.message.isEmpty else {
      throw Violation("a call failed on a disk that \(kind == .failing ? "fails" : "works"): \(error)")
    }
    count("failed")
    disk.plan(nil)
    isOver = !error.isTransient
    if isOver { return true }
    do {
      try await log.append([])
      count("worked again")
    } catch let again as LogError {
      if disk.isDark { return true }
      throw Violation("the disk works again, and the log does not: \(again); it had failed with \(error)")
    }
    return true
  }

  private mutating func planFault() {
    let kinds: [DiskFault.Kind] =
      kind == .failing ? [.noSpace, .noSpace, .ioError, .unreadable] : [.misdirected, .lost]
    let first = disk.callCount + 1 + dice.roll(dice.oneIn(2) ? 20 : 60)
    let fault = DiskFault(
      dice.pick(kinds), calls: first...(kind == .failing && dice.oneIn(2) ? first + 1000 : first),
      forgetsUnsynced: dice.oneIn(2))
    note("\(fault)")
    disk.plan(fault)
  }

  private mutating func close(_ log: SQLiteLog, as replica: ReplicaID, _ hasFailed: Bool) async throws -> Bool {
    do {
      try await late?.perform(on: log)
      try await log.close(continuing: replica)
      note("\(disk.callCount): closed as \(replica)")
      count("closed")
      if !hasFailed, !disk.isDark, kind != .misplacing { proven = replica }
    } catch let error as LogError {
      note("\(disk.callCount): close: \(error)")
      if disk.isDark { return true }
      if mayBeDamaged, error.code == .corrupt { return false }
      guard kind == .failing || kind == .misplacing || hasFailed, error.code == .unwritable else {
        throw Violation("the store does not close: \(error)")
      }
    }
    if !disk.isDark, dice.oneIn(4) { image = (disk.image(), contents, generation) }
    return true
  }

  // MARK: Between two lives

  private mutating func betweenLives() async throws {
    if !hasEnded { end() }
    if dice.oneIn(4), kind == .honest { try await runCopy() }
    if dice.oneIn(3), let image, kind == .honest {
      disk.restore(image.disk)
      (contents, possible, generation) = (image.contents, [image.contents], image.generation)
      isPutBack = true
      proven = nil
      note("the closed store is put back")
      count("stores put back")
    }
  }

  /// Kills the process, or takes the power from the disk.
  private mutating func end() {
    hasEnded = true
    if disk.isDark || dice.oneIn(2) { return losePower() }
    disk.endProcesses()
    note("killed")
    count("kills")
  }

  private mutating func losePower() {
    let loss = dice.pick(PowerLoss.allCases)
    if kind == .lying || kind == .misplacing { hasLostSynced = true }
    if durability == .normal { possible = history }
    disk.losePower(loss, using: &dice)
    note("power is lost, and \(loss) of what was not synced is there")
    count("losses of power")
    // What the marker proves may not have come to the disk where that lies.
    if hasLostSynced { proven = nil }
  }

  /// A copy is another store, whatever lies in its directory.
  private mutating func runCopy() async throws {
    disk.copyFiles(of: disk.path("store"), to: disk.path("copy"))
    defer { disk.removeFiles(of: disk.path("copy")) }
    note("a copy is opened")
    count("copies")
    let log = makeLog(in: "copy")
    let opened = try await log.open()
    guard opened.replica == nil else { throw Violation("a copy goes on as \(opened.replica!)") }
    let found = try await StoreContents(readBy: log, opened)
    guard possible.contains(found) else { throw Violation("a copy holds \(found.summary)") }
    try await log.close(continuing: ReplicaID(rawValue: dice.next()))
  }
}
