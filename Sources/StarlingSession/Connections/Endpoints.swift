public import StarlingCore
public import StarlingWire

/// In what way a dialled peer is followed (Protocol/conversation.md, "Daemons among themselves").
public enum Relation: Hashable, Sendable {
  /// It is told of everything, and so are we.
  case plain
  /// Each daemon follows each other, and tells what came from its own side.
  case meshPeer
  /// The upper daemon whose live stream we take.
  case uplink
  /// Another upper daemon, which takes its place if it is lost.
  case standby

  /// Whether it is told of our side's stream.
  public var isAcross: Bool { self != .plain }
}

/// Which endpoints are dialled, why, and until when; and at which this replica is dialled itself. Performs nothing.
///
/// ```
///   by hand, directory, ──► dial ──► connected ──► hangUp: no longer named, planned or answering,
///   peers, cluster, plan              │  ▲                 not trusted, ourselves
///                                     ▼  │
///                                  unreachable
/// ```
///
/// Whoever performs a `dial` says how it ended, by `connected` or `failed`, before the next call.
public struct Endpoints: Sendable {
  public enum Origin: Hashable, Sendable {
    case byHand
    /// The directory names it.
    case discovered
    /// A peer that dialled us named it.
    case learned
    /// Somebody announced it.
    case announced
    /// The plan of daemons names it.
    case member
  }

  public struct Dialled: Hashable, Sendable {
    public let origin: Origin
    public internal(set) var relation: Relation
    /// Nil until the link has given it one.
    public fileprivate(set) var peer: PeerHandle?
    /// The store that answers there, or was the last to answer.
    public fileprivate(set) var store: StoreID?
    /// The documents that it serves, or served when it was there last.
    public fileprivate(set) var shard = DocumentShard.whole
    /// Since when nobody answers there.
    public fileprivate(set) var unreachableSince: Duration?
    /// Whether the peer that was there has said that it leaves.
    public fileprivate(set) var isLeft = false
    fileprivate let attempt: UInt64
  }

  public enum Effect: Hashable, Sendable {
    /// Dial the endpoint, and say how that ended.
    case dial(String, attempt: UInt64)
    /// Take the streams of the peer that belong to the relation.
    case subscribe(PeerHandle, Relation)
    /// Forget the peer, take its streams no more, and close the connection.
    ///
    /// - Parameter relation: nil where no stream of it is taken.
    case hangUp(PeerHandle, Relation?)
    /// Take other streams of the peer from now on.
    case follow(PeerHandle, from: Relation, to: Relation)
  }

  /// How long an endpoint may stay unreachable.
  public struct Policy: Hashable, Sendable {
    /// One that a peer or somebody else named.
    public var learnedLifetime: Duration
    /// One of a peer that has said that it leaves.
    public var leftLifetime: Duration

    public init(learnedLifetime: Duration = .seconds(10), leftLifetime: Duration = .seconds(1)) {
      self.learnedLifetime = learnedLifetime
      self.leftLifetime = leftLifetime
    }
  }

  private struct Untrusted {
    var identity: PeerIdentity
    var retryAt: Duration
  }

  /// Where somebody answers who is not trusted, another may answer later: a member whose key was replaced. The pause
  /// before the next attempt doubles, from the first to the second.
  public static let retryPauses: (first: Duration, longest: Duration) = (.seconds(5), .seconds(300))
  /// So many announced endpoints are dialled at one time.
  public static let announcedCountMax = 4
  /// For so long after it was lost an endpoint is reviewed with each look at the directory.
  private static let reviewedFor: Duration = .seconds(3)

  let policy: Policy
  private(set) var dialled: [String: Dialled] = [:]
  private var attemptCount: UInt64 = 0
  public private(set) var dialledByHand: Set<String> = []
  /// The stores that were met at endpoints that are dialled by hand.
  private(set) var contactStores: [String: StoreID] = [:]
  /// Endpoints that are not dialled, as nobody trusts whoever answered there.
  private var untrusted: [String: Untrusted] = [:]
  /// After how long those were dialled again the last time, in case another answers there.
  private var untrustedPauses: [String: Duration] = [:]
  /// Endpoints at which we met ourselves.
  private var own: Set<String> = []
  /// Where this replica is dialled; and where it is beside that, as others see it.
  public private(set) var bound: [String]
  private let advertised: [String]
  private var nextReview = Duration.zero

  public init(bound: [String] = [], advertised: [String] = [], policy: Policy = Policy()) {
    self.bound = bound
    self.advertised = advertised
    self.policy = policy
  }

  // MARK: What is known

  public var isEmpty: Bool { dialled.isEmpty }
  public var count: Int { dialled.count }
  public var unreachableCount: Int { dialled.values.count { $0.unreachableSince != nil } }
  /// Whether whoever answers at one of them was hung up on, for it is not trusted.
  public var hasUntrusted: Bool { !untrusted.isEmpty }
  /// Whether at one that is dialled by hand nobody was met yet.
  var awaitsContact: Bool { dialledByHand.contains { contactStores[$0] == nil && !own.contains($0) } }

  /// Those that the link has given a peer, ascending by endpoint.
  public var connections: [(peer: PeerHandle, relation: Relation)] {
    inOrder.compactMap { entry in entry.value.peer.map { ($0, entry.value.relation) } }
  }

  /// Those of them by which a document may come: whoever answers there serves it, as far as is known.
  public func peers(serving document: DocumentID) -> [PeerHandle] {
    inOrder.compactMap { entry in entry.value.shard.contains(document) ? entry.value.peer : nil }
  }

  /// Where the peer was dialled; nil for one that dialled us.
  public func endpoint(of peer: PeerHandle) -> String? { dialled.first { $0.value.peer == peer }?.key }

  public func relation(to peer: PeerHandle) -> Relation {
    dialled.values.first { $0.peer == peer }?.relation ?? .plain
  }

  /// Ascending, so that one seed gives one run.
  var inOrder: [(key: String, value: Dialled)] { dialled.sorted { $0.key < $1.key } }

  // MARK: Where this replica is dialled

  public mutating func bind(_ endpoint: String) { bound.append(endpoint) }

  /// What peers are told. Whoever listens at every address cannot say by which one it is reached.
  public var told: [String] {
    let everywhere = ["/0.0.0.0:", "@0.0.0.0:", "/[::]:", "@[::]:"]
    return advertised
      + bound.filter { endpoint in
        !advertised.contains(endpoint) && !everywhere.contains { endpoint.contains($0) }
      }
  }

  /// Those that a peer can dial that we reach at `endpoint`: of the same transport. A peer across a network has no use
  /// for a socket file.
  public func dialable(from endpoint: String) -> [String] {
    let transport = endpoint.prefix { $0 != ":" }
    return told.filter { $0.prefix { $0 != ":" } == transport }
  }

  /// Those at which daemons on other machines may dial this one.
  public var toldToMembers: [String] { told.filter { !$0.hasPrefix("ipc:") } }

  // MARK: Dialling

  /// Dials the endpoint, unless that is so already or in vain.
  public mutating func dial(
    _ endpoint: String, as origin: Origin, relation: Relation = .plain, store: StoreID? = nil, now: Duration
  ) -> [Effect] {
    guard dialled[endpoint] == nil, untrusted[endpoint] == nil, !bound.contains(endpoint), !own.contains(endpoint)
    else { return [] }
    attemptCount += 1
    dialled[endpoint] = Dialled(
      origin: origin, relation: relation, store: store, unreachableSince: now, attempt: attemptCount)
    checkInvariants()
    return [.dial(endpoint, attempt: attemptCount)]
  }

  /// The link dials the endpoint, and calls whoever answers there `peer`.
  public mutating func connected(_ endpoint: String, attempt: UInt64, as peer: PeerHandle) -> [Effect] {
    guard let known = dialled[endpoint], known.attempt == attempt else { return [.hangUp(peer, nil)] }
    dialled[endpoint]?.peer = peer
    checkInvariants()
    return [.subscribe(peer, known.relation)]
  }

  /// The link cannot dial the endpoint.
  public mutating func failed(_ endpoint: String, attempt: UInt64) {
    if dialled[endpoint]?.attempt == attempt { dialled[endpoint] = nil }
  }

  public mutating func hangUp(_ endpoint: String) -> [Effect] {
    guard let known = dialled.removeValue(forKey: endpoint) else { return [] }
    return known.peer.map { [.hangUp($0, known.relation)] } ?? []
  }

  /// Works offline. Endpoints dialled by hand are remembered for `dialByHand`.
  public mutating func hangUpAll() -> [Effect] {
    inOrder.flatMap { hangUp($0.key) }
  }

  /// Both sides begin again, with nothing that they knew of each other on this connection; nil for a peer that dialled
  /// us.
  public mutating func dialAgain(_ peer: PeerHandle, now: Duration) -> [Effect]? {
    guard let endpoint = endpoint(of: peer), let known = dialled[endpoint] else { return nil }
    let effects =
      hangUp(endpoint) + dial(endpoint, as: known.origin, relation: known.relation, store: known.store, now: now)
    dialled[endpoint]?.shard = known.shard
    return effects
  }

  // MARK: What peers say

  /// Somebody answers, or nobody any more.
  public mutating func setUnreachable(_ peer: PeerHandle, since moment: Duration?) {
    guard let endpoint = endpoint(of: peer) else { return }
    dialled[endpoint]?.unreachableSince = moment
    if moment == nil { dialled[endpoint]?.isLeft = false }
  }

  /// The peer said who it is.
  ///
  /// - Parameters:
  ///   - shard: the documents that it serves.
  ///   - isMeshPeer: whether it may be one: a daemon that has the same documents as this one.
  public mutating func met(_ store: StoreID, serving shard: DocumentShard, isMeshPeer: Bool, at peer: PeerHandle)
    -> [Effect]
  {
    guard let endpoint = endpoint(of: peer) else { return [] }
    dialled[endpoint]?.store = store
    dialled[endpoint]?.shard = shard
    untrustedPauses[endpoint] = nil
    if dialledByHand.contains(endpoint) { contactStores[endpoint] = store }
    return isMeshPeer ? [] : setRelation(.plain, at: endpoint)
  }

  /// The peer left in good order.
  ///
  /// - Parameters:
  ///   - store: whose it is, where it said so.
  ///   - endpoints: where it said that it is dialled.
  public mutating func left(_ peer: PeerHandle, store: StoreID?, endpoints: [String], now: Duration) -> [Effect] {
    var effects: [Effect] = []
    for (endpoint, known) in inOrder where known.origin == .learned {
      if known.peer == peer {
        // Nobody will answer there for now.
        effects += hangUp(endpoint)
      } else if let store, known.store == store || endpoints.contains(endpoint) {
        // Its goodbye here may be lost.
        dialled[endpoint]?.isLeft = true
        dialled[endpoint]?.unreachableSince = known.unreachableSince ?? now
      }
    }
    return effects
  }

  /// We answer there ourselves.
  public mutating func metOurselves(at endpoint: String) -> [Effect] {
    own.insert(endpoint)
    return hangUp(endpoint)
  }

  // MARK: Trust

  /// Whoever answers there may do nothing. The endpoint is dialled again once that peer may do something, and after a
  /// pause, in case another peer answers.
  public mutating func distrust(_ endpoint: String, _ identity: PeerIdentity, now: Duration) -> [Effect] {
    let pause = untrustedPauses[endpoint].map { min($0 * 2, Self.retryPauses.longest) }
    untrustedPauses[endpoint] = pause ?? Self.retryPauses.first
    untrusted[endpoint] = Untrusted(identity: identity, retryAt: now + untrustedPauses[endpoint]!)
    return hangUp(endpoint)
  }

  /// - Returns: those that may be dialled again, ascending, and of them those that are to be now.
  public mutating func reviewTrust(now: Duration, _ isTrusted: (PeerIdentity) -> Bool) -> [String] {
    let due = untrusted.filter { now >= $0.value.retryAt || isTrusted($0.value.identity) }.keys.sorted()
    guard !due.isEmpty else { return [] }
    for endpoint in due { untrusted[endpoint] = nil }
    reviewSoon()
    return due.filter(dialledByHand.contains)
  }

  // MARK: By hand

  /// The endpoint is to be dialled for as long as the replica is online.
  public mutating func wantByHand(_ endpoint: String) { dialledByHand.insert(endpoint) }

  // MARK: Directory, peers and a cluster

  /// Whether it is time to look what is to be dialled.
  public mutating func isReviewDue(now: Duration, interval: Duration) -> Bool {
    guard now >= nextReview else { return false }
    nextReview = now + interval
    return true
  }

  public mutating func reviewSoon() { nextReview = .zero }

  /// Those of the directory that were lost a moment ago, or never answered.
  public func recentlyLost(now: Duration) -> [String] {
    inOrder.filter { _, known in
      known.origin == .discovered && known.unreachableSince.map { now - $0 < Self.reviewedFor } ?? false
    }.map(\.key)
  }

  /// The directory names these, and no others.
  public mutating func discovered(_ wanted: Set<String>, now: Duration) -> [Effect] {
    var effects = wanted.sorted().flatMap { dial($0, as: .discovered, now: now) }
    for (endpoint, known) in inOrder
    where [.discovered, .learned].contains(known.origin) && !wanted.contains(endpoint) {
      effects += hangUp(endpoint)
    }
    return effects
  }

  /// Gives up endpoints that were learned or announced, and at which nobody has answered for long.
  public mutating func expire(_ origin: Origin, now: Duration) -> [Effect] {
    let expired = inOrder.filter { _, known in
      let lifetime = known.isLeft ? policy.leftLifetime : policy.learnedLifetime
      return known.origin == origin && known.unreachableSince.map { now - $0 > lifetime } ?? false
    }
    return expired.flatMap { hangUp($0.key) }
  }

  /// Somebody announced the endpoint: it is tried for a while, a few at a time.
  public mutating func announced(_ endpoint: String, _ plan: Membership.Plan?, now: Duration) -> [Effect] {
    guard dialled.values.count(where: { $0.origin == .announced }) < Self.announcedCountMax else { return [] }
    return dial(endpoint, as: .announced, relation: relationToContact(at: endpoint, plan), now: now)
  }

  // MARK: Relations

  mutating func setRelation(_ relation: Relation, at endpoint: String) -> [Effect] {
    guard let known = dialled[endpoint], known.relation != relation else { return [] }
    dialled[endpoint]?.relation = relation
    return known.peer.map { [.follow($0, from: known.relation, to: relation)] } ?? []
  }

  func checkInvariants() {
    assert(dialled.keys.allSatisfy { untrusted[$0] == nil && !own.contains($0) }, "Dialled in vain.")
    assert(
      Set(dialled.values.compactMap(\.peer)).count == dialled.values.count { $0.peer != nil },
      "One peer at two endpoints.")
    assert(dialled.values.allSatisfy { $0.attempt <= attemptCount })
  }
}
