/// What changed in objects that nobody sees, as they are held for others alone. One that comes back before its readers
/// are told that it had gone was never away for them: then this is told.
///
/// ```
///   removed here ─► held ─► written by others: postponed ─► placed elsewhere: told, from what was seen before
///                                 └── gone ──► never told
/// ```
struct PostponedChanges: Sendable {
  private struct Name: Hashable, Sendable {
    let object: ObjectID
    let key: Key
  }

  /// One for each slot, in the order in which they were postponed first.
  private(set) var entries: [Patch.Entry] = []
  private var places: [Name: Int] = [:]
  private(set) var sequences: [SequenceEdits] = []

  var isEmpty: Bool { entries.isEmpty && sequences.isEmpty }

  /// What was postponed of the slot before keeps what was seen first.
  mutating func add(_ entry: Patch.Entry) {
    let name = Name(object: entry.object, key: entry.key)
    if let place = places[name] {
      entries[place].to = entry.to
      if entry.conflictsChanged { entries[place].conflictsChanged = true }
    } else {
      places[name] = entries.count
      entries.append(entry)
    }
  }

  mutating func add(_ edits: SequenceEdits) {
    if let place = sequences.firstIndex(where: { $0.object == edits.object }) {
      sequences[place].edits += edits.edits
    } else {
      sequences.append(edits)
    }
  }

  /// Takes out what was postponed of objects that readers see again.
  mutating func take(where isSeen: (ObjectID) -> Bool) -> PostponedChanges {
    var (taken, left) = (PostponedChanges(), PostponedChanges())
    for entry in entries { if isSeen(entry.object) { taken.add(entry) } else { left.add(entry) } }
    for edits in sequences { if isSeen(edits.object) { taken.add(edits) } else { left.add(edits) } }
    self = left
    return taken
  }
}
