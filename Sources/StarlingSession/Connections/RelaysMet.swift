public import StarlingCore
public import StarlingWire

/// The durable relays that were met in this run, whether they are there now or not: what is written here is kept for
/// each of them, in the documents that it takes (Protocol/conversation.md, "Own changes").
///
/// ```
///   met ──► there ──────────► gone ──► not met again for a member's lifetime: forgotten
///             └─ a minute without a word of a document: it takes no part in that
/// ```
public struct RelaysMet: Sendable {
  private struct Relay {
    var trust: Trust
    var shard: DocumentShard
    var isThere = true
    /// Between which two times it was there last.
    var cameAt: Duration
    var seenAt: Duration

    mutating func come(now: Duration) {
      if !isThere { cameAt = now }
      isThere = true
      seenAt = now
    }
  }

  /// So many are kept; then the one that was seen longest ago goes.
  static let countMax = 1024
  /// A relay says at once where it stands in a document that it takes; until its messages come through some time may
  /// pass.
  static let silenceMax = Duration.seconds(60)

  private var relays: [NamedStore: Relay] = [:]

  public init() {}

  /// A relay has said hello.
  ///
  /// - Parameters:
  ///   - trust: what it may do here.
  ///   - shard: the documents that it serves.
  public mutating func meet(_ relay: NamedStore, _ trust: Trust, serving shard: DocumentShard, now: Duration) {
    if var known = relays[relay] {
      (known.trust, known.shard) = (trust, shard)
      known.come(now: now)
      relays[relay] = known
      return
    }
    if relays.count >= Self.countMax, let oldest = relays.min(by: { Self.isOlder($0, $1) }) { relays[oldest.key] = nil }
    relays[relay] = Relay(trust: trust, shard: shard, cameAt: now, seenAt: now)
  }

  private static func isOlder(_ first: (NamedStore, Relay), _ second: (NamedStore, Relay)) -> Bool {
    (first.1.seenAt, first.0.store.rawValue, first.0.name) < (second.1.seenAt, second.0.store.rawValue, second.0.name)
  }

  /// With each heartbeat: who is connected.
  ///
  /// - Parameter lifetime: how long a relay may be away.
  public mutating func stand(_ connected: Set<NamedStore>, lifetime: Duration, now: Duration) {
    for (name, relay) in relays {
      if connected.contains(name) {
        relays[name]?.come(now: now)
      } else {
        relays[name]?.isThere = false
        if now - relay.seenAt > lifetime { relays[name] = nil }
      }
    }
  }

  /// The owner of a key relays nothing here any more.
  public mutating func forget(named name: String) {
    for relay in relays.keys where relay.name == name { relays[relay] = nil }
  }

  /// Those that take part in a document, as far as is known: who has been silent about it for long does not.
  ///
  /// - Parameter since: when the document was opened here.
  public func expected(in document: DocumentID, openSince since: Duration) -> [NamedStore] {
    relays.compactMap { name, relay in
      let isSilent = relay.seenAt - max(relay.cameAt, since) >= Self.silenceMax
      return !isSilent && relay.trust.covers(document) && relay.shard.contains(document) ? name : nil
    }
  }
}
