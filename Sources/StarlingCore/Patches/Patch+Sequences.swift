extension Patch {
  /// Notes that the sequence of the object was edited, after all that is noted already.
  mutating func record(_ edit: SequenceEdit, in object: ObjectID) {
    let place = place(ofSequence: object)
    if let last = sequences[place].edits.last {
      switch last.joined(with: edit) {
      case .apart: sequences[place].edits.append(edit)
      case .one(let joined): sequences[place].edits[sequences[place].edits.count - 1] = joined
      case .nothing:
        sequences[place].edits.removeLast()
        if sequences[place].edits.isEmpty { forgetSequence(of: object) }
      }
    } else {
      sequences[place].edits.append(edit)
    }
  }

  /// Notes edits that were made before those that are noted already.
  mutating func record(formerly edits: SequenceEdits) {
    let place = place(ofSequence: edits.object)
    var later: [SequenceEdit] = []
    swap(&later, &sequences[place].edits)
    sequences[place].edits = edits.edits
    for edit in later { record(edit, in: edits.object) }
  }

  /// The sequence goes with its object.
  mutating func forgetSequence(of object: ObjectID) {
    guard let place = findSequence(of: object) else { return }
    sequences.swapAt(place, sequences.count - 1)
    sequences.removeLast()
    if sequencePlaces.isEmpty { return }
    if sequences.count <= Self.fewSequences { return sequencePlaces = [:] }
    sequencePlaces[object] = nil
    if place < sequences.count { sequencePlaces[sequences[place].object] = place }
  }

  /// So many are looked through; of more there is an index.
  private static var fewSequences: Int { 8 }

  private mutating func place(ofSequence object: ObjectID) -> Int {
    if let place = findSequence(of: object) { return place }
    if sequences.count > Self.fewSequences { sequencePlaces[object] = sequences.count }
    var edits: [SequenceEdit] = []
    swap(&edits, &spareEdits)
    sequences.append(SequenceEdits(object: object, edits: edits))
    return sequences.count - 1
  }

  private mutating func findSequence(of object: ObjectID) -> Int? {
    if let last = sequences.last, last.object == object { return sequences.count - 1 }
    if sequences.count <= Self.fewSequences {
      for place in sequences.indices where sequences[place].object == object { return place }
      return nil
    }
    connectSequences()
    return sequencePlaces[object]
  }

  /// Forgets the edits, and keeps memory for the next few of one sequence.
  mutating func removeSequences() {
    while let last = sequences.indices.last {
      if spareEdits.isEmpty, sequences[last].edits.count <= 64 {
        swap(&spareEdits, &sequences[last].edits)
        for _ in spareEdits.indices { spareEdits.removeLast() }
      }
      sequences.removeLast()
    }
    if !sequencePlaces.isEmpty { sequencePlaces = [:] }
  }

  /// Finds the sequences again if somebody else altered them.
  private mutating func connectSequences() {
    guard sequencePlaces.count != sequences.count else { return }
    sequencePlaces = Dictionary(sequences.indices.map { (sequences[$0].object, $0) }) { first, _ in first }
  }
}

extension SequenceEdit {
  enum Joined {
    case apart
    case one(SequenceEdit)
    /// The latter undid the former.
    case nothing
  }

  /// What this edit and, right after it, `next` come to.
  func joined(with next: SequenceEdit) -> Joined {
    switch (self, next) {
    case (.insert(let at, let count), .insert(let nextAt, let nextCount))
    where at <= nextAt && nextAt <= at + count:
      return .one(.insert(at: at, count: count + nextCount))
    case (.insert(let at, let count), .remove(let nextAt, let nextCount))
    where at <= nextAt && nextAt + nextCount <= at + count:
      return count == nextCount ? .nothing : .one(.insert(at: at, count: count - nextCount))
    case (.remove(let at, let count), .remove(let nextAt, let nextCount))
    where nextAt <= at && at <= nextAt + nextCount:
      return .one(.remove(at: nextAt, count: count + nextCount))
    case (.mark(let at, let count), .mark(let nextAt, let nextCount))
    where nextAt <= at + count && at <= nextAt + nextCount:
      let (start, end) = (min(at, nextAt), max(at + count, nextAt + nextCount))
      return .one(.mark(at: start, count: end - start))
    default:
      return .apart
    }
  }
}
