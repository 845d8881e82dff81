public import StarlingCore
public import StarlingWire

/// The daemons of a group as one of them knows them, and what it says of them (Protocol/conversation.md, "Members").
///
/// ```
///            greater incarnation or beat
///             ┌──────────────────────┐
///             ▼                      │
///   heard ──► here ── silent ─────► gone ── for long ──► forgotten
///              │ says that it leaves                        ▲
///              └──────────► left ───────────────────────────┘
/// ```
///
/// Each daemon has the only word about itself: an *incarnation*, which fixes where it is dialled and of what tier it is
/// to be, and a *beat*, which grows while it lives. Others pass the word on. Of two words about one store the greater
/// stands, so it does not matter in which order they are heard, nor how often. Bounded in number and size whatever is
/// heard.
public struct Membership: Sendable {
  public struct Policy: Hashable, Sendable {
    /// How often its own beat is raised, and all that is known told.
    public var beatInterval: Duration
    /// After so long without a beat a member is gone.
    public var silence: Duration
    /// How long somebody who is gone is looked for, and one that left is remembered.
    public var goneLifetime: Duration
    public var leftLifetime: Duration { silence * 3 }
    /// How many others are known.
    public var memberCountMax: Int
    /// So many daemons all follow one another; where there are more, the others are lower.
    public var upperCountMax: Int
    /// How long one of those who are gone is tried before the next.
    public var retryInterval: Duration

    public init(
      beatInterval: Duration = .seconds(5), silence: Duration = .seconds(20), goneLifetime: Duration = .seconds(86_400),
      memberCountMax: Int = Message.Member.countMax - 1, upperCountMax: Int = 16,
      retryInterval: Duration = .seconds(10)
    ) {
      precondition(0 < memberCountMax && memberCountMax < Message.Member.countMax, "All stand in one message.")
      precondition(upperCountMax > 0, "Somebody must be upper.")
      self.beatInterval = beatInterval
      self.silence = silence
      self.goneLifetime = goneLifetime
      self.memberCountMax = memberCountMax
      self.upperCountMax = upperCountMax
      self.retryInterval = retryInterval
    }
  }

  public enum Event: Hashable, Sendable {
    /// A daemon was heard of that was not known, or was gone or had left.
    case came(StoreID)
    /// It may be dialled elsewhere now.
    case moved(StoreID)
    /// It said that it leaves.
    case left(StoreID)
    /// Nothing was heard of it for long.
    case gone(StoreID)
    /// Somebody else speaks in our name: another process with a copy of our store, or an earlier run whose clock was
    /// ahead.
    case contested
  }

  struct Known: Hashable {
    var word: Message.Member
    /// When anybody first heard of this incarnation and beat; before the beginning of time where it had been on its
    /// way.
    var heardAt: Duration
    var isGone = false

    var isHere: Bool { !isGone && !word.hasLeft }
  }

  let policy: Policy
  private(set) var own: Message.Member
  private(set) var others: [StoreID: Known] = [:]
  /// Daemons about which something new is known that was not passed on.
  private var rumours: Set<StoreID> = []
  private var isRoundDue = false
  private var nextBeat = Duration.zero
  /// The greatest incarnation that somebody else claimed for us.
  private var contested: UInt64 = 0
  /// Newcomers that found no capacity.
  public private(set) var refusedCount = 0

  /// - Parameters:
  ///   - incarnation: greater than in any earlier run: milliseconds since 1970.
  ///   - endpoints: where this daemon may be dialled; what is beyond the bounds of a message is left out.
  public init(
    store: StoreID, incarnation: UInt64, endpoints: [String], tier: Message.Member.Tier, policy: Policy = Policy()
  ) {
    self.policy = policy
    own = Message.Member(
      store: store, incarnation: min(max(incarnation, 1), Message.Member.numberMax - 1), beat: 0, tier: tier,
      endpoints: Self.bounded(endpoints))
    rumours = [store]
  }

  private static func bounded(_ endpoints: [String]) -> [String] {
    Array(
      endpoints.filter { $0.utf8.count <= Message.Member.endpointByteCountMax }.prefix(Message.Member.endpointCountMax))
  }

  // MARK: What is heard

  /// Takes in what a peer that relays says.
  ///
  /// - Complexity: O(*m*) in the members named; O(known) for each newcomer where there is no capacity.
  public mutating func hear(_ members: [Message.Member], now: Duration) -> [Event] {
    var events: [Event] = []
    for member in members {
      if member.store == own.store {
        hearOfOurselves(member)
      } else if let event = hear(member, now: now) {
        events.append(event)
      }
    }
    return events
  }

  private mutating func hearOfOurselves(_ word: Message.Member) {
    let isOurs =
      word.incarnation < own.incarnation
      || word.incarnation == own.incarnation && word.beat <= own.beat && word.sayings == own.sayings
    if !isOurs { contested = max(contested, word.incarnation) }
  }

  private mutating func hear(_ word: Message.Member, now: Duration) -> Event? {
    let heardAt = now - .milliseconds(word.quietMilliseconds)
    guard let known = others[word.store] else { return meet(word, heardAt: heardAt, now: now) }
    let former = known.word
    var next = known
    if word.incarnation > former.incarnation {
      next.word = word
      next.heardAt = heardAt
    } else if word.incarnation == former.incarnation {
      next.word = former.joined(with: word)
      if word.beat > former.beat {
        next.heardAt = heardAt
      } else if word.beat == former.beat {
        next.heardAt = min(known.heardAt, heardAt)
      }
    } else {
      return nil
    }
    next.word.quietMilliseconds = 0
    next.isGone = now - next.heardAt > policy.silence
    others[word.store] = next
    if next.word.incarnation > former.incarnation || next.word.sayings != former.sayings { rumours.insert(word.store) }
    switch (known.isHere, next.isHere) {
    case (false, true): return .came(word.store)
    case (true, false): return next.word.hasLeft ? .left(word.store) : .gone(word.store)
    case (true, true): return next.word.endpoints == former.endpoints ? nil : .moved(word.store)
    case (false, false): return nil
    }
  }

  private mutating func meet(_ word: Message.Member, heardAt: Duration, now: Duration) -> Event? {
    guard now - heardAt <= policy.silence, makeSpace() else { return nil }
    var word = word
    word.quietMilliseconds = 0
    others[word.store] = Known(word: word, heardAt: heardAt)
    rumours.insert(word.store)
    return word.hasLeft ? nil : .came(word.store)
  }

  /// Forgets the daemon that is gone for longest where there is no capacity for another.
  private mutating func makeSpace() -> Bool {
    guard others.count >= policy.memberCountMax else { return true }
    let absent = others.values.filter { !$0.isHere }.min {
      ($0.heardAt, $0.word.store.rawValue) < ($1.heardAt, $1.word.store.rawValue)
    }
    guard let absent else {
      refusedCount &+= 1
      return false
    }
    forget(absent.word.store)
    return true
  }

  private mutating func forget(_ store: StoreID) {
    others[store] = nil
    rumours.remove(store)
  }

  // MARK: Time

  /// What is due by the clock.
  public mutating func tick(now: Duration) -> [Event] {
    var events: [Event] = []
    if contested >= own.incarnation {
      begin(after: contested)
      events.append(.contested)
    }
    contested = 0
    if now >= nextBeat {
      nextBeat = now + policy.beatInterval
      own.beat = min(own.beat + 1, Message.Member.numberMax - 1)
      isRoundDue = true
    }
    for known in others.values.sorted(by: { $0.word.store.rawValue < $1.word.store.rawValue }) {
      let quiet = now - known.heardAt
      if quiet > (known.word.hasLeft ? policy.leftLifetime : policy.goneLifetime) {
        forget(known.word.store)
      } else if known.isHere, quiet > policy.silence {
        others[known.word.store]?.isGone = true
        events.append(.gone(known.word.store))
      }
    }
    return events
  }

  // MARK: What is said

  /// This daemon may be dialled elsewhere, or is to be of another tier, from now on.
  public mutating func become(endpoints: [String], tier: Message.Member.Tier) {
    let endpoints = Self.bounded(endpoints)
    guard endpoints != own.endpoints || tier != own.tier else { return }
    own.endpoints = endpoints
    own.tier = tier
    begin(after: own.incarnation)
  }

  private mutating func begin(after incarnation: UInt64) {
    own.incarnation = min(max(incarnation, own.incarnation) + 1, Message.Member.numberMax - 1)
    own.beat = 0
    rumours.insert(own.store)
  }

  /// The last word of one that leaves.
  public mutating func leave() -> [Message.Member] {
    own.hasLeft = true
    own.beat = min(own.beat + 1, Message.Member.numberMax - 1)
    return [own]
  }

  /// What every peer that relays is to be told now; empty for nothing.
  public mutating func takeNews(now: Duration) -> [Message.Member] {
    defer {
      isRoundDue = false
      rumours = []
    }
    if isRoundDue { return everything(now: now) }
    return rumours.isEmpty ? [] : everything(now: now).filter { rumours.contains($0.store) }
  }

  /// What a peer that has just come is told: ourselves and all who are not gone, ascending by store.
  public func everything(now: Duration) -> [Message.Member] {
    var members = [own]
    for known in others.values where now - known.heardAt <= policy.silence {
      var word = known.word
      let quiet = now - known.heardAt
      // Rounded up, so that no word grows younger by being passed on.
      word.quietMilliseconds = UInt32(min(max((quiet / .milliseconds(1)).rounded(.up), 0), Double(UInt32.max)))
      members.append(word)
    }
    return members.sorted { $0.store.rawValue < $1.store.rawValue }
  }

  // MARK: Known members

  /// How many others are here, and how many are gone and still looked for.
  public var hereCount: Int { others.values.count(where: \.isHere) }
  public var goneCount: Int { others.values.count { $0.isGone && !$0.word.hasLeft } }

  /// Whether a daemon with that store is here, as far as is known.
  public func isHere(_ store: StoreID) -> Bool { others[store]?.isHere ?? false }
}

extension Message.Member {
  /// What its incarnation fixes, and that it left.
  fileprivate struct Sayings: Hashable {
    var tier: Tier
    var endpoints: [String]
    var hasLeft: Bool
  }

  fileprivate var sayings: Sayings { Sayings(tier: tier, endpoints: endpoints, hasLeft: hasLeft) }

  /// Both words of one incarnation in one. They differ in more than the beat only where two speak in one name; then all
  /// who hear both choose alike.
  fileprivate func joined(with other: Self) -> Self {
    var joined = self
    joined.beat = max(beat, other.beat)
    joined.hasLeft = hasLeft || other.hasLeft
    if (tier.rawValue, endpoints.joined(separator: "\n")) < (
      other.tier.rawValue, other.endpoints.joined(separator: "\n")
    ) {
      joined.tier = other.tier
      joined.endpoints = other.endpoints
    }
    return joined
  }
}
