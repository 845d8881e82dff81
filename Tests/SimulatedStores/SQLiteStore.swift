package import StarlingCore
package import StarlingEngine
import StarlingGuard
import StarlingSQLite
import StarlingSimulatedDisk
package import StarlingSimulator

/// The real SQLite log of a simulated replica, on a simulated disk that does what it should and loses its power with
/// every second process that is killed.
package final class SQLiteStore: SimulatedStore {
  private let disk: SimulatedDisk
  private let store: StoreID
  private let executor: ManualExecutor
  private let generator: Guarded<SeededGenerator>

  /// For `Schedule.run`.
  package static let make: SimulatedStoreMaker = { SQLiteStore($0, $1) }

  private init(_ store: StoreID, _ executor: ManualExecutor) {
    (self.store, self.executor) = (store, executor)
    disk = SimulatedDisk()
    generator = Guarded(SeededGenerator(seed: store.rawValue))
  }

  private init(copying other: SQLiteStore, _ fill: (SimulatedDisk) -> Void) {
    (store, executor) = (other.store, other.executor)
    disk = SimulatedDisk()
    generator = Guarded(SeededGenerator(seed: other.generator.withLock { $0.next() }))
    fill(disk)
  }

  package func makeLog() -> any ChangeLog {
    SQLiteLog(
      directory: disk.path("store"), machine: "0123456789abcdef0123456789abcdef", store: store, on: disk.process(),
      executor: executor)
  }

  package func endProcess() {
    let (losesPower, loss, seed) = generator.withLock { generator in
      (generator.chance(0.5), PowerLoss.allCases.randomElement(using: &generator)!, generator.next())
    }
    guard losesPower else { return disk.endProcesses() }
    var draws = SeededGenerator(seed: seed)
    disk.losePower(loss, using: &draws)
  }

  package func copied() -> any SimulatedStore {
    SQLiteStore(copying: self) { $0.copyKept(from: disk, disk.path("store"), to: $0.path("store")) }
  }

  package func image() -> any SimulatedStore {
    SQLiteStore(copying: self) { $0.restore(disk.image()) }
  }

  package func backup(of documents: [DocumentID], on executor: ManualExecutor) -> any SimulatedStore { copied() }
}
