package import StarlingCore

/// What was read, in order, in the form that merges with the least work: changes of one writer in a row that only set as
/// one, where nothing else comes as changes alone, and parts where both do.
///
/// ```
/// read                      comes to
/// change change change      changes
/// set set set set           row
/// set set change set        parts: [sets][change]    row
/// ```
package struct Contributions: Sendable {
  /// What stands before the changes or the row below.
  private var parts: [Contribution] = []
  private var partChangeCount = 0
  /// All that was read, while nothing else was.
  private var changes: [Change] = []
  /// Whether that is one change that may be a plain set.
  private var mayBeginRow = false
  /// The latest that was read; empty where that was something else.
  package internal(set) var row = SetHistory(replica: ReplicaID(rawValue: 0), firstCounter: 0, frontier: [])

  package init() {}

  package var isEmpty: Bool { changes.isEmpty && isOfChangesAlone }
  package var changeCount: Int { partChangeCount + changes.count + row.changeCount }
  package var isOfChangesAlone: Bool { row.setCount == 0 && parts.isEmpty }

  /// All in parts; nothing is left.
  package mutating func take() -> [Contribution] {
    beginPart()
    partChangeCount = 0
    var taken: [Contribution] = []
    swap(&taken, &parts)
    return taken
  }

  /// All where `isOfChangesAlone`; nothing is left.
  package mutating func takeChanges() -> [Change] {
    mayBeginRow = false
    var taken: [Change] = []
    swap(&taken, &changes)
    return taken
  }

  // MARK: Adding

  mutating func append(_ change: Change) {
    mayBeginRow = false
    if isOfChangesAlone { return changes.append(change) }
    beginPart()
    append(part: .change(change), 1)
  }

  /// The first that was read, of one operation, with the definitions that this implies. It stays a change until another
  /// follows: one that comes alone is merged with less work as what it is.
  mutating func append(first change: Change) {
    changes.append(change)
    mayBeginRow = true
  }

  mutating func append(_ history: TextHistory) {
    beginPart()
    append(part: .history(history), history.stamps.count)
  }

  /// Has the sets of a change follow, which the caller appends to the row then.
  @inline(__always)
  mutating func beginSets(of replica: ReplicaID, from firstCounter: UInt64, frontier: [Dot]) {
    let mayFollow =
      row.setCount > 0 && frontier.isEmpty && row.replica == replica && firstCounter == row.lastCounter + 1
      && row.setCount < SetHistory.changeCountMax
    if !mayFollow { beginRow(of: replica, firstCounter, frontier) }
  }

  private mutating func beginRow(of replica: ReplicaID, _ firstCounter: UInt64, _ frontier: [Dot]) {
    if mayBeginRow, frontier.isEmpty, changes[0].replica == replica, changes[0].firstCounter + 1 == firstCounter,
      let begun = SetHistory(ifPlain: changes[0])
    {
      row = begun
      changes = []
    } else {
      beginPart()
      row = SetHistory(replica: replica, firstCounter: firstCounter, frontier: frontier)
    }
    mayBeginRow = false
  }

  private mutating func append(part: Contribution, _ changeCount: Int) {
    parts.append(part)
    partChangeCount += changeCount
  }

  private mutating func beginPart() {
    if !changes.isEmpty {
      for change in changes { append(part: .change(change), 1) }
      changes = []
    }
    if row.setCount > 0 { append(part: .sets(row), row.changeCount) }
    forgetRow()
  }

  private mutating func forgetRow() {
    row = SetHistory(replica: ReplicaID(rawValue: 0), firstCounter: 0, frontier: [])
  }

  // MARK: Taking away

  /// Takes the last changes away again until so many are left, and sets of one that was not read to its end.
  ///
  /// - Complexity: O(operations of what goes, and sets of the row that it ends in)
  mutating func removeChanges(downTo count: Int) {
    while changeCount > count {
      if row.changeCount > 0 {
        row.removeLastChanges(min(row.changeCount, changeCount - count))
      } else if !changes.isEmpty {
        changes.removeLast()
        mayBeginRow = false
      } else if let last = parts.popLast() {
        partChangeCount -= last.changeCount
        if case .sets(let row) = last { self.row = row }
      }
    }
    if row.setCount == 0 { forgetRow() }
  }
}
