package import StarlingCore
import StarlingGuard

/// What a reader sees who takes merges at moments of its own, while some of them wait for it.
///
/// ```
///   merge ──► a copy of the document as it stood before, and the patch ── merge ──► another patch ──► taken: gone
///                        writes made here since: their places are read in the document itself
/// ```
///
/// Such a reader is an actor with models: between two of its jobs it takes what waits, and within one everything that
/// it looks at shows the same moment, also what it has not looked at before.
package final class ReaderView: @unchecked Sendable {
  // Sendable: guarded by the document's lock, and nobody's but the taker's once it is taken.

  /// As it stood before the first merge that waits.
  package let document: Document
  /// Of the merges that wait, in order. Those before the last few thousand places are one patch, which says what
  /// differs since the view.
  package private(set) var patches: [Patch] = []
  /// Places in them, and how many there may be before they are counted once each.
  private var placeCount = 0
  private var placeCountMax = 4096
  /// Places that were written here since.
  private var written = AlteredPlaces()
  /// The objects of those places.
  private var writtenIn: Set<ObjectID> = []
  private var made: Set<ObjectID> = []
  private var removed: Set<ObjectID> = []

  fileprivate init(_ document: Document) {
    self.document = document
  }

  /// - Parameter present: as it stands after the merge.
  fileprivate func note(merge patch: Patch, in present: borrowing Document) {
    patches.append(patch)
    placeCount += patch.placeCount
    if placeCount > placeCountMax { compact(present) }
  }

  /// A job may take as long as it likes, and an actor may have no more: what waits grows with what differs between the
  /// view and the document, not with how often it changed on the way.
  ///
  /// - Complexity: O(*n* log *n*) in the places that wait.
  private func compact(_ present: borrowing Document) {
    var places: [AlteredPlaces.Slot: Int] = [:]
    var edits: [ObjectID: [SequenceEdit]] = [:]
    var removed: Set<ObjectID> = []
    var entries: [Patch.Entry] = []
    for patch in patches {
      for entry in patch.entries {
        let slot = AlteredPlaces.Slot(object: entry.object, key: entry.key)
        if let place = places[slot] {
          entries[place].to = entry.to
          entries[place].conflictsChanged = entries[place].conflictsChanged || entry.conflictsChanged
        } else {
          places[slot] = entries.count
          entries.append(entry)
        }
      }
      for sequence in patch.sequences { edits[sequence.object, default: []] += sequence.edits }
      removed.formUnion(patch.removedObjects)
    }
    var whole = Patch()
    for entry in entries where !isAsBefore(entry) && !isPassing(entry.object, in: present) {
      whole.entries.append(entry)
    }
    for (object, edits) in edits where !isPassing(object, in: present) {
      // Nobody counts in the view of what was written here.
      whole.sequences.append(SequenceEdits(object: object, edits: shows(object) ? EditScript.condensed(edits) : []))
    }
    for object in removed.sorted() where !isPassing(object, in: present) { whole.removedObjects.append(object) }
    patches = [whole]
    placeCount = whole.placeCount
    placeCountMax = max(4096, 2 * placeCount)
  }

  /// Whether the place holds again what the view shows there, and its reader has seen nothing else.
  private func isAsBefore(_ entry: Patch.Entry) -> Bool {
    entry.from == entry.to && !entry.conflictsChanged && shows(entry.key, in: entry.object)
  }

  /// Whether the object came and went, so that its reader can know nothing of it. What stands in an object that was
  /// made here may be known.
  private func isPassing(_ object: ObjectID, in present: borrowing Document) -> Bool {
    made.isEmpty && !document.isLive(object) && !present.isLive(object)
  }

  fileprivate func note(write patch: Patch) {
    written.note(patch)
    for entry in patch.entries {
      writtenIn.insert(entry.object)
      if case .value(.object, let dot) = entry.to { made.insert(.assigned(by: dot)) }
    }
    for edits in patch.sequences { writtenIn.insert(edits.object) }
    removed.formUnion(patch.removedObjects)
  }

  fileprivate func note(takenBack places: AlteredPlaces) {
    written.add(places)
    for slot in places.slots { writtenIn.insert(slot.object) }
    writtenIn.formUnion(places.sequences)
  }

  /// Whether the view shows the place, since nobody wrote there here.
  package func shows(_ key: Key, in object: ObjectID) -> Bool {
    !written.slots.contains(AlteredPlaces.Slot(object: object, key: key))
  }

  /// Whether the view shows all of the object's places, the order of its items included.
  package func shows(_ object: ObjectID) -> Bool { !writtenIn.contains(object) }

  /// Whether the object is there for the reader. Under the document's lock.
  package func isLive(_ object: ObjectID, in present: borrowing Document) -> Bool {
    if present.isLive(object) { return made.contains(object) || document.isLive(object) }
    return !removed.contains(object) && document.isLive(object)
  }
}

extension Patch {
  /// How many places it names.
  fileprivate var placeCount: Int {
    entries.count + removedObjects.count + sequences.reduce(1) { $0 + $1.edits.count }
  }
}

/// The views of a document's readers. Guarded by the document's lock.
package struct ReaderViews {
  private var readers: [(id: Int, view: ReaderView?)] = []
  private var nextID = 0
  /// Whether anything waits for anybody.
  private(set) var isAnyBehind = false

  init() {}

  /// Nil where nothing waits for the reader, which sees the document itself then.
  package subscript(reader: Int?) -> ReaderView? {
    isAnyBehind ? readers.first { $0.id == reader }?.view : nil
  }

  fileprivate mutating func add() -> Int {
    nextID += 1
    readers.append((nextID, nil))
    return nextID
  }

  fileprivate mutating func remove(_ ids: [Int]) {
    readers.removeAll { ids.contains($0.id) }
    review()
  }

  fileprivate mutating func take(_ reader: Int) -> ReaderView? {
    guard let place = readers.firstIndex(where: { $0.id == reader }), let view = readers[place].view else { return nil }
    readers[place].view = nil
    review()
    return view
  }

  private mutating func review() {
    isAnyBehind = readers.contains { $0.view != nil }
  }

  /// Before something is merged.
  fileprivate mutating func prepare(_ document: Document) {
    for place in readers.indices where readers[place].view == nil { readers[place].view = ReaderView(document) }
    isAnyBehind = !readers.isEmpty
  }

  /// What was merged; nothing visible, perhaps.
  ///
  /// - Parameter document: as it stands then.
  mutating func note(merge patch: Patch, in document: borrowing Document) {
    guard isAnyBehind else { return }
    for place in readers.indices {
      if !patch.isEmpty { readers[place].view?.note(merge: patch, in: document) }
      if readers[place].view?.patches.isEmpty == true { readers[place].view = nil }
    }
    review()
  }

  /// What was written here.
  func note(write patch: Patch) {
    for reader in readers { reader.view?.note(write: patch) }
  }

  func note(takenBack places: AlteredPlaces) {
    for reader in readers { reader.view?.note(takenBack: places) }
  }
}

extension DocumentHandle.State {
  /// Before something is merged: who takes merges later goes on seeing what stands.
  mutating func keepViews(besides left: [Int]) {
    if !left.isEmpty { readers.remove(left) }
    readers.prepare(document)
  }
}

extension DocumentHandle {
  /// Somebody reads the document who takes merges at moments of its own. `onPatch` tells when one waits.
  package func addReader() -> Int { state.withLock { $0.readers.add() } }

  /// It reads no more. Any thread, whatever it holds.
  package func removeReader(_ reader: Int) { leftReaders.withLock { $0.append(reader) } }

  func takeLeftReaders() -> [Int] {
    leftReaders.withLock { left in
      defer { left = [] }
      return left
    }
  }

  /// What waits for the reader, who sees the document itself from now on; nil for nothing.
  package func takeView(of reader: Int) -> ReaderView? { state.withLock { $0.readers.take(reader) } }

  /// As `readViews`, for a reader of every slot of `object`: one that lies in a stored snapshot would be looked for in
  /// its block each time.
  ///
  /// - Complexity: O(slots of the object that nobody has read yet), for writers too.
  package func readViews<Result>(
    ofAllIn object: ObjectID, _ body: (borrowing Document, borrowing ReaderViews) -> Result
  ) -> Result {
    state.withLock { state in
      state.document.openSlots(of: object)
      return body(state.document, state.readers)
    }
  }

  /// As `read`, with what its readers see in its place.
  package func readViews<Result>(_ body: (borrowing Document, borrowing ReaderViews) -> Result) -> Result {
    state.withLock { state in
      state.storedReads.note(in: &state.document)
      return body(state.document, state.readers)
    }
  }
}
