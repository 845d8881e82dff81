/// A line of a log that may have many alike.
protocol ThrottledLine: Hashable, Sendable {
  associatedtype Cause: Hashable
  var cause: Cause { get }
  /// Says how many more there were of a cause.
  static func more(_ count: Int, of cause: Cause) -> Self
}

/// Decides what of a flood is written: of each cause so many different lines an interval, and then how many more there
/// were. So whoever knocks all day costs the disk no more than some lines a minute, and hides nobody who comes in by
/// another way.
///
/// ```
///   cause     │ 1 2 3 … 20 · · · · · · · │ "and 4,211 more like it."  1 2 …
///             └──────── interval ────────┘
/// ```
struct LineThrottle<Line: ThrottledLine> {
  static var interval: Duration { .seconds(60) }
  static var lineCountMax: Int { 20 }
  /// So many causes are told apart at a time; those past it count as one of them that is there already.
  static var causeCountMax: Int { 1024 }

  private struct Spell {
    var began: Duration
    var written: Set<Line> = []
    var omittedCount = 0
  }

  private var spells: [Line.Cause: Spell] = [:]
  /// In the order in which they began.
  private var causes: [Line.Cause] = []

  /// What is to be written now that this happened, in order.
  mutating func admit(_ line: Line, now: Duration) -> [Line] {
    let former = pass(line.cause, now: now)
    if spells[line.cause] == nil {
      guard causes.count < Self.causeCountMax else {
        spells[causes[0]]?.omittedCount += 1
        return former
      }
      spells[line.cause] = Spell(began: now)
      causes.append(line.cause)
    }
    let isWritten =
      spells[line.cause]!.written.count < Self.lineCountMax && spells[line.cause]!.written.insert(line).inserted
    if !isWritten { spells[line.cause]!.omittedCount += 1 }
    return former + (isWritten ? [line] : [])
  }

  /// What is to be written because an interval is over.
  mutating func pass(now: Duration) -> [Line] {
    causes.flatMap { pass($0, now: now) }
  }

  /// What is to be written because nothing more will be.
  mutating func end() -> [Line] {
    defer { (spells, causes) = ([:], []) }
    return causes.compactMap { more(of: $0) }
  }

  private mutating func pass(_ cause: Line.Cause, now: Duration) -> [Line] {
    guard let spell = spells[cause], now - spell.began >= Self.interval else { return [] }
    let more = more(of: cause)
    spells[cause] = nil
    causes.removeAll { $0 == cause }
    return more.map { [$0] } ?? []
  }

  private func more(of cause: Line.Cause) -> Line? {
    guard let count = spells[cause]?.omittedCount, count > 0 else { return nil }
    return .more(count, of: cause)
  }
}

typealias AuditThrottle = LineThrottle<AuditEntry>
