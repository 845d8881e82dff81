package import StarlingCore
import StarlingGuard
import StarlingSession

/// What a transaction that is taken back goes back to: the document as it stood, a copy that shares all rows which were
/// not written since, and what was merged since the savepoint, which stays.
///
/// ```
///   begin ─ copy ─┬─ write ─ merge ─ write ─┬─ commit: the copy goes
///                 │                         │
///                 └───── merge ◄────────────┴─ take back: nothing of the writes was ever seen elsewhere
/// ```
struct Savepoint {
  let thread: ThreadNumber
  var document: Document
  var gate: CausalGate
  var arrivals: [Arrival] = []
  /// Without what plain writes altered, which the document's open change tells.
  var altered = AlteredPlacesInOrder()

  /// What came from elsewhere.
  enum Arrival {
    case changes([Change])
    case parts([Contribution])
    case state(Document)
  }
}

/// The places that the writes of a transaction altered.
package struct AlteredPlaces: Sendable {
  package struct Slot: Hashable, Sendable {
    package var object: ObjectID
    package var key: Key
  }

  package private(set) var slots: Set<Slot> = []
  /// Lists and texts whose items came, went or moved.
  package private(set) var sequences: Set<ObjectID> = []

  mutating func note(_ patch: Patch) {
    for entry in patch.entries { slots.insert(Slot(object: entry.object, key: entry.key)) }
    for edits in patch.sequences { note(sequence: edits.object) }
  }

  fileprivate mutating func note(sequence: ObjectID) { sequences.insert(sequence) }

  fileprivate mutating func note(_ operations: ArraySlice<Operation>) {
    for operation in operations {
      if operation.action.isOnSequence {
        note(sequence: operation.object)
      } else {
        slots.insert(Slot(object: operation.object, key: operation.key))
      }
    }
  }

  mutating func add(_ other: AlteredPlaces) {
    slots.formUnion(other.slots)
    sequences.formUnion(other.sequences)
  }

  fileprivate mutating func add(_ other: borrowing AlteredPlacesInOrder) {
    add(other.whole)
    add(other.latest)
  }

  fileprivate mutating func add(_ slots: ContiguousArray<Slot>) { self.slots.formUnion(slots) }
}

/// The same as they are noted, write by write. Most transactions are not taken back, and each operation of one is kept
/// until it ends, which takes more space than its place: so a place is looked up among the others only where a
/// transaction has a million of them.
struct AlteredPlacesInOrder {
  fileprivate var whole = AlteredPlaces()
  /// Since `whole` was made; the same place several times, perhaps.
  fileprivate var latest: ContiguousArray<AlteredPlaces.Slot> = []

  private static var latestCountMax: Int { 1 << 20 }

  mutating func note(_ patch: borrowing Patch) {
    // An entry is looked at where it stands: a copy would retain all that it tells.
    for place in patch.entries.indices where !isLatest(patch.entries[place].object, patch.entries[place].key) {
      latest.append(AlteredPlaces.Slot(object: patch.entries[place].object, key: patch.entries[place].key))
    }
    for edits in patch.sequences { whole.note(sequence: edits.object) }
    if latest.count > Self.latestCountMax { gather() }
  }

  @inline(__always)
  private func isLatest(_ object: ObjectID, _ key: Key) -> Bool {
    guard !latest.isEmpty else { return false }
    return latest[latest.count - 1].object == object && latest[latest.count - 1].key == key
  }

  mutating func add(_ other: AlteredPlacesInOrder) {
    gather()
    whole.add(other)
  }

  private mutating func gather() {
    whole.add(latest)
    latest = []
  }
}

extension DocumentHandle {
  /// Ends a transaction that was begun as one that can be taken back, and takes back what was written in it. What was
  /// merged since then stays. Called by the thread that began it.
  ///
  /// - Parameter body: is given the document as it stands then, under its lock.
  /// - Returns: what the writes had altered.
  package func takeBackTransaction(_ body: (borrowing Document, AlteredPlaces) -> Void) -> AlteredPlaces {
    let (altered, committed, next) = state.withLock { state in
      let altered = state.goBack(.current)
      state.readers.note(takenBack: altered)
      let next = state.turns.leave(.current)
      let committed = state.endTakenBack(now)
      body(state.document, altered)
      return (altered, committed, next)
    }
    next?.turn.signal()
    announce(committed)
    return altered
  }
}

extension DocumentHandle.State {
  mutating func noteArrival(_ arrival: Savepoint.Arrival) {
    for place in savepoints.indices { savepoints[place].arrivals.append(arrival) }
  }

  /// Forgets the thread's latest savepoint: what was written since is part of what stands around it.
  mutating func keepWrites(_ thread: ThreadNumber) {
    guard let place = savepoints.lastIndex(where: { $0.thread == thread }) else { return }
    let altered = savepoints.remove(at: place).altered
    if place > 0 { savepoints[place - 1].altered.add(altered) }
  }

  fileprivate mutating func goBack(_ thread: ThreadNumber) -> AlteredPlaces {
    // None where another thread's transaction, which this one joined, was taken back.
    guard let place = savepoints.lastIndex(where: { $0.thread == thread }) else { return AlteredPlaces() }
    var altered = AlteredPlaces()
    for savepoint in savepoints[place...] { altered.add(savepoint.altered) }
    let savepoint = savepoints[place]
    altered.note(document.openOperations(since: savepoint.document))
    savepoints.removeSubrange(place...)
    document = savepoint.document
    gate = savepoint.gate
    var patch = Patch()
    var received = CausalGate.Received()
    for arrival in savepoint.arrivals {
      // What could not merge was said when it came.
      switch arrival {
      case .changes(let changes): try? gate.receive(changes, into: &document, patch: &patch, &received)
      case .parts(let parts):
        for part in parts { _ = try? gate.receive(part, into: &document, patch: &patch, &received) }
      case .state(let other):
        try? document.merge(other, isHeard: true, patch: &patch)
        _ = gate.release(into: &document, patch: &patch)
      }
    }
    return altered
  }

  /// The document is open for as many transactions as there are, those of threads that joined among them.
  fileprivate mutating func endTakenBack(_ now: () -> UInt64) -> DocumentHandle.Committed {
    let depth = turns.depth
    while document.openDepth < depth { begin(now) }
    var committed = DocumentHandle.Committed()
    while document.openDepth > depth {
      let next = commit(message: nil)
      committed.isFirst = committed.isFirst || next.isFirst
      committed.altersHistory = committed.altersHistory || next.altersHistory
    }
    guard depth == 0 else { return committed }
    acknowledgements.transactionEnded(nil)
    if let emptied { document = emptied }
    if let next = nextReplica {
      replica = next
      nextReplica = nil
    }
    message = nil
    committed.isFirst = committed.isFirst || isEndAwaited
    isEndAwaited = false
    return committed
  }
}
