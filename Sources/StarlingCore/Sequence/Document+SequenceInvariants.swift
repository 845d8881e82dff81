// What holds of lists and texts between any two calls.

extension Document {
  func checkSequence(_ handle: SequenceHandle, of object: ObjectHandle) {
    let row = sequences[handle]
    let kind = objects[object].kind
    precondition(row.object == object, "The items of \(objects[object].id) belong to another object.")
    precondition(kind == .list || kind == .text, "\(objects[object].id) has items and is a \(kind).")
    precondition(row.tree.holdsText == (kind == .text), "\(objects[object].id) holds items of the other kind.")
    row.tree.checkInvariants()
    row.tree.forEachRun { stored, _ in
      checkCovered(dot(stored.run.first.advanced(by: stored.run.count - 1)))
    }
    for run in row.removals.runs + row.tombstones.runs {
      precondition(!isCandidate(run.first, in: handle), "The live item \(dot(run.first)) passes for removed.")
    }
    if kind == .list { checkElements(of: row, in: handle) } else { checkMarks(of: row, in: handle) }
  }

  private func checkElements(of row: SequenceRow, in sequence: SequenceHandle) {
    precondition(row.marks.isEmpty, "A list has marks.")
    var visible: Set<DotRow> = []
    forEachElement(of: row.object) { element, slot in
      if isHiddenElement(slot) {
        for candidate in candidates(of: element, in: sequence) {
          precondition(row.tree.liveness(of: candidate.item) == false, "\(dot(candidate.item)) is shown in error.")
        }
        return
      }
      precondition(slots[slot].hasEntry, "The element \(dot(element)) has no value.")
      let candidates = candidates(of: element, in: sequence)
      precondition(!candidates.isEmpty, "The element \(dot(element)) stands nowhere.")
      for candidate in candidates {
        let isLive = row.tree.liveness(of: candidate.item)
        precondition(
          isLive == (candidate.item == self.visible(candidates)),
          "\(dot(candidate.item)) is shown, or is not, in error.")
        precondition(
          candidate.item == element || row.elements[candidate.item] == element,
          "\(dot(candidate.item)) does not know the element \(dot(element)) that stands there.")
      }
      visible.insert(self.visible(candidates))
    }
    precondition(visible.count == row.tree.count, "\(row.tree.count) items show \(visible.count) elements.")
    let moves = row.moved.reduce(0) { sum, moved in sum + moved.value.count { $0.item != moved.key } }
    precondition(moves == row.elements.count, "\(row.elements.count) items are candidates, by the elements \(moves).")
    for element in row.moved.keys {
      precondition(find(.element(dot(element)), in: row.object) != nil, "\(dot(element)) was moved and is gone.")
    }
  }

  private func checkMarks(of row: SequenceRow, in sequence: SequenceHandle) {
    precondition(row.moved.isEmpty && row.elements.isEmpty, "A text has elements.")
    for (place, mark) in row.marks.enumerated() {
      precondition(place == 0 || isLess(row.marks[place - 1], mark), "The marks are not ascending.")
      checkCovered(dot(mark.dot))
      precondition(
        isKnown(mark.start.item, in: sequence) && isKnown(mark.end.item, in: sequence),
        "The mark \(dot(mark.dot)) ends at an item that was collected.")
    }
  }
}
