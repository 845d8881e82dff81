public import StarlingCore
import StarlingWire

// Which daemons to dial: all, while they are few; past that in two tiers (Protocol/conversation.md, "Which peers to
// dial").
//
// ```
//        u ═══════ u ═══════ u      uppers: each dials each
//       ╱ ╲       ╱ ╲       ╱ ╲
//      l   l     l   l     l   l    lowers: each dials two of them, and takes the stream of one
// ```
extension Membership {
  /// A daemon that is to be dialled, at the first of its endpoints that answers.
  public struct Contact: Hashable, Sendable {
    public var store: StoreID
    public var endpoints: [String]
  }

  public struct Plan: Hashable, Sendable {
    public var isUpper = true
    /// Those that all follow one another, ascending by store.
    public var meshPeers: [Contact] = []
    /// The two uppers of a lower daemon, the one it would rather follow first.
    public var uplinks: [Contact] = []
    /// One that is gone and may be back.
    public var lost: Contact?
  }

  private static let uplinkCount = 2

  /// - Parameter mayDial: whether an endpoint that others told of may be dialled from here.
  /// - Complexity: O(*n* log *n*) in the members known.
  public func plan(now: Duration, mayDial: (String) -> Bool) -> Plan {
    let uppers = uppers
    var plan = Plan(isUpper: uppers.contains(own.store))
    let contacts = uppers.filter { $0 != own.store }.compactMap { contact($0, mayDial) }
    if plan.isUpper {
      plan.meshPeers = contacts
    } else {
      plan.uplinks = Array(ranked(contacts).prefix(Self.uplinkCount))
    }
    let gone = others.values.filter { $0.isGone && !$0.word.hasLeft }.map(\.word.store).sorted(by: Self.ascending)
      .compactMap { contact($0, mayDial) }
    if !gone.isEmpty {
      let turn = max(now / policy.retryInterval, 0).rounded(.down)
      plan.lost = gone[Int(turn.truncatingRemainder(dividingBy: Double(gone.count)))]
    }
    return plan
  }

  /// Nobody dials those who have no endpoint; so they are lower, whatever they say.
  private var uppers: [StoreID] {
    let here = ([own] + others.values.filter(\.isHere).map(\.word)).filter { !$0.endpoints.isEmpty }
    func stores(_ tier: Message.Member.Tier) -> [StoreID] {
      here.filter { $0.tier == tier }.map(\.store).sorted(by: Self.ascending)
    }
    let told = stores(.upper)
    let uppers = told + stores(.either).prefix(max(policy.upperCountMax - told.count, 0))
    return (uppers.isEmpty ? Array(stores(.lower).prefix(policy.upperCountMax)) : uppers).sorted(by: Self.ascending)
  }

  private func contact(_ store: StoreID, _ mayDial: (String) -> Bool) -> Contact? {
    let endpoints = others[store]?.word.endpoints.filter(mayDial) ?? []
    return endpoints.isEmpty ? nil : Contact(store: store, endpoints: endpoints)
  }

  /// By a hash of this store and theirs: each lower daemon has an order of its own, so that they spread, and
  /// the same for as long as the uppers stay.
  private func ranked(_ contacts: [Contact]) -> [Contact] {
    contacts.map { (rank: rank(of: $0.store), contact: $0) }
      .sorted { ($0.rank, $0.contact.store.rawValue) > ($1.rank, $1.contact.store.rawValue) }.map(\.contact)
  }

  private func rank(of upper: StoreID) -> UInt64 {
    var hasher = SipHash(key: SipHash.Key("Starling uplinks"))
    hasher.combine(own.store.rawValue)
    hasher.combine(upper.rawValue)
    return hasher.finish().first
  }

  private static func ascending(_ left: StoreID, _ right: StoreID) -> Bool { left.rawValue < right.rawValue }
}
