// A state that comes to a document in which nothing was ever merged or written is taken over as it is: nothing here
// could have been removed there, and all of it is new.
//
// ```
//   blank ── declared ──┐
//                       ├──► the state's document, with the same objects declared
//   state ──────────────┘
// ```

extension Document {
  /// Whether no operation was ever merged or written. Objects may be declared.
  var isBlank: Bool { version.isEmpty && !isWriting }

  /// - Complexity: O(objects declared), where the patch is not heard
  mutating func adopt(_ other: Document, isHeard: Bool, patch: inout Patch) {
    takeOver(other, after: self)
    if isHeard { recordAll(in: &patch) }
    #if DEBUG
      checkInvariantsIfSmall()
    #endif
  }

  /// Takes the rows of `other` for its own, with the objects declared that are declared in `former`.
  mutating func takeOver(_ other: Document, after former: Document) {
    self = other
    clock = former.clock
    clock.observe(other.latestStamp)
    open.number = former.open.number
    moves.isAsked = moves.isAsked || former.moves.isAsked
    moves.isOn = moves.isOn || moves.isAsked
    // Patches of former calls speak of slots that are no more.
    emptied.releaseCount = former.emptied.releaseCount &+ 1
    #if DEBUG
      checksEveryCall = former.checksEveryCall
    #endif
    for object in former.objects.handles where former.objects[object].isDeclared {
      declareAgain(object, of: former)
    }
  }

  private mutating func declareAgain(_ object: ObjectHandle, of former: Document) {
    let row = former.objects[object]
    let slot = former.slots[row.slot]
    let parent = former.objects[slot.object]
    // What is not declared itself stands there for the sake of what is below it.
    if !parent.isRoot, parent.id.isDerived { declareAgain(slot.object, of: former) }
    // In a state that replaced another one, the object above may be gone.
    guard let above = objects.find(parent.id) else { return }
    if case .element = former.keys[slot.key], find(former.keys[slot.key], in: above) == nil { return }
    let wasDeclared = isDeclared(row.id)
    declare(row.kind, for: former.keys[slot.key], in: former.objects[slot.object].id)
    if !row.isDeclared, !wasDeclared, let here = objects.find(row.id) { objects[here].isDeclared = false }
  }

  /// Notes everything that a reader sees as something that came.
  private func recordAll(in patch: inout Patch) {
    for slot in slots.handles {
      // Of new elements the edits of their lists speak.
      if case .element = keys[slots[slot].key] { continue }
      if objects[slots[slot].object].isHeld { continue }
      let visible = visible(slot)
      if case .absent = visible { continue }
      patch.entries.append(
        Patch.Entry(
          object: id(ofObjectWith: slot), key: keys[slots[slot].key], from: .absent, to: visible,
          conflictsChanged: slots.hasSiblings(slot)))
    }
    unopened?.forEachSlot { object, slot in
      patch.entries.append(
        Patch.Entry(
          object: objects[object].id, key: slot.key, from: .absent, to: slot.visible,
          conflictsChanged: slot.entries.count > 1))
    }
    for sequence in sequenceHandles
    where sequences[sequence].tree.count > 0 && !objects[sequences[sequence].object].isHeld {
      let object = objects[sequences[sequence].object].id
      patch.record(.insert(at: 0, count: sequences[sequence].tree.count), in: object)
    }
    unopened?.forEachText { object, text in
      patch.record(.insert(at: 0, count: text.scalars.count), in: objects[object].id)
    }
  }
}
