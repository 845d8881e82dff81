// Taking away what a writer saw beneath a slot (Protocol/merge.md, "Clears").

extension Document {
  /// Drops the counter shares at the slot whose birth is covered, with all later increments to them.
  mutating func clearShares(_ clearing: Version, at slot: SlotHandle) {
    dropShares(at: slot) { clearing.covers($0) }
  }

  /// Drops the shares of which `isDoomed` holds, called with the dot of the increment that began them.
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
    _ clearing: Version, beneath slot: SlotHandle, keeping kept: Kind?, by operation: DotRow, patch: inout Patch
  ) {
    let (touched, sequences) = whatIsTouched(by: clearing, beneath: slot, keeping: kept)
    for sequence in sequences { clear(clearing, sequence, working: slot, by: operation, patch: &patch) }
    for place in touched.reversed() {
      var account = openAccount(place)
      drop(account: &account, patch: &patch) { clearing.covers($0) }
      clearShares(clearing, at: place)
      closeAccount(account, working: slot, patch: &patch)
    }
  }

  /// The slots beneath `top` in which something is covered, each before those beneath it; and the sequences.
  private mutating func whatIsTouched(
    by clearing: Version, beneath top: SlotHandle, keeping kept: Kind?
  ) -> (slots: ContiguousArray<SlotHandle>, sequences: ContiguousArray<SequenceHandle>) {
    var touched: ContiguousArray<SlotHandle> = []
    var sequences: ContiguousArray<SequenceHandle> = []
    var objectsToVisit: ContiguousArray<ObjectHandle> = []
    forEachChild(of: top) { if objects[$0].kind != kept { objectsToVisit.append($0) } }
    while let object = objectsToVisit.popLast() {
      openContents(of: object)
      if let sequence = sequence(of: object) { sequences.append(sequence) }
      guard objects[object].presentCount > 0 else { continue }
      forEachSlot(of: object) { slot in
        // An element goes or stays whole.
        if case .element = keys[slots[slot].key] { return }
        if holdsSomething(coveredBy: clearing, slot) { touched.append(slot) }
        forEachChild(of: slot) { objectsToVisit.append($0) }
      }
    }
    return (touched, sequences)
  }

  private func holdsSomething(coveredBy version: Version, _ slot: SlotHandle) -> Bool {
    if slots[slot].hasEntry, version.covers(dot(slots.dot(slot))) { return true }
    guard slots[slot].isCompound else { return false }
    return slots[compound: slot].siblings.contains { version.covers(dot($0.dot)) }
      || slots[compound: slot].shares.contains { version.covers(Dot(replicas[$0.replica], $0.birth)) }
  }
}
