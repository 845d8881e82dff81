extension ContiguousArray<Int> {
  /// Sorts numbers of rows by a key of theirs, a byte at a time from the last; those of one key stay as they are.
  ///
  /// - Complexity: O(*n*) for each byte that any of the keys takes.
  @inline(__always)
  mutating func sortStably(by key: (Int) -> UInt64) {
    let used = reduce(0) { $0 | key($1) }
    var target = self
    for shift in stride(from: UInt64(0), to: UInt64(64 - used.leadingZeroBitCount), by: 8) {
      var starts = ContiguousArray(repeating: 0, count: 257)
      for number in self { starts[Int(key(number) >> shift & 255) + 1] += 1 }
      for digit in 1..<257 { starts[digit] += starts[digit - 1] }
      for number in self {
        let digit = Int(key(number) >> shift & 255)
        target[starts[digit]] = number
        starts[digit] += 1
      }
      swap(&self, &target)
    }
  }
}
