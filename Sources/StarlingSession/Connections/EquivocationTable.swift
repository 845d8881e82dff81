public import StarlingCore
public import StarlingWire

/// The operations with two contents that the group's relays found; the writer of each is suspended, once
/// (Protocol/conversation.md, "Writers that are suspended").
///
/// ```
///   found here ───────┐                    ┌─► writer known: suspend ─► keep
///   told by a relay ──┴─► hear ─► journal ─┤
///                           │              └─► unknown: waits for whose the replica id is
///                           └─► told to each relay from where it was told last
/// ```
public struct EquivocationTable: Sendable {
  /// So many are kept. What comes beyond them is not: a relay that was told all of them may be believed no more.
  public static let countMax = 1 << 16

  private var known: Set<EquivocationReport> = []
  /// In the order in which they came.
  private var journal: [EquivocationReport] = []
  /// Those of writers that are not known yet.
  private var waiting: [ReplicaID: Set<EquivocationReport>] = [:]

  /// - Parameter remembered: those that were kept; their writers were suspended when they came.
  public init(_ remembered: [EquivocationReport] = []) {
    for report in remembered.prefix(Self.countMax) where known.insert(report).inserted { journal.append(report) }
  }

  public var count: Int { known.count }

  /// - Returns: whether it was not known.
  public mutating func hear(_ report: EquivocationReport) -> Bool {
    guard known.count < Self.countMax, known.insert(report).inserted else { return false }
    journal.append(report)
    return true
  }

  /// Nobody knows whose the replica id of the report is.
  public mutating func wait(_ report: EquivocationReport) {
    waiting[report.dot.replica, default: []].insert(report)
  }

  /// The reports that waited until it was known whose the replica id is, ascending.
  public mutating func endWait(for replica: ReplicaID) -> [EquivocationReport] {
    waiting.removeValue(forKey: replica)?.sorted() ?? []
  }

  /// What a relay that was told up to `place` has not heard, ascending; nil where it has heard everything.
  public func news(after place: Int) -> (reports: [EquivocationReport], end: Int)? {
    guard place < journal.count else { return nil }
    let end = min(journal.count, place + EquivocationReport.countMax)
    return (journal[place..<end].sorted(), end)
  }
}
