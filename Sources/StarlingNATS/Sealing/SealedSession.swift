#if NATS
  /// What two members say after their handshake: a key for each direction, and a counter for each message.
  ///
  /// A message opens only in its turn. After a fault nothing opens any more.
  struct SealedSession: Sendable {
    private var sending: Direction
    private var receiving: Direction
    private var fault: SealingFault?

    private struct Direction: Sendable {
      var key: [UInt8]
      var counter: UInt64 = 0
    }

    init(sendingKey: [UInt8], receivingKey: [UInt8]) {
      sending = Direction(key: sendingKey)
      receiving = Direction(key: receivingKey)
    }

    /// - Complexity: O(bytes).
    mutating func seal(_ bytes: [UInt8]) throws(SealingFault) -> [UInt8] {
      if let fault { throw fault }
      guard sending.counter < .max else { throw .exhausted }
      defer { sending.counter += 1 }
      return Sealing.seal(bytes, key: sending.key, counter: sending.counter, over: [])
    }

    /// - Complexity: O(bytes).
    mutating func open(_ sealed: [UInt8]) throws(SealingFault) -> [UInt8] {
      if let fault { throw fault }
      do throws(SealingFault) {
        guard receiving.counter < .max else { throw .exhausted }
        let bytes = try Sealing.open(sealed, key: receiving.key, counter: receiving.counter, over: [])
        receiving.counter += 1
        return bytes
      } catch {
        fault = error
        throw error
      }
    }
  }
#endif
