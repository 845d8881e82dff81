/// Decides what of a flood is written: of each cause so many different lines an interval, and then how many more there
/// were. So whoever knocks all day costs the disk no more than some lines a minute, and hides nobody who comes in by
/// another way.
///
/// ```
///   cause     │ 1 2 3 … 20 · · · · · · · │ "and 4,211 more like it."  1 2 …
///             └──────── interval ────────┘
/// ```
struct AuditThrottle {
  static let interval: Duration = .seconds(60)
  static let lineCountMax = 20

  private struct Spell {
    var began: Duration
    var written: Set<AuditEntry> = []
    var omittedCount = 0
  }

  /// As many as there are causes.
  private var spells: [AuditEntry.Cause: Spell] = [:]

  /// What is to be written now that this happened, in order.
  mutating func admit(_ entry: AuditEntry, now: Duration) -> [AuditEntry] {
    let former = end(entry.cause, ifBegunBefore: now)
    var spell = spells[entry.cause] ?? Spell(began: now)
    let isWritten = spell.written.count < Self.lineCountMax && spell.written.insert(entry).inserted
    if !isWritten { spell.omittedCount += 1 }
    spells[entry.cause] = spell
    return former + (isWritten ? [entry] : [])
  }

  /// What is to be written because an interval is over.
  mutating func pass(now: Duration) -> [AuditEntry] {
    spells.keys.sorted { $0.name < $1.name }.flatMap { end($0, ifBegunBefore: now) }
  }

  /// What is to be written because nothing more will be.
  mutating func end() -> [AuditEntry] {
    defer { spells = [:] }
    return spells.sorted { $0.key.name < $1.key.name }.compactMap { cause, spell in
      spell.omittedCount > 0 ? .more(spell.omittedCount, of: cause) : nil
    }
  }

  private mutating func end(_ cause: AuditEntry.Cause, ifBegunBefore now: Duration) -> [AuditEntry] {
    guard let spell = spells[cause], now - spell.began >= Self.interval else { return [] }
    spells[cause] = nil
    return spell.omittedCount > 0 ? [.more(spell.omittedCount, of: cause)] : []
  }
}
