public import StarlingCore

/// How one engine stands.
public struct EngineStatus: Sendable {
  public struct Peer: Sendable {
    public var store: StoreID
    public var agent: String
    public var isDurable: Bool
    public var isRelay: Bool
    /// Whether we dialled it.
    public var isDialled: Bool
    /// Where we dialled it; nil for one that dialled us.
    public var endpoint: String?
    /// What it said of its links when it greeted, for people; nil where it had nothing to say.
    public var notice: String?
    /// Where its documents stood when it last spoke of them, ascending by name.
    public var documents: [PeerDocument]
  }

  public var store: StoreID
  public var isDurable: Bool
  /// Why the log accepts nothing; nil while it works.
  public var logError: LogError?
  /// Whether it is tried again. False, with an error, where nothing is kept until the replica is opened again.
  public var isLogRetried: Bool
  /// How many operations the log has not accepted, of each document that has such.
  public var unsaved: [DocumentID: UInt64]
  /// Documents that are not served, as what the log holds of them cannot be read.
  public var quarantined: [DocumentID: LogError]
  public var peers: [Peer]
  /// Where peers may dial this replica.
  public var endpoints: [String]
  public var documents: [DocumentID]
  public var counters: EngineCounters
  /// What is known of the group's daemons; nil in a replica that does not ask.
  public var daemons: Daemons?
  /// Connections that could be made in one direction only.
  public var oneWayLinks: [OneWayLink]

  /// The other daemons of the group, counted.
  public struct Daemons: Sendable, Hashable {
    /// Whether this one is of the upper tier, or of the only one.
    public var isUpper: Bool
    public var hereCount: Int
    public var goneCount: Int

    public init(isUpper: Bool, hereCount: Int, goneCount: Int) {
      self.isUpper = isUpper
      self.hereCount = hereCount
      self.goneCount = goneCount
    }
  }
}
