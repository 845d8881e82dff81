// What lists and texts have in common: where their rows are, and how items come and go.

extension Document {
  @inline(__always)
  func sequence(of object: ObjectHandle) -> SequenceHandle? {
    let handle = objects[object].sequence
    return handle.isNone ? nil : handle
  }

  /// The sequence of a list or text; nil if the object stands not, is neither, or never held an item.
  func sequence(of object: ObjectID) -> SequenceHandle? {
    standing(object).flatMap { sequence(of: $0) }
  }

  mutating func makeSequence(of object: ObjectHandle) -> SequenceHandle {
    openText(of: object)
    if let handle = sequence(of: object) { return handle }
    let handle = sequences.insert(SequenceRow(object: object, holdsText: objects[object].kind == .text))
    objects[object].sequence = handle
    return handle
  }

  mutating func releaseSequence(of object: ObjectHandle) {
    guard let handle = sequence(of: object) else { return }
    sequences.remove(handle)
    objects[object].sequence = .none
  }

  var sequenceHandles: some Sequence<SequenceHandle> {
    (0..<sequences.extent).lazy.map { SequenceHandle($0) }.filter { !sequences[$0].object.isNone }
  }

  // MARK: Names

  /// The item named `dot`, if its replica wrote anything that stands here.
  func item(_ dot: Dot) -> DotRow? {
    if dot == .origin { return .start }
    return replicas.find(dot.replica).map { DotRow(replica: $0, counter: dot.counter) }
  }

  @inline(__always)
  func name(of item: DotRow) -> Dot {
    item == .start ? .origin : dot(item)
  }

  func edge(_ row: EdgeRow) -> Edge {
    Edge(row.side, of: name(of: row.item))
  }

  mutating func row(_ edge: Edge) -> EdgeRow {
    EdgeRow(item: row(ofItem: edge.item), side: edge.side)
  }

  mutating func row(ofItem dot: Dot) -> DotRow {
    dot == .origin ? .start : DotRow(replica: replicas.intern(dot.replica), counter: dot.counter)
  }

  /// Whether the item is one of the sequence, removed or not, or the origin.
  func isKnown(_ item: DotRow, in sequence: SequenceHandle) -> Bool {
    item == .start || sequences[sequence].tree.contains(item)
  }

  // MARK: Coming and going

  /// Puts items into the order.
  ///
  /// - Returns: The visible index at which they stand, or would; nil if the anchor is none.
  mutating func insert(
    _ run: ItemRun, at place: Place, text: [UInt8] = [], isLive: Bool, in sequence: SequenceHandle
  ) -> Int? {
    text.withUnsafeBufferPointer { insert(run, at: place, text: $0, isLive: isLive, in: sequence) }
  }

  mutating func insert(
    _ run: ItemRun, at place: Place, text: UnsafeBufferPointer<UInt8>, isLive: Bool, in sequence: SequenceHandle
  ) -> Int? {
    // Taken out for so long: a copy counts all that the table owns, with each insertion.
    var replicas = ReplicaTable.placeholder
    swap(&replicas, &self.replicas)
    defer { swap(&replicas, &self.replicas) }
    return sequences[sequence].tree.insert(run, at: place, text: text, isLive: isLive) { replicas[$0] < replicas[$1] }
  }

  /// Notes that items were removed, so that they can be collected.
  mutating func note(_ cause: Removal.Cause, of run: ItemRun, in sequence: SequenceHandle) {
    if let last = sequences[sequence].removals.last, case .operation(let former) = last.cause,
      case .operation(let latter) = cause, former == latter, last.run.first.replica == run.first.replica,
      last.run.first.counter + UInt64(last.run.count) == run.first.counter
    {
      sequences[sequence].removals.extendLast(by: run.count)
    } else {
      sequences[sequence].removals.append(Removal(run: run, cause: cause))
    }
  }

  /// Does what may make the text of the object begin or cease to show anything, and tells the slots above.
  mutating func altering(
    textOf object: ObjectHandle, working: SlotHandle = .none, patch: inout Patch,
    _ body: (inout Document, inout Patch) -> Void
  ) {
    let held = holdsText(object)
    body(&self, &patch)
    let holds = holdsText(object)
    if holds != held { propagate(in: object, came: holds, working: working, patch: &patch) }
  }

  /// Whether a live scalar stands in the object; it counts among what is present there as a slot does.
  @inline(__always)
  func holdsText(_ object: ObjectHandle) -> Bool {
    guard objects[object].kind == .text else { return false }
    if let sequence = sequence(of: object) { return sequences[sequence].tree.count > 0 }
    return unopened != nil && isUnopened(object)
  }
}
