/// Which of the elements of a list may stay where they are, so that the fewest are moved.
package enum LongestAscent {
  /// For each place whether it belongs to the longest ascending series of the numbers.
  ///
  /// - Complexity: O(*n* log *n*)
  package static func members(of numbers: [Int?]) -> [Bool] {
    // The place of the least number in which a series of each length can end, and what stands before each.
    var ends: [Int] = []
    var before = [Int?](repeating: nil, count: numbers.count)
    for (place, number) in numbers.enumerated() {
      guard let number else { continue }
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]]! < number { low = middle + 1 } else { high = middle }
      }
      before[place] = low > 0 ? ends[low - 1] : nil
      if low == ends.count { ends.append(place) } else { ends[low] = place }
    }
    var belongs = [Bool](repeating: false, count: numbers.count)
    var place = ends.last
    while let present = place {
      belongs[present] = true
      place = before[present]
    }
    return belongs
  }
}
