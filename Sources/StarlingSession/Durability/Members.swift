public import StarlingCore

/// The other stores that take part in a document: who was heard of and when, and what each has durably
/// merged. Tells what all of them have, for collecting tombstones (Protocol/merge.md, "Tombstone collection").
///
/// ```
///   heard ──► member ── not heard of for its lifetime ──► given up
///               └─ acknowledged: counts once we hold what it covers
///
///   stable = what we hold durably  ∩  what counts of each member
/// ```
///
/// A store that promises to keep what it acknowledges may come back after weeks and is remembered; one
/// that keeps nothing comes back as another, if at all, and is given up soon.
public struct Members: Sendable {
  public struct Policy: Hashable, Sendable {
    /// How long a store that is durable may be away, and one that is not.
    public var lifetime: Duration
    public var transientLifetime: Duration
    /// How many are kept; past it whoever was heard of longest ago is given up.
    public var countMax: Int
    /// How many replica ids that are unknown here the acknowledgements of all of them may name together.
    public var strangerCountMax: Int

    public init(
      lifetime: Duration = .seconds(30 * 86_400), transientLifetime: Duration = .seconds(3600), countMax: Int = 4096,
      strangerCountMax: Int = 65_536
    ) {
      precondition(countMax > 0, "A document without members has nobody to wait for.")
      self.lifetime = lifetime
      self.transientLifetime = transientLifetime
      self.countMax = countMax
      self.strangerCountMax = strangerCountMax
    }

    /// When a member counts as heard of that an earlier run was told of. This one was not there to hear of it since, so
    /// it is not given up before some time has passed for that.
    func heardAt(of member: LogMember, now: UInt64) -> UInt64 {
      let lifetime = lifetime.inMilliseconds
      let passed = lifetime - min(lifetime, transientLifetime.inMilliseconds)
      return max(member.heardAt, now.subtractingHeldAtZero(passed))
    }

    func givesUp(heardAt: UInt64, isDurable: Bool, now: UInt64) -> Bool {
      now.subtractingHeldAtZero(heardAt) > (isDurable ? lifetime : transientLifetime).inMilliseconds
    }
  }

  private struct Member {
    var isDurable: Bool
    /// Whether it is a relay that tells us of its own side alone, and is told of ours.
    var isBeside = false
    var heardAt: UInt64
    var acknowledged = VersionVector()
    /// What those behind it have durably merged, as it said last; nil where it did not speak of any.
    var behind: VersionVector?
    /// How many replica ids of the two were unknown here when they came.
    var strangerCount = 0
    /// Of each the latest that we held the whole of.
    var counted = VersionVector()
    var countedBehind: VersionVector?

    /// What is known to be held at the member and behind it.
    var report: VersionVector { countedBehind.map(counted.intersection) ?? counted }

    /// What it said counts as far as we hold it.
    mutating func count(held version: VersionVector) {
      if version.covers(acknowledged) { counted = acknowledged }
      switch behind {
      case nil: countedBehind = nil
      // What a newcomer lacks counts at once; what a member has merged, once that is merged here.
      case let said?:
        countedBehind = version.covers(said) ? said : (countedBehind ?? VersionVector()).intersection(said)
      }
    }
  }

  private let policy: Policy
  private var members: [StoreID: Member] = [:]
  /// Whether a durable member came or went since the last `takeRemembered`; whether one acknowledged.
  private var isNews = false
  private var isProgress = false
  private var rememberedAt: UInt64

  /// - Parameters:
  ///   - remembered: what an earlier run was told.
  ///   - version: what is held here. A remembered acknowledgement counts for nothing where it names more unknown
  ///     replica ids than all may together: what an earlier run took without a bound is not kept.
  ///   - now: milliseconds since 1970-01-01 UTC, as everywhere here.
  public init(
    _ remembered: [LogMember] = [], policy: Policy = Policy(), version: VersionVector = VersionVector(), now: UInt64
  ) {
    self.policy = policy
    rememberedAt = now
    var strangerCount = 0
    for member in remembered.prefix(policy.countMax) {
      let count = member.acknowledged.strangerCount(to: version)
      let isKept = count <= policy.strangerCountMax - strangerCount
      strangerCount += isKept ? count : 0
      isNews = isNews || !isKept
      members[member.store] = Member(
        isDurable: true, heardAt: policy.heardAt(of: member, now: now),
        acknowledged: isKept ? member.acknowledged : VersionVector(), strangerCount: isKept ? count : 0)
    }
  }

  public var stores: [StoreID] { members.keys.sorted { $0.rawValue < $1.rawValue } }

  public func contains(_ store: StoreID) -> Bool { members[store] != nil }

  /// How many have acknowledged all of `version`: durable ones, and those that keep it in memory alone.
  public func count(having version: VersionVector) -> (durable: Int, inMemory: Int) {
    var count = (durable: 0, inMemory: 0)
    for member in members.values where member.acknowledged.covers(version) {
      if member.isDurable { count.durable += 1 } else { count.inMemory += 1 }
    }
    return count
  }

  /// The most operations of `replica` that any other store has acknowledged.
  public func acknowledged(of replica: ReplicaID) -> UInt64 {
    members.values.reduce(0) { max($0, $1.acknowledged[replica]) }
  }

  /// Whether a later run is to be told something at once.
  public var hasNews: Bool { isNews }

  /// What a later run is to be told changed in something beside the members.
  public mutating func noteNews() { isNews = true }

  // MARK: Hearing

  /// The store spoke of the document.
  ///
  /// - Parameter isBeside: whether it is a relay that is not below us (Protocol/conversation.md, "Behind a relay").
  public mutating func hear(_ store: StoreID, isDurable: Bool, isBeside: Bool = false, now: UInt64) {
    if members[store] == nil {
      makeSpace()
      isNews = isNews || isDurable
    }
    members[store, default: Member(isDurable: isDurable, heardAt: now)].heardAt = now
    members[store]?.isBeside = isBeside
    if members[store]?.isDurable != isDurable {
      members[store]?.isDurable = isDurable
      isNews = true
    }
  }

  /// The stores are connected: those of them that are members are not given up then.
  ///
  /// - Complexity: O(members)
  public mutating func stand(_ connected: Set<StoreID>, now: UInt64) {
    for place in members.indices where connected.contains(members[place].key) { members.values[place].heardAt = now }
  }

  /// The store holds `version` as durably as it can.
  ///
  /// - Parameters:
  ///   - behind: what everybody behind it does; nil where it spoke of nobody. Unlike acknowledgements it may fall, when
  ///     somebody comes who lacks more: what was said last stands.
  ///   - held: what is held here.
  /// - Returns: False, and the store counts as one that was only heard of, where the versions name more unknown replica
  ///   ids than the capacity.
  @discardableResult
  public mutating func acknowledge(
    _ store: StoreID, _ version: VersionVector, behind: VersionVector? = nil, beside held: VersionVector? = nil,
    isDurable: Bool,
    isBeside: Bool = false, now: UInt64
  ) -> Bool {
    hear(store, isDurable: isDurable, isBeside: isBeside, now: now)
    guard let member = members[store] else { return true }
    let isFurther = !member.acknowledged.covers(version)
    guard isFurther || member.behind != behind else { return true }
    var acknowledged = member.acknowledged
    if isFurther { acknowledged.merge(version) }
    if let held {
      let strangerCount = acknowledged.strangerCount(to: held) + (behind?.strangerCount(to: held) ?? 0)
      let others = members.values.reduce(0) { $0 + $1.strangerCount } - member.strangerCount
      guard strangerCount == 0 || strangerCount <= policy.strangerCountMax - others else { return false }
      members[store]?.strangerCount = strangerCount
    }
    members[store]?.acknowledged = acknowledged
    members[store]?.behind = behind
    isProgress = isProgress || isDurable
    return true
  }

  /// The store has left for good, as one that keeps nothing does when its process ends.
  public mutating func leave(_ store: StoreID) {
    if members[store]?.isDurable == false { members[store] = nil }
  }

  private mutating func makeSpace() {
    guard members.count >= policy.countMax else { return }
    let oldest = members.min { ($0.value.heardAt, $0.key.rawValue) < ($1.value.heardAt, $1.key.rawValue) }
    if let oldest { members[oldest.key] = nil }
  }

  // MARK: What follows

  /// What every member that is not given up has durably merged.
  ///
  /// - Parameters:
  ///   - durable: what we hold durably.
  ///   - version: what we hold. An acknowledgement of more may stand for changes which are still to come
  ///     here and which stand on what others have removed.
  /// - Complexity: O(members · length of the versions)
  public mutating func stable(durable: VersionVector, version: VersionVector, now: UInt64) -> VersionVector {
    giveUp(now: now)
    var stable = durable
    for store in members.keys {
      members[store]?.count(held: version)
      stable = stable.intersection(members[store]?.report ?? VersionVector())
    }
    return stable
  }

  /// Those that a relay tells of.
  public enum Audience: Sendable, CaseIterable {
    /// Of its own side, to relays beside it: of those that are no such relays themselves.
    case side
    /// Of all its members, to everybody else.
    case all
  }

  /// What everybody behind this relay has durably merged, as far as it holds that; nil where there is nobody.
  ///
  /// Whoever is told may be among them: then it hears of its own acknowledgement a little later. No relay is told of
  /// what it told itself, so that those in a ring do not wait for each other.
  ///
  /// - Parameter version: what we hold.
  /// - Complexity: O(members · length of the versions)
  public mutating func behind(_ audience: Audience, version: VersionVector) -> VersionVector? {
    var report: VersionVector?
    for (store, member) in members where audience == .all || !member.isBeside {
      members[store]?.count(held: version)
      let said = members[store]?.report ?? VersionVector()
      report = report.map { $0.intersection(said) } ?? said
    }
    return report
  }

  private mutating func giveUp(now: UInt64) {
    for (store, member) in members {
      guard policy.givesUp(heardAt: member.heardAt, isDurable: member.isDurable, now: now) else { continue }
      members[store] = nil
      isNews = isNews || member.isDurable
    }
  }

  /// What a later run is to be told, ascending by store; nil where what it was told last still does. That
  /// somebody came or went is told at once, how far they got after a minute, that they are still there when
  /// that begins to matter.
  public mutating func takeRemembered(now: UInt64) -> [LogMember]? {
    let age = now.subtractingHeldAtZero(rememberedAt)
    let isStale =
      age > policy.lifetime.inMilliseconds / 32
      && members.values.contains { $0.isDurable && $0.heardAt > rememberedAt }
    guard isNews || isStale || isProgress && age >= 60_000 else { return nil }
    isNews = false
    isProgress = false
    rememberedAt = now
    return members.filter(\.value.isDurable).sorted { $0.key.rawValue < $1.key.rawValue }.map { store, member in
      // Those behind it are not remembered: what they lack, it is taken to lack until it speaks again.
      let acknowledged = member.behind.map(member.acknowledged.intersection) ?? member.acknowledged
      return LogMember(store: store, acknowledged: acknowledged, heardAt: member.heardAt)
    }
  }
}

extension Duration {
  fileprivate var inMilliseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0 else { return 0 }
    let (product, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
    return overflow ? .max : product &+ UInt64(max(0, attoseconds)) / 1_000_000_000_000_000
  }
}

extension UInt64 {
  fileprivate func subtractingHeldAtZero(_ other: UInt64) -> UInt64 {
    self > other ? self - other : 0
  }
}
