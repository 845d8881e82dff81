// Taking away what a writer saw below a slot (Protocol/merge.md, "Clears").

extension Document {
  /// Drops the counter shares at the slot whose birth is covered, with all later increments to them.
  mutating func clearShares(_ clearing: VersionVector, at slot: SlotHandle) {
    dropShares(at: slot) { clearing.covers($0) }
  }

  /// Drops the shares for which `isDoomed` returns true, called with the dot of the increment that began them.
  mutating func dropShares(at slot: SlotHandle, where isDoomed: (Dot) -> Bool) {
    guard slots.hasShares(slot) else { return }
    var kept = slots[compound: slot].shares
    kept.removeAll { isDoomed(Dot(replicas[$0.replica], $0.birth)) }
    slots[compound: slot].total = kept.reduce(0) { $0 &+ $1.total }
    slots[compound: slot].shares = kept
  }

  /// Drops what `clearing` covers in the objects derived from the slot, and from their slots in turn.
  /// What it does not cover stays; what stands in an assigned object goes or stays with its entry.
  ///
  /// The slot itself has an account open.
  mutating func clear(
    _ clearing: VersionVector, below slot: SlotHandle, keeping kept: Kind?, by operation: DotRow, patch: inout Patch
  ) {
    var top: ContiguousArray<ObjectHandle> = []
    forEachChild(of: slot) { if objects[$0].kind != kept { top.append($0) } }
    let (touched, sequences) = whatIsTouched(by: clearing, in: top)
    for sequence in sequences { clear(clearing, sequence, working: slot, by: operation, patch: &patch) }
    for place in touched.reversed() {
      var account = openAccount(place)
      drop(account: &account, patch: &patch) { clearing.covers($0) }
      clearShares(clearing, at: place)
      closeAccount(account, working: slot, patch: &patch)
    }
  }

  /// The kinds of those objects derived from the slot in which, or below which, `clearing` would take something away.
  ///
  /// - Complexity: O(what stands below the slot)
  mutating func kinds(touchedBy clearing: VersionVector, below slot: SlotHandle) -> Set<Kind> {
    var children: ContiguousArray<ObjectHandle> = []
    forEachChild(of: slot) { children.append($0) }
    var kinds: Set<Kind> = []
    for child in children {
      let (touched, sequences) = whatIsTouched(by: clearing, in: [child])
      if !touched.isEmpty || sequences.contains(where: { covers(clearing, anythingIn: $0) }) {
        kinds.insert(objects[child].kind)
      }
    }
    return kinds
  }

  private func covers(_ clearing: VersionVector, anythingIn sequence: SequenceHandle) -> Bool {
    guard objects[sequences[sequence].object].kind == .list else {
      return !liveRuns(of: sequence, coveredBy: clearing).isEmpty
        || sequences[sequence].marks.contains { clearing.covers(dot($0.dot)) }
    }
    var isAnyCovered = false
    forEachElement(of: sequences[sequence].object) { element, _ in
      if clearing.covers(dot(element)) { isAnyCovered = true }
    }
    return isAnyCovered
  }

  /// The slots of the objects and of those below them in which something is covered, each before those below it;
  /// and the sequences.
  private mutating func whatIsTouched(
    by clearing: VersionVector, in top: ContiguousArray<ObjectHandle>
  ) -> (slots: ContiguousArray<SlotHandle>, sequences: ContiguousArray<SequenceHandle>) {
    var touched: ContiguousArray<SlotHandle> = []
    var sequences: ContiguousArray<SequenceHandle> = []
    var objectsToVisit = top
    while let object = objectsToVisit.popLast() {
      openContents(of: object)
      if let sequence = sequence(of: object), holdsAnything(sequence) { sequences.append(sequence) }
      // Marks stay in a text that shows nothing any more: a clear has them to take.
      guard objects[object].presentCount > 0 || objects[object].markedCount > 0 || !moves.hidden.isEmpty else {
        continue
      }
      forEachSlot(of: object) { slot in
        // An element goes or stays whole.
        if case .element = keys[slots[slot].key] { return }
        if holdsSomething(coveredBy: clearing, slot) { touched.append(slot) }
        forEachChild(of: slot) { objectsToVisit.append($0) }
      }
    }
    return (touched, sequences)
  }

  private func holdsAnything(_ sequence: SequenceHandle) -> Bool {
    sequences[sequence].tree.count > 0 || !sequences[sequence].marks.isEmpty || !moves.hidden.isEmpty
  }

  private func holdsSomething(coveredBy version: VersionVector, _ slot: SlotHandle) -> Bool {
    if slots[slot].hasEntry, version.covers(dot(slots.dot(slot))) { return true }
    if slots[slot].hidesEntries, let hidden = moves.hidden[slot],
      hidden.contains(where: { version.covers(dot($0.dot)) })
    {
      return true
    }
    guard slots[slot].isCompound else { return false }
    return slots[compound: slot].siblings.contains { version.covers(dot($0.dot)) }
      || slots[compound: slot].shares.contains { version.covers(Dot(replicas[$0.replica], $0.birth)) }
  }
}
