#if NATS
  /// How many handshakes a link computes: so many at once, and so many a second. What strangers ask for beyond it costs
  /// no product on the curve.
  struct HandshakeBudget: Sendable {
    private let countMax: Int
    private var count: Int
    private var filledAt: ContinuousClock.Instant

    init(perSecond countMax: Int, now: ContinuousClock.Instant) {
      self.countMax = max(1, countMax)
      count = self.countMax
      filledAt = now
    }

    /// Whether one more may be computed now; it is taken then.
    mutating func take(now: ContinuousClock.Instant) -> Bool {
      let interval = Duration.seconds(1) / countMax
      let passed = now - filledAt
      if passed >= .seconds(1) {
        (count, filledAt) = (countMax, now)
      } else if passed >= interval {
        let added = Int(passed / interval)
        count = min(countMax, count + added)
        filledAt += interval * added
      }
      guard count > 0 else { return false }
      count -= 1
      return true
    }
  }
#endif
