// Elements of lists: how they come, go and move (Protocol/merge.md, "Lists").

extension Document {
  // MARK: Applying

  mutating func applyInsert(_ values: [Value], at place: Place, _ step: Step, patch: inout Patch) {
    let sequence = makeSequence(of: step.object)
    let run = ItemRun(first: step.dot, count: values.count)
    guard let index = insert(run, at: place, isLive: true, in: sequence) else { return }
    for (offset, value) in values.enumerated() {
      let dot = step.dot.advanced(by: offset)
      addElement(
        EntryRow(value: value, replica: dot.replica, counter: dot.counter, stamp: step.stamp), to: step.object,
        patch: &patch)
    }
    patch.record(.insert(at: index, count: values.count), in: objects[step.object].id)
  }

  /// The slot of a new element. The patch need not speak of it: it says that the element came.
  private mutating func addElement(_ entry: EntryRow, to list: ObjectHandle, patch: inout Patch) {
    let slot = makeSlot(list, .element(dot(entry.dot)))
    if case .object(let kind) = entry.value {
      begin(kind, by: entry.dot, entry.stamp, at: slot)
    } else if let moved = entry.value.movedObject {
      place(moved, by: entry.dot, entry.stamp, at: slot)
    }
    _ = slots.exchangePlainEntry(slot, entry.value, entry.dot, entry.stamp)
    propagate(in: list, came: true, working: .none, patch: &patch)
  }

  mutating func applyRemove(elements run: ItemRun, _ step: Step, patch: inout Patch) {
    guard let sequence = sequence(of: step.object) else { return }
    var lookCount = 0
    for part in sequences[sequence].bare.rest(of: run) {
      lookCount += 1 + min(part.count, Int(objects[step.object].presentCount))
      for element in standing(in: part, of: step.object) {
        removeElement(element, from: sequence, cause: .operation(step.dot), patch: &patch)
      }
    }
    sequences[sequence].bare.note(run, lookCount: lookCount)
  }

  /// The elements of the list whose dots are in the run, ascending.
  ///
  /// - Complexity: O(dots in the run), or O(slots of the list) where those are fewer.
  private func standing(in run: ItemRun, of list: ObjectHandle) -> ContiguousArray<DotRow> {
    var found: ContiguousArray<DotRow> = []
    let replica = replicas[run.first.replica]
    if run.count <= Int(objects[list].presentCount) {
      for offset in 0..<run.count {
        let element = run.first.advanced(by: offset)
        if find(.element(Dot(replica, element.counter)), in: list) != nil { found.append(element) }
      }
      return found
    }
    forEachElement(of: list) { element, _ in
      if element.replica == run.first.replica, element.counter &- run.first.counter < UInt64(run.count) {
        found.append(element)
      }
    }
    found.sort { $0.counter < $1.counter }
    return found
  }

  /// Calls `body` with each element that stands, and its slot, in no order.
  func forEachElement(of list: ObjectHandle, _ body: (DotRow, SlotHandle) -> Void) {
    forEachSlot(of: list) { slot in
      if case .element(let dot) = keys[slots[slot].key], let element = item(dot) { body(element, slot) }
    }
  }

  /// The element goes whole: its value, what stands below it, its candidates.
  mutating func removeElement(
    _ element: DotRow, from sequence: SequenceHandle, cause: Removal.Cause, working: SlotHandle = .none,
    patch: inout Patch
  ) {
    let list = sequences[sequence].object
    let id = objects[list].id
    guard let slot = find(.element(dot(element)), in: list) else { return }
    for candidate in candidates(of: element, in: sequence) {
      sequences[sequence].tree.remove(ItemRun(candidate.item)) {
        patch.record(.remove(at: $0.lowerBound, count: $0.count), in: id)
      }
      sequences[sequence].elements[candidate.item] = nil
      note(cause, of: ItemRun(candidate.item), in: sequence)
    }
    sequences[sequence].moved[element] = nil
    let wasPresent = slots.isPresent(slot)
    var below: [ObjectID] = []
    var places: [(dot: DotRow, object: ObjectID)] = []
    forEachPlace(in: slot) { places.append(($0, $1)) }
    forEachChild(of: slot) { below.append(objects[$0].id) }
    for place in places { placeWent(place.dot, of: place.object, patch: &patch) }
    for object in below { kill(object, patch: &patch) }
    patch.forget(slot)
    if slots[slot].hidesEntries { moves.hidden[slot] = nil }
    releaseSlot(slot)
    if wasPresent { propagate(in: list, came: false, working: working, patch: &patch) }
  }

  mutating func applyMove(
    _ element: Dot, to place: Place, replacing: [Dot], _ step: Step, patch: inout Patch
  ) {
    let sequence = makeSequence(of: step.object)
    guard insert(ItemRun(step.dot), at: place, isLive: false, in: sequence) != nil else { return }
    guard let slot = find(.element(element), in: step.object), slots[slot].object == step.object,
      let element = item(element)
    else {
      // The element is gone. A replica that merged the move and not the removal sees it there, and may anchor something
      // on the item. While a change is applied, the version does not have it yet: one change's moves share one copy.
      return note(.lateMove(step.dot, after: version), of: ItemRun(step.dot), in: sequence)
    }
    var candidates = candidates(of: element, in: sequence)
    for dot in replacing {
      guard let item = item(dot), let place = candidates.firstIndex(where: { $0.item == item }) else { continue }
      candidates.remove(at: place)
      note(.operation(step.dot), of: ItemRun(item), in: sequence)
    }
    candidates.append(Candidate(item: step.dot, stamp: step.stamp))
    give(element, candidates, in: sequence, patch: &patch)
  }

  // MARK: Candidates

  /// The items that the element, which must stand, may stand at.
  func candidates(of element: DotRow, in sequence: SequenceHandle) -> Candidates {
    sequences[sequence].moved[element] ?? [Candidate(item: element, stamp: Stamp(rawValue: 0))]
  }

  /// Whether an element may stand at the item, whether or not a reader sees it there.
  func isCandidate(_ item: DotRow, in sequence: SequenceHandle) -> Bool {
    let row = sequences[sequence]
    if row.elements[item] != nil { return true }
    return row.moved[item].map { $0.contains { $0.item == item } } ?? (row.tree.liveness(of: item) == true)
  }

  /// The candidate that a reader sees.
  func visible(_ candidates: Candidates) -> DotRow {
    var greatest = candidates[0]
    for candidate in candidates.dropFirst() {
      let isGreater = isLess(
        (greatest.stamp, greatest.item.replica, greatest.item.counter),
        (candidate.stamp, candidate.item.replica, candidate.item.counter))
      if isGreater { greatest = candidate }
    }
    return greatest.item
  }

  /// The name of the item at which a reader sees the element; nil if it does not stand.
  func candidate(of element: Dot, in list: ObjectID) -> Dot? {
    guard let sequence = sequence(of: list), find(.element(element), in: list) != nil, let element = item(element)
    else { return nil }
    return dot(visibleItem(of: element, in: sequence))
  }

  /// The item at which a reader sees the element, which must stand.
  func visibleItem(of element: DotRow, in sequence: SequenceHandle) -> DotRow {
    sequences[sequence].moved[element].map { visible($0) } ?? element
  }

  /// Gives an element that stands other candidates, all of them items of the sequence.
  mutating func give(
    _ element: DotRow, _ candidates: Candidates, in sequence: SequenceHandle, patch: inout Patch
  ) {
    let former = self.candidates(of: element, in: sequence)
    for candidate in former { sequences[sequence].elements[candidate.item] = nil }
    for candidate in candidates where candidate.item != element {
      sequences[sequence].elements[candidate.item] = element
    }
    if let slot = find(.element(dot(element)), in: sequences[sequence].object), isHiddenElement(slot) {
      sequences[sequence].moved[element] = candidates
      return
    }
    let isUnmoved = candidates.count == 1 && candidates[0].item == element
    sequences[sequence].moved[element] = isUnmoved ? nil : candidates
    show(visible(candidates), insteadOf: visible(former), in: sequence, patch: &patch)
  }

  private mutating func show(
    _ item: DotRow, insteadOf former: DotRow, in sequence: SequenceHandle, patch: inout Patch
  ) {
    guard item != former else { return }
    var from: Int?
    sequences[sequence].tree.remove(ItemRun(former)) { from = $0.lowerBound }
    let to = sequences[sequence].tree.revive(item)
    let object = objects[sequences[sequence].object].id
    guard let to else { preconditionFailure("The candidate \(name(of: item)) is no item of the list.") }
    if let from {
      if from != to { patch.record(.move(from: from, to: to), in: object) }
    } else {
      patch.record(.insert(at: to, count: 1), in: object)
    }
  }
}
