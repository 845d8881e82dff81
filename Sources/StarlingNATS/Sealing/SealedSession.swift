#if NATS
  /// What two members say after their handshake: a key for each direction, and a counter for each message.
  ///
  /// The counter travels with its message. Messages may be lost on the way, so a gap is no fault, and those that came
  /// over another subscription may overtake them. Whatever comes a second time, or long after a later one, is refused,
  /// and leaves the session as it was.
  struct SealedSession: Sendable {
    private var sending: SealingDirection
    private var receiving: OpeningDirection

    init(sendingKey: [UInt8], receivingKey: [UInt8]) {
      sending = SealingDirection(key: sendingKey)
      receiving = OpeningDirection(key: receivingKey)
    }

    /// The counter of the next message that is sealed.
    var nextCounter: UInt64 { sending.counter }

    /// - Parameter head: what stands before the sealed bytes in clear, and opens only with them.
    /// - Complexity: O(bytes).
    mutating func seal(_ bytes: [UInt8], over head: [UInt8]) throws(SealingFault) -> [UInt8] {
      try sending.seal(bytes, over: head)
    }

    /// - Complexity: O(bytes).
    mutating func open(
      _ sealed: [UInt8], counter: UInt64, over head: [UInt8]
    ) throws(SealingFault) -> [UInt8] {
      try receiving.open(sealed, counter: counter, over: head)
    }
  }

  /// A key that seals each message under the next counter.
  struct SealingDirection: Sendable {
    let key: [UInt8]
    private(set) var counter: UInt64 = 0

    init(key: [UInt8]) {
      self.key = key
    }

    mutating func seal(_ bytes: [UInt8], over head: [UInt8]) throws(SealingFault) -> [UInt8] {
      guard counter < .max else { throw .exhausted }
      defer { counter += 1 }
      return Sealing.seal(bytes, key: key, counter: counter, over: head)
    }
  }

  /// The same key at the other side, which opens each message once.
  struct OpeningDirection: Sendable {
    let key: [UInt8]
    private var window: ReplayWindow

    init(key: [UInt8], from first: UInt64 = 0) {
      self.key = key
      window = ReplayWindow(from: first)
    }

    mutating func open(_ sealed: [UInt8], counter: UInt64, over head: [UInt8]) throws(SealingFault) -> [UInt8] {
      guard window.admits(counter) else { throw .replayed }
      guard counter < .max else { throw .exhausted }
      let bytes = try Sealing.open(sealed, key: key, counter: counter, over: head)
      window.note(counter)
      return bytes
    }
  }
#endif
