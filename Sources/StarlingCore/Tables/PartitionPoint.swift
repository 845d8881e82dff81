extension RandomAccessCollection {
  /// The place of the first element for which `isBeyond` holds, the end if there is none; it has to hold for every
  /// element after one for which it does.
  ///
  /// - Complexity: O(log *n*)
  @inline(__always)
  func partitioningIndex(where isBeyond: (Element) -> Bool) -> Index {
    var low = startIndex
    var left = count
    while left > 0 {
      let half = left / 2
      let middle = index(low, offsetBy: half)
      if isBeyond(self[middle]) {
        left = half
      } else {
        low = index(after: middle)
        left -= half + 1
      }
    }
    return low
  }
}
