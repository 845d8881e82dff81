public import StarlingCore
public import StarlingWire

/// The owner of each replica id, as the whole group knows it (Protocol/conversation.md, "Whose a replica id is").
///
/// ```
///   a writer's first change ─► bind ──┐
///   what an earlier run kept ─────────┼─► bindings ─► journal ─► told to each relay from where it was told last
///   what a relay tells ──────► hear ──┘
/// ```
///
/// An id belongs to a name of the allowlists, and not to a key, so that a key can be replaced. Of two bindings of one
/// id the earlier one stands, and of two of the same moment the one whose name comes first: all who heard the same know
/// the same.
public struct WriterTable: Sendable {
  /// What a writer's claim to an id is worth.
  public enum Claim: Sendable, Hashable {
    case own
    /// Nobody has written under it yet: it becomes the first name's that does.
    case free
    /// Somebody has written under it, and a relay may be about to say who.
    case undecided
    case foreign
  }

  /// How what a relay told was taken.
  public enum Outcome: Sendable, Hashable {
    case known
    case new
    /// Two names wrote under one id; the one given has lost it.
    case contested(loser: String)
  }

  public struct Policy: Sendable, Hashable {
    /// How long a claim waits for what relays say.
    public var patience: Duration
    /// So many claims may wait.
    public var claimCountMax: Int

    public init(patience: Duration = .seconds(1), claimCountMax: Int = 1024) {
      self.patience = patience
      self.claimCountMax = claimCountMax
    }
  }

  private let policy: Policy
  private var bindings: [ReplicaID: WriterBinding] = [:]
  /// The ids in the order in which their bindings came or changed.
  private var journal: [ReplicaID] = []
  /// Since when an id is claimed that nothing is known of.
  private var claims: [ReplicaID: Duration] = [:]

  public init(_ remembered: [WriterBinding] = [], policy: Policy = Policy()) {
    self.policy = policy
    for binding in remembered { hear(binding) }
  }

  public var count: Int { bindings.count }

  public subscript(replica: ReplicaID) -> WriterBinding? { bindings[replica] }

  // MARK: Claims

  /// - Parameters:
  ///   - hasWritten: whether anything that was written under the id is here.
  ///   - isTold: whether a relay is there that may know more.
  public mutating func judge(
    _ replica: ReplicaID, claimedBy name: String, hasWritten: @autoclosure () -> Bool, isTold: @autoclosure () -> Bool,
    now: Duration
  ) -> Claim {
    if let binding = bindings[replica] { return binding.name == name ? .own : .foreign }
    guard hasWritten() else { return .free }
    guard isTold() else { return .foreign }
    if let since = claims[replica] { return now - since < policy.patience ? .undecided : .foreign }
    if claims.count >= policy.claimCountMax { claims = [:] }
    claims[replica] = now
    return .undecided
  }

  /// The name has written under an id that is free.
  public mutating func bind(_ replica: ReplicaID, to name: String, now: UInt64) -> WriterBinding {
    let binding = WriterBinding(replica: replica, name: name, boundAt: now)
    hear(binding)
    return binding
  }

  /// - Returns: whether the table knows something else than before, and is to be told on.
  @discardableResult
  public mutating func hear(_ binding: WriterBinding) -> Outcome {
    let former = bindings[binding.replica]
    guard former.map({ Self.precedes(binding, $0) }) ?? true else {
      guard let former, former.name != binding.name else { return .known }
      return .contested(loser: binding.name)
    }
    bindings[binding.replica] = binding
    journal.append(binding.replica)
    guard let former, former.name != binding.name else { return .new }
    return .contested(loser: former.name)
  }

  /// Whether a claim waited for what is known of the id now.
  public mutating func endClaim(to replica: ReplicaID) -> Bool { claims.removeValue(forKey: replica) != nil }

  private static func precedes(_ one: WriterBinding, _ other: WriterBinding) -> Bool {
    (one.boundAt, one.name) < (other.boundAt, other.name)
  }

  // MARK: Telling

  /// What a relay that was told up to `place` has not heard, ascending by id; nil where it has heard everything.
  public func news(after place: Int) -> (bindings: [WriterBinding], end: Int)? {
    guard place < journal.count else { return nil }
    let end = min(journal.count, place + WriterBinding.countMax)
    let replicas = Set(journal[place..<end])
    let news = replicas.compactMap { bindings[$0] }.sorted { $0.replica.rawValue < $1.replica.rawValue }
    return (news, end)
  }
}
