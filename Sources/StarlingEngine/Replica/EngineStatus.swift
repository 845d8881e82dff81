public import StarlingCore
public import StarlingWire

/// How one engine stands.
public struct EngineStatus: Sendable {
  /// A peer that is connected.
  public struct Peer: Sendable {
    /// The peer's store.
    public var store: StoreID
    /// The name and version of the peer's program, as it says.
    public var agent: String
    /// Whether what the peer acknowledges survives its process.
    public var isDurable: Bool
    /// Whether the peer passes on what others wrote.
    public var isRelay: Bool
    /// The documents that the peer serves.
    public var shard: DocumentShard
    /// Whether we dialled it.
    public var isDialled: Bool
    /// Where we dialled it; nil for one that dialled us.
    public var endpoint: String?
    /// What it said of its links when it greeted, for people; nil where it had nothing to say.
    public var notice: String?
    /// Where its documents stood when it last spoke of them, ascending by name.
    public var documents: [PeerDocument]
  }

  /// This replica's store.
  public var store: StoreID
  /// Whether what is logged here survives the process.
  public var isDurable: Bool
  /// Why the log accepts nothing; nil while it works.
  public var logError: LogError?
  /// Whether it is tried again. False, with an error, where nothing is kept until the replica is opened again.
  public var isLogRetried: Bool
  /// How many operations the log has not accepted, of each document that has such.
  public var unsaved: [DocumentID: UInt64]
  /// Documents that are not served, as what the log holds of them cannot be read.
  public var quarantined: [DocumentID: LogError]
  /// The peers that are connected.
  public var peers: [Peer]
  /// Where peers may dial this replica.
  public var endpoints: [String]
  /// The documents that are open.
  public var documents: [DocumentID]
  /// How many others the log holds: a relay opens them when a peer speaks of them.
  public var closedDocumentCount = 0
  /// What was done since the engine started.
  public var counters: EngineCounters
  /// What is known of the group's daemons; nil in a replica that does not ask.
  public var daemons: Daemons?
  /// Connections that could be made in one direction only.
  public var oneWayLinks: [OneWayLink]

  /// The other daemons of the group, counted.
  public struct Daemons: Sendable, Hashable {
    /// Whether this one is of the upper tier, or of the only one.
    public var isUpper: Bool
    /// How many of them are known to live.
    public var hereCount: Int
    /// How many of them are not heard of any more.
    public var goneCount: Int

    /// Counts daemons.
    public init(isUpper: Bool, hereCount: Int, goneCount: Int) {
      self.isUpper = isUpper
      self.hereCount = hereCount
      self.goneCount = goneCount
    }
  }
}
