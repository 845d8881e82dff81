package import StarlingWire

/// What an engine has done since it started: plain numbers that the engine's actor adds to as it goes.
public struct EngineCounters: Sendable, Hashable {
  // Live frames.

  /// Live frames of ours, counted once however many peers receive them; none are made while nobody is connected.
  public var framesPublished = 0
  public var changesPublished = 0
  public var bytesPublished = 0
  public var framesReceived = 0
  /// Of them those that were dropped because the log did not keep up, and asked for later.
  public var framesPutOff = 0
  public var changesMerged = 0
  /// How many changes merged at a time.
  public var mergeBatch = Distribution(exponents: 0...14)

  // Messages to one peer, and from one.

  public var messagesSent = 0
  public var messageBytesSent = 0
  public var messagesReceived = 0
  /// Of live frames and messages.
  public var bytesReceived = 0
  /// Frames that a full or vanished connection did not take.
  public var undelivered = 0
  /// Times a peer's count of its messages showed that some of them had not arrived, and all was told again.
  public var messagesLost = 0

  // Gaps, asks and answers.

  /// Asks of ours, those of them that were not answered in time, and times a stream was lost.
  public var pulls = 0
  public var pullTimeouts = 0
  public var gaps = 0
  /// Answers sent to peers that lacked something.
  public var answers = 0
  public var snapshotsSent = 0
  /// Answers that were given up because their asker took nothing for long.
  public var answersGivenUp = 0
  public var snapshotsMerged = 0
  /// Answers with tombstones that were stored again, as changes of a writer that returned late stand on them.
  public var pathsAdopted = 0

  // Refusals.

  /// Frames and messages that were not what a peer can have meant.
  public var malformed = 0
  /// Messages, changes and states that their sender's key does not permit.
  public var denied = 0
  /// Times a peer spoke of a document that was not opened for it, as too many were open.
  public var documentsRefused = 0
  /// Documents that were closed, as nobody used them and more were open than are to be.
  public var documentsClosed = 0
  /// Messages about documents that one of both ends does not serve, as they are of another shard.
  public var messagesElsewhere = 0
  /// Times a key passed a budget, by which.
  public var budgetRefusals = BudgetRefusalCounts()
  /// Refusals said to peers and heard from them.
  public var refusalsSent = RefusalCounts()
  public var refusalsReceived = RefusalCounts()
  /// Peers who held equal versions of a document and another state.
  public var divergences = 0
  /// Times two states of one version contradicted each other, and one of them was given up.
  public var equivocations = 0
  /// Changes that were stamped further ahead than our clock may follow.
  public var farFutureStamps = 0
  /// Times the log refused, times it worked again, and records whose documents were stored as states instead.
  public var logFailures = 0
  public var logRecoveries = 0
  public var recordsDropped = 0
  /// Times we went on under another replica id.
  public var renames = 0

  // Presence.

  public var presenceReceived = 0
  /// Notices of presence that came and found no capacity.
  public var presenceRefused = 0
  /// Times presence was kept back because the log did not keep up.
  public var presencePostponed = 0

  // Peers.

  public var peersJoined = 0
  public var peersLeft = 0

  // The log.

  /// Groups of records that the log accepted, what was in them, and how long each took, in microseconds.
  public var commits = 0
  public var recordsLogged = 0
  public var bytesLogged = 0
  public var commitMicroseconds = Distribution(exponents: 6...24)
  public var compactions = 0
  /// Checkpoints that were stored beside records, and records that were merged one by one as documents were opened.
  public var checkpoints = 0
  public var recordsReplayed = 0
  /// Waits for a flush or for capacity that timed out.
  public var waitsTimedOut = 0

  public init() {}

  /// The log accepted a group of records.
  package mutating func committed(_ records: [LogRecord], took duration: Duration) {
    commits += 1
    logged(records)
    let (seconds, attoseconds) = duration.components
    // Held at what an `Int` holds.
    let (microseconds, overflow) = Int(clamping: seconds).multipliedReportingOverflow(by: 1_000_000)
    commitMicroseconds.add(overflow ? .max : microseconds &+ Int(attoseconds / 1_000_000_000_000))
  }

  /// The log accepted records, of a group or beside a state.
  package mutating func logged(_ records: [LogRecord]) {
    recordsLogged += records.count
    bytesLogged += records.byteCount
  }

  mutating func add(_ statistics: DocumentSession.Statistics) {
    pulls += statistics.pulls
    pullTimeouts += statistics.timeouts
    gaps += statistics.gaps
  }

  /// Adds what another engine has done, or an earlier run of this one.
  public static func += (left: inout EngineCounters, right: EngineCounters) {
    left.framesPublished += right.framesPublished
    left.changesPublished += right.changesPublished
    left.bytesPublished += right.bytesPublished
    left.framesReceived += right.framesReceived
    left.framesPutOff += right.framesPutOff
    left.changesMerged += right.changesMerged
    left.mergeBatch += right.mergeBatch
    left.messagesSent += right.messagesSent
    left.messageBytesSent += right.messageBytesSent
    left.messagesReceived += right.messagesReceived
    left.bytesReceived += right.bytesReceived
    left.undelivered += right.undelivered
    left.messagesLost += right.messagesLost
    left.pulls += right.pulls
    left.pullTimeouts += right.pullTimeouts
    left.gaps += right.gaps
    left.answers += right.answers
    left.snapshotsSent += right.snapshotsSent
    left.answersGivenUp += right.answersGivenUp
    left.snapshotsMerged += right.snapshotsMerged
    left.pathsAdopted += right.pathsAdopted
    left.malformed += right.malformed
    left.denied += right.denied
    left.documentsRefused += right.documentsRefused
    left.documentsClosed += right.documentsClosed
    left.messagesElsewhere += right.messagesElsewhere
    left.budgetRefusals += right.budgetRefusals
    left.refusalsSent += right.refusalsSent
    left.refusalsReceived += right.refusalsReceived
    left.divergences += right.divergences
    left.equivocations += right.equivocations
    left.farFutureStamps += right.farFutureStamps
    left.renames += right.renames
    left.presenceReceived += right.presenceReceived
    left.presenceRefused += right.presenceRefused
    left.presencePostponed += right.presencePostponed
    left.peersJoined += right.peersJoined
    left.peersLeft += right.peersLeft
    left.commits += right.commits
    left.recordsLogged += right.recordsLogged
    left.bytesLogged += right.bytesLogged
    left.commitMicroseconds += right.commitMicroseconds
    left.compactions += right.compactions
    left.checkpoints += right.checkpoints
    left.recordsReplayed += right.recordsReplayed
    left.waitsTimedOut += right.waitsTimedOut
  }
}

/// How often each code of a refusal was said or heard.
public struct RefusalCounts: Sendable, Hashable {
  private var counts = Array(repeating: 0, count: Message.Refusal.Code.allCases.count)

  public init() {}

  /// The codes by name, and how often each was.
  public var byCode: [(code: String, count: Int)] {
    zip(Message.Refusal.Code.allCases, counts).map { ("\($0)", $1) }
  }

  public var total: Int { counts.reduce(0, +) }

  package subscript(code: Message.Refusal.Code) -> Int { counts[Self.place(of: code)] }

  mutating func add(_ code: Message.Refusal.Code) { counts[Self.place(of: code)] += 1 }

  /// Refusals are rare: a search through some few codes costs nothing that is felt.
  private static func place(of code: Message.Refusal.Code) -> Int {
    Message.Refusal.Code.allCases.firstIndex(of: code) ?? 0
  }

  public static func += (left: inout RefusalCounts, right: RefusalCounts) {
    for place in left.counts.indices { left.counts[place] += right.counts[place] }
  }
}

/// How often each budget was passed.
public struct BudgetRefusalCounts: Sendable, Hashable {
  private var counts = Array(repeating: 0, count: Budgets.Resource.allCases.count)

  public init() {}

  /// The budgets by name, and how often each was passed.
  public var byBudget: [(budget: String, count: Int)] {
    zip(Budgets.Resource.allCases, counts).map { ($0.rawValue, $1) }
  }

  public var total: Int { counts.reduce(0, +) }

  /// How often the budget of that name was passed; 0 for a name that there is not.
  public subscript(budget: String) -> Int { byBudget.first { $0.budget == budget }?.count ?? 0 }

  mutating func add(_ resource: Budgets.Resource) {
    counts[Budgets.Resource.allCases.firstIndex(of: resource) ?? 0] += 1
  }

  public static func += (left: inout BudgetRefusalCounts, right: BudgetRefusalCounts) {
    for place in left.counts.indices { left.counts[place] += right.counts[place] }
  }
}
