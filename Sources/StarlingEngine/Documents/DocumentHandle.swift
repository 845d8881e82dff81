public import StarlingCore
import StarlingGuard
import StarlingSession
public import Synchronization

/// One open document of a replica: the state, and the changes made here that are still to be
/// logged and published.
///
/// ```
///   models ──write──► ┌──────────┐ ──takeOutbox──► engine: log, publish
///                     │ Document │
///   models ◄─onPatch─ └──────────┘ ◄────merge───── engine: log, links
/// ```
///
/// Writes come from any thread; merges from the engine's executor. A handle stands alone too:
/// without an engine it is a document in memory whose outbox somebody else empties.
public final class DocumentHandle: Sendable {
  /// The document's id, the same at every replica.
  public let id: DocumentID

  /// Milliseconds since 1970, for stamps.
  let now: @Sendable () -> UInt64
  let state: Guarded<State>
  /// What is said of the document for a while, here and elsewhere.
  let presence: Guarded<PresenceTable>
  let listeners = Guarded(Listeners())
  /// Set once, and asked before every write.
  @usableFromInline let forgotten = Atomic(false)
  /// Readers that are no more, until the next merge. Taken within any lock, and none within it.
  let leftReaders = Guarded([Int]())
  private let backlog = Backlog()
  private let backlogByteCountMax: Int
  let transactionTimeout: Duration
  let tracer: (any EngineTracer)?
  private let isTraced: Bool

  struct State {
    var document: Document
    var gate = CausalGate()
    var replica: ReplicaID
    /// The id to go on under once the open transaction has ended.
    var nextReplica: ReplicaID?
    /// The id to go on under as soon as somebody else is seen to write under `replica`: it must be at hand under the
    /// lock, before anything else is written here. Nil where no engine looks after the document.
    var spareReplica: ReplicaID?
    /// Changes made here, in order, that the engine has not taken yet.
    var outbox: [Change] = []
    /// Empty: memory for the operations of changes to come, which were those of changes that the engine has sent.
    var spares: [[Operation]] = []
    /// What a tracer knows of some of those.
    var origins: [any Sendable] = []
    /// What those may take at most.
    let backlog: Backlog
    var turns = WriteTurns()
    /// Of the transactions that are open and can be taken back, the innermost last.
    var savepoints: [Savepoint] = []
    var readers = ReaderViews()
    var storedReads = StoredReads()
    /// Of the transaction that is open.
    var message: String?
    /// Whether the engine waits for the end of the transaction that is open.
    var isEndAwaited = false
    var acknowledgements = AcknowledgementHold()
    /// Empty: memory for the patches of writes.
    var patch = Patch()
    /// What was done here; nil where nobody asked for it.
    var history: UndoHistory?
    /// The threads on which calls of `withoutUndo` are under way, one for each call.
    var undoPauses: [ThreadNumber] = []
    /// Set once the document is forgotten: what stands, whatever is written.
    var emptied: Document?
    /// To look for it there copies the space for one.
    var isEmptied = false
    /// Whether what is committed next is one step with what was before.
    var joinsPrevious = false
  }

  /// Bytes of changes that wait for the log; read without the lock, which writers need.
  final class Backlog: Sendable {
    /// Of the outbox. Written under the document's lock.
    let outbox = Atomic(0)
    /// Of the engine's records that the log has not accepted.
    let unlogged = Atomic(0)
  }

  struct Listeners {
    var patch: [@Sendable (Patch) -> Void] = []
    var merge: [@Sendable (Patch) -> Void] = []
    var outbox: (@Sendable () -> Void)?
    var undo: [@Sendable () -> Void] = []
    var presence: [@Sendable (Set<String>) -> Void] = []
    var joined: [@Sendable (JoinedTransaction) -> Void] = []
    weak var lifetime: EngineLifetime?
  }

  /// - Parameters:
  ///   - id: The name of the document.
  ///   - replica: The id under which it is written.
  ///   - document: What it holds.
  ///   - epoch: names this run of the process in its presence.
  ///   - backlogByteCountMax: what may wait for the log before the capacity is used up.
  ///   - transactionTimeout: how long a write waits for the end of another thread's transaction before it joins that.
  ///   - tracer: asked for the origin of each write.
  ///   - now: milliseconds since 1970 by the caller's clock.
  public init(
    id: DocumentID, replica: ReplicaID, document: Document = Document(), epoch: UInt64 = 0,
    backlogByteCountMax: Int = .max, transactionTimeout: Duration = EngineConfiguration().transactionTimeout,
    tracer: (any EngineTracer)? = nil, now: @escaping @Sendable () -> UInt64
  ) {
    self.tracer = tracer
    isTraced = tracer != nil
    self.id = id
    self.now = now
    self.backlogByteCountMax = backlogByteCountMax
    self.transactionTimeout = transactionTimeout
    presence = Guarded(PresenceTable(origin: epoch))
    var document = document
    // Any peer may have moved what is removed here, and a relay is asked for it by those who come late.
    document.holdsRemovedObjects = true
    state = Guarded(State(document: document, replica: replica, backlog: backlog))
  }

  /// The id under which this process writes now.
  public var replica: ReplicaID { state.withLock { $0.replica } }

  /// What is merged, own committed writes included.
  public var version: VersionVector { state.withLock { $0.document.version } }

  /// Bytes of changes that wait for the log; of those that the engine has not taken yet what they take at most.
  public var backlogByteCount: Int {
    backlog.outbox.load(ordering: .relaxed) + backlog.unlogged.load(ordering: .relaxed)
  }

  /// Whether the log keeps up with what is written and merged (`EngineConfiguration.backlogByteCountMax`). A caller
  /// that writes much asks before each transaction, and waits for `ReplicaEngine.waitForCapacity(in:)` where there is
  /// none.
  public var hasCapacity: Bool { backlogByteCount < backlogByteCountMax }

  /// No transaction may be open.
  public func digest() -> Digest {
    guard let cut = cut() else { preconditionFailure("A digest of '\(id)' is asked for within a transaction.") }
    return cut.digest()
  }

  // MARK: Reading and writing

  /// Runs `body` under the document's lock, so it must be Starling's own code: nothing of the user's runs here.
  package func read<Result>(_ body: (borrowing Document) -> Result) -> Result {
    state.withLock { state in
      state.storedReads.note(in: &state.document)
      return body(state.document)
    }
  }

  /// Runs `body` as `read` does, with the order of the text's items at hand: a stored text that nobody has edited has
  /// none, and would have it made for every question of a place.
  package func readPlaces<Result>(in text: ObjectID, _ body: (borrowing Document) -> Result) -> Result {
    state.withLock { state in
      state.document.openText(of: text)
      return body(state.document)
    }
  }

  /// Runs `body` under the document's lock and makes what it wrote one change, or part of the transaction that this
  /// thread has open; while another thread has one open it waits. `body` is Starling's own code, as for `read`.
  @inlinable
  package func write<Result>(_ body: (inout Document, inout Patch) -> Result) -> Result {
    var result: Result?
    perform { result = body(&$0, &$1) }
    return result!
  }

  // Apart from what is generic: under a lock that knows the result only as some type, each type that follows from it
  // is looked up again with every write.
  @usableFromInline
  package func perform(_ body: (inout Document, inout Patch) -> Void) {
    // What it knows is as large as it may be, and is handed from one to the next.
    if isTraced { return performTraced(body) }
    let committed: Committed? = state.withLock { state in
      guard state.turns.isFree || state.turns.admits(.current) else { return nil }
      return state.perform(now, body)
    }
    guard let committed else { return performInTurn(body) }
    announce(committed)
  }

  @inline(never)
  private func performTraced(_ body: (inout Document, inout Patch) -> Void) {
    let origin = tracer?.origin()
    let committed: Committed? = state.withLock { state in
      guard state.turns.isFree || state.turns.admits(.current) else { return nil }
      let committed = state.perform(now, body)
      state.note(origin, of: committed)
      return committed
    }
    guard let committed else { return performInTurn(body) }
    announce(committed)
  }

  @inline(never)
  private func performInTurn(_ body: (inout Document, inout Patch) -> Void) {
    beginTransaction()
    perform(body)
    endTransaction(message: nil)
  }

  /// Writes as one change, as `write` does, and tells the readers as of a merge: of what nobody wrote who
  /// reads it by that write.
  ///
  /// - Throws: where it is more than a change may hold; then nothing of it is written.
  package func rewrite(
    message: String?, _ body: (inout Document, inout Patch) -> Void
  ) throws(OversizedWrite) {
    beginTransaction()
    var patch = Patch()
    let receivers = listeners.withLock { $0.merge }
    let left = takeLeftReaders()
    let refusal = state.withLock { state in
      state.keepViews(besides: left)
      let former = state.document
      body(&state.document, &patch)
      let refusal = state.document.takeRefusal()
      if !state.savepoints.isEmpty { state.savepoints[state.savepoints.count - 1].altered.note(patch) }
      if refusal != nil { state.document = former } else { for receiver in receivers { receiver(patch) } }
      state.readers.note(merge: refusal == nil ? patch : Patch(), in: state.document)
      return refusal
    }
    endTransaction(message: message)
    if let refusal { throw refusal }
    tell(patch)
  }

  // MARK: The engine's side

  /// Calls `receiver` after each merge that altered something visible, outside the lock, in the
  /// order of the merges, on the thread that merged.
  package func onPatch(_ receiver: @escaping @Sendable (Patch) -> Void) {
    listeners.withLock { $0.patch.append(receiver) }
  }

  /// Calls `receiver` with each patch before that, still under the document's lock: it is Starling's own code, and
  /// notes what must be known before the next write.
  package func onMerge(_ receiver: @escaping @Sendable (Patch) -> Void) {
    listeners.withLock { $0.merge.append(receiver) }
  }

  /// Calls `receiver` when the outbox stops being empty, on the writing thread, outside the lock.
  package func onOutbox(_ receiver: @escaping @Sendable () -> Void) {
    listeners.withLock { $0.outbox = receiver }
  }

  /// Takes the changes made here since the last call, in order.
  package func takeOutbox() -> [Change] {
    var changes: [Change] = []
    var spares: [[Operation]] = []
    _ = exchangeOutbox(for: &changes, &spares)
    return changes
  }

  /// The same, with what a tracer knows of them, and the version that stands right after the last of them.
  ///
  /// - Parameters:
  ///   - changes: Empty before; the outbox goes on in the memory that it has.
  ///   - spares: Empty arrays, which changes to come go on in.
  func exchangeOutbox(
    for changes: inout [Change], _ spares: inout [[Operation]]
  ) -> (origins: [any Sendable], version: VersionVector) {
    state.withLock { state in
      swap(&changes, &state.outbox)
      if changes.count >= Self.contendedCount { state.document.unshareDefinitions() }
      if state.spares.count < spares.count { swap(&spares, &state.spares) }
      state.backlog.outbox.store(0, ordering: .relaxed)
      defer { state.origins = [] }
      return (state.origins, state.document.version)
    }
  }

  /// So many changes at once say that somebody writes while they are sent.
  private static let contendedCount = 16

  /// Gives back the memory of an outbox that is empty.
  func trimOutbox() {
    state.withLock { state in
      if state.outbox.isEmpty { (state.outbox, state.spares) = ([], []) }
    }
  }

  /// Whether changes wait to be taken, as far as the caller can know of them.
  var hasOutbox: Bool { backlog.outbox.load(ordering: .relaxed) > 0 }

  /// Counts records that wait for the log, or wait no more.
  func addUnlogged(_ byteCount: Int) {
    backlog.unlogged.wrappingAdd(byteCount, ordering: .relaxed)
  }

  /// The state as it stands; nil while a transaction is open, whose half nobody may see.
  ///
  /// Writers wait for no more than a cut takes, or for some blocks of a stored snapshot to be read: once and for all,
  /// because a caller that goes through everything goes through those too.
  package func cut() -> DocumentCut? {
    while true {
      let step: CutStep = state.withLock { state in
        if state.document.isWriting { return .isWriting }
        guard state.document.openFully(blockCountMax: Self.blockCountOpenedAtOnce) else { return .opening }
        return .cut(state.document.cut())
      }
      switch step {
      case .isWriting: return nil
      case .opening: continue
      case .cut(let cut): return cut
      }
    }
  }

  private enum CutStep: Sendable {
    case isWriting
    /// Something is left in the stored snapshot.
    case opening
    case cut(DocumentCut)
  }

  /// Of 64 slots each.
  private static let blockCountOpenedAtOnce = 16

  /// Collects some of the tombstones that nobody needs any more; writers wait for no more than that.
  package func collectTombstones(_ collection: inout TombstoneCollection) -> CollectionStep {
    state.withLock { state in
      guard !state.document.isWriting else { return .isWriting }
      return state.document.collectTombstones(collection: &collection, workMax: Self.collectionWorkMax) ? .done : .more
    }
  }

  package enum CollectionStep: Sendable {
    /// Nothing was done, for a transaction is open.
    case isWriting
    case more
    case done
  }

  /// How much one taking of the lock does, as `Document.collectTombstones(collection:workMax:)` counts.
  private static let collectionWorkMax = 4096

  /// A copy of the document; nil while a transaction is open.
  package func copy() -> Document? {
    state.withLock { $0.document.isWriting ? nil : $0.document }
  }

  /// The digest with the version it belongs to; nil while a transaction is open.
  package func digestWithVersion() -> (Digest, VersionVector)? {
    cut().map { ($0.digest(), $0.version) }
  }

  /// Goes on under another id: somebody else may have written under the present one. The change of
  /// a transaction that is open bears it already, so that the next one is the first under the new.
  package func rename(to replica: ReplicaID) {
    state.withLock { state in
      if state.document.isWriting { state.nextReplica = replica } else { state.replica = replica }
    }
  }

  /// Gives the id to go on under where somebody else writes under the present one.
  func keepSpare(_ replica: ReplicaID) {
    state.withLock { $0.spareReplica = replica }
  }

  func tell(_ patch: Patch) {
    guard !patch.isEmpty else { return }
    for receiver in listeners.withLock({ $0.patch }) { receiver(patch) }
  }

  /// Outside the lock.
  func announce(_ committed: Committed) {
    if committed.isFirst { listeners.withLock { $0.outbox }?() }
    guard committed.altersHistory else { return }
    for receiver in listeners.withLock({ $0.undo }) { receiver() }
  }
}

extension DocumentHandle {
  /// The outcome of closing a begin.
  struct Committed {
    /// Whether the outbox was empty and is not any more, or somebody waited for the end of the transaction.
    var isFirst = false
    /// Whether there is another step to undo.
    var altersHistory = false
    /// Whether there is another change in the outbox.
    var isWritten = false
  }
}

extension DocumentHandle.State {
  /// Of so many writes that are published together a tracer is told the origin.
  private static let originCountMax = 64

  /// - Parameter now: asked where a change begins; one that is open has its time.
  mutating func begin(_ now: () -> UInt64) {
    if document.isWriting {
      document.begin(as: replica, now: 0)
    } else {
      document.begin(as: replica, now: now(), recording: history != nil && !isUndoPaused)
    }
  }

  private var isUndoPaused: Bool { !undoPauses.isEmpty && undoPauses.contains(.current) }

  @inline(__always)
  fileprivate mutating func perform(
    _ now: () -> UInt64, _ body: (inout Document, inout Patch) -> Void
  ) -> DocumentHandle.Committed {
    // Part of the change that is open, if one is: it has begun, and goes on.
    let isPart = document.isWriting
    if !isPart { begin(now) }
    // Nobody else asks what a write altered but readers that are behind.
    patch.isAwaited = readers.isAnyBehind
    patch.listsPlainWrites = true
    body(&document, &patch)
    if !savepoints.isEmpty { savepoints[savepoints.count - 1].altered.note(patch) }
    if readers.isAnyBehind { readers.note(write: patch) }
    patch.removeAll()
    return isPart ? DocumentHandle.Committed() : commit(message: nil)
  }

  /// - Returns: The objects that went, each with those in it.
  mutating func removeWhatWasTaken() -> [ObjectID] {
    guard document.holdsWhatWasTaken else { return [] }
    var patch = Patch()
    document.removeWhatIsSetAside(patch: &patch)
    if readers.isAnyBehind { readers.note(write: patch) }
    return patch.removedObjects
  }

  /// Keeps what a tracer knows of the change that was just committed, if one was. By itself: most documents have no
  /// tracer, and something of any type takes long to hand on, also where it is nil.
  mutating func note(_ origin: (any Sendable)?, of committed: DocumentHandle.Committed) {
    guard let origin, committed.isWritten, origins.count < Self.originCountMax else { return }
    origins.append(origin)
  }

  /// Closes the innermost begin.
  mutating func commit(message: String?) -> DocumentHandle.Committed {
    defer {
      if !document.isWriting, let next = nextReplica {
        replica = next
        nextReplica = nil
      }
    }
    let byteCount = document.openWeight
    guard let change = document.commit(message: message, goingOnIn: &spares), !isEmptied else {
      guard !document.isWriting else { return DocumentHandle.Committed() }
      if let emptied { document = emptied }
      acknowledgements.transactionEnded(nil)
      return DocumentHandle.Committed()
    }
    acknowledgements.transactionEnded(change.last)
    let altersHistory = history != nil && addStep(named: change.message)
    backlog.outbox.store(backlog.outbox.load(ordering: .relaxed) + byteCount, ordering: .relaxed)
    outbox.append(consume change)
    return DocumentHandle.Committed(isFirst: outbox.count == 1, altersHistory: altersHistory, isWritten: true)
  }

  private mutating func addStep(named name: String?) -> Bool {
    let recording = document.takeRecording()
    history?.add(recording, name: name, joinsPrevious: joinsPrevious)
    joinsPrevious = false
    return !recording.isEmpty
  }
}
