/// Where an item was inserted; it stays there for ever.
struct Place: Hashable, Sendable {
  /// Another item, or `DotRow.start`.
  var parent: DotRow
  var side: Side
}

/// Items with consecutive counters of one replica.
struct ItemRun: Hashable, Sendable {
  var first: DotRow
  var count: Int

  init(first: DotRow, count: Int) {
    self.first = first
    self.count = count
  }

  init(_ item: DotRow) {
    self.init(first: item, count: 1)
  }

  var last: DotRow { first.advanced(by: count - 1) }
}

extension DotRow {
  /// The root of every sequence, which stands before its first item.
  static let start = DotRow(replica: .none, counter: 0)

  /// The item that many counters further on.
  @inline(__always)
  func advanced(by distance: Int) -> DotRow {
    DotRow(replica: replica, counter: counter &+ UInt64(distance))
  }
}
