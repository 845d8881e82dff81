/// Finds which of several runs holds an item, whatever order the runs stand in.
struct RunsByName {
  /// The runs, ascending by their first items, and the place of each.
  private let entries: [(run: ItemRun, place: Int)]

  /// - Complexity: O(*n* log *n*)
  init(_ runs: some Sequence<ItemRun>) {
    entries = runs.enumerated().map { (run: $1, place: $0) }.sorted { Self.isLess($0.run.first, $1.run.first) }
  }

  /// The place of the run that holds the item.
  ///
  /// - Complexity: O(log *n*)
  func place(of item: DotRow) -> Int? {
    let after = entries.partitioningIndex { Self.isLess(item, $0.run.first) }
    return after > 0 && entries[after - 1].run.contains(item) ? entries[after - 1].place : nil
  }

  private static func isLess(_ left: DotRow, _ right: DotRow) -> Bool {
    (left.replica.rawValue, left.counter) < (right.replica.rawValue, right.counter)
  }
}

extension ItemRun {
  func contains(_ item: DotRow) -> Bool {
    item.replica == first.replica && item.counter &- first.counter < UInt64(count)
  }
}
