import StarlingCore

extension SnapshotWriter {
  mutating func write(_ sequence: Snapshot.Sequence?) {
    guard let sequence else {
      bytes.append(varint: 0)
      return
    }
    bytes.append(varint: 1 + sequence.runs.count)
    let place = bytes.count
    var runs = RunLine()
    var scalarCount = 0
    for run in sequence.runs {
      write(run, after: &runs)
      if case .text(let count) = run.content { scalarCount += count }
    }
    precondition(
      scalarCount == sequence.text.count, "Runs of \(scalarCount) scalars have a text of \(sequence.text.count).")
    var byteCount: [UInt8] = []
    byteCount.append(varint: bytes.count - place)
    bytes.insert(contentsOf: byteCount, at: place)
    bytes.append(packable: sequence.text.utf8)
    write(sequence.marks)
  }

  private mutating func write(_ run: Snapshot.Run, after runs: inout RunLine) {
    let count = run.content.count
    precondition(count > 0, "A run at \(run.first) holds nothing.")
    let headPlace = bytes.count
    bytes.append(0)
    let first = place(of: run.first)
    var head = write(first, after: runs)
    runs.begin(at: first)
    let anchor = place(of: run.anchor.item)
    head |= write(anchor, run.anchor.side, of: first, after: runs)
    let last = ItemPlace(replica: first.replica, counter: first.counter + UInt64(count) - 1)
    precondition(
      last.counter <= version.entries[last.replica].counter,
      "A snapshot at \(version) holds \(count) from \(run.first).")
    runs.end(at: last, leftOf: run.anchor.side == .left ? anchor : nil)
    if count > 1 {
      head |= RunHead.countGiven
      bytes.append(varint: count)
    }
    switch run.content {
    case .text: head |= RunHead.text
    case .removed: head |= RunHead.removed
    case .elements: head |= RunHead.elements
    case .moved(let element, let stamp):
      head |= RunHead.moved
      write(element)
      writeDifference(of: stamp)
    }
    bytes[headPlace] = head
  }

  private mutating func write(_ first: ItemPlace, after runs: RunLine) -> UInt8 {
    if first == runs.awaited { return RunHead.awaited }
    guard first.replica == runs.before.replica else {
      bytes.append(varint: first.replica)
      bytes.append(varint: version.entries[first.replica].counter - first.counter)
      return RunHead.wholeDot
    }
    if first == runs.before.next { return RunHead.dotNext }
    bytes.append(signedVarint: Int64(first.counter) - Int64(runs.before.counter + 1))
    return RunHead.dotDifference
  }

  private mutating func write(
    _ anchor: ItemPlace, _ side: Side, of first: ItemPlace, after runs: RunLine
  ) -> UInt8 {
    switch side {
    case .right where anchor.next == first && anchor != .origin: return RunHead.rightOfPredecessor
    case .right where anchor == runs.before: return RunHead.rightOfBefore
    case .left where anchor == runs.before.next && runs.before != .origin: return RunHead.leftOfNext
    case .left where anchor == runs.awaited: return RunHead.leftOfAwaited
    default: break
    }
    // The origin; an item of the run's own replica; an item of another.
    if anchor == .origin {
      bytes.append(varint: 0)
    } else if anchor.replica == first.replica {
      bytes.append(varint: 1)
      bytes.append(signedVarint: Int64(anchor.counter) - Int64(first.counter))
    } else {
      bytes.append(varint: 2 + anchor.replica)
      bytes.append(varint: version.entries[anchor.replica].counter - anchor.counter)
    }
    return side == .right ? RunHead.rightOfGiven : RunHead.leftOfGiven
  }

  // MARK: Marks

  private mutating func write(_ marks: [Mark]) {
    bytes.append(varint: marks.count)
    var names: [Key: Int] = [:]
    for mark in marks {
      write(mark.dot)
      if let number = names[mark.name] {
        bytes.append(varint: number)
      } else {
        names[mark.name] = names.count + 1
        bytes.append(varint: 0)
        bytes.append(mark.name)
      }
      write(mark.start)
      write(mark.end)
      bytes.append(varint: mark.rank)
      bytes.append(mark.value)
    }
  }

  private mutating func write(_ edge: Edge) {
    let side = Int(edge.side.rawValue)
    guard edge.item != .origin else {
      bytes.append(varint: side)
      return
    }
    let replica = number(of: edge.item.replica)
    bytes.append(varint: 2 * (1 + replica) + side)
    writeCounter(of: edge.item, replica: replica)
  }

  private mutating func place(of item: Dot) -> ItemPlace {
    if item == .origin { return .origin }
    let replica = number(of: item.replica)
    precondition(
      1...version.entries[replica].counter ~= item.counter, "A snapshot at \(version) holds the item \(item).")
    return ItemPlace(replica: replica, counter: item.counter)
  }
}
