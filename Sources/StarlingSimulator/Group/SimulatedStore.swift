package import StarlingCore
package import StarlingEngine

/// The disk of a simulated replica, which outlives its processes.
package protocol SimulatedStore: AnyObject, Sendable {
  /// The log of the next process.
  func makeLog() -> any ChangeLog

  /// The process that had the log is gone, however it ended.
  func endProcess()

  /// What would be there after a loss of power at this moment, on another disk.
  func copied() -> any SimulatedStore

  /// A closed store as it is, with all that it left for the next `open`.
  func image() -> any SimulatedStore

  /// What a backup of it holds.
  func backup(of documents: [DocumentID], on executor: ManualExecutor) -> any SimulatedStore
}

/// Makes disks of another kind than those in memory.
package typealias SimulatedStoreMaker = @Sendable (StoreID, ManualExecutor) -> any SimulatedStore

/// A log in memory, which stands for a disk that does what it should.
final class MemoryStore: SimulatedStore {
  private let log: MemoryLog
  private let store: StoreID

  init(_ store: StoreID, isDurable: Bool) {
    self.store = store
    log = MemoryLog(store: store, isDurable: isDurable)
  }

  private init(_ store: StoreID, _ log: MemoryLog) {
    (self.store, self.log) = (store, log)
  }

  func makeLog() -> any ChangeLog { log }

  func endProcess() {}

  func copied() -> any SimulatedStore { MemoryStore(store, MemoryLog(copying: log)) }

  func image() -> any SimulatedStore { MemoryStore(store, MemoryLog(restoring: log)) }

  func backup(of documents: [DocumentID], on executor: ManualExecutor) -> any SimulatedStore {
    MemoryStore(store, log.copy(of: documents, store: store, on: executor))
  }
}
