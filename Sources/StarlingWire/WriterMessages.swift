public import StarlingCore

/// Under which name of the group's allowlists a replica id is written, and since when (Protocol/conversation.md, "Whose
/// a replica id is"). A name outlives its keys.
public struct WriterBinding: Hashable, Sendable {
  public var replica: ReplicaID
  /// 1 to `nameByteCountMax` letters, digits, dots, underscores or hyphens.
  public var name: String
  /// When a daemon first took a change of it, in milliseconds since 1970-01-01 UTC by that daemon's clock; below 2^48.
  public var boundAt: UInt64

  public init(replica: ReplicaID, name: String, boundAt: UInt64) {
    self.replica = replica
    self.name = name
    self.boundAt = boundAt
  }

  public static let nameByteCountMax = 64
  /// How many stand in one message.
  public static let countMax = 1024

  public static func isName(_ text: some StringProtocol) -> Bool {
    (1...nameByteCountMax).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}

extension [UInt8] {
  mutating func append(_ bindings: [WriterBinding]) {
    append(varint: bindings.count)
    for binding in bindings {
      append(fixed64: binding.replica.rawValue)
      append(counted: binding.name)
      append(varint: binding.boundAt)
    }
  }
}

extension Reader {
  mutating func writers() throws(WireError) -> [WriterBinding] {
    // The shortest has a replica id, a letter and a moment.
    let count = try count(atMost: WriterBinding.countMax, ofSize: 11)
    var bindings: [WriterBinding] = []
    bindings.reserveCapacity(count)
    for _ in 0..<count {
      let start = offset
      let replica = ReplicaID(rawValue: try fixed64())
      let namePlace = offset
      let name = try string(byteCount: byteCount(atMost: WriterBinding.nameByteCountMax))
      guard WriterBinding.isName(name) else {
        throw error(.malformed, "'\(name)' is no name of an allowlist", at: namePlace)
      }
      let momentPlace = offset
      let boundAt = try varint()
      guard boundAt < Message.Member.numberMax else {
        throw error(.malformed, "A number has more than 48 bits", at: momentPlace)
      }
      if let last = bindings.last, last.replica.rawValue >= replica.rawValue {
        throw error(.outOfOrder, "Replica \(replica) follows \(last.replica)", at: start)
      }
      bindings.append(WriterBinding(replica: replica, name: name, boundAt: boundAt))
    }
    return bindings
  }
}
