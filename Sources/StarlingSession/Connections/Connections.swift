public import StarlingCore
public import StarlingWire

/// Which of our streams a peer is told of (Protocol/conversation.md, "Daemons among themselves").
public enum Audience: Sendable, Hashable {
  /// All that we merge.
  case everyone
  /// What came from our side, for those that hear of the other side from its own relays.
  case across
}

/// The connections of a replica: who is there, what each may do, and which of them follow each other. Performs
/// nothing.
///
/// ```
///   PeerTable ───── what was said ──────┐
///   TrustTable ──── what each may do ───┤
///   OneWayLinks ─── who cannot dial ────┤
///   Budgets ─────── what each has used ─┼──► who is heard, follows, serves, is told and refused what
///   GenerationTable put-back stores ────┤
///   RelaysMet ───── who is to have ours ┤
///   WriterTable, EquivocationTable ─────┘
/// ```
public struct Connections: Sendable {
  /// Whether this replica passes on what others wrote.
  public let isRelay: Bool
  /// The documents that it serves.
  public let shard: DocumentShard
  public var peers = PeerTable()
  /// What each of them is to us. It stands for longer than what was said: for as long as the connection.
  public var trusts = TrustTable()
  /// Those that said goodbye, and whose streams are still followed.
  public var farewells = Farewells()
  /// Those that could be made in one direction only.
  var oneWayLinks: OneWayLinks
  /// What the keys of the peers have used.
  public var budgets: Budgets
  /// How many replica ids the longest version names that a heartbeat has seen.
  var longestVersion = 0
  /// How often this store was started, and which start others were at when they were met.
  public var generations = GenerationTable()
  /// The relays that are to have what is written here, at a writer that keeps it for them.
  var relaysMet = RelaysMet()
  /// The owners of the replica ids that write.
  public internal(set) var writers: WriterTable
  /// For which operations writers were suspended.
  var equivocations: EquivocationTable
  /// When it was last told that a key was revoked.
  var revocationsTold: [String: Duration] = [:]

  public init(
    isRelay: Bool = false, shard: DocumentShard = .whole, oneWayLinks: OneWayLinks = OneWayLinks(),
    budgets: Budgets = Budgets(limits: [:]),
    writers: WriterTable = WriterTable(), equivocations: EquivocationTable = EquivocationTable()
  ) {
    self.isRelay = isRelay
    self.shard = shard
    self.oneWayLinks = oneWayLinks
    self.budgets = budgets
    self.writers = writers
    self.equivocations = equivocations
  }

  // MARK: Coming and going

  /// A connection has opened, or another run speaks on it: nothing was said yet.
  ///
  /// - Parameter toldEndpoints: what it heard of our endpoints already.
  public mutating func begin(_ peer: PeerHandle, _ endpoints: Endpoints, toldEndpoints: [String]? = nil) {
    peers[peer] = PeerTable.Peer(
      endpoint: endpoints.endpoint(of: peer), relation: endpoints.relation(to: peer), toldEndpoints: toldEndpoints)
  }

  /// What was said on the connection counts no more.
  ///
  /// - Returns: whether anything was.
  public mutating func forget(_ peer: PeerHandle, now: Duration) -> Bool {
    guard peers[peer] != nil else { return false }
    peers[peer] = nil
    oneWayLinks.end(peer, now: now)
    return true
  }

  // MARK: Followers

  /// Whether we receive this connection's stream: those that we dialled, and those that nobody here can dial, because
  /// they name no endpoint or are reached at none.
  public func follows(_ peer: PeerHandle) -> Bool {
    guard let known = peers[peer], let hello = known.hello, trusts[peer].mayWrite else { return false }
    return known.endpoint != nil || hello.endpoints.isEmpty || oneWayLinks.isOneWay(peer)
  }

  /// Whether this connection receives our stream: the same rule seen from the other side.
  public func serves(_ peer: PeerHandle) -> Bool { peers[peer].map { serves(peer, $0) } ?? false }

  private func serves(_ peer: PeerHandle, _ known: PeerTable.Peer) -> Bool {
    guard known.hello != nil else { return false }
    return known.endpoint == nil || known.toldEndpoints?.isEmpty ?? true || oneWayLinks.isOneWay(peer)
  }

  /// Those that we follow, ascending.
  public var followed: [PeerHandle] { peers.all.filter(follows) }

  // MARK: Streams

  /// Which of our streams the peer is told of; and so whether what it brings came from our side.
  public func audience(of peer: PeerHandle) -> Audience { peers[peer].map(audience) ?? .everyone }

  private func audience(of known: PeerTable.Peer) -> Audience {
    guard isRelay, let hello = known.hello, hello.relays else { return .everyone }
    let isAcross = known.endpoint == nil ? isMeshPeer(hello) : known.relation.isAcross
    return isAcross ? .across : .everyone
  }

  /// Whether the peer is a relay that is not below us: it tells us of its own side, and we tell it of ours.
  public func isBeside(_ peer: PeerHandle) -> Bool {
    guard let known = peers[peer], let hello = known.hello, hello.relays else { return false }
    let isBelow = known.endpoint == nil && hello.endpoints.isEmpty && !hello.isMeshPeer
    return !isBelow
  }

  /// The peers that a frame of a document is sent to, beside those that receive what is published.
  ///
  /// Peers that we dialled and that cannot dial us receive no publication, and neither do those who may not read all of
  /// them: directly.
  ///
  /// - Parameter isConfined: whether nothing is published, as anybody may subscribe: all are sent it then.
  /// - Complexity: O(*n*) in the connections.
  public func receivers(in document: DocumentID, _ audience: Audience, isConfined: Bool) -> [PeerHandle] {
    peers.handles { peer, known in
      known.interests.contains(document) && (isConfined || known.endpoint != nil || !trusts[peer].readsEverything)
        && serves(peer, known) && self.audience(of: known) == audience && known.relation != .standby
    }
  }

  /// Those that are told with heartbeats where a document stands: who asked for it, and now and then everybody else who
  /// is told unasked.
  public func listeners(in document: DocumentID, isUnaskedToo: Bool) -> [PeerHandle] {
    peers.handles { peer, known in
      serves(peer, known)
        && (known.interests.contains(document)
          || isUnaskedToo && isToldUnasked(known) && isShared(document, with: peer))
    }
  }

  /// Whether a peer hears of every document, though it has not spoken of it. A daemon has all of its group, most
  /// processes have few: between those two, the process speaks first (Protocol/conversation.md, "Who is told of a
  /// document").
  public func isToldUnasked(_ peer: PeerHandle) -> Bool { peers[peer].map(isToldUnasked) ?? false }

  private func isToldUnasked(_ known: PeerTable.Peer) -> Bool { !isRelay || known.isRelay }

  // MARK: Stores

  /// The store that the peer says it is, and whose key says so; nil until it has said hello.
  func namedStore(of peer: PeerHandle) -> NamedStore? {
    (peers[peer]?.hello?.store).map { NamedStore($0, name: trusts[peer].listedName ?? "") }
  }

  /// Those of all who have said hello.
  var namedStores: Set<NamedStore> { Set(peers.talking.compactMap(namedStore)) }

  // MARK: Relays

  /// Those that are told what only relays may say, and are believed.
  public var trustedRelays: [PeerHandle] { peers.relays.filter { trusts[$0].mayRelay } }

  /// Whether the peer is heard when it says what only relays may.
  public func isTrustedRelay(_ peer: PeerHandle) -> Bool { peers[peer]?.isRelay == true && trusts[peer].mayRelay }
}
