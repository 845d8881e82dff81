public import StarlingCore

// What is said of a group's members (Protocol/wire-format.md, "Members").
extension Message {
  /// What is known of one daemon of the group: its own word, passed on by whoever heard it.
  public struct Member: Hashable, Sendable {
    public var store: StoreID
    /// Greater in each run and with each change of what follows it: of two words the one with the greater stands.
    public var incarnation: UInt64
    /// Grows while it lives.
    public var beat: UInt64
    /// Milliseconds since that word was first heard by whoever passes it on; 0 from itself.
    public var quietMilliseconds: UInt32
    public var tier: Tier
    /// Whether it said that it leaves.
    public var hasLeft: Bool
    /// Where it may be dialled, what it would rather be dialled at first.
    public var endpoints: [String]

    /// What a daemon was told to be where there are two tiers.
    public enum Tier: UInt8, Hashable, Sendable, CaseIterable {
      /// The group decides.
      case either = 0
      case upper = 1
      case lower = 2
    }

    public init(
      store: StoreID, incarnation: UInt64, beat: UInt64, quietMilliseconds: UInt32 = 0, tier: Tier = .either,
      hasLeft: Bool = false, endpoints: [String] = []
    ) {
      self.store = store
      self.incarnation = incarnation
      self.beat = beat
      self.quietMilliseconds = quietMilliseconds
      self.tier = tier
      self.hasLeft = hasLeft
      self.endpoints = endpoints
    }

    /// Incarnations and beats are below this.
    public static let numberMax: UInt64 = 1 << 48
    public static let endpointCountMax = 4
    public static let endpointByteCountMax = 255
    /// How many stand in one message, and are known to one peer.
    public static let countMax = 256
  }
}

enum MemberFlag {
  static let tier: UInt8 = 0b11
  static let hasLeft: UInt8 = 1 << 2
  static let known: UInt8 = tier | hasLeft
}

extension [UInt8] {
  mutating func append(_ members: [Message.Member]) {
    append(varint: members.count)
    for member in members {
      append(fixed64: member.store.rawValue)
      append(varint: member.incarnation)
      append(varint: member.beat)
      append(varint: UInt64(member.quietMilliseconds))
      append(member.tier.rawValue | (member.hasLeft ? MemberFlag.hasLeft : 0))
      append(endpoints: member.endpoints)
    }
  }

  private mutating func append(endpoints: [String]) {
    append(varint: endpoints.count)
    for endpoint in endpoints { append(counted: endpoint) }
  }
}

extension Reader {
  mutating func members() throws(WireError) -> [Message.Member] {
    // The shortest has a store, three numbers, flags and no endpoint.
    let count = try count(atMost: Message.Member.countMax, ofSize: 13)
    var members: [Message.Member] = []
    members.reserveCapacity(count)
    for _ in 0..<count {
      let start = offset
      let member = try member()
      if let last = members.last, last.store.rawValue >= member.store.rawValue {
        throw error(.outOfOrder, "Member \(member.store) follows \(last.store)", at: start)
      }
      members.append(member)
    }
    return members
  }

  private mutating func member() throws(WireError) -> Message.Member {
    let store = StoreID(rawValue: try fixed64())
    let incarnationPlace = offset
    let incarnation = try number48()
    guard incarnation > 0 else { throw error(.malformed, "Incarnations begin with 1", at: incarnationPlace) }
    let beat = try number48()
    let quietPlace = offset
    guard let quiet = UInt32(exactly: try varint()) else {
      throw error(.malformed, "A time of quiet has more than 32 bits", at: quietPlace)
    }
    let flagsPlace = offset
    let flags = try byte()
    guard flags & ~MemberFlag.known == 0, let tier = Message.Member.Tier(rawValue: flags & MemberFlag.tier) else {
      throw error(.malformed, "A member has unknown flags: \(flags)", at: flagsPlace)
    }
    return Message.Member(
      store: store, incarnation: incarnation, beat: beat, quietMilliseconds: quiet, tier: tier,
      hasLeft: flags & MemberFlag.hasLeft != 0, endpoints: try endpoints())
  }

  private mutating func endpoints() throws(WireError) -> [String] {
    let count = try count(atMost: Message.Member.endpointCountMax, ofSize: 1)
    var endpoints: [String] = []
    for _ in 0..<count {
      endpoints.append(try string(byteCount: byteCount(atMost: Message.Member.endpointByteCountMax)))
    }
    return endpoints
  }

  private mutating func number48() throws(WireError) -> UInt64 {
    let start = offset
    let number = try varint()
    guard number < Message.Member.numberMax else {
      throw error(.malformed, "A number has more than 48 bits", at: start)
    }
    return number
  }
}
