/// When a replica that grants leases checks who has ended: once a heartbeat, and soon after connections ended, whose
/// processes may take some moments to do so.
struct LeaseReview: Sendable {
  private static let soon = Duration.milliseconds(20)
  private static let soonCountMax = 8

  private var next = Duration.zero
  private var soonCount = 0

  var isSoon: Bool { soonCount > 0 }

  mutating func expectEnds(now: Duration) {
    soonCount = Self.soonCountMax
    next = min(next, now + Self.soon)
  }

  mutating func isDue(now: Duration, heartbeat: Duration) -> Bool {
    guard now >= next else { return false }
    next = now + (soonCount > 0 ? Self.soon : heartbeat)
    soonCount = max(0, soonCount - 1)
    return true
  }
}
