#if NATS
  /// Which counters have come, so that none is taken twice: all below the window, and within it those whose bit is set
  /// (as in RFC 6479).
  ///
  /// ```
  ///   never taken │ 1 1 0 1 1 1 0 1 │ taken
  ///               next - width     next
  /// ```
  struct ReplayWindow: Sendable {
    /// How many counters behind the greatest one may still come.
    static let width: UInt64 = 1024

    /// Nothing below it is taken.
    private let first: UInt64
    /// One past the greatest that came.
    private var next: UInt64
    /// A bit for each counter of the window, at its remainder. Allocated with the first counter.
    private var bits: [UInt64] = []

    init(from first: UInt64) {
      (self.first, next) = (first, first)
    }

    func admits(_ counter: UInt64) -> Bool {
      if counter >= next { return true }
      return counter >= first && next - counter <= Self.width && bits[word(of: counter)] & bit(of: counter) == 0
    }

    /// Notes a counter that is admitted.
    ///
    /// - Complexity: O(1) where it follows the last one; O(width) else.
    mutating func note(_ counter: UInt64) {
      if bits.isEmpty { bits = Array(repeating: 0, count: Int(Self.width / 64)) }
      if counter >= next {
        if counter - next >= Self.width {
          for place in bits.indices { bits[place] = 0 }
        } else {
          for passed in next..<counter { bits[word(of: passed)] &= ~bit(of: passed) }
        }
        next = counter + 1
      }
      bits[word(of: counter)] |= bit(of: counter)
    }

    private func word(of counter: UInt64) -> Int { Int(counter % Self.width / 64) }
    private func bit(of counter: UInt64) -> UInt64 { 1 << (counter % 64) }
  }
#endif
