/// What every peer is to this replica, for as long as its connection stands: whatever is said on it, neither a goodbye
/// nor another greeting makes somebody else of it.
public struct TrustTable: Sendable {
  /// What is known of one connection.
  public struct Standing: Sendable {
    public let identity: PeerIdentity
    public let isDialled: Bool
    public fileprivate(set) var trust: Trust
    /// What it was refused, so that the operator hears of each thing once.
    fileprivate var denials: Set<String> = []
    /// How many runs have greeted on it, and when the latest greeting came.
    fileprivate var runCount = 0
    fileprivate var greetedAt: Duration?
  }

  /// What a greeting is worth, which costs something for each document.
  public enum Greeting: Sendable, Hashable {
    case heeded
    /// The same run greeted a moment ago.
    case repeated
    /// More runs than `runCountMax` greet on one connection.
    case refused
  }

  /// So many runs may greet on one connection: nearly always one does.
  public static let runCountMax = 16
  /// The same run is told where the documents stand no more often than that.
  private static let greetingInterval: Duration = .milliseconds(500)

  /// How the trust in one peer changed.
  public struct Revision: Sendable, Hashable {
    public var peer: PeerHandle
    public var former: Trust
    public var present: Trust
  }

  /// So many kinds of refusals are told of one connection; all are counted.
  private static let denialsToldMax = 16

  private var standings = HandleTable<Standing>()
  /// How many may not receive whatever is published.
  private var partialReaderCount = 0

  public init() {}

  /// Never absent: who is not known is nobody.
  public subscript(peer: PeerHandle) -> Trust {
    // Inlined, so that whoever reads one field copies that alone: it is asked for several times with each frame.
    @inline(__always)
    get {
      guard let place = standings.place(of: peer) else { return .nobody }
      return standings[at: place].trust
    }
  }

  public func identity(of peer: PeerHandle) -> PeerIdentity { standings[peer]?.identity ?? .unknown }

  /// Whether somebody is here who may not receive whatever is published.
  public var hasPartialReaders: Bool { partialReaderCount > 0 }

  // MARK: Connections

  /// A connection has opened. It takes the place of what stood there before.
  @discardableResult
  public mutating func open(
    _ peer: PeerHandle, as identity: PeerIdentity, isDialled: Bool, entry: Trust?, now: UInt64
  ) -> Trust {
    close(peer)
    let trust = Trust(in: identity, entry: entry, now: now)
    standings.set(Standing(identity: identity, isDialled: isDialled, trust: trust), for: peer)
    if !trust.readsEverything { partialReaderCount += 1 }
    return trust
  }

  public mutating func close(_ peer: PeerHandle) {
    guard let standing = standings.remove(peer) else { return }
    if !standing.trust.readsEverything { partialReaderCount -= 1 }
  }

  /// Makes every trust again from the allowlist as it stands now.
  ///
  /// - Parameter entry: what the allowlist says of the key of a peer, and whether we dialled that.
  /// - Returns: whose permissions are different, ascending by peer.
  public mutating func review(now: UInt64, _ entry: (_ key: String, _ isDialled: Bool) -> Trust?) -> [Revision] {
    var revisions: [Revision] = []
    for (place, peer) in standings.handles.enumerated() {
      let standing = standings[at: place]
      guard let key = standing.identity.key else { continue }
      let present = Trust(in: standing.identity, entry: entry(key, standing.isDialled), now: now)
      guard present != standing.trust else { continue }
      standings[at: place].trust = present
      guard !present.permitsTheSame(as: standing.trust) else { continue }
      partialReaderCount += (present.readsEverything ? 0 : 1) - (standing.trust.readsEverything ? 0 : 1)
      revisions.append(Revision(peer: peer, former: standing.trust, present: present))
    }
    return revisions
  }

  // MARK: Greetings

  /// - Parameter isNew: whether it is of another run than the one before.
  public mutating func noteGreeting(of peer: PeerHandle, isNew: Bool, now: Duration) -> Greeting {
    guard let place = standings.place(of: peer) else { return .heeded }
    if isNew {
      guard standings[at: place].runCount < Self.runCountMax else { return .refused }
      standings[at: place].runCount += 1
    } else if let last = standings[at: place].greetedAt, now - last < Self.greetingInterval {
      return .repeated
    }
    standings[at: place].greetedAt = now
    return .heeded
  }

  // MARK: Refusals

  /// - Returns: whether the operator and the peer are to be told of it.
  public mutating func noteDenial(_ what: String, of peer: PeerHandle) -> Bool {
    guard let place = standings.place(of: peer), standings[at: place].denials.count < Self.denialsToldMax else {
      return false
    }
    return standings[at: place].denials.insert(what).inserted
  }
}
