import StarlingCore

extension SnapshotReader {
  /// - Returns: The sequence; nil if there is none, or if it is left.
  mutating func readOrLeaveSequence(of object: Snapshot.Object) throws(WireError) -> Snapshot.Sequence? {
    if isKept, object.origin.isText, try readTextForm() == TextForm.byLeaf {
      try leaveOrder(of: object)
      return nil
    }
    if manner == .steppingOver, object.origin.isText, try leaveText(of: object) { return nil }
    return try readSequence()
  }

  mutating func readSequence() throws(WireError) -> Snapshot.Sequence? {
    let start = reader.offset
    let head = try reader.varint()
    guard head > 0 else { return nil }
    let count = try checkedRunCount(head - 1, at: start)
    let sizePlace = reader.offset
    let byteCount = try reader.byteCount(atMost: reader.limits.snapshotByteCountMax)
    let end = reader.offset + byteCount
    var sequence = Snapshot.Sequence(runs: [])
    sequence.runs.reserveCapacity(count)
    var line = RunLine()
    for _ in 0..<count { sequence.runs.append(try readRun(after: &line)) }
    guard reader.offset == end else {
      throw reader.error(.malformed, "The runs do not end where they say", at: sizePlace)
    }
    sequence.text = try readText(of: sequence.runs)
    sequence.marks = try readMarks()
    return sequence
  }

  /// Leaves a text that has many runs, something to show and no marks.
  ///
  /// - Returns: Whether the text was left; if not, nothing was read.
  private mutating func leaveText(of object: Snapshot.Object) throws(WireError) -> Bool {
    let former = reader
    let start = reader.offset
    let head = try reader.varint()
    if head > StoredSequence.runCountMin {
      _ = try checkedRunCount(head - 1, at: start)
      try reader.skip(reader.byteCount(atMost: reader.limits.snapshotByteCountMax))
      let scalars = try readScalars()
      if scalars.count > 0, reader.comes(0) {
        try reader.skip(1)
        texts.append(StoredText(object: object.id, number: sequences.count, scalars: scalars))
        sequences.append(StoredSequence(start: start, byteCount: reader.offset - start))
        return true
      }
    }
    reader = former
    return false
  }

  /// The text of all live items.
  mutating func readScalars() throws(WireError) -> Scalars {
    let start = reader.offset
    let text = try reader.packableBytesOfSnapshot()
    guard let count = text.withUnsafeBytes({ $0.scalarCount }) else {
      throw reader.error(.malformed, "A text is not UTF-8", at: start)
    }
    return Scalars(unchecked: text, count: count)
  }

  private mutating func checkedRunCount(_ count: UInt64, at start: Int) throws(WireError) -> Int {
    // A run has a head at least.
    guard count <= UInt64(reader.remaining) else {
      throw reader.error(.truncated, "\(count) runs are announced and \(reader.remaining) bytes follow", at: start)
    }
    try reader.spendSnapshotEntries(Int(count), at: start)
    return Int(count)
  }

  // MARK: Runs

  private mutating func readRun(after runs: inout RunLine) throws(WireError) -> Snapshot.Run {
    let start = reader.offset
    let head = try reader.byte()
    let first = try readFirst(head, at: start, after: runs)
    runs.begin(at: first)
    let (anchor, side) = try readAnchor(head, of: first, at: start, after: runs)
    let countPlace = reader.offset
    let count = try readCount(head, from: first)
    let last = ItemPlace(replica: first.replica, counter: first.counter + UInt64(count) - 1)
    runs.end(at: last, leftOf: side == .left ? anchor : nil)

    let content: Snapshot.Run.Content
    switch head & RunHead.contentMask {
    case RunHead.text: content = .text(count: count)
    case RunHead.removed: content = .removed(count: count)
    case RunHead.elements:
      try reader.spendSnapshotEntries(count, at: countPlace)
      content = .elements(count: count)
    default:
      guard head & RunHead.countGiven == 0 else {
        throw reader.error(.malformed, "An element that was moved stands at one item, not at \(count)", at: start)
      }
      let element = try readDot()
      content = .moved(element: element, stamp: try readStampDifference())
    }
    let item = anchor == .origin ? Dot.origin : dot(at: anchor)
    return Snapshot.Run(first: dot(at: first), anchor: Edge(side, of: item), content: content)
  }

  private mutating func readFirst(
    _ head: UInt8, at start: Int, after runs: RunLine
  ) throws(WireError) -> ItemPlace {
    switch head & RunHead.firstMask {
    case RunHead.wholeDot: return try reader.shortDot(in: version)
    case RunHead.awaited:
      guard let awaited = runs.awaited else {
        throw reader.error(.malformed, "A run begins with the item awaited, and none is", at: start)
      }
      return awaited
    default:
      let difference = head & RunHead.firstMask == RunHead.dotNext ? 0 : try reader.signedVarint()
      return try covered(runs.before, plus: 1 &+ difference, at: start)
    }
  }

  private mutating func readAnchor(
    _ head: UInt8, of first: ItemPlace, at start: Int, after runs: RunLine
  ) throws(WireError) -> (ItemPlace, Side) {
    switch head & RunHead.anchorMask {
    case RunHead.rightOfPredecessor: return (try covered(first, plus: -1, at: start), .right)
    case RunHead.rightOfBefore: return (runs.before, .right)
    case RunHead.leftOfNext: return (try covered(runs.before, plus: 1, at: start), .left)
    case RunHead.leftOfAwaited:
      guard let awaited = runs.awaited else {
        throw reader.error(.malformed, "A run stands on the left of the item awaited, and none is", at: start)
      }
      return (awaited, .left)
    case RunHead.rightOfGiven: return (try readItem(near: first), .right)
    case RunHead.leftOfGiven: return (try readItem(near: first), .left)
    default: throw reader.error(.malformed, "No run begins with \(head)", at: start)
    }
  }

  private mutating func readItem(near first: ItemPlace) throws(WireError) -> ItemPlace {
    let start = reader.offset
    let form = try reader.varint()
    switch form {
    case 0: return .origin
    case 1:
      let place = reader.offset
      // Read before the call: within it the reader would be copied.
      let difference = try reader.signedVarint()
      return try covered(first, plus: difference, at: place)
    default: return try reader.shortDot(of: form - 2, in: version, at: start)
    }
  }

  private mutating func readCount(_ head: UInt8, from first: ItemPlace) throws(WireError) -> Int {
    guard head & RunHead.countGiven != 0 else { return 1 }
    let start = reader.offset
    let count = try reader.varint()
    guard count > 1 else { throw reader.error(.overlong, "A run spells out that it has \(count) items", at: start) }
    guard count - 1 <= version.entries[first.replica].counter - first.counter else {
      throw reader.error(.malformed, "A run of \(count) items passes the snapshot's version", at: start)
    }
    return Int(count)
  }

  /// A dot of the same replica that the version covers.
  @inline(__always)
  private func covered(_ place: ItemPlace, plus difference: Int64, at start: Int) throws(WireError) -> ItemPlace {
    guard place != .origin else {
      throw reader.error(.malformed, "An item is spelled by the one before it, and none is", at: start)
    }
    let counter = place.counter &+ UInt64(bitPattern: difference)
    guard 1...version.entries[place.replica].counter ~= counter else {
      throw reader.error(.malformed, "An item lies outside the snapshot's version", at: start)
    }
    return ItemPlace(replica: place.replica, counter: counter)
  }

  // MARK: Text

  /// The text of all live items, which must be as long as the runs of text.
  private mutating func readText(of runs: [Snapshot.Run]) throws(WireError) -> Scalars {
    let start = reader.offset
    let text = try readScalars()
    var left = text.count
    for run in runs {
      guard case .text(let count) = run.content else { continue }
      guard count <= left else {
        throw reader.error(.malformed, "A text of \(text.count) scalars follows where the runs hold more", at: start)
      }
      left -= count
    }
    guard left == 0 else {
      throw reader.error(.malformed, "A text of \(text.count) scalars follows where the runs hold fewer", at: start)
    }
    return text
  }

  // MARK: Marks

  private mutating func readMarks() throws(WireError) -> [Mark] {
    let place = reader.offset
    // A dot of two bytes, a name's number, two edges, a rank, a value.
    let count = try reader.count(ofSize: 7)
    try reader.spendSnapshotEntries(count, at: place)
    var marks: [Mark] = []
    marks.reserveCapacity(count)
    var names: [Key] = []
    for _ in 0..<count {
      let start = reader.offset
      let dot = try readDot()
      if let last = marks.last, dot <= last.dot {
        throw reader.error(.outOfOrder, "The marks of a text do not ascend", at: start)
      }
      let name = try readName(&names)
      let (begin, end) = (try readEdge(), try readEdge())
      let rank = try reader.varint()
      marks.append(Mark(dot: dot, name: name, start: begin, end: end, rank: rank, value: try reader.value()))
    }
    return marks
  }

  private mutating func readName(_ names: inout [Key]) throws(WireError) -> Key {
    let start = reader.offset
    let number = try reader.varint()
    guard number > 0 else {
      names.append(try reader.key())
      return names[names.count - 1]
    }
    guard number <= UInt64(names.count) else {
      throw reader.error(.unknownIndex, "Name \(number) is named and \(names.count) are known", at: start)
    }
    return names[Int(number) - 1]
  }

  private mutating func readEdge() throws(WireError) -> Edge {
    let start = reader.offset
    let head = try reader.varint()
    let side = head & 1 == 0 ? Side.left : .right
    guard head > 1 else { return Edge(side, of: .origin) }
    return Edge(side, of: dot(at: try reader.shortDot(of: head >> 1 - 1, in: version, at: start)))
  }
}
