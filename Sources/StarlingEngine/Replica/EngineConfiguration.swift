public import StarlingCore
public import StarlingSession
public import StarlingWire

/// How one engine behaves. The defaults are those of an ordinary process of a group.
public struct EngineConfiguration: Sendable {
  /// Program name and version, told to peers for people to read.
  public var agent = "starling"
  /// Passes on what others wrote, and opens every document that a peer asks for: a daemon.
  public var isRelay = false
  /// The documents that a relay serves, where the relays of a group divide them (Documentation/Scaling.md, "Documents
  /// over several daemons"). It opens no others, whoever asks. Of a replica that does not relay it says nothing.
  public var shard = DocumentShard.whole
  /// Where peers may dial this process; empty for one that nobody dials, which then sends its
  /// changes up its own connections. Filled by `ReplicaEngine.bind`.
  public var endpoints: [String] = []
  /// The endpoints to be connected to, asked for at the start and every `discoveryInterval`: those
  /// that are new are dialled, those that are missing are hung up on; an answer of nil changes nothing. Nil: only what
  /// is dialled by hand.
  public var discover: (@Sendable () -> [String]?)?
  /// How long after one call of `discover` the next follows.
  public var discoveryInterval: Duration = .seconds(1)
  /// Told, before `discover` is asked, which of the endpoints that it named were lost or first dialled within the last
  /// three seconds and do not answer: what proves to be left over from a process that has ended need not be named
  /// again.
  public var reviewUnreachable: (@Sendable (_ endpoints: [String]) -> Void)?
  /// Whether a relay tells other relays which daemons there are, hears it from them, and dials those it should.
  public var gossips = false
  /// What this daemon is to be where there are so many that not all follow each other.
  public var tier = Tier.either
  /// Where it is dialled beside `endpoints`, as others see it.
  public var advertised: [String] = []
  /// Whether an endpoint that another told of may be dialled.
  public var mayDial: @Sendable (_ endpoint: String) -> Bool = { _ in false }
  /// Whether an endpoint may be dialled that a peer named as its own when it dialled us; `user` is who the peer proved
  /// to be, nil for one that need not prove anything.
  public var mayDialBack: @Sendable (_ endpoint: String, _ user: String?) -> Bool = { _, _ in true }
  /// After so long without a word a daemon is gone.
  public var memberSilence: Duration = .seconds(20)
  /// Endpoints to try that somebody called out, asked for every `discoveryInterval`; of them, too, only those that
  /// `mayDial` allows are dialled.
  public var announced: (@Sendable () -> [String])?
  /// Whether a document may be forgotten; the main one of a group may not.
  public var mayForget: @Sendable (DocumentID) -> Bool = { _ in true }
  /// How often the engine looks at its clock; more rarely, four times a heartbeat, where nothing has happened for ten
  /// seconds and nothing is awaited.
  public var tick: Duration = .milliseconds(50)
  /// How often peers are told where the documents stand in which something happened; of the others each eighth time.
  public var heartbeat: Duration = .seconds(1)
  /// The least time between two acknowledgements of one document.
  public var acknowledgementInterval: Duration = .milliseconds(20)
  /// How long a learned endpoint may stay unreachable before it is dialled no more.
  public var learnedEndpointLifetime: Duration = .seconds(10)
  /// How much history the log keeps.
  public var history = History.everything
  /// A log that keeps history is given a checkpoint once the records after the last one outweigh this and twice that
  /// checkpoint, so that opening a document takes no longer the more history there is. (`History.stateOnly` needs none:
  /// its snapshot is one.)
  public var checkpointByteCountMin = 64 << 10
  /// Texts of so many spans are kept leaf by leaf.
  package var keptTextSpanCountMin = StoredOrder.spanCountMin
  /// Whether what this store wrote stays in the log, beside that history, until another durable store has acknowledged
  /// it. A relay that takes no states from here gets it in no other way. False where everybody takes states from here,
  /// or nobody ever comes: then a log that keeps the state alone stays as small as that.
  public var keepsOwnChanges = true
  /// How often a log that keeps so many days looks for what is older.
  public var compactionInterval: Duration = .seconds(3600)
  /// How long another store may be away before its return is not waited for: until then it is kept what it may
  /// need to merge without a transfer of the whole state. Nothing of it is lost when it returns later.
  public var memberLifetime: Duration = .seconds(30 * 86_400)
  /// What the owner of a key may do here, whether it dialled us or we dialled it; nil for nothing at all. Asked when a
  /// connection opens, and every `trustInterval` for those that stand: a connection whose trust is another is closed.
  public var allowlist: @Sendable (_ key: String, _ isDialled: Bool) -> Trust? = { _, _ in nil } {
    didSet { hasAllowlist = true }
  }
  /// Whether anybody may have a key here.
  private(set) var hasAllowlist = false
  /// How long after one look at the allowlist the next follows, for connections that stand.
  public var trustInterval: Duration = .milliseconds(250)
  /// The owners of the replica ids that wrote in earlier runs, as `noteWriters` was told: many at a time, which returns
  /// once they are kept. The log is handed what was written under them after that.
  public var writers: [WriterBinding] = []
  /// Told of replica ids that a writer begins to use, before the log is handed what was written under them.
  public var noteWriters: @Sendable ([WriterBinding]) async -> Void = { _ in }
  /// What each key may use.
  public var budgets = BudgetLimits()
  /// The operations with two contents for which writers were suspended in earlier runs, as `noteEquivocation` was told.
  public var equivocations: [EquivocationReport] = []
  /// Told of an operation with two contents; kept by whoever is told, for `equivocations` of the next run.
  public var noteEquivocation: @Sendable (EquivocationReport) -> Void = { _ in }
  /// Told of a writer, by its name, that gave one operation's name to two operations: the allowlist lets it in no more.
  public var suspend: @Sendable (_ writer: String, _ explanation: String) -> Void = { _, _ in }
  /// Whether a replica that keeps nothing writes under a leased id where a peer grants leases, so that the ids of many
  /// that come and go are few. For those that write; one that only reads needs none.
  public var leasesReplicaID = false
  /// Whether a relay with a durable log grants leases of replica ids.
  public var grantsReplicaIDs = true
  /// How processes of this machine prove that they have ended; nil for none that do.
  public var lifeSigns: (any LifeSigns)?
  /// Sees what happens to changes; nil, and then nothing is asked or done for it.
  public var tracer: (any EngineTracer)?
  /// So many documents a relay has open before it opens no more for its peers, who need but name one; those that its
  /// log has, and those that the program opens, it opens in any case.
  public var documentCountMax = 16_384
  /// A relay that has more documents open closes those that no peer uses, and opens one again when a peer speaks of it.
  /// Those that the program opened (`ReplicaEngine.open`) stay open.
  public var openDocumentCountMax = 10_000
  /// Bytes of changes of one document that may wait for the log: made here and not yet accepted, or merged and not yet
  /// accepted. Past it peers are asked for less, and `backpressure` says what writers here are told.
  public var backlogByteCountMax = 64 << 20
  /// What writers here are told where more is written than the log accepts.
  public var backpressure = Backpressure.wait
  /// What follows when the log refuses a write for a reason that may pass, as a full disk (`LogError.isTransient`).
  public var onLogFailure = LogFailure.retry
  /// The pause before the log is tried again: the first one, doubled with each failure up to the longest.
  public var logRetryPauses: ClosedRange<Duration> = .milliseconds(100) ... .seconds(5)
  /// How long changes wait for more to be logged with them where changes follow closely upon each other; not where
  /// somebody waits until they are durable. A commit costs as much for one as for hundreds.
  public var logPause: Duration = .milliseconds(5)
  /// How long a write waits for the end of a transaction that another thread has open. A transaction that is open for
  /// longer may be waiting for that thread: then the write joins it, which is reported, and a flush that waits for it
  /// throws `FlushError(.transactionOpen)`.
  public var transactionTimeout: Duration = .seconds(5)
  /// Where states are written down, and those of the past made, for peers and the log; nil for the link's thread, as
  /// simulations need it.
  public var background: (any TaskExecutor)? = globalConcurrentExecutor

  /// What happens to writers where more is written than the log accepts. A write itself is never held up and never
  /// refused, for it is made in memory and whoever makes it may not be able to wait; who writes much asks for capacity
  /// (`ReplicaEngine.waitForCapacity(in:)`) before each transaction.
  public enum Backpressure: Sendable, Hashable {
    /// A caller that asks for capacity waits until there is some.
    case wait
    /// The same; and until then nothing is said or passed on that passes anyway: presence, which others forget if that
    /// lasts longer than its lifetime, and which is said again afterwards.
    case dropPresence
    /// A caller that asks for capacity is told at once that there is none: `FlushError(.full)`.
    case fail
  }

  /// What follows when the log refuses a write for a reason that may pass.
  public enum LogFailure: String, Sendable, Hashable, CaseIterable {
    /// The replica goes on in memory and tries the log again until it works. What is written before that is kept, up
    /// to `backlogByteCountMax` a document; past that peers are asked for less and `ReplicaEngine.waitForCapacity(in:)`
    /// waits, and of a document whose writers do not ask the log is given the state in place of the changes.
    case retry
    /// The replica goes on in memory for good: for programs that end, and are started again.
    case stop
  }

  /// The tier of a daemon.
  public enum Tier: String, Sendable, Hashable, CaseIterable {
    /// The group decides.
    case either
    /// A daemon that others dial.
    case upper
    /// A daemon that dials those of the upper tier.
    case lower
  }

  /// How much of the past the log keeps.
  public enum History: Sendable, Hashable {
    /// Every change for ever. A document opens from its latest checkpoint, however many there are.
    case everything
    /// The changes of so many days, by the stamps of their writers and this replica's clock. Older ones are
    /// compacted every `compactionInterval`, in the background. A change that a wrong clock stamped in the future
    /// stays, and so does what stands on it.
    case days(Int)
    /// The state alone: records are compacted into a snapshot once they outweigh it and `byteCountMin`.
    case stateOnly(byteCountMin: Int)
  }

  /// The configuration of an ordinary process of a group.
  public init() {}
}
