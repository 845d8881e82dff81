import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingWire

/// One store and the processes that open it, one after the other.
final class SimulatedReplica {
  let index: Int
  let name: String
  /// The store that this one is a copy of, by its replica's name, under whose key it runs; nil for one that is its own.
  let original: String?
  var disk: any SimulatedStore
  /// Makes another disk.
  private let makeStore: (StoreID) -> any SimulatedStore
  /// A copy of the disk, as it was at some earlier moment.
  var backup: (any SimulatedStore)?
  private(set) var store: StoreID
  /// Of its own, so that what happens elsewhere leaves it alone.
  var generator: SeededGenerator
  /// Whether it keeps nothing: each of its processes is another member, which writes under a leased replica id where
  /// one is leased.
  let isGuest: Bool
  let history: EngineConfiguration.History
  let clock: SimulatedClock
  /// Whether an observer writes where something arrives.
  let hasWritingObserver: Bool

  /// Nil while no process runs.
  var process: SimulatedProcess? {
    didSet { handles = [:] }
  }
  /// The documents that the process has open, as far as somebody asked for them: it closes none.
  var handles: [DocumentID: DocumentHandle] = [:]
  var isFrozen = false
  var isOffline = false
  /// Whether it is gone for ever.
  var hasLeft = false
  /// Whether it is gone until all faults end.
  var staysAway = false
  var isClosing = false
  /// Whether the start of the present process has been looked at.
  var isWelcomed = false
  /// Of each document the transactions that are open, the innermost last, and whether they can be taken back.
  var transactions: [DocumentID: [Bool]] = [:]
  /// The documents of the present process that are looked at.
  var attended: Set<DocumentID> = []
  var readers: [DocumentID: ToldReader] = [:]
  /// The last few versions at which each document stood here.
  private var pastVersions: [DocumentID: [VersionVector]] = [:]
  /// The version of each document when it was last looked at.
  var checked: [DocumentID: VersionVector] = [:]

  /// All that processes of this store promised to hold.
  var promises: [DocumentID: SeenVersion] = [:]
  /// The witnesses of each document that are on its disk, as its writers were told.
  var acknowledged: [DocumentID: Set<Int>] = [:]
  /// What was read on its disk of each document, by content.
  var diskReaders: [DocumentID: DiskReader] = [:]
  /// The owners of replica ids that this replica found out; kept beside the store.
  let writers = Shared<[WriterBinding]>([])
  /// Where the last process left its replica id in each document.
  var ownHeads: [DocumentID: (replica: ReplicaID, counter: UInt64)] = [:]
  /// Its store as it was closed in good order, to be put back later.
  var closedStore: (any SimulatedStore)?
  /// Whether the next clean stop leaves one.
  var keepsClosedStore = false
  /// Whether a closed store was put back, and its processes may go on under an id whose later dots are known.
  var isPutBack = false
  /// Whether the disk has lost something that the store said it holds.
  private(set) var hasForgotten = false
  /// Under which ids the present process began then.
  var doubtfulIDs: [DocumentID: ReplicaID] = [:]
  let dialect: Dialect
  let plannedLogFaults: PlannedLogFaults

  init(
    index: Int, generator: SeededGenerator, schedule: Schedule, clock: SimulatedClock, hasWritingObserver: Bool,
    stores: ((StoreID) -> any SimulatedStore)?
  ) {
    let isGuest = index >= schedule.replicas - schedule.guests
    self.isGuest = isGuest
    let makeInMemory: (StoreID) -> any SimulatedStore = { MemoryStore($0, isDurable: !isGuest) }
    makeStore = isGuest ? makeInMemory : stores ?? makeInMemory
    original = nil
    dialect = index.isMultiple(of: 2) ? .present : schedule.oddDialect
    plannedLogFaults = PlannedLogFaults(schedule.failingLogCalls.flatMap { $0.replica == index ? $0 : nil })
    self.hasWritingObserver = hasWritingObserver
    self.index = index
    self.generator = generator
    store = StoreID(rawValue: self.generator.next())
    history = schedule.history
    name = "r\(index)"
    disk = makeStore(store)
    self.clock = clock
  }

  /// Another on a copy of the store.
  init(copying replica: SimulatedReplica, number: Int) {
    index = replica.index
    name = "\(replica.name)c\(number)"
    original = replica.original ?? replica.name
    disk = replica.disk.copied()
    makeStore = replica.makeStore
    generator = replica.generator.fork()
    (store, history, clock, dialect) = (replica.store, replica.history, replica.clock, replica.dialect)
    isGuest = false
    hasWritingObserver = false
    plannedLogFaults = PlannedLogFaults(nil)
  }

  /// By which the allowlist and the network's keys know it.
  var keyName: String { original ?? name }

  /// Its disk is as it was before; what the store said since then is nothing that it can keep.
  func lose(keeping disk: any SimulatedStore) {
    self.disk = disk
    isPutBack = false
    hasForgotten = true
    promises = [:]
    acknowledged = [:]
    ownHeads = [:]
  }

  /// The next process knows nothing of the one before.
  func forget() {
    store = StoreID(rawValue: generator.next())
    disk = makeStore(store)
    hasForgotten = false
    (backup, closedStore) = (nil, nil)
    promises = [:]
    acknowledged = [:]
    ownHeads = [:]
  }

  /// The process has ended, and everything that looked at its documents with it.
  func noteEnd() {
    transactions = [:]
    attended = []
    readers = [:]
  }

  func note(_ version: VersionVector, of document: DocumentID) {
    pastVersions[document, default: []].append(version)
    if pastVersions[document, default: []].count > 8 { pastVersions[document]?.removeFirst() }
  }

  func pastVersion(of document: DocumentID, _ pick: Int) -> VersionVector? {
    guard let versions = pastVersions[document], !versions.isEmpty else { return nil }
    return versions[pick % versions.count]
  }

  var endpoint: String { "memory:\(name)" }

  /// Whether it does what it is asked to.
  var isRunning: Bool { process?.isReady == true && !isFrozen && !isClosing }
}

/// What a replica's processes share.
final class Shared<Value: Sendable>: Sendable {
  private let value: Guarded<Value>

  init(_ value: Value) { self.value = Guarded(value) }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result { value.withLock { body(&$0) } }
}

extension MemoryLog {
  /// Another disk with the same on it.
  func copy(of documents: [DocumentID], store: StoreID, on executor: ManualExecutor) -> MemoryLog {
    let copy = MemoryLog(store: store, isDurable: true)
    // Logs in memory return at once, so this is done when the jobs are.
    Task(executorPreference: executor) { [self] in
      _ = try await copy.open()
      for document in documents {
        let content = try await recover(document)
        // Also what it keeps below the snapshot.
        let kept = Dictionary(content.records.map { ($0.replica, UInt64(0)) }) { first, _ in first }
        if let snapshot = content.snapshot { try await copy.compact(document, into: snapshot, keeping: kept) }
        try await copy.append(content.records)
        if let latest = try await recoverFromCheckpoint(document), let state = latest.snapshot {
          try await copy.checkpoint(document, at: state, recordByteCount: latest.history?.byteCount ?? 0)
        }
        try await copy.remember(content.members, of: document)
        try await copy.remember(leases: content.leases, of: document)
      }
    }
    executor.runJobs()
    return copy
  }
}
