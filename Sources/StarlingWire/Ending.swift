// A text spelled by the one before it (Protocol/wire-format.md, "Endings"): how many bytes to drop
// from the end of that, and what to put there instead.
//
// ```
// varint   8 * dropped + added          where fewer than 7 bytes are added
//          8 * dropped + 7, added - 7   else, two varints
// ```

private let addedMax = 7

extension [UInt8] {
  func sharedPrefixCount(with other: [UInt8]) -> Int {
    var count = 0
    let most = Swift.min(self.count, other.count)
    while count < most, self[count] == other[count] { count += 1 }
    return count
  }

  /// - Parameter shared: how many bytes both begin with.
  mutating func append(ending text: [UInt8], after previous: [UInt8], sharing shared: Int) {
    let added = text.count - shared
    append(varint: (previous.count - shared) << 3 | Swift.min(added, addedMax))
    if added >= addedMax { append(varint: added - addedMax) }
    append(contentsOf: text[shared...])
  }
}

/// How many bytes `append(ending:after:sharing:)` would write.
func endingByteCount(_ text: [UInt8], after previous: [UInt8], sharing shared: Int) -> Int {
  let added = text.count - shared
  return varintByteCount(UInt64(previous.count - shared) << 3) + added
    + (added >= addedMax ? varintByteCount(UInt64(added - addedMax)) : 0)
}

func varintByteCount(_ value: UInt64) -> Int {
  max(1, (70 - value.leadingZeroBitCount) / 7)
}

extension Reader {
  /// - Parameter byteCountMax: how long the result may be.
  mutating func replaceEnding(of text: inout [UInt8], atMost byteCountMax: Int) throws(WireError) {
    let start = offset
    let head = try varint()
    let dropped = head >> 3
    guard dropped <= UInt64(text.count) else {
      throw error(.malformed, "\(dropped) bytes are dropped from a text of \(text.count)", at: start)
    }
    let shared = text.count - Int(dropped)
    var added = head & UInt64(addedMax)
    if added == addedMax {
      let (sum, overflow) = try varint().addingReportingOverflow(added)
      added = overflow ? .max : sum
    }
    let addedCount = try checkedByteCount(added, atMost: max(0, byteCountMax - shared), at: start)
    try spendExpansion(shared, at: start)
    text.removeLast(Int(dropped))
    text.append(contentsOf: try rawBytes(count: addedCount))
  }
}
