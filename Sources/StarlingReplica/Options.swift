public import Logging
public import StarlingEngine
public import StarlingSQLite
public import StarlingWire

extension BareReplica {
  /// The options of `Replica.open`.
  public struct Options: Sendable {
    /// The directory of the groups' sockets; nil for this user's runtime directory.
    public var socketDirectory: String?
    /// The Unix group whose members may join through that directory; nil for this user alone. A service of the system
    /// and its users' programs meet so (Documentation/Operating.md, "Sockets for several users"). All of them name the
    /// same directory and the same Unix group, and trust each other as processes of one user do.
    public var socketGroup: String?
    /// Whether the replica joins the other processes on this machine.
    public var joinsThisMachine = true
    /// TCP endpoints to accept peers at, as `tcp://127.0.0.1:7400`; beyond loopback only with `keys`.
    public var listen: [String] = []
    /// Endpoints of daemons to dial: `tcp://127.0.0.1:7400`, or `tcp://KEY@host:7400` if the daemon has keys.
    public var connect: [String] = []
    /// The endpoints at which other machines dial this daemon, if it cannot know them itself because it listens at all
    /// addresses or behind a router.
    public var advertise: [String] = []
    /// Whether a daemon exchanges the endpoints of daemons with other daemons and dials them, so that one endpoint in
    /// `connect` is enough. It dials only keys of its allowlist that relay, and without `keys` only loopback.
    public var gossips = true
    /// The tier of this daemon in a group that has so many daemons that they form two tiers.
    public var tier = EngineConfiguration.Tier.either
    /// Joins the group's daemons at other sites over a NATS cluster; nil for none. A daemon talks to all daemons in the
    /// cluster. A program talks to one of them where no daemon serves this machine. Needs the package trait `NATS`.
    public var cluster: Cluster?
    /// The directory of this replica's keys and of its allowlist; nil for no keys: then the replica listens and dials
    /// over TCP on loopback only, and in a cluster trusts whoever its servers let in. In a cluster the allowlist of a
    /// program too names the daemons.
    public var keys: KeyDirectory?
    /// The file that gets a line of JSON for each peer that is let in or refused over TCP or in a cluster; nil for
    /// none. Only its owner can read it. The logger gets the refusals too (Documentation/Operating.md, "The audit log").
    public var audit: String?
    /// Whether this is a daemon: it keeps all documents, relays, and is found by name. One for each group and machine, or
    /// one for each `shard`.
    public var isDaemon = false
    /// The documents of a daemon, where several daemons divide those of a group (Documentation/Scaling.md, "Documents
    /// over several daemons"). It holds and relays no others, and has no `cluster`.
    public var shard = DocumentShard.whole
    /// Whether a replica without a directory writes under a leased replica id if a daemon leases some, so that many
    /// short-lived processes use few ids. Set it to false in a program that only reads. Writes before the lease is
    /// granted are under an id of the process's own; `synchronize` waits for the lease.
    public var leasesReplicaID = true
    /// How much history the log keeps; nil for everything if the replica has a directory, and for the
    /// state alone if it lives in memory. A replica that keeps the state alone is sent the state when it joins, in place
    /// of changes that weigh more.
    public var history: EngineConfiguration.History?
    /// How many documents peers can have a daemon open (`EngineConfiguration.documentCountMax`).
    public var documentCountMax = EngineConfiguration().documentCountMax
    /// Of more open documents than this, a daemon closes those that no peer uses
    /// (`EngineConfiguration.openDocumentCountMax`).
    public var openDocumentCountMax = EngineConfiguration().openDocumentCountMax
    /// What one key may use of a replica with `keys`, so that a hostile key costs the others nothing.
    public var budgets = BudgetLimits()
    /// Where the log stands. Everything but `directory` needs no directory and uses none.
    public var log = LogPlace.directory
    /// What a commit to disk must survive.
    public var durability = SQLiteLog.Durability.full
    /// How long a write waits for another thread's transaction (`withTransaction`).
    public var transactionTimeout = EngineConfiguration().transactionTimeout
    /// `EngineConfiguration.keptTextSpanCountMin`, for tests, whose texts are short.
    package var keptTextSpanCountMin = EngineConfiguration().keptTextSpanCountMin
    /// Whether to start with the intact records if acknowledged ones are missing in the directory, because the
    /// write-ahead log is damaged or cut or the database is gone. The missing ones are fetched from the members that
    /// have them. If false, `Replica.open` throws `LogError(.corrupt)` and changes nothing.
    public var acceptsDamage = false
    /// What `Replica.waitForCapacity` does when more is written than the disk takes.
    public var backpressure = EngineConfiguration.Backpressure.wait
    /// What to do when the disk refuses a write for a reason that may pass, such as a full disk.
    public var onLogFailure = EngineConfiguration.LogFailure.retry
    /// The program's name and version, which peers show.
    public var agent = "starling"
    /// Where the replica logs what happens.
    public var logger = Logger(label: "starling")
    /// Called with each event that is logged, on the engine's thread.
    public var onEvent: (@Sendable (EngineEvent) -> Void)?

    /// The options that hold where none is given.
    public init() {}

    /// A NATS cluster between sites.
    public struct Cluster: Sendable, Hashable {
      /// Servers of the cluster, as `nats://host:port`, or `tls://host:port` for TLS, with `user:password@` before the
      /// host where they ask for them. None needs to answer at the start.
      public var servers: [String]
      /// The file of a user's credentials, as `nsc` writes them (`.creds`).
      public var credentials: String?
      /// The file of the seed of a user's NKEY (`.nk`).
      public var nkey: String?
      /// The file (PEM) of the certificates of the authorities that sign the servers' certificates; nil for those that
      /// the system knows. Asks for TLS.
      public var tlsAuthorities: String?
      /// The file (PEM) of the certificate that the servers may ask for, and of its secret key. Asks for TLS.
      public var tlsCertificate: String?
      /// The file (PEM) of the secret key of `tlsCertificate`.
      public var tlsKey: String?

      /// A cluster that these servers belong to.
      public init(servers: [String]) { self.servers = servers }
    }

    /// Where a replica keeps its log.
    public enum LogPlace: Sendable {
      /// In SQLite, in the directory; in memory where there is none.
      case directory
      /// In a stream of the servers of `cluster`, so that the replica continues at another site with everything that it
      /// acknowledged. The servers must answer when the replica is opened. Needs the package trait `NATS`.
      case jetStream(JetStream)
    }

    /// A log in a stream of a NATS cluster.
    public struct JetStream: Sendable {
      /// The log's name, 1 to 64 letters, digits, underscores or hyphens; nil for the group's. Each replica has one of its
      /// own.
      public var name: String?
      /// On how many servers the stream is kept: 1, 3 or 5. Counts when the stream is made.
      public var replicas = 3
      /// The most that the stream may hold, in bytes; nil for as much as the account has space for. Counts when the
      /// stream is made.
      public var byteCountMax: Int64?
      /// Whether the replica waits until nobody holds the log, and follows it for as long. Otherwise `open` throws
      /// `LogError(.busy)` where a process that lives holds it.
      public var isStandby = false
      /// How long a holder must be silent until another process takes the log; it speaks five times as often.
      public var leaseDuration: Duration = .seconds(10)
      /// Called again and again while a standby waits: behind the process that holds the log, in words; nil while none
      /// is known to live. Any thread.
      public var onWaiting: (@Sendable (String?) -> Void)?

      /// A log under the group's name, on three servers.
      public init() {}
    }
  }
}
