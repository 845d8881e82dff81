/// Gives out the stamps of one replica: greater than its last, not before the wall clock, and after
/// what it has seen as far as that lies within a bound (Protocol/merge.md, "Stamps").
///
/// ```
/// next = max(last + 1, here, min(seen + 1, here + bound))
/// ```
///
/// A peer whose clock runs ahead wins its own conflicts, but drags nobody further than the bound.
public struct HybridClock: Hashable, Sendable {
  /// The last stamp given out.
  public private(set) var last = Stamp(rawValue: 0)
  /// The greatest stamp seen, own or not.
  public private(set) var seen = Stamp(rawValue: 0)
  /// How far ahead of the wall clock what others wrote may pull this clock.
  public let boundMilliseconds: UInt64

  public init(boundMilliseconds: UInt64 = 60_000) {
    self.boundMilliseconds = boundMilliseconds
  }

  /// The stamp of the next change.
  ///
  /// - Parameter now: Milliseconds since 1970-01-01 UTC.
  public mutating func next(now: UInt64) -> Stamp {
    let here = Stamp(milliseconds: now)
    last = max(last.successor, here, min(seen.successor, here.advanced(byMilliseconds: boundMilliseconds)))
    seen = max(seen, last)
    return last
  }

  /// Takes notice of a stamp that somebody wrote.
  public mutating func observe(_ stamp: Stamp) {
    seen = max(seen, stamp)
  }

  /// Goes on from a state whose greatest stamp this is, whatever was seen in states that were given up. What it gave
  /// out itself stays behind it.
  mutating func take(latest stamp: Stamp) {
    seen = stamp
  }

  /// Whether `stamp` lies further ahead of the wall clock than the bound: its writer's clock is wrong.
  ///
  /// - Parameters:
  ///   - stamp: The stamp to check.
  ///   - now: Milliseconds since 1970-01-01 UTC.
  public func isFarFuture(_ stamp: Stamp, now: UInt64) -> Bool {
    stamp > Stamp(milliseconds: now).advanced(byMilliseconds: boundMilliseconds)
  }
}
