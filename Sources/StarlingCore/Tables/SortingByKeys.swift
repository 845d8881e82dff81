extension ContiguousArray where Element: FixedWidthInteger {
  /// Sorts numbers of rows by a key of theirs; those of one key stay as they are.
  ///
  /// Each key is asked for once, and moves with the place of its number in one word: rows may lie all over the memory.
  ///
  /// - Complexity: O(*n*) for each digit in which keys differ; O(*n* log *n*) where keys lie so far apart that they find no
  ///   space beside the places.
  @inline(__always)
  mutating func sortStably(by key: (Int) -> UInt64) {
    var keys: ContiguousArray<UInt64> = []
    keys.reserveCapacity(count)
    for number in self { keys.append(key(Int(truncatingIfNeeded: number))) }
    guard let places = keys.placesInOrder() else { return }
    let numbers = self
    for (place, former) in places.enumerated() { self[place] = numbers[Int(truncatingIfNeeded: former)] }
  }
}

extension ContiguousArray<UInt64> {
  /// Where the keys stand that are the first in order, the second and so on; nil if they are in order.
  fileprivate consuming func placesInOrder() -> ContiguousArray<UInt64>? {
    guard let (least, greatest) = bordersIfUnsorted else { return nil }
    let placeBits = UInt64(Int.bitWidth - count.leadingZeroBitCount)
    guard (greatest - least).leadingZeroBitCount >= placeBits else {
      let keys = self
      return ContiguousArray(keys.indices.sorted { (keys[$0], $0) < (keys[$1], $1) }.lazy.map { UInt64($0) })
    }
    for place in indices { self[place] = (self[place] &- least) << placeBits | UInt64(truncatingIfNeeded: place) }
    sortByDigits(from: placeBits, upTo: UInt64(64 - ((greatest - least) << placeBits).leadingZeroBitCount))
    for place in indices { self[place] &= 1 << placeBits &- 1 }
    return self
  }

  /// The least and the greatest; nil if all ascend.
  private var bordersIfUnsorted: (UInt64, UInt64)? {
    guard var last = first else { return nil }
    var (least, greatest, areSorted) = (last, last, true)
    for key in self {
      areSorted = areSorted && last <= key
      (least, greatest, last) = (Swift.min(least, key), Swift.max(greatest, key), key)
    }
    return areSorted ? nil : (least, greatest)
  }

  /// Sorts by the bits from `lowest` on, some at a time from the last.
  private mutating func sortByDigits(from lowest: UInt64, upTo end: UInt64) {
    // Many words pay for a larger table of counts, as they are gone through less often.
    let width: UInt64 = count < 2048 ? 8 : 11
    let mask = UInt64(1) << width - 1
    var starts = ContiguousArray<Int>(repeating: 0, count: 1 << Int(width))
    var target = self
    for shift in stride(from: lowest, to: end, by: Int(width)) {
      for digit in starts.indices { starts[digit] = 0 }
      for word in self { starts[Int(truncatingIfNeeded: word &>> shift & mask)] &+= 1 }
      var start = 0
      for digit in starts.indices { (starts[digit], start) = (start, start &+ starts[digit]) }
      target.withUnsafeMutableBufferPointer { target in
        for word in self {
          let digit = Int(truncatingIfNeeded: word &>> shift & mask)
          target[starts[digit]] = word
          starts[digit] &+= 1
        }
      }
      swap(&self, &target)
    }
  }
}
