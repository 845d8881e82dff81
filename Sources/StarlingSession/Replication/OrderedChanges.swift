package import StarlingCore

/// Changes in order, and between them rows of those that merged as one.
///
/// ```
/// changes:  [ a  b  c ]          rows:  [ row, after 2 ]
/// told:     a  b  row's  c
/// ```
package struct OrderedChanges: Sendable {
  package let changes: [Change]
  package let rows: [Row]

  /// One that merged as one, after so many of the changes.
  package struct Row: Sendable {
    package let place: Int
    package let part: Contribution
  }

  package init(_ changes: [Change], _ rows: [Row] = []) {
    self.changes = changes
    self.rows = rows
  }

  package var isEmpty: Bool { changes.isEmpty && rows.isEmpty }
  package var changeCount: Int { rows.reduce(changes.count) { $0 + $1.part.changeCount } }

  /// Those of rows one by one.
  ///
  /// - Complexity: O(operations + bytes of text) of the rows
  package var oneByOne: [Change] {
    if rows.isEmpty { return changes }
    var all: [Change] = []
    forEachSpan {
      switch $0 {
      case .changes(let places): all += changes[places]
      case .row(let part): all += part.changes
      }
    }
    return all
  }

  /// What stands next to each other in the same form.
  enum Span {
    /// At these places.
    case changes(Range<Int>)
    case row(Contribution)
  }

  /// Calls `body` with all of it, in order.
  @inline(__always)
  func forEachSpan(_ body: (Span) -> Void) {
    // Mostly, and then with the least work.
    guard !rows.isEmpty else {
      if !changes.isEmpty { body(.changes(0..<changes.count)) }
      return
    }
    var place = 0
    for row in rows {
      if place < row.place { body(.changes(place..<row.place)) }
      body(.row(row.part))
      place = row.place
    }
    if place < changes.count { body(.changes(place..<changes.count)) }
  }
}
