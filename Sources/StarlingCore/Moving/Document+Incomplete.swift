// Objects that came back after somebody had forgotten them (Protocol/merge.md, "Incomplete objects").
//
// ```
//   here         there                                   what comes of what stands in the object
//   complete     complete                                as of all that states hold
//   any          incomplete                              what stands here stays, what is new there comes; incomplete
//   incomplete   complete, has merged all that is here   what stands there; complete
//   incomplete   complete, has not                       as of all that states hold; incomplete
//   incomplete   incomplete, of the same version         what stands on the side whose digest of it is less
// ```
//
// Absence in an incomplete object says nothing: what its version covers may have been removed, or forgotten.

extension Document {
  /// Assigned objects that stand and may lack what the version covers, or hold what an operation removed that it
  /// covers.
  package var incompleteObjects: [ObjectID] {
    moves.incomplete.lazy.filter { !objects[$0].isHeld }.map { objects[$0].id }.sorted()
  }

  /// Whether something may have been forgotten here that the snapshot, of this document's version, holds.
  func mayLackSome(of snapshot: Snapshot) -> Bool {
    !moves.incomplete.isEmpty || lacksMarks(of: snapshot)
  }

  /// Whether nothing follows from what `other` lacks of the object: it forgot the assigned object in which this one
  /// stands, never heard of it, or may have forgotten some of it.
  func saysNothing(of object: ObjectHandle, _ other: Document) -> Bool {
    var object = object
    while objects[object].isDerived { object = slots[objects[object].slot].object }
    if objects[object].isRoot { return false }
    return other.objects.find(objects[object].id).map { other.moves.incomplete.contains($0) } ?? true
  }

  /// Notes which objects become incomplete by merging a state: those that are incomplete there, and those that were
  /// forgotten there, with what this document has not merged.
  mutating func noteIncomplete(beside other: Document) {
    guard moves.isOn else { return }
    for object in objects.handles {
      guard !objects[object].isRoot, let dot = objects[object].id.dot else { continue }
      if let there = other.objects.find(objects[object].id) {
        if other.moves.incomplete.contains(there) { moves.incomplete.insert(object) }
      } else if other.version.covers(dot) {
        moves.incomplete.insert(object)
      }
    }
  }

  /// Whether all comes that stands in the assigned object there, also what `known`, the version of this document,
  /// covers. Then nothing stands in it here that does not stand there.
  mutating func takesWhole(
    _ here: ObjectHandle, from there: ObjectHandle, in other: Document, known: VersionVector, patch: inout Patch
  ) -> Bool {
    guard moves.isOn, !objects[here].isRoot, let dot = objects[here].id.dot else { return false }
    let isIncompleteThere = other.moves.incomplete.contains(there)
    guard known.covers(dot) else {
      if isIncompleteThere { moves.incomplete.insert(here) }
      return false
    }
    let isKnownThere = other.version.covers(known)
    if moves.arrived.remove(here) != nil {
      // It was forgotten here, and whoever sent the state may not have merged all that had been merged here.
      if isIncompleteThere || !isKnownThere { moves.incomplete.insert(here) }
      return true
    }
    guard moves.incomplete.contains(here), isKnownThere, !isWriting else { return false }
    if isIncompleteThere {
      guard other.version == known else { return false }
      let (mine, theirs) = (digest(ofContentOf: here), other.digest(ofContentOf: there))
      guard (theirs.high, theirs.low) < (mine.high, mine.low) else { return false }
    } else {
      moves.incomplete.remove(here)
    }
    dropContent(of: here, absentIn: other, patch: &patch)
    return true
  }

  /// Takes away what stands in the object here and not there, and all items: they come again.
  private mutating func dropContent(of top: ObjectHandle, absentIn other: Document, patch: inout Patch) {
    var pending = [top]
    while let object = pending.popLast() {
      dropItems(of: object, cause: .state(other.version), patch: &patch)
      var found: [SlotHandle] = []
      forEachSlot(of: object) { found.append($0) }
      for slot in found {
        dropWhatIsGone(at: slot, in: other, patch: &patch)
        forEachChild(of: slot) { pending.append($0) }
      }
    }
  }

  private mutating func dropItems(of object: ObjectHandle, cause: Removal.Cause, patch: inout Patch) {
    guard let sequence = sequence(of: object) else { return }
    if objects[object].kind == .list {
      var elements: [DotRow] = []
      forEachElement(of: object) { element, _ in elements.append(element) }
      for element in elements { removeElement(element, from: sequence, cause: cause, patch: &patch) }
    } else {
      altering(textOf: object, patch: &patch) { document, patch in
        document.dropMarks(of: sequence, patch: &patch) { _, _ in true }
        for run in document.liveRuns(of: sequence, coveredBy: document.version) {
          document.removeScalars(run, from: sequence, cause: cause, patch: &patch)
        }
      }
    }
    releaseSequence(of: object)
    emptied.objects.append(object)
  }

  /// Takes over what stands in objects that are incomplete here, from a state of the same version.
  mutating func takeOverIncomplete(from other: Document, patch: inout Patch) {
    guard !moves.incomplete.isEmpty, !isWriting, version == other.version else { return }
    openFully()
    let other = other.opened
    moves.arrived = []
    beginCall(&patch)
    addWhatIsNew(in: other, patch: &patch)
    showElementsWithNewValues(patch: &patch)
    dropElementsWithoutValue(cause: .state(other.version), patch: &patch)
    capacity.recount()
    endCall(&patch)
  }
}
