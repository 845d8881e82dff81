import StarlingCore

extension LiveEncoder {
  /// Whether the definitions that a history would imply are those of its changes.
  func canCarry(_ history: TextHistory) -> Bool {
    var object = history.object
    var rest = history.objects[...]
    while true {
      if let known = saidPlace(of: object) {
        var ancestor = known
        while state.objects[ancestor].isDefined {
          guard rest.popLast()?.id == state.objects[ancestor].id else { return false }
          ancestor = state.objects[ancestor].parent
        }
        return rest.isEmpty
      }
      guard let last = rest.last, last.id == object else { return rest.isEmpty }
      rest.removeLast()
      object = last.parent
    }
  }

  mutating func encode(_ history: TextHistory, into payload: inout [UInt8]) {
    OutputBuffer.appending(to: &payload) { write(history, into: &$0) }
  }

  private mutating func write(_ history: TextHistory, into payload: inout OutputBuffer) {
    payload.append(historyHead)
    payload.append(varint: history.stamps.count)
    let writer = write(history.replica, into: &payload)
    state.writer = writer
    payload.append(
      signedVarint: Int64(bitPattern: history.firstCounter &- state.replicas[writer].counter &- 1))
    let object = history.objects.withUnsafeBufferPointer { definitions in
      var listing = Listing(definitions)
      return writeObject(history.object, mustBeDefined: false, listing: &listing, into: &payload)
    }
    state.cursor = SequenceCursor(object: object)
    for run in history.operationCounts {
      payload.append(varint: run.changes)
      payload.append(varint: run.operations)
    }
    var counter = history.firstCounter
    for stroke in history.strokes {
      write(stroke, named: counter, writer: writer, into: &payload)
      counter += stroke.counterCount
    }
    payload.append(packable: history.text.utf8)
    write(Array(history.stamps)[...], into: &payload)
    state.replicas[writer].counter = max(state.replicas[writer].counter, counter - 1)
    if state.load.isTooMuch { state = State() }
  }

  private mutating func write(
    _ stroke: TextHistory.Stroke, named counter: UInt64, writer: Int, into payload: inout OutputBuffer
  ) {
    let count = UInt64(stroke.operationCount)
    var head = (count - 1) << StrokeHead.countShift | (stroke.size > 1 ? StrokeHead.sizeGiven : 0)
    switch stroke.action {
    case .insert(let edge):
      head |= StrokeHead.insert
      let isHere = edge.side == .right && isBeforeCursor(edge.item)
      payload.append(varint: isHere ? head : head | StrokeHead.placeGiven)
      if stroke.size > 1 { payload.append(varint: stroke.size) }
      if !isHere { writeNear(edge, into: &payload) }
      state.cursor.inserted(by: writer, upTo: counter + stroke.itemCount - 1)
    case .removeForwards(let item):
      head |= StrokeHead.removeForwards
      // A single removal at the cursor may be either.
      if count == 1, isBeforeCursor(Dot(item.replica, item.counter + stroke.size - 1)) {
        head ^= StrokeHead.removeForwards | StrokeHead.removeBackwards
        writeRemoval(head, stroke, item, isHere: true, into: &payload)
      } else {
        let isHere = isAtCursor(item.replica) && item.counter == state.cursor.after
        writeRemoval(head, stroke, item, isHere: isHere, into: &payload)
      }
      state.cursor.removed(
        stroke.size, from: item.counter + (count - 1) * stroke.size, of: place(of: item.replica)!)
    case .removeBackwards(let item):
      head |= StrokeHead.removeBackwards
      let isHere = isBeforeCursor(Dot(item.replica, item.counter + stroke.size - 1))
      writeRemoval(head, stroke, item, isHere: isHere, into: &payload)
      state.cursor.removed(
        stroke.size, from: item.counter - (count - 1) * stroke.size, of: place(of: item.replica)!)
    }
  }

  private mutating func writeRemoval(
    _ head: UInt64, _ stroke: TextHistory.Stroke, _ item: Dot, isHere: Bool, into payload: inout OutputBuffer
  ) {
    payload.append(varint: isHere ? head : head | StrokeHead.placeGiven)
    if stroke.size > 1 { payload.append(varint: stroke.size) }
    if !isHere { writeNear(Edge(.right, of: item), into: &payload) }
  }

  /// An edge whose counter, of the cursor's replica, is spelled by the item before the cursor.
  private mutating func writeNear(_ edge: Edge, into payload: inout OutputBuffer) {
    guard isAtCursor(edge.item.replica), edge.item != .origin else { return write(edge, into: &payload) }
    payload.append(varint: 2 * (1 + state.replicas[state.cursor.replica].said.number) + Int(edge.side.rawValue))
    payload.append(signedVarint: Int64(edge.item.counter) - Int64(state.cursor.before))
  }

  // MARK: Stamps

  private mutating func write(_ stamps: ArraySlice<Stamp>, into payload: inout OutputBuffer) {
    var rest = stamps
    while let first = rest.first {
      let form = StampRun.form(of: first, after: state.stamp)
      let steps = zip(rest, [state.stamp] + rest)
      var count = steps.prefix { StampRun.form(of: $0, after: $1) == form }.count
      let step = first.milliseconds - min(first.milliseconds, state.stamp.milliseconds)
      if form == StampRun.later {
        let evenCount = steps.prefix { $0.milliseconds == $1.milliseconds &+ step && $0.logical == 0 }.count
        if evenCount > 1 {
          payload.append(varint: UInt64(evenCount) << StampRun.countShift | StampRun.evenly)
          payload.append(varint: step)
          state.stamp = rest[rest.startIndex + evenCount - 1]
          rest = rest.dropFirst(evenCount)
          continue
        }
        // Up to where the next even steps begin.
        count =
          rest.indices.prefix(count).dropFirst(2).first { place in
            let (one, two, three) = (
              rest[place - 2].milliseconds, rest[place - 1].milliseconds, rest[place].milliseconds
            )
            return three &- two == two &- one
          }.map { $0 - 1 - rest.startIndex } ?? count
      }
      payload.append(varint: UInt64(count) << StampRun.countShift | form)
      for stamp in rest.prefix(count) where form != StampRun.successors {
        if form == StampRun.later {
          payload.append(varint: stamp.milliseconds - state.stamp.milliseconds)
        } else {
          payload.append(signedVarint: Int64(stamp.milliseconds) - Int64(state.stamp.milliseconds))
          payload.append(varint: stamp.logical)
        }
        state.stamp = stamp
      }
      state.stamp = rest[rest.startIndex + count - 1]
      rest = rest.dropFirst(count)
    }
  }
}

extension StampRun {
  fileprivate static func form(of stamp: Stamp, after before: Stamp) -> UInt64 {
    if stamp.rawValue == before.rawValue &+ 1 { return successors }
    return stamp.logical == 0 && stamp.milliseconds > before.milliseconds ? later : whole
  }
}
