import StarlingCore
import StarlingWire

extension [LogRecord] {
  /// Longer records stand alone, and joined ones become no longer than so many: then the message around them counts for
  /// little.
  private static var joinedByteCountMax: Int { 64 << 10 }

  /// The same changes in the same order, with neighbours of one writer in one record.
  ///
  /// What is written live is logged change by change. An answer that sent each in a message of its own would cost some
  /// dozen bytes and 8,192 of credit for every keystroke; joined, a row of them is a history of little more than its
  /// text.
  ///
  /// - Complexity: O(operations), where anything is joined.
  var joined: [LogRecord] {
    var result: [LogRecord] = []
    var start = startIndex
    while start < endIndex {
      let end = endOfRun(from: start)
      if end - start > 1, let record = joined(start..<end) {
        result.append(record)
      } else {
        result += self[start..<end]
      }
      start = end
    }
    return result
  }

  private func endOfRun(from start: Int) -> Int {
    var (end, byteCount) = (start + 1, self[start].bytes.count)
    while end < endIndex, self[end].replica == self[start].replica, self[end].document == self[start].document,
      self[end].firstCounter == self[end - 1].lastCounter + 1
    {
      byteCount += self[end].bytes.count
      guard byteCount <= Self.joinedByteCountMax else { break }
      end += 1
    }
    return end
  }

  /// Nil where one of them cannot be read: its reader is to see those bytes.
  private func joined(_ run: Range<Int>) -> LogRecord? {
    var changes: [Change] = []
    for record in self[run] {
      guard let read = try? Batch.decode(record.bytes) else { return nil }
      changes += read
    }
    var record = self[run.lowerBound]
    record.lastCounter = self[run.upperBound - 1].lastCounter
    record.bytes = Batch.encode(changes)
    return record
  }
}
