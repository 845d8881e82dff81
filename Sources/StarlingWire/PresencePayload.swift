public import StarlingCore

/// What runs of peers say of themselves for a while, such as which field somebody is in
/// (Protocol/wire-format.md, "Presence"). It travels as the payload of a published frame of stream 0, is never
/// logged, and never part of a document.
public struct PresencePayload: Hashable, Sendable {
  /// No stream of changes has this number, so that a reader of them alone steps over presence.
  public static let stream: UInt32 = 0

  public var document: DocumentID
  public var notices: [PresenceNotice]

  public init(document: DocumentID, notices: [PresenceNotice]) {
    self.document = document
    self.notices = notices
  }

  public init(decoding payload: ArraySlice<UInt8>, limits: WireLimits = .standard) throws(WireError) {
    self = try Reader.read(payload, atMost: limits.presenceByteCountMax, limits: limits) {
      reader throws(WireError) in
      let document = try reader.document()
      let count = try reader.count(atMost: limits.presenceNoticeCountMax, ofSize: 13)
      var notices: [PresenceNotice] = []
      notices.reserveCapacity(count)
      for _ in 0..<count { notices.append(try reader.presenceNotice()) }
      return PresencePayload(document: document, notices: notices)
    }
  }

  /// The notices in as many payloads as they need, each within the usual limits.
  public static func payloads(of document: DocumentID, _ notices: [PresenceNotice]) -> [PresencePayload] {
    let limits = WireLimits.standard
    // What the name and the count take at most.
    let capacity = limits.presenceByteCountMax - document.name.utf8.count - 8
    var payloads: [PresencePayload] = []
    var left = 0
    for notice in notices {
      let size = notice.byteCount
      if payloads.isEmpty || size > left
        || payloads[payloads.count - 1].notices.count == limits.presenceNoticeCountMax
      {
        payloads.append(PresencePayload(document: document, notices: []))
        left = capacity
      }
      payloads[payloads.count - 1].notices.append(notice)
      left -= size
    }
    return payloads
  }

  public func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(counted: document.name)
    bytes.append(varint: notices.count)
    for notice in notices { bytes.append(notice) }
    return bytes
  }
}

/// One thing that one run of a peer says of itself.
public struct PresenceNotice: Hashable, Sendable {
  public static let keyByteCountMax = 200
  public static let lifetimeMillisecondsMax: UInt64 = 3_600_000

  /// The epoch of the run.
  public var origin: UInt64
  /// Ascends with every notice of the run: of two with one key, the greater stands.
  public var number: UInt64
  /// How long it stands after it was heard, 1 to `lifetimeMillisecondsMax`; of a withdrawal, how long it is
  /// remembered so that no earlier notice takes its place.
  public var lifetimeMilliseconds: UInt64
  /// What it is about: "cursor", "field". 1 to `keyByteCountMax` bytes.
  public var key: String
  /// Nil: no more is said under the key.
  public var value: Value?

  public init(origin: UInt64, number: UInt64, lifetimeMilliseconds: UInt64, key: String, value: Value?) {
    self.origin = origin
    self.number = number
    self.lifetimeMilliseconds = lifetimeMilliseconds
    self.key = key
    self.value = value
  }

  /// How many bytes it takes in a payload.
  public var byteCount: Int {
    var bytes: [UInt8] = []
    bytes.append(self)
    return bytes.count
  }
}

enum PresenceFlag {
  static let hasValue: UInt8 = 1 << 0
  static let known: UInt8 = hasValue
}

extension [UInt8] {
  fileprivate mutating func append(_ notice: PresenceNotice) {
    append(fixed64: notice.origin)
    append(varint: notice.number)
    append(varint: notice.lifetimeMilliseconds)
    append(counted: notice.key)
    append(notice.value == nil ? 0 : PresenceFlag.hasValue)
    if let value = notice.value { append(value) }
  }
}

extension Reader {
  fileprivate mutating func presenceNotice() throws(WireError) -> PresenceNotice {
    let origin = try fixed64()
    let number = try varint()
    let lifetimePlace = offset
    let lifetime = try varint()
    guard (1...PresenceNotice.lifetimeMillisecondsMax).contains(lifetime) else {
      throw error(
        .malformed, "Presence lasts \(lifetime) ms, not 1 to \(PresenceNotice.lifetimeMillisecondsMax)",
        at: lifetimePlace)
    }
    let keyPlace = offset
    let keyByteCount = try byteCount(atMost: limits.presenceByteCountMax)
    guard (1...PresenceNotice.keyByteCountMax).contains(keyByteCount) else {
      throw error(
        .malformed, "A key of presence has \(keyByteCount) bytes, not 1 to \(PresenceNotice.keyByteCountMax)",
        at: keyPlace)
    }
    let key = try string(byteCount: keyByteCount)
    let flagsPlace = offset
    let flags = try byte()
    guard flags & ~PresenceFlag.known == 0 else {
      throw error(.malformed, "Presence has unknown flags: \(flags)", at: flagsPlace)
    }
    return PresenceNotice(
      origin: origin, number: number, lifetimeMilliseconds: lifetime, key: key,
      value: flags & PresenceFlag.hasValue == 0 ? nil : try value())
  }
}
