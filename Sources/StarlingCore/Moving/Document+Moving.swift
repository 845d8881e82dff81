// Moving objects between parents (Protocol/merge.md, "Moving between parents"). Like all writing it needs an open
// change.

/// Why an object was not put somewhere. Nothing was written.
public struct MoveError: Error, Hashable, Sendable {
  public enum Code: Hashable, Sendable {
    /// The object does not stand: it was removed, in an earlier change or by somebody else. A replica that still has
    /// what it held writes a new object.
    case objectIsGone
    /// The object is derived from its slot, or the root: it stands where it is, and nowhere else.
    case objectIsFixed
    /// The map, dictionary or list does not stand, is of another kind, or the element of the key does not stand.
    case holderIsGone
    /// The map, dictionary or list is the object itself, or stands in it.
    case intoItself
    /// The open change, or the document, can take no more (`takeRefusal`).
    case limit
  }

  public let code: Code
  public let object: ObjectID
  public let holder: ObjectID

  init(_ code: Code, _ object: ObjectID, into holder: ObjectID) {
    self.code = code
    self.object = object
    self.holder = holder
  }
}

/// An entry that puts an object somewhere.
public struct ObjectPlace: Hashable, Sendable {
  /// What the object stands in: a map, a dictionary or a list.
  public var holder: ObjectID
  /// The key under which it does; of a list that of the element.
  public var key: Key
  /// The entry.
  public var dot: Dot
}

extension Document {
  // MARK: Reading

  /// Where the object stands; nil if it does not, if an open change set it aside, or if it was never assigned.
  ///
  /// - Complexity: O(places of the object)
  public func place(of object: ObjectID) -> ObjectPlace? {
    guard let handle = standing(object), !moves.setAside.contains(handle) else { return nil }
    return effectivePlace(of: handle).map { publicPlace($0) }
  }

  /// All places of the object: the one at which it stands, then those at which it would if that went, in no order.
  /// Several that nobody took the object away from are a conflict.
  public func places(of object: ObjectID) -> [ObjectPlace] {
    guard let handle = standing(object), let first = effectivePlace(of: handle) else { return [] }
    let others = moves.objects[handle]?.places.filter { $0.dot != first.dot && isReachable($0) } ?? []
    return [publicPlace(first)] + others.map { publicPlace($0) }
  }

  /// The places at which others put the object while somebody put it where it stands: those that nobody took it away
  /// from.
  public func conflictingPlaces(of object: ObjectID) -> [ObjectPlace] {
    guard let handle = standing(object), let row = moves.objects[handle] else { return [] }
    let reachable = row.places.filter { isReachable($0) }
    let left = Set(reachable.compactMap(\.from))
    return reachable.filter { $0.dot != row.effective && !left.contains(dot($0.dot)) }.map { publicPlace($0) }
  }

  /// What the object stands in; nil of the root and of what does not stand.
  public func parent(of object: ObjectID) -> ObjectID? {
    standing(object).flatMap { parent(of: $0) }.map { objects[$0].id }
  }

  /// What the object stands in and under which key, derived objects as well; nil of the root and of what does not
  /// stand.
  package func slot(of object: ObjectID) -> (holder: ObjectID, key: Key)? {
    standing(object).flatMap { slotOfObject($0) }.map { (objects[slots[$0].object].id, keys[slots[$0].key]) }
  }

  /// What the object stands in, what that stands in, and so on up to the root.
  ///
  /// - Complexity: O(depth)
  public func ancestors(of object: ObjectID) -> [ObjectID] {
    var found: [ObjectID] = []
    var next = standing(object).flatMap { parent(of: $0) }
    while let ancestor = next {
      found.append(objects[ancestor].id)
      next = parent(of: ancestor)
    }
    return found
  }

  // MARK: Writing

  /// Lets the object stand under the key of a map or dictionary, in place of what stands there and of where it stood.
  /// It keeps its id, and what others write to it at the same time.
  ///
  /// Nothing is written where it stands there alone already.
  ///
  /// - Complexity: O(depth + places of objects that were moved)
  public mutating func place(
    _ object: ObjectID, for key: Key, in holder: ObjectID, patch: inout Patch
  ) throws(MoveError) {
    let (handle, target) = try movable(object, into: holder)
    guard mayHaveSlot(key, target) else { throw MoveError(.holderIsGone, object, into: holder) }
    if !moves.setAside.contains(handle), let place = effectivePlace(of: handle),
      let slot = locate(key, in: target), place.slot == slot, !slots.hasSiblings(slot), !slots.hasShares(slot)
    {
      return
    }
    let value = movedValue(of: handle)
    guard set(value, for: key, in: holder, moving: handle, patch: &patch) != nil else {
      throw MoveError(.limit, object, into: holder)
    }
    leaveOtherPlaces(of: handle, patch: &patch)
  }

  /// Lets the object stand in a list, so that it is at `index` afterwards, in place of where it stood.
  ///
  /// - Returns: The element at which it stands.
  /// - Complexity: O(log *n* + depth + places of objects that were moved)
  @discardableResult
  public mutating func place(
    _ object: ObjectID, at index: Int, in list: ObjectID, patch: inout Patch
  ) throws(MoveError) -> Dot {
    let (handle, target) = try movable(object, into: list)
    guard objects[target].kind == .list else { throw MoveError(.holderIsGone, object, into: list) }
    if !moves.setAside.contains(handle), let place = effectivePlace(of: handle), slots[place.slot].object == target,
      case .element(let element) = keys[slots[place.slot].key], let from = self.index(of: element, in: list)
    {
      // It stays at its element, which others may move at the same time.
      move(from: from, to: min(index, count(in: list) - 1), in: list, patch: &patch)
      return element
    }
    let value = movedValue(of: handle)
    let wasAside = moves.setAside.remove(handle) != nil
    moves.placing = handle
    defer { moves.placing = nil }
    guard let element = insert([value], at: index, in: list, patch: &patch) else {
      if wasAside { moves.setAside.insert(handle) }
      throw MoveError(.limit, object, into: list)
    }
    leaveOtherPlaces(of: handle, patch: &patch)
    return element
  }

  /// Takes the object away from where it stands for the rest of the open change, in which it may be placed elsewhere.
  /// What is not by the time the change is committed is removed.
  ///
  /// - Returns: False if the object does not stand, or has no place of its own.
  @discardableResult
  public mutating func setAside(_ object: ObjectID, patch: inout Patch) -> Bool {
    precondition(isWriting, "Writing needs an open change: call `begin(as:now:)` first.")
    guard let handle = locateStanding(object), !objects[handle].isRoot, !objects[handle].isDerived else { return false }
    beginCall(&patch)
    holdPlaces(of: handle)
    moves.setAside.insert(handle)
    touchPlaces(of: handle)
    endCall(&patch)
    return true
  }

  /// Lets an object that was set aside stand again where it stood.
  public mutating func putBack(_ object: ObjectID, patch: inout Patch) {
    guard let handle = objects.find(object), moves.setAside.remove(handle) != nil else { return }
    beginCall(&patch)
    touchPlaces(of: handle)
    endCall(&patch)
  }

  /// Removes what is still set aside, as the last `commit` does by itself and tells nobody.
  package mutating func removeWhatIsSetAside(patch: inout Patch) {
    let aside = moves.setAside
    guard !aside.isEmpty else { return }
    let wasRecording = open.isRecording
    open.isRecording = false
    defer { open.isRecording = wasRecording }
    for object in aside where objects.isInUse(object) && !objects[object].isHeld {
      leavePlacesElsewhere(ofWhatIsIn: Doomed(objects: [object]), patch: &patch)
      for place in moves.objects[object]?.places ?? [] where isReachable(place) { leave(place, patch: &patch) }
    }
    moves.setAside = []
    moves.isDirty = true
    moves.touchesAll = true
    beginCall(&patch)
    endCall(&patch)
  }

  // MARK: Parts of a write

  private mutating func movable(
    _ object: ObjectID, into holder: ObjectID
  ) throws(MoveError) -> (object: ObjectHandle, holder: ObjectHandle) {
    precondition(isWriting, "Writing needs an open change: call `begin(as:now:)` first.")
    guard let handle = objects.find(object), !objects[handle].isHeld || moves.setAside.contains(handle) else {
      throw MoveError(.objectIsGone, object, into: holder)
    }
    if objects[handle].isRoot || objects[handle].isDerived { throw MoveError(.objectIsFixed, object, into: holder) }
    guard let target = locateStanding(holder) else { throw MoveError(.holderIsGone, object, into: holder) }
    var next: ObjectHandle? = target
    while let ancestor = next {
      if ancestor == handle { throw MoveError(.intoItself, object, into: holder) }
      next = parent(of: ancestor)
    }
    return (handle, target)
  }

  private mutating func movedValue(of object: ObjectHandle) -> Value {
    holdPlaces(of: object)
    let from = moves.objects[object]!.effective.map { dot($0) } ?? objects[object].id.dot!
    return .moved(MovedObject(objects[object].id.dot!, objects[object].kind, from: from))
  }

  /// From now on the object has its places listed.
  private mutating func holdPlaces(of object: ObjectHandle) {
    moves.isOn = true
    guard moves.objects[object] == nil else { return }
    let place = placeOfBirth(of: object)
    moves.objects[object] = MovedRow(places: place.map { [$0] } ?? [], effective: place?.dot)
  }

  private mutating func set(
    _ value: Value, for key: Key, in holder: ObjectID, moving object: ObjectHandle, patch: inout Patch
  ) -> Dot? {
    let wasAside = moves.setAside.remove(object) != nil
    var place = SlotPlace()
    let dot = write(value, for: key, in: holder, at: &place, moving: object, patch: &patch).dot
    if dot == nil, wasAside { moves.setAside.insert(object) }
    return dot
  }

  /// Removes the places of the object but that at which it stands and the one it came from, which is its way back.
  private mutating func leaveOtherPlaces(of object: ObjectHandle, patch: inout Patch) {
    guard let row = moves.objects[object], let newest = newestPlace(of: row) else { return }
    for place in row.places where place.dot != newest.dot && dot(place.dot) != newest.from && isReachable(place) {
      leave(place, patch: &patch)
    }
  }

  /// The one that the open change wrote last.
  private func newestPlace(of row: MovedRow) -> PlaceRow? {
    row.places.filter { replicas[$0.dot.replica] == open.replica }.max { $0.dot.counter < $1.dot.counter }
  }

  /// What a write takes away: all that stands in these slots, and these objects.
  struct Doomed {
    var slots: Set<SlotHandle> = []
    var objects: Set<ObjectHandle> = []
    /// The kind of derived object that stays in the slots.
    var kept: Kind?
    /// An object that does not go, since it is placed elsewhere.
    var moving: ObjectHandle?
  }

  /// Removes the places elsewhere of what a reader sees in what is about to go: or it would fall back to them.
  mutating func leavePlacesElsewhere(ofWhatIsIn doomed: Doomed, patch: inout Patch) {
    if moves.objects.isEmpty || open.keepsOtherPlaces { return }
    var found: [PlaceRow] = []
    for object in movedObjects(in: doomed) {
      let row = moves.objects[object]!
      found += row.places.filter { $0.dot != row.effective && isReachable($0) && !stands($0.slot, in: doomed) }
    }
    let wasRecording = open.isRecording
    open.isRecording = false
    for place in found.sorted(by: { dot($0.dot) < dot($1.dot) }) { leave(place, patch: &patch) }
    open.isRecording = wasRecording
  }

  /// The objects with several places that a reader sees in what is doomed.
  ///
  /// - Complexity: O(what stands there), as taking it away is.
  private mutating func movedObjects(in doomed: Doomed) -> [ObjectHandle] {
    var found: [ObjectHandle] = []
    var pending = Array(doomed.objects)
    found += pending.filter { moves.objects[$0] != nil && !objects[$0].isHeld }
    func visit(_ slot: SlotHandle, keeping kept: Kind?) {
      forEachChild(of: slot) { if kept == nil || objects[$0].kind != kept { pending.append($0) } }
      forEachPlace(in: slot) { dot, id in
        guard let object = objects.find(id), object != doomed.moving else { return }
        if let row = moves.objects[object] {
          guard row.effective == dot, !objects[object].isHeld else { return }
          found.append(object)
        }
        pending.append(object)
      }
    }
    for slot in doomed.slots { visit(slot, keeping: doomed.kept) }
    while let object = pending.popLast() {
      openContents(of: object)
      forEachSlot(of: object) { visit($0, keeping: nil) }
    }
    return found
  }

  private func stands(_ slot: SlotHandle, in doomed: Doomed) -> Bool {
    var slot = slot
    var kind: Kind?
    while true {
      if doomed.slots.contains(slot), kind == nil || kind != doomed.kept { return true }
      let object = slots[slot].object
      if objects[object].isRoot || object == doomed.moving { return false }
      if doomed.objects.contains(object) { return true }
      guard let next = slotOfObject(object) else { return false }
      kind = objects[object].isDerived ? objects[object].kind : nil
      slot = next
    }
  }

  /// Removes one place by name.
  private mutating func leave(_ place: PlaceRow, patch: inout Patch) {
    let slot = place.slot
    let (object, key) = (slots[slot].object, keys[slots[slot].key])
    let name = dot(place.dot)
    guard admit(ChangeWeight.amount, under: key, in: object, dots: 2, isNamed: false, adds: false) else { return }
    beginCall(&patch)
    defer { endCall(&patch) }
    guard case .element(let element) = key else {
      let step = takeStep(in: object)
      let replacing = DotSet(name)
      log(
        Operation(object: objects[object].id, key: key, action: .remove(replacing: replacing, clearing: nil)), step)
      return applyRemove(at: slot, step, replacing: replacing, clearing: nil, patch: &patch)
    }
    var others: [EntryRow] = []
    forEachEntry(in: slot) { if $0.dot != place.dot { others.append($0) } }
    if others.isEmpty, let item = item(element) {
      let step = takeStep(in: object)
      log(Operation(object: objects[object].id, key: key, action: .removeRun(count: 1)), step)
      return applyRemove(elements: ItemRun(item), step, patch: &patch)
    }
    // Nothing can be removed from an element, but replaced by what stands beside it.
    guard slots[slot].hasEntry, slots.dot(slot) != place.dot, !slots.holdsObject(slot) else { return }
    let greatest = slots.entry(slot)
    let step = takeStep(in: object)
    let replacing = DotSet([dot(greatest.dot), name].sorted())
    log(
      Operation(
        object: objects[object].id, key: key, action: .set(greatest.value, replacing: replacing, clearing: nil)), step)
    applySet(greatest.value, at: slot, step, replacing: replacing, clearing: nil, patch: &patch)
  }

  /// Whether the value may be written in the object: one that moves an object only where `place` would write it.
  func mayPlace(_ value: Value, in holder: ObjectHandle) -> Bool {
    guard let moved = value.movedObject else { return true }
    guard let object = objects.find(moved.object), objects[object].kind == moved.kind,
      !objects[object].isHeld || moves.placing == object
    else { return false }
    var next: ObjectHandle? = holder
    while let ancestor = next {
      if ancestor == object { return false }
      next = parent(of: ancestor)
    }
    return true
  }

  // MARK: Undoing

  /// Whether the entry puts an object where it stands, and nothing else does.
  func isOnlyPlace(_ entry: Dot, _ key: Key, in holder: ObjectID) -> Bool {
    guard let stored = storedEntries(key, in: holder).first(where: { $0.dot == entry }),
      let moved = stored.value.movedObject, let object = standing(moved.object)
    else { return false }
    return hasNoOtherPlace(object)
  }

  /// Whether the object goes if the place goes at which it stands.
  func hasNoOtherPlace(_ object: ObjectHandle) -> Bool {
    guard let row = moves.objects[object] else { return true }
    return row.places.count { isReachable($0) } < 2
  }

  /// The same move from where the object stands now.
  func movedAgain(_ moved: MovedObject) -> Value {
    guard let object = standing(moved.object), let place = effectivePlace(of: object) else { return .moved(moved) }
    return .moved(MovedObject(moved.dot, moved.kind, from: dot(place.dot)))
  }

  // MARK: By handle

  func effectivePlace(of object: ObjectHandle) -> PlaceRow? {
    if objects[object].isDerived || objects[object].isRoot { return nil }
    guard let row = moves.objects[object] else {
      return moves.orphans[object] == nil ? placeOfBirth(of: object) : nil
    }
    return row.effective.flatMap { effective in row.places.first { $0.dot == effective } }
  }

  func slotOfObject(_ object: ObjectHandle) -> SlotHandle? {
    if objects[object].isRoot { return nil }
    if objects[object].isDerived || moves.isEmpty { return objects[object].slot }
    if moves.objects[object] == nil { return moves.orphans[object] == nil ? objects[object].slot : nil }
    return effectivePlace(of: object)?.slot
  }

  func parent(of object: ObjectHandle) -> ObjectHandle? {
    slotOfObject(object).map { slots[$0].object }
  }

  func isReachable(_ place: PlaceRow) -> Bool { !objects[slots[place.slot].object].isHeld }

  private func publicPlace(_ place: PlaceRow) -> ObjectPlace {
    ObjectPlace(
      holder: objects[slots[place.slot].object].id, key: keys[slots[place.slot].key], dot: dot(place.dot))
  }
}
