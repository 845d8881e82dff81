extension TextHistory {
  /// Refuses numbers that contradict each other: of what passes, the changes can be had.
  ///
  /// - Returns: `lastCounter`.
  /// - Complexity: O(strokes)
  func checkShape() throws(MergeError) -> UInt64 {
    func check(_ holds: Bool, _ message: @autoclosure () -> String) throws(MergeError) {
      guard !holds else { return }
      throw MergeError(.malformedChange, message(), where: .change(Dot(replica, firstCounter)))
    }
    try check(firstCounter >= 1 && firstCounter < 1 << 63, "A history begins with the counter \(firstCounter).")
    try check(!stamps.isEmpty, "A history has no changes.")
    var operationsLeft = 0
    var changesLeft = stamps.count
    for run in operationCounts {
      let (operations, overflows) = run.changes.multipliedReportingOverflow(by: run.operations)
      let (sum, passes) = operationsLeft.addingReportingOverflow(operations)
      try check(
        run.changes > 0 && run.operations > 0 && run.changes <= changesLeft && !overflows && !passes,
        "\(run.changes) changes of \(run.operations) operations where \(changesLeft) are left.")
      changesLeft -= run.changes
      operationsLeft = sum
    }
    try check(changesLeft == 0, "A history has \(changesLeft) changes without operations.")
    var counter = firstCounter
    var textLeft = UInt64(text.count)
    for stroke in strokes {
      let (items, overflows) = UInt64(max(0, stroke.operationCount)).multipliedReportingOverflow(by: stroke.size)
      try check(
        stroke.operationCount > 0 && stroke.operationCount <= operationsLeft && items > 0 && !overflows,
        "A stroke of \(stroke.operationCount) operations where \(operationsLeft) are left.")
      operationsLeft -= stroke.operationCount
      switch stroke.action {
      case .insert:
        try check(items <= textLeft, "A stroke inserts \(items) scalars where \(textLeft) are left.")
        textLeft -= items
      case .removeForwards(let first):
        try check(
          first.isOperation && items <= (1 << 63) - first.counter, "A stroke removes \(items) items from \(first) on.")
      case .removeBackwards(let first):
        try check(
          first.isOperation && stroke.size <= (1 << 63) - first.counter && items - stroke.size < first.counter,
          "A stroke removes \(items) items from \(first) back.")
      }
      try check(stroke.counterCount <= (1 << 63) - counter, "The counters of a history leave the range to 2^63 - 1.")
      counter += stroke.counterCount
    }
    try check(operationsLeft == 0, "A history has \(operationsLeft) operations without strokes.")
    try check(textLeft == 0, "A history has \(textLeft) scalars that no stroke inserts.")
    return counter - 1
  }
}
