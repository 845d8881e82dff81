import StarlingCore

// The order of a long text in a snapshot that a replica keeps for itself (Protocol/wire-format.md, "Kept snapshots").
//
// ```
// form   bytes up to the text   items  spans  replicas   steps ...   leaves: what each holds ...   leaf ...   text
// ```
//
// A leaf is spelled as if nothing stood before it, so that it can be read alone, and written again as it lies.

/// The byte before the sequence of a text in such a snapshot.
enum TextForm {
  static let asItTravels: UInt8 = 0
  static let byLeaf: UInt8 = 1
}

/// The first byte of a span: what differs from what is likely.
enum SpanHead {
  static let isDead: UInt8 = 1 << 0
  static let isLeft: UInt8 = 1 << 1
  /// Another replica than that of the span before; before the first span, than the first replica.
  static let replica: UInt8 = 1 << 2
  /// Not the counter right after the last item before.
  static let counter: UInt8 = 1 << 3
  /// More than one item.
  static let count: UInt8 = 1 << 4
  /// Not one deeper than the gap.
  static let depth: UInt8 = 1 << 5
  /// Not the depth of the last item before.
  static let gap: UInt8 = 1 << 6
  /// Some scalars are not ASCII.
  static let text: UInt8 = 1 << 7
}

/// What a span is spelled against.
private struct SpanLine {
  var replica = 0
  /// The counter right after the last item before.
  var counter: UInt64 = 0
  var lastDepth = 0

  mutating func pass(_ span: StoredOrder.Span) {
    replica = span.replica
    counter = span.counter &+ UInt64(span.count)
    lastDepth = span.depth &+ span.count &- 1
  }
}

extension SnapshotWriter {
  mutating func write(_ order: OrderToStore) {
    let place = bytes.count
    let stored = order.order
    bytes.append(varint: stored.itemCount)
    bytes.append(varint: stored.spanCount)
    bytes.append(varint: stored.replicas.count)
    for replica in stored.replicas { bytes.append(varint: number(of: replica)) }
    bytes.append(varint: stored.steps.count)
    for row in stored.steps { write(row) }
    bytes.append(varint: stored.leaves.count)
    var leaves: [UInt8] = []
    for (number, sums) in stored.leaves.enumerated() {
      let begin = leaves.count
      switch order.leaf(number) {
      case .spans(let spans): leaves.append(leaf: spans)
      case .bytes(let bytes): leaves.append(contentsOf: bytes)
      }
      write(sums, byteCount: leaves.count - begin)
    }
    bytes.append(contentsOf: leaves)
    var byteCount: [UInt8] = []
    byteCount.append(varint: bytes.count - place)
    bytes.insert(contentsOf: byteCount, at: place)
    bytes.append(packable: order.text.utf8)
  }

  private mutating func write(_ row: StoredOrder.Steps) {
    bytes.append(varint: row.replica)
    bytes.append(varint: row.end)
    bytes.append(varint: row.steps.count)
    var (counter, leaf) = (UInt64(0), 0)
    for step in row.steps {
      bytes.append(varint: step.counter - counter)
      bytes.append(signedVarint: Int64(step.leaf - leaf))
      (counter, leaf) = (step.counter, step.leaf)
    }
  }

  private mutating func write(_ sums: Sums, byteCount: Int) {
    bytes.append(varint: byteCount)
    bytes.append(varint: Int(sums.live))
    bytes.append(varint: Int(sums.utf8 - sums.live))
    bytes.append(varint: Int(sums.utf16 - sums.live))
    bytes.append(varint: Int(sums.minDepth))
    bytes.append(varint: Int(sums.minGap))
  }
}

extension [UInt8] {
  fileprivate mutating func append(leaf spans: ContiguousArray<StoredOrder.Span>) {
    var line = SpanLine()
    for span in spans {
      let place = count
      append(0)
      var head: UInt8 = (span.isLive ? 0 : SpanHead.isDead) | (span.side == .left ? SpanHead.isLeft : 0)
      if span.replica != line.replica {
        head |= SpanHead.replica
        append(varint: span.replica)
      }
      if span.counter != line.counter {
        head |= SpanHead.counter
        append(signedVarint: Int64(bitPattern: span.counter &- line.counter))
      }
      if span.count > 1 {
        head |= SpanHead.count
        append(varint: span.count)
      }
      if span.gap != line.lastDepth {
        head |= SpanHead.gap
        append(signedVarint: Int64(span.gap - line.lastDepth))
      }
      if span.depth != span.gap + 1 {
        head |= SpanHead.depth
        append(signedVarint: Int64(span.depth - span.gap - 1))
      }
      if span.isLive, span.utf8Count != span.count {
        head |= SpanHead.text
        append(varint: span.utf8Count - span.count)
        append(varint: span.utf16Count - span.count)
      }
      self[place] = head
      line.pass(span)
    }
  }
}

extension SnapshotReader {
  mutating func readTextForm() throws(WireError) -> UInt8 {
    let form = try reader.byte()
    guard form <= TextForm.byLeaf else {
      throw reader.error(.malformed, "No text is kept in form \(form)", at: reader.offset - 1)
    }
    return form
  }

  /// Leaves a text that lies leaf by leaf, but for what a reader sees.
  mutating func leaveOrder(of object: Snapshot.Object) throws(WireError) {
    let byteCount = try reader.byteCount(atMost: reader.limits.snapshotByteCountMax)
    let order = StoredSequence(start: reader.offset, byteCount: byteCount, isByLeaf: true)
    try reader.skip(byteCount)
    texts.append(StoredText(object: object.id, number: sequences.count, scalars: try readScalars()))
    sequences.append(order)
  }

  /// - Parameter start: where the bytes that are read stand among those of the snapshot.
  mutating func readOrder(startingAt start: Int) throws(WireError) -> StoredOrder {
    var order = StoredOrder(
      itemCount: Int(clamping: try reader.varint()), spanCount: Int(clamping: try reader.varint()), replicas: [],
      leaves: [], steps: [])
    for _ in 0..<(try reader.count(ofSize: 1)) {
      let place = reader.offset
      let number = try reader.varint()
      guard number < UInt64(version.entries.count) else {
        throw reader.error(.unknownIndex, "Replica \(number) is named and the version has fewer", at: place)
      }
      order.replicas.append(version.entries[Int(number)].replica)
    }
    for _ in 0..<(try reader.count(ofSize: 3)) { order.steps.append(try readSteps(order.replicas.count)) }
    let leafCount = try reader.count(ofSize: 6)
    order.leaves.reserveCapacity(leafCount)
    order.places.reserveCapacity(leafCount + 1)
    var place = 0
    for _ in 0..<leafCount {
      order.places.append(place)
      place += try reader.byteCount(atMost: reader.limits.snapshotByteCountMax)
      order.leaves.append(try readSums())
    }
    order.places.append(place)
    let first = start + reader.offset
    for number in order.places.indices { order.places[number] += first }
    try reader.skip(place)
    let isWithin = order.steps.allSatisfy { $0.steps.allSatisfy { 0..<leafCount ~= $0.leaf } }
    guard isWithin, leafCount > 0 else { throw reader.error(.unknownIndex, "A step leads to a leaf that is none") }
    return order
  }

  private mutating func readSteps(_ replicaCount: Int) throws(WireError) -> StoredOrder.Steps {
    let place = reader.offset
    let replica = try reader.varint()
    guard replica < UInt64(replicaCount) else {
      throw reader.error(.unknownIndex, "Replica \(replica) of a text is named and it has \(replicaCount)", at: place)
    }
    var row = StoredOrder.Steps(replica: Int(replica), steps: [], end: try reader.varint())
    let count = try reader.count(ofSize: 2)
    row.steps.reserveCapacity(count)
    var (counter, leaf) = (UInt64(0), Int64(0))
    for _ in 0..<count {
      counter &+= try reader.varint()
      leaf &+= try reader.signedVarint()
      row.steps.append(StoredOrder.Step(counter: counter, leaf: Int(leaf)))
    }
    return row
  }

  private mutating func readSums() throws(WireError) -> Sums {
    var sums = Sums()
    sums.live = UInt32(truncatingIfNeeded: try reader.varint())
    sums.utf8 = sums.live &+ UInt32(truncatingIfNeeded: try reader.varint())
    sums.utf16 = sums.live &+ UInt32(truncatingIfNeeded: try reader.varint())
    sums.minDepth = UInt32(truncatingIfNeeded: try reader.varint())
    sums.minGap = UInt32(truncatingIfNeeded: try reader.varint())
    return sums
  }
}

extension Reader {
  /// Reads one leaf, to the end of the bytes.
  mutating func readLeaf(_ body: (StoredOrder.Span) -> Void) throws(WireError) {
    var line = SpanLine()
    while !isAtEnd {
      let head = try byte()
      let replica = head & SpanHead.replica == 0 ? line.replica : Int(truncatingIfNeeded: try varint())
      var counter = line.counter
      if head & SpanHead.counter != 0 { counter &+= UInt64(bitPattern: try signedVarint()) }
      let count = head & SpanHead.count == 0 ? 1 : Int(truncatingIfNeeded: try varint())
      var gap = line.lastDepth
      if head & SpanHead.gap != 0 { gap &+= Int(truncatingIfNeeded: try signedVarint()) }
      var depth = gap &+ 1
      if head & SpanHead.depth != 0 { depth &+= Int(truncatingIfNeeded: try signedVarint()) }
      let isLive = head & SpanHead.isDead == 0
      var (utf8, utf16) = isLive ? (count, count) : (0, 0)
      if head & SpanHead.text != 0 {
        utf8 &+= Int(truncatingIfNeeded: try varint())
        utf16 &+= Int(truncatingIfNeeded: try varint())
      }
      let span = StoredOrder.Span(
        replica: replica, counter: counter, count: count, depth: depth, gap: gap,
        side: head & SpanHead.isLeft == 0 ? .right : .left, isLive: isLive, utf8Count: utf8, utf16Count: utf16)
      body(span)
      line.pass(span)
    }
  }
}
