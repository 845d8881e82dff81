/// The change that is being written, while `depth` is positive.
@usableFromInline
struct OpenChange: Sendable {
  @usableFromInline var depth = 0
  /// Tells changes apart in `ObjectRow.touched`; never 0 while one is open.
  var number: UInt32 = 0
  var replica = ReplicaID(rawValue: 0)
  /// Milliseconds since 1970-01-01 UTC.
  var now: UInt64 = 0
  /// Known from the first operation on.
  var stamp = Stamp(rawValue: 0)
  var replicaHandle = ReplicaHandle.none
  /// The counters of the first operation and of the last one written.
  var firstCounter: UInt64 = 0
  var lastCounter: UInt64 = 0
  var operations: [Operation] = []
  var objects: [ObjectDefinition] = []
  /// The first of those, while what it stands in is listed and not marked (`ObjectRow.touched`).
  var firstListed = ObjectHandle.none
  /// Whether a derived object that `objects` defines went and may have come back.
  var mayRepeatDefinitions = false
  /// What operations and definitions take at most when they are encoded (`ChangeWeight`).
  @usableFromInline var byteCount = 0
  /// Definitions as a reader counts them.
  var definitionCount = 0
  /// Values that operations insert into lists, which a reader counts as operations.
  var insertedValueCount = 0
  /// Why a write was refused that nobody has asked about yet.
  @usableFromInline var refusal: OversizedWrite?
  /// Whether what is taken away falls back to its other places, as where a move is undone.
  var keepsOtherPlaces = false
  /// Whether writes are noted in `recording`.
  var isRecording = false
  var recording = Recording()
}

extension Document {
  /// Opens a change, or joins the one that is open: only the outermost `commit` closes it. Every
  /// write until then belongs to it.
  ///
  /// - Parameters:
  ///   - replica: The name to write under. It has to be one that nobody else writes under.
  ///   - now: Milliseconds since 1970-01-01 UTC, looked at only if something is written.
  ///   - recording: Whether to note what it takes to undo the change (`takeRecording`); the outermost call decides.
  public mutating func begin(as replica: ReplicaID, now: UInt64, recording: Bool = false) {
    precondition(
      !isWriting || open.replica == replica, "Replica \(open.replica) has a change open; \(replica) cannot join it.")
    open.depth += 1
    guard open.depth == 1 else { return }
    open.replica = replica
    open.now = now
    open.lastCounter = version[replica]
    open.firstCounter = open.lastCounter &+ 1
    open.byteCount = 0
    open.definitionCount = 0
    open.insertedValueCount = 0
    if hasRefusal { open.refusal = nil }
    open.isRecording = recording
    if !open.recording.isEmpty { open.recording = Recording() }
    open.number &+= 1
    if open.number == 0 {
      // After 2^32 changes old marks would pass for new ones.
      for object in objects.handles { objects[object].touched = 0 }
      open.number = 1
    }
  }

  /// Closes what the matching `begin` opened.
  ///
  /// - Parameter message: For people; one of more than `ChangeLimits.messageByteCountMax` bytes is left out.
  /// - Returns: The change to log and send; nil if nothing was written, or if an outer change is still open.
  public mutating func commit(message: String? = nil) -> Change? {
    var none: [[Operation]] = []
    return commit(message: message, goingOnIn: &none)
  }

  /// The same.
  ///
  /// - Parameter spares: Empty arrays: one of them is the memory for the next change's operations.
  package mutating func commit(message: String?, goingOnIn spares: inout [[Operation]]) -> Change? {
    precondition(isWriting, "There is no change open to commit.")
    if holdsWhatWasTaken {
      var patch = Patch()
      removeWhatIsSetAside(patch: &patch)
    }
    open.depth -= 1
    guard open.depth == 0, !open.operations.isEmpty else { return nil }
    open.firstListed = .none
    var message = message
    if let text = message, text.utf8.count > ChangeLimits.messageByteCountMax { message = nil }
    let last = Dot(open.replica, open.lastCounter)
    let former = Dot(open.replica, version.exchange(last.counter, of: last.replica))
    capacity.spend(UInt64(open.objects.count))
    var seen: [Dot] = []
    if frontier.count == 1, frontier[0] == former {
      frontier[0] = last
    } else {
      seen = frontier.filter { $0 != former }
      frontier = [last]
    }
    // What was written is handed over, so that nothing of it is copied.
    var operations = spares.popLast() ?? []
    var objects: [ObjectDefinition] = []
    swap(&operations, &open.operations)
    swap(&objects, &open.objects)
    if open.mayRepeatDefinitions { objects = objects.withoutRepetitions() }
    open.mayRepeatDefinitions = false
    #if DEBUG
      checkInvariantsIfSmall()
    #endif
    return Change(
      replica: former.replica, firstCounter: former.counter + 1, stamp: open.stamp, frontier: seen, objects: objects,
      operations: operations, message: message)
  }

  /// Whether the change that is open took objects away and put them nowhere else, and the next `commit` closes it.
  package var holdsWhatWasTaken: Bool { open.depth == 1 && !moves.setAside.isEmpty }

  /// Puts `value` in place of all entries of the slot, and clears what stands below it. A value of
  /// `.object` begins a new object.
  ///
  /// Nothing is written if the object does not stand, or if the slot already holds this value alone; nor
  /// by any of these calls what would pass a limit of `ChangeLimits` (`takeRefusal` tells).
  public mutating func set(_ value: Value, for key: Key, in object: ObjectID, patch: inout Patch) {
    var place = SlotPlace()
    _ = write(value, for: key, in: object, at: &place, patch: &patch)
  }

  /// The same, by a writer who goes on writing the slot.
  ///
  /// - Parameter place: where the slot was found last, and is found now.
  package mutating func set(
    _ value: Value, for key: Key, in object: ObjectID, at place: inout SlotPlace, patch: inout Patch
  ) {
    _ = write(value, for: key, in: object, at: &place, patch: &patch)
  }

  /// The same, unless an object may stand there.
  ///
  /// - Returns: false if one may, and nothing was written.
  package mutating func setUnlessObject(
    _ value: Value, for key: Key, in object: ObjectID, at place: inout SlotPlace, patch: inout Patch
  ) -> Bool {
    write(value, for: key, in: object, at: &place, sparesObjects: true, patch: &patch) != .sparing
  }

  /// Puts a new object in place of all entries of the slot.
  ///
  /// - Returns: The object's id. If `object` does not stand, or a limit is passed, nothing is written and
  ///   the id is of an object that never will.
  @discardableResult
  public mutating func assignObject(
    _ kind: Kind, for key: Key, in object: ObjectID, patch: inout Patch
  ) -> ObjectID {
    var place = SlotPlace()
    let written = write(.object(kind), for: key, in: object, at: &place, patch: &patch)
    return .assigned(by: written.dot ?? Dot(open.replica, 0))
  }

  /// Takes away all that stands in the slot and below it. Nothing is written if nothing does. The key must not be
  /// that of an element: `removeItems` takes elements away.
  public mutating func remove(_ key: Key, in object: ObjectID, patch: inout Patch) {
    precondition(isWriting, "Writing needs an open change: call `begin(as:now:)` first.")
    if case .element(let dot) = key { preconditionFailure("\(dot) is an element: remove it from its list.") }
    guard let slot = locate(key, in: object), slots.isPresent(slot) else { return }
    if !moves.objects.isEmpty { leavePlacesElsewhere(ofWhatIsIn: Doomed(slots: [slot]), patch: &patch) }
    let replacing = names(at: slot)
    let clearing = holdsMore(than: nil, slot) ? versionSeen : nil
    let dotCount = replacing.count + (clearing?.entries.count ?? 0)
    let isNamed = clearing == nil && isNamedByOpenChange(replacing)
    guard admit(0, under: key, in: slots[slot].object, dots: dotCount, isNamed: isNamed, adds: false) else { return }
    beginCall(&patch)
    let step = takeStep(in: slots[slot].object)
    log(Operation(object: object, key: key, action: .remove(replacing: replacing, clearing: clearing)), step)
    if open.isRecording {
      recordSlot(key, in: step.object, mine: nil, replacing: replacing, clearing: clearing)
    }
    applyRemove(at: slot, step, replacing: replacing, clearing: clearing, patch: &patch)
    endCall(&patch)
  }

  /// Adds `amount` to the counter in the slot. Nothing is written for 0, or if the object does not stand.
  public mutating func increment(_ key: Key, in object: ObjectID, by amount: Int64, patch: inout Patch) {
    precondition(isWriting, "Writing needs an open change: call `begin(as:now:)` first.")
    guard amount != 0, let handle = locateStanding(object), mayHaveSlot(key, handle) else { return }
    guard admit(ChangeWeight.amount, under: key, in: handle, dots: 1, isNamed: false) else { return }
    beginCall(&patch)
    let step = takeStep(in: handle)
    let slot = locate(key, in: handle)
    let share = slot.flatMap { slots.share(of: step.dot.replica, at: $0) }
    let birth = share?.birth ?? step.dot.counter
    log(Operation(object: object, key: key, action: .increment(amount, birth: birth)), step)
    if open.isRecording { recordIncrement(key, in: handle, by: amount, birth: birth, own: step.dot.counter) }
    applyIncrement(at: slot ?? makeSlot(handle, key), step, amount: amount, birth: birth, patch: &patch)
    endCall(&patch)
  }

  /// Makes the object derived from (parent, key, kind) known here, so that it can be written to. This
  /// is no operation: nobody hears of it before something is written below it.
  ///
  /// The object stays known until `undeclare`, or until an assigned object above it goes.
  @discardableResult
  public mutating func declare(_ kind: Kind, for key: Key, in parent: ObjectID) -> ObjectID {
    let id = ObjectID.derived(parent: parent, key: key, kind: kind)
    if let handle = objects.find(id) {
      objects[handle].isDeclared = true
    } else if let parent = objects.find(parent), mayHaveSlot(key, parent) {
      let handle = makeDerived(id, kind, at: makeSlot(parent, key))
      objects[handle].isDeclared = true
    }
    return id
  }

  /// Whether `declare` made the object known here, as it does those that it stands in.
  package mutating func findDeclared(_ object: ObjectID) -> Bool {
    guard let handle = objects.locate(object) else { return false }
    return objects[handle].isDeclared
  }

  /// Takes `declare` back: nobody here holds the object's id any more, and its rows may go once it
  /// holds nothing. What it holds stays.
  public mutating func undeclare(_ object: ObjectID) {
    guard let handle = objects.find(object), objects[handle].isDerived else { return }
    var patch = Patch()
    beginCall(&patch)
    objects[handle].isDeclared = false
    emptied.objects.append(handle)
    endCall(&patch)
  }
}

// MARK: Parts of a write

extension Document {
  /// The outcome of writing a slot.
  enum SlotWrite: Equatable {
    /// The operation's dot.
    case written(Dot)
    case unwritten
    /// An object may stand there.
    case sparing

    var dot: Dot? { if case .written(let dot) = self { dot } else { nil } }
  }

  /// - Parameters:
  ///   - moving: The object that the value moves.
  ///   - sparesObjects: whether nothing is written where an object may stand.
  mutating func write(
    _ value: Value, for key: Key, in object: ObjectID, at place: inout SlotPlace, moving: ObjectHandle? = nil,
    sparesObjects: Bool = false, patch: inout Patch
  ) -> SlotWrite {
    precondition(isWriting, "Writing needs an open change: call `begin(as:now:)` first.")
    guard let handle = locateStanding(object), mayHaveSlot(key, handle) else { return .unwritten }
    if value.isUnknown, moving == nil, !mayPlace(value, in: handle) { return .unwritten }
    var replacing = DotSet()
    var clearing: VersionVector?
    let slot = locate(key, in: handle, at: place)
    if let slot {
      if sparesObjects, slots[slot].isCompound || slots.holdsObject(slot) { return .sparing }
      if !moves.objects.isEmpty {
        leavePlacesElsewhere(
          ofWhatIsIn: Doomed(slots: [slot], kept: value.kindKeptBelow, moving: moving), patch: &patch)
      }
      let clears = holdsMore(than: value.kindKeptBelow, slot)
      if !clears, holdsOnly(value, slot) { return .unwritten }
      replacing = names(at: slot)
      if clears { clearing = versionSeen }
    }
    let dotCount = replacing.count + (clearing?.entries.count ?? 0)
    let isNamed = clearing == nil && isNamedByOpenChange(replacing)
    guard admit(value.weight, under: key, in: handle, dots: dotCount, isNamed: isNamed) else { return .unwritten }
    beginCall(&patch)
    let step = takeStep(in: handle)
    var operation = Operation(
      object: object, key: key, action: .set(value, replacing: replacing, clearing: clearing))
    if let slot { operation.hint = SlotHint(slot.index) }
    log(consume operation, step)
    if open.isRecording {
      recordSlot(
        key, in: handle, mine: Dot(open.replica, open.lastCounter), replacing: replacing, clearing: clearing,
        keeping: value.kindKeptBelow)
    }
    place.slot = slot ?? makeSlot(handle, key)
    applySet(value, at: place.slot, step, replacing: replacing, clearing: clearing, patch: &patch)
    endCall(&patch)
    return .written(Dot(open.replica, open.lastCounter))
  }

  @inline(__always)
  private mutating func locate(_ key: Key, in object: ObjectHandle, at place: SlotPlace) -> SlotHandle? {
    isSlot(place, key, of: object) ? place.slot : locate(key, in: object)
  }

  /// The next operation's first dot, and its stamp; the first one fixes the stamp of the change.
  mutating func takeStep(in object: ObjectHandle, counters: Int = 1) -> Step {
    if open.operations.isEmpty {
      open.stamp = clock.next(now: open.now)
      if open.replicaHandle.isNone || replicas[open.replicaHandle] != open.replica {
        open.replicaHandle = replicas.intern(open.replica)
      }
    }
    let counter = open.lastCounter + 1
    open.lastCounter += UInt64(counters)
    precondition(open.lastCounter < 1 << 63, "Replica \(open.replica) has used up its counters.")
    return Step(object: object, dot: DotRow(replica: open.replicaHandle, counter: counter), stamp: open.stamp)
  }

  mutating func log(_ operation: consuming Operation, _ step: Step) {
    open.operations.append(operation)
    if objects[step.object].touched != open.number { listDefinitions(of: step.object) }
  }

  /// What the writer of the next operation has seen: everything committed, and its own open operations.
  private var versionSeen: VersionVector {
    var seen = version
    seen[open.replica] = open.lastCounter
    return seen
  }

  // These alter nothing. They are mutating because a method that is not would be handed a copy of the document.

  /// The dots of all entries of the slot, ascending.
  @inline(__always)
  private mutating func names(at slot: SlotHandle) -> DotSet {
    if slots[slot].hidesEntries { return namesWithHidden(at: slot) }
    guard slots[slot].hasEntry else { return DotSet() }
    guard slots[slot].isCompound else { return DotSet(dot(slots[slot].dot)) }
    return namesInCompound(slot)
  }

  private mutating func namesWithHidden(at slot: SlotHandle) -> DotSet {
    var names: [Dot] = []
    forEachEntry(in: slot) { names.append(dot($0.dot)) }
    return DotSet(names.sorted())
  }

  private mutating func namesInCompound(_ slot: SlotHandle) -> DotSet {
    let greatest = dot(slots.dot(slot))
    guard slots.hasSiblings(slot) else { return DotSet(greatest) }
    return DotSet((slots[compound: slot].siblings.map { dot($0.dot) } + [greatest]).sorted())
  }

  /// Whether the slot has one entry, `value`: writing it again would say nothing.
  @inline(__always)
  private mutating func holdsOnly(_ value: Value, _ slot: SlotHandle) -> Bool {
    guard slots[slot].hasEntry, !value.isObject, slots.isValue(slot, value) else { return false }
    return !slots[slot].isCompound || !slots.hasSiblings(slot)
  }

  /// Whether a write has something to clear: counter shares, or derived objects that hold something
  /// and are not of the kind that the new value keeps.
  @inline(__always)
  private mutating func holdsMore(than kept: Kind?, _ slot: SlotHandle) -> Bool {
    if slots[slot].isCompound { holdsMoreInCompound(than: kept, slot) } else { false }
  }

  private mutating func holdsMoreInCompound(than kept: Kind?, _ slot: SlotHandle) -> Bool {
    if !slots[compound: slot].shares.isEmpty { return true }
    var holds = false
    forEachChild(of: slot) { holds = holds || objects[$0].presentCount > 0 && objects[$0].kind != kept }
    return holds
  }
}
