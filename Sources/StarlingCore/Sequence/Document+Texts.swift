// Scalars of texts: how they come and go (Protocol/merge.md, "Texts").

extension Document {
  /// Applies one of the operations that only lists and texts know.
  mutating func applyToSequence(_ action: Action, at key: Key, _ step: Step, patch: inout Patch) {
    let kind = objects[step.object].kind
    switch (action, key) {
    case (.insert(.text(let scalars), let side), .element(let anchor)) where kind == .text:
      guard let place = place(side, of: anchor, in: step.object) else { return }
      applyInsert(scalars, at: place, step, patch: &patch)
    case (.insert(.values(let values), let side), .element(let anchor)) where kind == .list:
      guard let place = place(side, of: anchor, in: step.object) else { return }
      applyInsert(values, at: place, step, patch: &patch)
    case (.removeRun(let count), .element(let first)):
      guard let item = item(first) else { return }
      let run = ItemRun(first: item, count: Int(count))
      if kind == .text { applyRemove(scalars: run, step, patch: &patch) }
      if kind == .list { applyRemove(elements: run, step, patch: &patch) }
    case (.move(let edge, let replacing), .element(let element)) where kind == .list:
      guard let place = place(edge.side, of: edge.item, in: step.object) else { return }
      applyMove(element, to: place, replacing: replacing, step, patch: &patch)
    case (.mark(let mark), _) where kind == .text:
      applyMark(mark, name: key, step, patch: &patch)
    default:
      return
    }
  }

  /// The place beside an item of the object's; nil if it is none of its items.
  func place(_ side: Side, of anchor: Dot, in object: ObjectHandle) -> Place? {
    if anchor == .origin { return Place(parent: .start, side: .right) }
    guard let item = item(anchor), let sequence = sequence(of: object), isKnown(item, in: sequence) else { return nil }
    return Place(parent: item, side: side)
  }

  mutating func applyInsert(_ scalars: Scalars, at place: Place, _ step: Step, patch: inout Patch) {
    scalars.withUTF8 { applyInsert($0, count: scalars.count, at: place, step, patch: &patch) }
  }

  /// - Parameter text: UTF-8 of `count` scalars.
  mutating func applyInsert(
    _ text: UnsafeBufferPointer<UInt8>, count: Int, at place: Place, _ step: Step, patch: inout Patch
  ) {
    let sequence = makeSequence(of: step.object)
    altering(textOf: step.object, patch: &patch) { document, patch in
      let run = ItemRun(first: step.dot, count: count)
      let index = document.insert(run, at: place, text: text, isLive: true, in: sequence)
      if let index, patch.listsPlainWrites {
        patch.record(.insert(at: index, count: run.count), in: document.objects[step.object].id)
      }
    }
  }

  mutating func applyRemove(scalars run: ItemRun, _ step: Step, patch: inout Patch) {
    guard let sequence = sequence(of: step.object) else { return }
    altering(textOf: step.object, patch: &patch) { document, patch in
      document.removeScalars(run, from: sequence, cause: .operation(step.dot), patch: &patch)
    }
  }

  /// Removes those scalars of the run that are live. The slots above are the caller's.
  mutating func removeScalars(
    _ run: ItemRun, from sequence: SequenceHandle, cause: Removal.Cause, patch: inout Patch
  ) {
    let object = objects[sequences[sequence].object].id
    var (hasRemoved, lookCount) = (false, 0)
    func remove(_ part: ItemRun) {
      lookCount += 1
      lookCount += sequences[sequence].tree.remove(part) { range in
        hasRemoved = true
        if patch.listsPlainWrites { patch.record(.remove(at: range.lowerBound, count: range.count), in: object) }
      }
    }
    if sequences[sequence].bare.isEmpty {
      remove(run)
    } else {
      for part in sequences[sequence].bare.rest(of: run) { remove(part) }
    }
    sequences[sequence].bare.note(run, lookCount: lookCount)
    if hasRemoved { note(cause, of: run, in: sequence) }
  }

  // MARK: Clears

  /// Removes what the version covers of a sequence below a slot that is cleared.
  mutating func clear(
    _ clearing: VersionVector, _ sequence: SequenceHandle, working: SlotHandle, by operation: DotRow, patch: inout Patch
  ) {
    let object = sequences[sequence].object
    let cause = Removal.Cause.operation(operation)
    if objects[object].kind == .list {
      var doomed: ContiguousArray<DotRow> = []
      forEachElement(of: object) { element, _ in if clearing.covers(dot(element)) { doomed.append(element) } }
      for element in doomed {
        removeElement(element, from: sequence, cause: cause, working: working, patch: &patch)
      }
      return
    }
    altering(textOf: object, working: working, patch: &patch) { document, patch in
      for run in document.liveRuns(of: sequence, coveredBy: clearing) {
        document.removeScalars(run, from: sequence, cause: cause, patch: &patch)
      }
      document.dropMarks(of: sequence, patch: &patch) { _, dot in clearing.covers(dot) }
    }
  }

  func liveRuns(of sequence: SequenceHandle, coveredBy version: VersionVector) -> ContiguousArray<ItemRun> {
    var runs: ContiguousArray<ItemRun> = []
    sequences[sequence].tree.forEachRun { stored, _ in
      let run = stored.run
      guard stored.isLive else { return }
      let covered = version[replicas[run.first.replica]]
      guard covered >= run.first.counter else { return }
      let count = min(UInt64(run.count), covered - run.first.counter + 1)
      runs.append(ItemRun(first: run.first, count: Int(count)))
    }
    return runs
  }
}
