import StarlingCore
import StarlingWire

// Changes as the log's records: runs of consecutive ones by one writer, each a self-contained batch.
extension Batch.Encoder {
  /// A record of several changes holds at most this much, and defines at most so many objects: no more than a peer
  /// takes at once.
  private static let recordByteCount = 1 << 20
  private static let objectCountMax = 4096

  /// What merged.
  mutating func append(_ merged: OrderedChanges, of document: DocumentID, to records: inout [LogRecord]) {
    merged.forEachSpan {
      switch $0 {
      case .changes(let places): append(merged.changes, in: places, of: document, to: &records)
      case .row(.change(let change)): append([change], in: 0..<1, of: document, to: &records)
      case .row(.sets(let history)): append(history, in: 0..<history.setCount, of: document, to: &records)
      case .row(.history(let history)): append(history, of: document, to: &records)
      }
    }
  }

  mutating func append(
    _ changes: [Change], in places: Range<Int>, of document: DocumentID, to records: inout [LogRecord]
  ) {
    changes.withBorrowed { borrowed in
      var place = places.lowerBound
      while place < places.upperBound {
        var (end, last) = (place + 1, borrowed[place].value.lastCounter)
        while end < places.upperBound, end - place < SetHistory.changeCountMax,
          borrowed[end].value.replica == borrowed[place].value.replica, borrowed[end].value.firstCounter == last &+ 1
        {
          last = borrowed[end].value.lastCounter
          end += 1
        }
        appendRun(changes, in: place..<end, of: document, to: &records)
        place = end
      }
    }
  }

  /// One record for the run, or several where one would be too much for a peer to take at once.
  private mutating func appendRun(
    _ changes: [Change], in places: Range<Int>, of document: DocumentID, to records: inout [LogRecord]
  ) {
    let bytes = encode(changes, in: places)
    let (first, last, objectCount) = changes.withBorrowed { borrowed in
      (
        borrowed[places.lowerBound].value.firstCounter, borrowed[places.upperBound - 1].value.last,
        places.reduce(0) { $0 + borrowed[$1].value.objects.count }
      )
    }
    if places.count > 1, bytes.count > Self.recordByteCount || objectCount > Self.objectCountMax {
      let middle = places.lowerBound + places.count / 2
      appendRun(changes, in: places.lowerBound..<middle, of: document, to: &records)
      appendRun(changes, in: middle..<places.upperBound, of: document, to: &records)
      return
    }
    records.append(
      LogRecord(
        document: document, replica: last.replica, firstCounter: first, lastCounter: last.counter, bytes: bytes))
  }

  /// One record for the changes at the places, or several where one would be too much for a peer to take at once.
  private mutating func append(
    _ history: SetHistory, in places: Range<Int>, of document: DocumentID, to records: inout [LogRecord]
  ) {
    let bytes = encode(history, in: places)
    let isTooMuch =
      bytes.count > Self.recordByteCount || history.definitionCount(at: places) > Self.objectCountMax
    if isTooMuch, let middle = history.middle(of: places) {
      append(history, in: places.lowerBound..<middle, of: document, to: &records)
      append(history, in: middle..<places.upperBound, of: document, to: &records)
      return
    }
    records.append(
      LogRecord(
        document: document, replica: history.replica,
        firstCounter: history.firstCounter + UInt64(places.lowerBound),
        lastCounter: history.firstCounter + UInt64(places.upperBound) - 1, bytes: bytes))
  }

  private mutating func append(_ history: TextHistory, of document: DocumentID, to records: inout [LogRecord]) {
    let bytes = encode(history)
    // Each of its changes would define them.
    if bytes.count > Self.recordByteCount || history.objects.count * history.stamps.count > Self.objectCountMax {
      let changes = history.changes
      return appendRun(changes, in: changes.indices, of: document, to: &records)
    }
    let part = Contribution.history(history)
    records.append(
      LogRecord(
        document: document, replica: part.replica, firstCounter: part.firstCounter, lastCounter: part.lastCounter,
        bytes: bytes))
  }
}
