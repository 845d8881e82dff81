import StarlingCore
import StarlingWire

@testable import StarlingSession

/// A replica without an engine: a value that decides, a document, and a log that is a list. No executor, no task, no
/// lock.
///
/// ```
///   what arrived, the time ──► Replication ── effects ──► document, log
///                                                  └────► outputs, which whoever simulates carries
/// ```
struct ValueReplica: ~Copyable {
  static let document = DocumentID("library")!

  struct Options: Sendable {
    var isRelay = false
    /// Where it is dialled; nil for one that dials only.
    var endpoint: String?
    /// Whether its log survives it.
    var isDurable = true
    /// Whether it writes under leased ids.
    var leases = false
    /// Whether it tells other relays which daemons there are, and dials those that it hears of.
    var gossips = false
    /// Its log keeps the state alone, compacted once records outweigh it and so many bytes; nil for every change.
    var compactionByteCountMin: Int?
    var backlogByteCountMax = 64 << 20
    /// Whether the log does at once what it is told, and answers read it at once; else `finishJob` and `finishReading`.
    var isLogInstant = true
  }

  /// What is to be carried.
  enum Output {
    case direct([UInt8], to: PeerHandle)
    case published([UInt8])
    case dial(String, as: PeerHandle)
    case hangUp(PeerHandle)
    case subscribe([UInt8], at: PeerHandle)
    case unsubscribe([UInt8], at: PeerHandle)
  }

  let name: UInt64
  let options: Options
  var replication: Replication
  var content: Document
  var gate = CausalGate()
  var outbox: [Change] = []
  let number: DocumentNumber
  /// The id to write under, and the next where somebody else writes under it.
  var writer: ReplicaID
  var spare: ReplicaID?
  var log: ListLog
  /// What each key may do; asked about again and again.
  var allowlist: [String: Trust] = [:]
  /// What the log is told now.
  private(set) var job: LogPipeline.Job?
  /// Answers that wait until their askers have taken something, and those that read the log.
  var answers: [AnswerCourse] = []
  var readings: [(course: AnswerCourse, page: AnswerCourse.Page)] = []
  private(set) var drawn: UInt64
  private(set) var handleCount: UInt64 = 0
  private(set) var waiterCount: UInt64 = 0
  private(set) var outputs: [Output] = []
  var events: [EngineEvent] = []
  /// Those who waited, and whether what they waited for is so.
  private(set) var served: [(waiter: UInt64, isSo: Bool)] = []
  private(set) var messageCount = 0

  init(_ name: UInt64, isRelay: Bool = false) {
    var options = Options()
    options.isRelay = isRelay
    self.init(name, options, log: ListLog(), run: 0)
  }

  /// A run of a store.
  init(_ name: UInt64, _ options: Options, log: consuming ListLog, run: UInt64, now: Duration = .zero) {
    self.name = name
    self.options = options
    drawn = name << 40 | run << 24
    var policy = Replication.Policy()
    policy.isRelay = options.isRelay
    policy.leasesReplicaID = options.leases
    policy.gossips = options.gossips
    policy.mayDial = { _ in options.gossips }
    policy.backlogByteCountMax = options.backlogByteCountMax
    var compaction = Compaction.Policy()
    compaction.compactionByteCountMin = options.compactionByteCountMin
    replication = Replication(
      policy, bound: options.endpoint.map { [$0] } ?? [], epoch: name << 32 | run,
      pipeline: LogPipeline.Policy(compaction: compaction, backlogByteCountMax: options.backlogByteCountMax))
    let stored: (document: Document, remembered: Replication.Remembered, continuing: ReplicaID?)
    do { stored = try log.open() } catch { preconditionFailure("The log of \(name) cannot be read: \(error)") }
    content = stored.document
    let continuing = run == 0 ? ReplicaID(rawValue: name) : stored.continuing
    replication.moment = Self.moment(now)
    Self.refill(&replication.numbers, &drawn)
    replication.begin(
      store: StoreID(rawValue: name), isDurable: options.isDurable, replica: continuing,
      generations: options.isDurable ? log.generations : GenerationTable(own: 0, []), forgotten: [],
      keepsCheckpoints: false)
    Self.refill(&replication.numbers, &drawn)
    self.log = log
    writer = replication.replica
    number = replication.host(Self.document, at: content.version, stored.remembered)
    decide(now: now) { _ in }
  }

  private init(copying other: borrowing Self) {
    name = other.name
    options = other.options
    replication = other.replication.copy()
    content = other.content
    gate = other.gate
    outbox = other.outbox
    number = other.number
    writer = other.writer
    spare = other.spare
    log = other.log
    allowlist = other.allowlist
    job = other.job
    answers = other.answers
    readings = other.readings
    drawn = other.drawn
    handleCount = other.handleCount
    waiterCount = other.waiterCount
    outputs = other.outputs
    events = other.events
    served = other.served
    messageCount = other.messageCount
  }

  func copy() -> Self { Self(copying: self) }

  mutating func makeHandle() -> PeerHandle {
    handleCount += 1
    return PeerHandle(rawValue: handleCount)
  }

  mutating func takeOutputs() -> [Output] {
    defer { outputs.removeAll(keepingCapacity: true) }
    return outputs
  }

  mutating func takeServed() -> [(waiter: UInt64, isSo: Bool)] {
    defer { served.removeAll(keepingCapacity: true) }
    return served
  }

  // MARK: Writing

  mutating func write(now: Duration, _ body: (inout Document, inout Patch) -> Void) {
    var patch = Patch()
    content.begin(as: writer, now: Self.moment(now).wall)
    body(&content, &patch)
    if let change = content.commit() { outbox.append(change) }
    takeOutbox(now: now)
  }

  mutating func write(_ value: Int64, for key: Key, now: Duration) {
    write(now: now) { $0.set(.integer(value), for: key, in: .root, patch: &$1) }
  }

  /// Waits for what was written until now.
  ///
  /// - Returns: the waiter, which `takeServed` names; nil where it is so already.
  mutating func wait(for goal: Waiters.Goal) -> UInt64? {
    let wait = Waiters.Wait(for: goal, in: Self.document, version: content.version)
    guard replication.mustWait(wait, openTransaction: nil) else { return nil }
    defer { waiterCount += 1 }
    replication.waiters.add(wait, as: waiterCount)
    return waiterCount
  }

  mutating func tick(now: Duration) {
    decide(now: now) { $0.tick() }
  }

  // MARK: Deciding

  private static func moment(_ now: Duration) -> Replication.Moment {
    Replication.Moment(now: now, wall: 1_000_000 + UInt64(now.components.seconds) * 1000)
  }

  /// Only what was taken is drawn again: how often something was handed over alters no number.
  private static func refill(_ numbers: inout DrawnNumbers, _ drawn: inout UInt64) {
    numbers.refill {
      drawn += 1
      return drawn &* 0x9E37_79B9_7F4A_7C15
    }
  }

  mutating func decide(now: Duration, _ input: (inout Replication) -> Void) {
    replication.moment = Self.moment(now)
    Self.refill(&replication.numbers, &drawn)
    input(&replication)
    var effects: [Replication.Effect] = []
    replication.exchangeEffects(for: &effects)
    for effect in effects { perform(effect, now: now) }
    startLogging(now: now)
  }

  // MARK: Carrying

  mutating func output(_ output: Output) { outputs.append(output) }

  mutating func end(_ effect: Waiters.Effect) {
    let isSo = if case .resume = effect { true } else { false }
    served.append((effect.number, isSo))
  }

  mutating func say(_ message: Message, to peer: PeerHandle) {
    let isHello = if case .hello = message { true } else { false }
    hand(message.encoded(), to: peer, isHello: isHello)
  }

  mutating func hand(_ bytes: [UInt8], to peer: PeerHandle, isHello: Bool = false) {
    messageCount += 1
    replication.noteHandedOver(to: peer, isHello: isHello)
    outputs.append(.direct(bytes, to: peer))
  }

  // MARK: The log

  private mutating func startLogging(now: Duration) {
    guard job == nil, replication.pipeline.begins(now: now) else { return }
    takeJob()
    while options.isLogInstant, job != nil { finishJob(now: now) }
  }

  private mutating func takeJob() {
    repeat {
      job = replication.pipeline.next(
        version: { [content] _ in content.version }, isWriting: { _ in false }, cut: { [content] _ in content.cut() })
      guard case .compact(_, .cut, _, _)? = job else { return }
      job = replication.bringOwn(withCompactionOf: number)
    } while job == nil
  }

  /// The log has done what it was told.
  mutating func finishJob(now: Duration) {
    guard storeJob() else { return }
    job = nil
    decide(now: now) { $0.logDone() }
    if job == nil { takeJob() }
  }

  /// Every text that was written to leaf by leaf.
  private static func writeDown(_ cut: DocumentCut) -> StoredSnapshot {
    StoredSnapshot(version: cut.version, bytes: SnapshotCoding.encodeToKeep(cut, spanCountMin: 2))
  }

  /// The same, but nobody is told.
  @discardableResult
  mutating func storeJob() -> Bool {
    var kept: [ReplicaID: UInt64] = [:]
    if case .compact(let document, .cut(let cut), let own, let states)? = job {
      let snapshot = Self.writeDown(cut)
      replication.pipeline.wroteDown(snapshot)
      job = .compact(document, .writtenDown(snapshot), own: own, states: states)
    }
    switch job {
    case .compact?, .compactAged?: kept = replication.kept(of: Self.document)
    default: break
    }
    guard let job else { return false }
    log.perform(job, keeping: kept, replication.connections.generations)
    return true
  }

  /// The log refuses what it was told, as a full disk does.
  mutating func refuseJob(now: Duration) {
    guard job != nil else { return }
    if case .compact(_, .cut(let cut), _, _)? = job {
      replication.pipeline.wroteDown(Self.writeDown(cut))
    }
    job = nil
    decide(now: now) { $0.logFailed(LogError(.unwritable, "The disk is full.", isTransient: true)) }
    if job == nil { takeJob() }
  }
}
