#if NATS
  /// The key under which a member publishes to all relays at once, on subjects that they share.
  ///
  /// ```
  ///   drawn ── handed to each relay in its session ──► used ── a relay is gone, the counter is high ──► drawn
  /// ```
  ///
  /// Each relay that holds it can seal with it too; `Documentation/ThreatModel.md` says what follows from that.
  struct BroadcastKey: Sendable {
    /// After so many messages another key is drawn. Far below what ChaCha20-Poly1305 permits.
    static let messageCountMax: UInt64 = 1 << 40

    /// Rises with each key of a link; zero is none.
    let number: UInt64
    private var direction: SealingDirection

    init(number: UInt64, key: [UInt8]) {
      self.number = number
      direction = SealingDirection(key: key)
    }

    var isWorn: Bool { direction.counter >= Self.messageCountMax }

    /// The counter of the next message that is sealed.
    var nextCounter: UInt64 { direction.counter }

    mutating func seal(_ bytes: [UInt8], over head: [UInt8]) throws(SealingFault) -> [UInt8] {
      try direction.seal(bytes, over: head)
    }

    /// For a relay that begins to listen now: nothing that was published before opens there.
    var handover: SealedNote { .key(number: number, key: direction.key, counter: direction.counter) }
  }

  /// Another member's broadcast key, at a relay.
  struct ReceivedBroadcastKey: Sendable {
    let number: UInt64
    private var direction: OpeningDirection

    init(number: UInt64, key: [UInt8], from counter: UInt64) {
      self.number = number
      direction = OpeningDirection(key: key, from: counter)
    }

    mutating func open(_ sealed: [UInt8], counter: UInt64, over head: [UInt8]) throws(SealingFault) -> [UInt8] {
      try direction.open(sealed, counter: counter, over: head)
    }
  }
#endif
