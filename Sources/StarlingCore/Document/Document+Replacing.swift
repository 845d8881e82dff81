// A state that takes the place of another one at the same version (Protocol/merge.md, "Contradicting states").
//
// Two replicas that merged the same operations hold the same state. Where they do not, a writer gave one dot two
// contents, and no merge can tell which is right: one of the two states is chosen, and the other one is given up.

extension Document {
  /// Takes the state of `other` in place of this one, and records what a reader sees differently.
  ///
  /// No change may be open. The versions must be equal, so that no operation is lost that others do not hold.
  ///
  /// - Complexity: O(slots and items of both)
  package mutating func replace(with other: Document, patch: inout Patch) {
    precondition(version == other.version, "A state replaces another one at the same version.")
    exchange(for: other, patch: &patch)
  }

  /// Takes the state of `other` in place of this one, with which operations are given up that `other` lacks and nobody
  /// else holds or will ever hold; and records what a reader sees differently.
  ///
  /// No change may be open.
  ///
  /// - Complexity: O(slots and items of both)
  package mutating func giveWay(to other: Document, patch: inout Patch) {
    exchange(for: other, patch: &patch)
  }

  private mutating func exchange(for other: Document, patch: inout Patch) {
    precondition(!isWriting, "The open change stands on the state that is given up; commit it first.")
    var former = self
    former.openFully()
    var latter = other
    latter.openFully()
    let difference = former.visibleDifference(to: latter)
    let gone = former.assignedObjects.filter { !latter.isLive($0) }
    takeOver(latter, after: former)
    // What was stamped later is given up: everybody who holds this state must hold the same latest stamp.
    clock.take(latest: latter.latestStamp)
    record(difference, from: former, goneObjects: gone, in: &patch)
    #if DEBUG
      checkInvariantsIfSmall()
    #endif
  }

  private var assignedObjects: [ObjectID] {
    objects.handles.compactMap {
      objects[$0].id.isDerived || objects[$0].isRoot || objects[$0].isHeld ? nil : objects[$0].id
    }.sorted()
  }

  private func record(
    _ difference: Difference, from former: Document, goneObjects: [ObjectID], in patch: inout Patch
  ) {
    patch.removedObjects += goneObjects
    for entry in difference.entries where isLive(entry.object) {
      // The edits of a list tell of its elements that came or went.
      if case .element = entry.key, entry.from == .absent || entry.to == .absent { continue }
      patch.entries.append(
        Patch.Entry(object: entry.object, key: entry.key, from: entry.from, to: entry.to, conflictsChanged: true))
    }
    recordConflicts(from: former, in: &patch)
    for list in difference.lists where isLive(list.object) {
      record(edited(list.from, list.to), in: list.object, patch: &patch)
    }
    for text in difference.texts where isLive(text.object) {
      record((text.change.removed, text.change.inserted), in: text.object, patch: &patch)
    }
    // Marks have no difference of their own: whoever reads one of a text that has any reads it again.
    for sequence in sequenceHandles {
      let object = objects[sequences[sequence].object].id
      guard former.marks(in: object) != marks(in: object), count(in: object) > 0 else { continue }
      patch.record(.mark(at: 0, count: count(in: object)), in: object)
    }
  }

  /// Places that show what they showed, while what stands beside that is another.
  private func recordConflicts(from former: Document, in patch: inout Patch) {
    for slot in former.slots.handles
    where former.slots.isPresent(slot) && !former.objects[former.slots[slot].object].isHeld {
      let (object, key) = (former.objects[former.slots[slot].object].id, former.keys[former.slots[slot].key])
      let (from, to) = (former.visible(slot), visible(key, in: object))
      guard to != .absent, from.looksLike(to), isLive(object) else { continue }
      let (before, after) = (former.entries(key, in: object), entries(key, in: object))
      guard before != after else { continue }
      var isConflict = before.count > 1 || after.count > 1
      if case .count = to { isConflict = true }
      guard isConflict else { continue }
      patch.entries.append(Patch.Entry(object: object, key: key, from: from, to: to, conflictsChanged: true))
    }
  }

  private func record(
    _ change: (removed: Range<Int>, inserted: Range<Int>), in object: ObjectID, patch: inout Patch
  ) {
    if !change.removed.isEmpty {
      patch.record(.remove(at: change.removed.lowerBound, count: change.removed.count), in: object)
    }
    if !change.inserted.isEmpty {
      patch.record(.insert(at: change.inserted.lowerBound, count: change.inserted.count), in: object)
    }
  }

  /// What lies between the elements that two lists both begin and end with.
  private func edited(_ from: [Dot], _ to: [Dot]) -> (removed: Range<Int>, inserted: Range<Int>) {
    let head = zip(from, to).prefix { $0 == $1 }.count
    let tail = zip(from.dropFirst(head).reversed(), to.dropFirst(head).reversed()).prefix { $0 == $1 }.count
    return (head..<from.count - tail, head..<to.count - tail)
  }
}
