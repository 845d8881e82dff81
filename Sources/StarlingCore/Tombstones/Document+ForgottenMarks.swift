// Marks of null that were forgotten here, and take something away after all (Protocol/merge.md, "Tombstone
// collection").
//
// ```
//                      holder knows ...
// we know ...          less          as much        more
// forgotten here       undecided     taken over     taken over
// forgotten there      kept          kept           goes, undecided
// ```
//
// Whoever has merged all that we have would have removed the mark with us, had anybody removed it by name: that he
// holds it says that it was forgotten here.

extension Document {
  /// Takes over the marks that a state of the same version holds and that were forgotten here, where another mark gives
  /// what they take away. Nothing else can differ.
  mutating func takeOverMarks(forgottenHereAndHeldIn other: Document, patch: inout Patch) throws(MergeError) {
    // What the open change replaced must not come back; whoever compares the states later finds the difference again.
    guard !isWriting, version == other.version else { return }
    var pending: [(here: ObjectHandle, theirs: SequenceHandle)] = []
    for theirs in other.sequenceHandles where other.sequences[theirs].tree.holdsText {
      guard other.canonicalMarks(of: theirs).contains(where: { $0.value == .null }),
        let here = objects.find(other.objects[other.sequences[theirs].object].id), objects[here].kind == .text
      else { continue }
      pending.append((here, theirs))
    }
    guard !pending.isEmpty else { return }
    try checkCapacity(forItemsOf: other)
    beginCall(&patch)
    for (here, theirs) in pending {
      openText(of: here)
      guard let sequence = sequence(of: here) else { continue }
      let forgotten = marksForgotten(of: theirs, in: other, here: sequence)
      guard !forgotten.isEmpty else { continue }
      var removed: ContiguousArray<ItemRun> = []
      for mark in other.sequences[theirs].marks where forgotten.contains(other.dot(mark.dot)) {
        takeOver(mark, of: theirs, in: other, to: sequence, &removed, patch: &patch)
      }
      noteRemoved(removed, in: sequence, cause: .state(version))
    }
    endCall(&patch)
  }

  /// Whether the snapshot, of this document's version, holds a mark of null that is not here.
  func lacksMarks(of snapshot: Snapshot) -> Bool {
    snapshot.objects.contains { object in
      guard let marks = object.sequence?.marks, marks.contains(where: { $0.value == .null }) else { return false }
      let here = sequence(of: object.id).map { sequences[$0].marks.map { dot($0.dot) } } ?? []
      let known = Set(here)
      return marks.contains { $0.value == .null && !known.contains($0.dot) }
    }
  }

  /// The marks of a text in a state that were forgotten here, though they are not idle there.
  func marksForgotten(
    of theirs: SequenceHandle, in other: Document, here sequence: SequenceHandle
  ) -> Set<Dot> {
    var nulls: Set<Dot> = []
    for mark in other.canonicalMarks(of: theirs) where mark.value == .null {
      let dot = other.dot(mark.dot)
      if version.covers(dot) { nulls.insert(dot) }
    }
    for mark in sequences[sequence].marks where !nulls.isEmpty { nulls.remove(dot(mark.dot)) }
    // Otherwise a writer that the state does not know may have removed it by name.
    guard !nulls.isEmpty, !isWriting, other.version.covers(version) else { return [] }
    return nulls
  }
}
