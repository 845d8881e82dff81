public import Logging
public import StarlingEngine
public import StarlingSQLite

extension BareReplica {
  /// What `Replica.open` may be told beside the group's name.
  public struct Options: Sendable {
    /// Where the group's sockets are; nil for this user's runtime directory.
    public var socketDirectory: String?
    /// Whether the replica joins the other processes on this machine.
    public var joinsThisMachine = true
    /// TCP endpoints to accept peers at, as `tcp://127.0.0.1:7400`; beyond loopback only with `keys`.
    public var listen: [String] = []
    /// Endpoints to dial, of daemons on other machines or ports; `tcp://KEY@host:7400` of one that has keys.
    public var connect: [String] = []
    /// Where the daemon is dialled from other machines, where it cannot know that itself: it listens at all addresses, or
    /// behind a router.
    public var advertise: [String] = []
    /// Whether a daemon tells other daemons which there are, and dials those it hears of, so that one endpoint in
    /// `connect` is enough. It dials keys of its allowlist that relay, and without `keys`, loopback.
    public var gossips = true
    /// What a daemon is to be in a group of so many that they form two tiers.
    public var tier = EngineConfiguration.Tier.either
    /// Calls out where this daemon is, and listens for others, on the local network; nil for neither.
    public var beacon: Beacon?
    /// The directory of this replica's keys and of those it lets in over TCP; nil for none, and then only loopback is
    /// listened at.
    public var keys: KeyDirectory?
    /// The file to which is appended who was let in over TCP and who was not, as lines of JSON; nil for none. It is made
    /// for its owner alone. The logger hears of the same (Documentation/Operating.md, "The audit log").
    public var audit: String?
    /// A daemon keeps everything, relays, and is found by name. One a group and machine.
    public var isDaemon = false
    /// Whether a replica without a directory writes under a leased replica id, where a daemon leases some, so that the ids
    /// of many that come and go are few. False for one that only reads. What is written before the lease is granted is written
    /// under an id of its own; `synchronize` waits for it.
    public var leasesReplicaID = true
    /// How much of the changes the log keeps; nil for everything where the replica has a directory, and for the
    /// state alone where it lives in memory.
    public var history: EngineConfiguration.History?
    /// So many documents a daemon has open before its peers can begin no more (`EngineConfiguration.documentCountMax`).
    public var documentCountMax = EngineConfiguration().documentCountMax
    /// What one key may use, of a replica with `keys`: so that one that turns hostile costs the others nothing.
    public var budgets = BudgetLimits()
    /// What a commit to disk must survive.
    public var durability = SQLiteLog.Durability.full
    /// How long a write waits for the end of another thread's transaction (`withTransaction`).
    public var transactionTimeout = EngineConfiguration().transactionTimeout
    /// Whether to go on with what is whole where acknowledged records are missing in the directory: its write-ahead log is
    /// damaged or cut, or its database gone. Otherwise `Replica.open` throws `LogError(.corrupt)`, and changes nothing. What
    /// is missing comes back from the members that have it.
    public var acceptsDamage = false
    /// What writers are told where they write more than the disk takes (`Replica.room`).
    public var backpressure = EngineConfiguration.Backpressure.wait
    /// What follows when the disk refuses a write for a reason that may pass, as one that is full.
    public var onLogFailure = EngineConfiguration.LogFailure.retry
    /// Program name and version, told to peers.
    public var agent = "starling"
    public var logger = Logger(label: "starling")
    /// Told of what the logger hears of, by name; on the engine's thread.
    public var onEvent: (@Sendable (EngineEvent) -> Void)?

    public init() {}

    /// Where daemons call out to each other.
    public struct Beacon: Sendable, Hashable {
      /// An IPv4 multicast address and a port.
      public var address = "239.255.74.7:7474"
      /// The address of the network interface to use; nil as the system chooses.
      public var interface: String?

      public init() {}
    }
  }
}
