// Noting, while a change is written, what it takes to undo it. Each is called before the document is altered.

/// What the writes of one change, or of several, did; `UndoHistory` makes a step of it.
public struct Recording: Sendable {
  var undoRecords: [UndoRecord] = []
  /// When, by the writer's clock: milliseconds since 1970-01-01 UTC.
  var time: UInt64 = 0

  /// Whether nothing was done.
  public var isEmpty: Bool { undoRecords.isEmpty }
}

extension Document {
  /// What was recorded since the change was begun, or since the last call; to be asked for before the next one is.
  public mutating func takeRecording() -> Recording {
    defer { open.recording.undoRecords = [] }
    open.recording.time = open.now
    return open.recording
  }

  func location(_ object: ObjectHandle) -> Location {
    Location(id: objects[object].id, chain: definitions(downTo: object))
  }

  /// The object is one that the open change writes to, so that its chain is needed soon again.
  private mutating func locationWritten(_ object: ObjectHandle) -> Location {
    Location(id: objects[object].id, chain: chain(of: object))
  }

  // MARK: Slots

  /// - Parameter clearing: what goes of shares; where there is one, also all that stands below, save in the
  ///   derived object of the kind that is kept.
  /// - Parameter clearsBelow: false where nothing below is covered.
  mutating func recordSlot(
    _ key: Key, in object: ObjectHandle, mine: Dot?, replacing: DotSet, clearing: VersionVector? = nil,
    keeping kept: Kind? = nil, clearsBelow: Bool = true
  ) {
    var undoRecord = SlotUndoRecord(location: locationWritten(object), key: key, mine: mine)
    if let slot = locate(key, in: object) {
      var clipping = Clipping()
      let entries = ascendingEntries(slot)
      undoRecord.taken = content(slot, entries, clearing: clearing) { replacing.contains($0) }
      undoRecord.left = entries.map(\.dot).filter { !replacing.contains($0) }
      // Nobody sees that an entry comes back which another one hid.
      if mine == nil, let greatest = entries.last, !replacing.contains(greatest.dot) { undoRecord.taken.entries = [] }
      clipping.addObjects(of: undoRecord.taken, in: self)
      if clearing != nil, clearsBelow { clipping.addChildren(of: slot, keeping: kept, in: self) }
      clipObjects(&clipping)
      undoRecord.below = clipping.pieces
    }
    open.recording.undoRecords.append(.wrote(undoRecord))
  }

  mutating func recordIncrement(_ key: Key, in object: ObjectHandle, by amount: Int64, birth: UInt64, own: UInt64) {
    var undoRecord = CountUndoRecord(
      location: locationWritten(object), key: key, amount: amount, share: Dot(open.replica, birth), began: birth == own)
    if let slot = locate(key, in: object), case .value(_, by: let dot) = visible(slot) { undoRecord.former = dot }
    open.recording.undoRecords.append(.counted(undoRecord))
  }

  // MARK: Sequences

  mutating func recordInsertion(of first: Dot, _ scalars: Scalars, at index: Int, in object: ObjectHandle) {
    var typedBehind: Dot?
    if !scalars.holdsLineBreak {
      typedBehind = sequence(of: object).map { gap(index..<index, in: $0).before } ?? .origin
    }
    recordInsertion(of: first, scalars.count, typedBehind: typedBehind, in: object)
  }

  /// Insertions that go on by their dots are one.
  mutating func recordInsertion(of first: Dot, _ count: Int, typedBehind: Dot? = nil, in object: ObjectHandle) {
    let last = open.recording.undoRecords.count - 1
    if last >= 0, case .inserted(var undoRecord) = open.recording.undoRecords[last],
      undoRecord.location.id == objects[object].id,
      undoRecord.last.isFollowed(by: first)
    {
      if typedBehind != undoRecord.last { undoRecord.typedBehind = nil }
      undoRecord.count += count
      open.recording.undoRecords[last] = .inserted(undoRecord)
    } else {
      open.recording.undoRecords.append(
        .inserted(
          InsertUndoRecord(location: locationWritten(object), first: first, count: count, typedBehind: typedBehind)))
    }
  }

  mutating func recordRemoval(_ range: Range<Int>, in object: ObjectHandle) {
    guard let sequence = sequence(of: object) else { return }
    var clipping = Clipping()
    clip(range, of: sequence, &clipping)
    clipObjects(&clipping)
    open.recording.undoRecords.append(.removed(clipping.pieces))
  }

  mutating func recordMove(_ element: DotRow, from index: Int, by mine: Dot, in sequence: SequenceHandle) {
    open.recording.undoRecords.append(
      .moved(
        MoveUndoRecord(
          location: locationWritten(sequences[sequence].object), element: dot(element), mine: mine,
          former: dot(visibleItem(of: element, in: sequence)), gap: gap(index..<index + 1, in: sequence))))
  }

  mutating func recordMark(_ mark: MarkOperation, _ name: Key, by mine: Dot, in sequence: SequenceHandle) {
    let replaced = Set(mark.replacing)
    let taken = replaced.isEmpty ? [] : marks(named: name, of: sequence).filter { replaced.contains(dot($0.dot)) }
    open.recording.undoRecords.append(
      .marked(
        MarkUndoRecord(
          location: locationWritten(sequences[sequence].object), name: name, mine: mine,
          isRetraction: mark.isRetraction, taken: taken.map { takenMark($0, in: sequence) })))
  }
}

extension MarkOperation {
  /// Whether it covers nothing and overrules nothing: it is there to take others away.
  var isRetraction: Bool { rank == 0 && value == .null && start == .start && end == .start }
}
