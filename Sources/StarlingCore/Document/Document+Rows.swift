// How slots and objects begin and end. Nothing here decides anything about merging.

extension Document {
  /// The slot at (object, key), made if it is not there.
  mutating func makeSlot(_ object: ObjectHandle, _ key: Key) -> SlotHandle {
    if let known = keys.find(key), let slot = slots.find(object, known) { return slot }
    if unopened != nil, let slot = openBlock(holding: key, of: object) { return slot }
    return addSlot(object, key)
  }

  /// A slot at (object, key), where none is.
  mutating func addSlot(_ object: ObjectHandle, _ key: Key) -> SlotHandle {
    link(SlotRow(object: object, key: keys.retain(key)))
  }

  /// The same, with an entry in it that puts no object anywhere.
  mutating func addSlot(_ object: ObjectHandle, _ key: Key, holding entry: Entry) {
    let dot = row(entry.dot)
    var row = SlotRow(object: object, key: keys.retain(key))
    if SlotRow.fits(dot) {
      slots.put(entry.value, dot, entry.stamp, into: &row)
      _ = link(row)
    } else {
      let slot = link(row)
      _ = slots.exchangePlainEntry(slot, entry.value, dot, entry.stamp)
    }
  }

  /// Makes the slot the first of its object.
  private mutating func link(_ row: SlotRow) -> SlotHandle {
    let object = row.object
    let first = objects[object].firstSlot
    var row = row
    row.next = first
    let slot = slots.insert(row)
    if !first.isNone { slots[first].previous = slot }
    objects[object].firstSlot = slot
    return slot
  }

  /// Whether a slot may be made under the key if there is none: those of elements come with their elements.
  @inline(__always)
  func mayHaveSlot(_ key: Key, _ object: ObjectHandle) -> Bool {
    if case .element = key { find(key, in: object) != nil } else { true }
  }

  /// Whether the object has no slot, neither with a row nor in a stored snapshot.
  func hasNoSlots(_ object: ObjectHandle) -> Bool {
    objects[object].firstSlot.isNone && !isUnopened(object)
  }

  /// Gives back the rows of a slot that nothing stands in.
  mutating func releaseSlot(_ slot: SlotHandle) {
    let row = slots[slot]
    if row.previous.isNone {
      objects[row.object].firstSlot = row.next
    } else {
      slots[row.previous].next = row.next
    }
    if !row.next.isNone { slots[row.next].previous = row.previous }
    keys.release(row.key)
    slots.remove(slot)
    emptied.releaseCount += 1
  }

  /// The object derived from (the slot's object, its key, kind), made if it is not there.
  mutating func makeDerived(_ id: ObjectID, _ kind: Kind, at slot: SlotHandle) -> ObjectHandle {
    if let object = objects.find(id) { return object }
    slots.makeCompound(slot)
    var row = ObjectRow(id: id, kind: kind, slot: slot)
    let first = slots[compound: slot].firstChild
    row.nextChild = first
    row.isHeld = objects[slots[slot].object].isHeld
    let object = objects.insert(row)
    if !first.isNone { objects[first].previousChild = object }
    slots[compound: slot].firstChild = object
    return object
  }

  private mutating func releaseDerived(_ object: ObjectHandle) {
    markListed()
    let row = objects[object]
    if row.previousChild.isNone {
      slots[compound: row.slot].firstChild = row.nextChild
    } else {
      objects[row.previousChild].nextChild = row.nextChild
    }
    if !row.nextChild.isNone { objects[row.nextChild].previousChild = row.previousChild }
    if isWriting, row.touched == open.number { open.mayRepeatDefinitions = true }
    slots.simplify(row.slot)
    releaseSequence(of: object)
    objects.remove(object)
    emptied.slots.append(row.slot)
  }

  /// An assigned object is gone, with everything below it.
  /// Where objects move, those in it that others may move elsewhere become orphans.
  ///
  /// - Parameter takesAll: Whether those go too that have no place elsewhere.
  mutating func kill(_ id: ObjectID, takesAll: Bool = false, patch: inout Patch) {
    guard let top = objects.find(id) else { return }
    markListed()
    var doomed: ContiguousArray<ObjectHandle> = [top]
    while let object = doomed.popLast() {
      openContents(of: object)
      var slot = objects[object].firstSlot
      while !slot.isNone {
        forEachChild(of: slot) { doomed.append($0) }
        if moves.isOn {
          doomed += leavePlaces(in: slot, takesAll: takesAll, patch: &patch)
        } else {
          forEachAssigned(in: slot) { if let object = objects.find($0) { doomed.append(object) } }
        }
        patch.forget(slot)
        let next = slots[slot].next
        keys.release(slots[slot].key)
        slots.remove(slot)
        emptied.releaseCount += 1
        slot = next
      }
      if !objects[object].isDerived, !objects[object].isHeld { patch.removedObjects.append(objects[object].id) }
      if moves.isOn {
        moves.objects[object] = nil
        moves.orphans[object] = nil
        moves.incomplete.remove(object)
      }
      if isWriting, objects[object].touched == open.number { open.mayRepeatDefinitions = true }
      if !objects[object].sequence.isNone {
        patch.forgetSequence(of: objects[object].id)
        releaseSequence(of: object)
      }
      objects.remove(object)
    }
  }

  /// The slot is about to go: so do the places in it.
  ///
  /// - Returns: Objects that go with it.
  private mutating func leavePlaces(
    in slot: SlotHandle, takesAll: Bool, patch: inout Patch
  ) -> ContiguousArray<ObjectHandle> {
    var doomed: ContiguousArray<ObjectHandle> = []
    var places: [(dot: DotRow, object: ObjectID)] = []
    forEachPlace(in: slot) { places.append(($0, $1)) }
    if slots[slot].hidesEntries { moves.hidden[slot] = nil }
    for place in places {
      if takesAll, let object = objects.find(place.object), moves.objects[object] == nil {
        doomed.append(object)
      } else {
        placeWent(place.dot, of: place.object, patch: &patch)
      }
    }
    return doomed
  }

  /// The ids of the objects that the slot's entries put there.
  @inline(__always)
  func forEachAssigned(in slot: SlotHandle, _ body: (ObjectID) -> Void) {
    guard slots[slot].hasEntry else { return }
    if slots.holdsObject(slot), let object = objectPlaced(by: slots.dot(slot), slots.value(slot)) { body(object) }
    guard slots.hasSiblings(slot) else { return }
    for sibling in slots[compound: slot].siblings {
      if let object = objectPlaced(by: sibling.dot, sibling.value) { body(object) }
    }
  }

  // MARK: The frame of a call

  /// Begins a call that fills `patch`.
  mutating func beginCall(_ patch: inout Patch) {
    if !moves.orphans.isEmpty { moves.patchEntryCount = patch.entries.count }
    if patch.places.count != patch.entries.count
      || (patch.places.count > 0 && patch.places.releaseCount != emptied.releaseCount)
    {
      reconnect(&patch)
    } else if patch.places.count == 0, !emptied.lingering.isEmpty {
      reconsiderLingering()
    }
  }

  /// Slots that lingered for a former patch, or several times for this one, are looked at again at the
  /// end of the call.
  private mutating func reconsiderLingering() {
    emptied.slots.append(contentsOf: Set(emptied.lingering))
    emptied.lingering.removeAll(keepingCapacity: true)
  }

  /// Ends it: rows of what was emptied are given back, save those that the patch speaks of.
  mutating func endCall(_ patch: inout Patch) {
    if moves.isDirty { resolvePlaces(patch: &patch) }
    if !moves.bared.isEmpty { moves.bared = [] }
    // The last orphan may have come back in this call, which the patch says is gone.
    if !moves.orphans.isEmpty || moves.hasReturned { leaveOutWhatIsHeld(&patch) }
    if emptied.lingering.count > 2 * patch.places.count + 16 { reconsiderLingering() }
    if !emptied.slots.isEmpty || !emptied.objects.isEmpty { releaseEmptied(patch) }
    patch.places.releaseCount = emptied.releaseCount
    #if DEBUG
      checkInvariantsIfSmall()
    #endif
  }

  private mutating func releaseEmptied(_ patch: Patch) {
    while true {
      if let slot = emptied.slots.popLast() {
        guard !slots[slot].isFree, !slots.isPresent(slot), !slots[slot].hidesEntries, slots.firstChild(slot).isNone
        else { continue }
        if patch.places.find(slot) != nil {
          emptied.lingering.append(slot)
        } else {
          let object = slots[slot].object
          releaseSlot(slot)
          if hasNoSlots(object), objects[object].isDerived { emptied.objects.append(object) }
        }
      } else if let object = emptied.objects.popLast() {
        guard objects.isInUse(object), objects[object].isDerived, !objects[object].isDeclared,
          hasNoSlots(object), sequence(of: object).map({ sequences[$0].isEmpty }) ?? true
        else { continue }
        releaseDerived(object)
      } else {
        return
      }
    }
  }

  /// Finds the slots again that the patch speaks of: its entries were altered, or rows were given back
  /// while it was elsewhere.
  private mutating func reconnect(_ patch: inout Patch) {
    reconsiderLingering()
    patch.places = PatchPlaces()
    for entry in patch.entries {
      // The slot of an element that is gone must not come back.
      guard let object = objects.find(entry.object), mayHaveSlot(entry.key, object) else {
        patch.places.append(.none)
        continue
      }
      let slot = makeSlot(object, entry.key)
      emptied.slots.append(slot)
      patch.places.append(slot)
    }
  }
}
