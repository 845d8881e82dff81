package import StarlingCore
package import StarlingWire

/// Everything that a replica decides: a value of small values. It performs nothing, and what it knows it was told.
///
/// ```
///                        ┌───────────────────────────────────────────────┐
///   what a peer said ──► │ Replication                                   │
///   what was written ──► │   Connections, Endpoints, Membership   peers  │ ──► effects, in order:
///   what merged ───────► │   DocumentState of each                docs   │     say, publish, merge, log, tell
///   what the log did ──► │   LogPipeline, Waiters                 log    │
///   the time ──────────► └───────────────────────────────────────────────┘
/// ```
///
/// Whoever runs it sets the moment, hands over what happened, and performs the effects; what comes of one, as what
/// merged, is handed over before the next is performed.
///
/// It is copied only where `copy` says so: a copy that nobody sees, as for a question that it answers, costs more than
/// the answer.
package struct Replication: ~Copyable, Sendable {
  package var policy: Policy
  /// Of what is being handed over.
  package var moment: Moment
  package var numbers: DrawnNumbers
  /// What is to be done, in this order.
  package internal(set) var effects: [Effect]

  /// False while the replica works offline: nothing is sent, and what arrives is not heard.
  package internal(set) var isOnline: Bool
  package internal(set) var identity: Identity
  /// The id under which documents are written that have no leased one.
  package internal(set) var replica: ReplicaID
  /// The id of all documents after the next time that somebody else is seen to write under the present one.
  package internal(set) var spareReplica: ReplicaID

  // Peers: who is there and what they may do; which endpoints are dialled; the group's daemons, nil in a replica that
  // does not tell or hear of them.
  package internal(set) var connections: Connections
  package internal(set) var endpoints: Endpoints
  package internal(set) var membership: Membership?

  package internal(set) var documents: Catalogue
  /// What each peer was asked for and has to answer, and what it is to be asked for after that.
  var asks: HandleTable<AskWindow>
  /// Documents whose log cannot be read, and those that are being opened.
  package internal(set) var damaged: [DocumentID: LogError]
  package internal(set) var opening: Set<DocumentID>
  /// Documents that the log holds and that are not open; and those that stay open, as somebody here holds them.
  package internal(set) var closed: ClosedDocuments
  var keptOpen: Set<DocumentID>
  /// Until when a closing replica waits for answers that its leases were returned. It hears nothing else any more.
  package internal(set) var isClosing: Bool
  var returnDeadline: Duration
  var heartbeatRound: HeartbeatRound
  /// Those that the heartbeat which is under way is about.
  var beating: [(number: DocumentNumber, isTurn: Bool)]

  /// What waits for the log, and the writer of its records.
  package var pipeline: LogPipeline
  var batches: Batch.Encoder
  /// The callers that wait for something.
  package var waiters: Waiters

  /// The grantor, while it alone may be told what is written under its leases.
  package internal(set) var confinedTo: StoreID?
  var hasShownLife: Bool
  var leaseReview: LeaseReview
  var schedule: Schedule

  package var counters: EngineCounters

  /// Always nil. What holds something whose size nobody knows is handed on by its address; of anything else, however
  /// large, each question that alters nothing is handed a copy on the stack.
  private let unsized: (any Sendable)? = nil

  package init(
    _ policy: Policy, bound: [String] = [], advertised: [String] = [], epoch: UInt64,
    budgets: Budgets = Budgets(limits: [:]), writers: [WriterBinding] = [], equivocations: [EquivocationReport] = [],
    pipeline: LogPipeline.Policy = LogPipeline.Policy()
  ) {
    self.policy = policy
    moment = Moment()
    numbers = DrawnNumbers()
    effects = []
    isOnline = true
    identity = Identity()
    identity.epoch = epoch
    replica = ReplicaID(rawValue: 0)
    spareReplica = ReplicaID(rawValue: 0)
    endpoints = Endpoints(
      bound: bound, advertised: advertised,
      policy: Endpoints.Policy(
        learnedLifetime: policy.learnedEndpointLifetime, leftLifetime: policy.discoveryInterval))
    connections = Connections(
      isRelay: policy.isRelay, shard: policy.isRelay ? policy.shard : .whole,
      oneWayLinks: OneWayLinks(patience: OneWayLinks.patience(heartbeat: policy.heartbeat)),
      budgets: budgets, writers: WriterTable(writers), equivocations: EquivocationTable(equivocations))
    membership = nil
    documents = Catalogue()
    asks = HandleTable()
    damaged = [:]
    opening = []
    closed = ClosedDocuments()
    keptOpen = []
    isClosing = false
    returnDeadline = .zero
    heartbeatRound = HeartbeatRound()
    beating = []
    self.pipeline = LogPipeline(pipeline)
    batches = Batch.Encoder()
    waiters = Waiters()
    confinedTo = nil
    hasShownLife = false
    leaseReview = LeaseReview()
    schedule = Schedule()
    counters = EngineCounters()
  }

  private init(copying other: borrowing Self) {
    policy = other.policy
    moment = other.moment
    numbers = other.numbers
    effects = other.effects
    isOnline = other.isOnline
    identity = other.identity
    replica = other.replica
    spareReplica = other.spareReplica
    connections = other.connections
    endpoints = other.endpoints
    membership = other.membership
    documents = other.documents
    asks = other.asks
    damaged = other.damaged
    opening = other.opening
    closed = other.closed
    keptOpen = other.keptOpen
    isClosing = other.isClosing
    returnDeadline = other.returnDeadline
    heartbeatRound = other.heartbeatRound
    beating = other.beating
    pipeline = other.pipeline
    batches = other.batches
    waiters = other.waiters
    confinedTo = other.confinedTo
    hasShownLife = other.hasShownLife
    leaseReview = other.leaseReview
    schedule = other.schedule
    counters = other.counters
  }

  /// Another replica that stands where this one does, and goes its own way from here.
  package func copy() -> Self { Self(copying: self) }

  /// Takes what is to be done, and goes on in the memory of effects that were performed.
  package mutating func exchangeEffects(for performed: inout [Effect]) { swap(&effects, &performed) }

  package var effectsHaveMemory: Bool { effects.capacity > 0 }
}

extension Replication {
  /// When something is handed over.
  package struct Moment: Sendable, Hashable {
    /// Since some moment in the past; it only goes on.
    package var now: Duration
    /// Milliseconds since 1970-01-01 UTC, as this machine's clock says.
    package var wall: UInt64

    package init(now: Duration = .zero, wall: UInt64 = 0) {
      self.now = now
      self.wall = wall
    }
  }

  /// The ids of this replica and of its store.
  package struct Identity: Sendable {
    package var store = StoreID(rawValue: 0)
    /// Drawn by every run for itself.
    package var epoch: UInt64 = 0
    /// Whether what is appended to the log survives the process, while it accepts anything.
    package var isDurable = false
    /// Whether it goes on under the replica id of the run before.
    package var continues = false

    package init() {}
  }

  var now: Duration { moment.now }
  var wall: UInt64 { moment.wall }

  /// Whether what is written here survives the process, as things are.
  package var isDurable: Bool { identity.isDurable && pipeline.failure == nil }

  var peers: PeerTable {
    // Read where it stands: a copy is counted by its owner at every look.
    _read { yield connections.peers }
    _modify { yield &connections.peers }
  }

  /// The log was opened.
  ///
  /// - Parameters:
  ///   - replica: the id to go on under; nil for a new one.
  ///   - damage: why records are missing that were acknowledged.
  ///   - refusal: why it can only be read for now; it keeps what it accepts later.
  ///   - keepsCheckpoints: whether it could use one.
  package mutating func begin(
    store: StoreID, isDurable: Bool, replica: ReplicaID?, generations: GenerationTable, forgotten: [DocumentID],
    damage: LogError? = nil, refusal: LogError? = nil, keepsCheckpoints: Bool = true
  ) {
    identity.store = store
    identity.isDurable = isDurable || refusal != nil
    if !keepsCheckpoints || !identity.isDurable { pipeline.policy.compaction.checkpointByteCountMin = nil }
    identity.continues = replica != nil
    self.replica = replica ?? newReplicaID()
    spareReplica = newReplicaID()
    connections.generations = generations
    pipeline.forgotten = ForgottenDocuments(forgotten)
    beginMembership()
    if let damage { report(.logDamaged(damage)) }
    if let refusal { logFailed(refusal) }
  }

  mutating func newReplicaID() -> ReplicaID { ReplicaID(rawValue: numbers.take()) }

  mutating func newStream() -> UInt32 {
    max(UInt32(truncatingIfNeeded: numbers.take()), PresencePayload.stream + 1)
  }

  mutating func report(_ event: EngineEvent) { effects.append(.report(event)) }
}

/// Numbers that whoever runs a replica draws for it: for names that nobody else has.
package struct DrawnNumbers: Sendable {
  /// Nothing that is handed over takes more than so many.
  package static let countMin = 8

  private var numbers: [UInt64] = []

  package init() {}

  /// Called before anything is handed over.
  package mutating func refill(_ draw: () -> UInt64) {
    while numbers.count < Self.countMin { numbers.append(draw()) }
  }

  mutating func take() -> UInt64 {
    guard let number = numbers.popLast() else { preconditionFailure("More numbers are needed than were drawn.") }
    return number
  }
}
