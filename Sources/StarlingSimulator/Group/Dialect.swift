import StarlingEngine
import StarlingWire

/// Which version of the protocol a replica speaks.
public enum Dialect: String, Hashable, Sendable, CaseIterable {
  case present
  /// The first version as it was fixed, without any of the fields and messages that were added to it.
  case earlier
  /// The next version: it offers that beside the present one, sets a flag that nobody knows, adds fields to whatever it
  /// says, says what nobody has a word for, and writes values that this version cannot read.
  case later

  /// A link over which this version is spoken and heard.
  func speak(over link: any PeerLink) -> any PeerLink {
    switch self {
    case .present: link
    case .earlier: AlteredLink(link, arriving: Self.heardEarlier, sending: Self.saidEarlier)
    case .later: AlteredLink(link, arriving: { $0 }, sending: Self.saidLater)
    }
  }

  // MARK: The version before

  /// Nil where nothing was said then.
  private static func withoutAdditions(_ bytes: [UInt8]) -> [UInt8]? {
    guard let message = try? Message(decoding: bytes) else { return bytes }
    switch message {
    case .hello(var hello):
      (hello.notice, hello.generation, hello.knownStart) = (nil, nil, nil)
      hello.shard = .whole
      return Message.hello(hello).encoded()
    case .have(var have):
      have.arriving = nil
      return Message.have(have).encoded()
    case .want(var want):
      (want.takesOwnOnly, want.lacking, want.keptByteCount) = (false, [], nil)
      return Message.want(want).encoded()
    case .acknowledge(let document, let version, _):
      return Message.acknowledge(document, version).encoded()
    case .paths, .evidence, .equivocations, .heartbeat: return nil
    default: return bytes
    }
  }

  private static func saidEarlier(_ bytes: [UInt8]) -> [[UInt8]] { withoutAdditions(bytes).map { [$0] } ?? [] }

  private static func heardEarlier(_ event: LinkEvent) -> LinkEvent? {
    guard case .direct(let peer, let bytes) = event else { return event }
    return withoutAdditions(bytes).map { .direct(peer, $0) }
  }

  // MARK: The version to come

  private static let laterFields: [UInt8] = [80, 3, 0xAA, 0xBB, 0xCC, 90, 0]

  private static func saidLater(_ bytes: [UInt8]) -> [[UInt8]] {
    guard case .hello(var hello)? = try? Message(decoding: bytes) else {
      // A message that cannot be read here goes as it is.
      return (try? Message(decoding: bytes)) == nil ? [bytes] : [bytes + laterFields]
    }
    hello.highestVersion = 2
    var greeting = Message.hello(hello).encoded()
    // The flags follow the kind, the magic, two versions, the store and the epoch.
    greeting[1 + 4 + 2 + 16] |= 1 << 7
    // Messages are counted from the greeting on.
    return [Message.unknown(kind: 1000).encoded() + [1, 2, 3], greeting + laterFields]
  }
}
