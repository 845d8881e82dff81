public import Logging
public import StarlingEngine
public import StarlingSQLite

extension Replica {
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
    /// The directory of this replica's keys and of those it lets in over TCP; nil for none, and then only loopback is
    /// listened at.
    public var keys: KeyDirectory?
    /// The file to which is appended who was let in over TCP and who was not, as lines of JSON; nil for none. It is made
    /// for its owner alone. The logger hears of the same (Documentation/Operating.md, "The audit log").
    public var audit: String?
    /// A daemon keeps everything, relays, and is found by name. One a group and machine.
    public var isDaemon = false
    /// How much of the changes the log keeps; nil for everything where the replica has a directory, and for the
    /// state alone where it lives in memory.
    public var history: EngineConfiguration.History?
    /// What a commit to disk must survive.
    public var durability = SQLiteLog.Durability.full
    /// What writers are told where they write more than the disk takes (`Replica.room`).
    public var backpressure = EngineConfiguration.Backpressure.wait
    /// Program name and version, told to peers.
    public var agent = "starling"
    public var logger = Logger(label: "starling")
    /// Told of what the logger hears of, by name; on the engine's thread.
    public var onEvent: (@Sendable (EngineEvent) -> Void)?

    public init() {}
  }
}
