// Places of objects: how they come, go, hide and show (Protocol/merge.md, "Moving between parents").

extension Document {
  // MARK: Coming and going

  /// The entry that brings the object into being was placed.
  mutating func begin(_ kind: Kind, by dot: DotRow, _ stamp: Stamp, at slot: SlotHandle) {
    let id = ObjectID.assigned(by: self.dot(dot))
    guard moves.isOn, let known = objects.find(id) else {
      let object = objects.insert(ObjectRow(id: id, kind: kind, slot: slot))
      if objects[slots[slot].object].isHeld { objects[object].isHeld = true }
      if moves.isOn { moves.arrived.insert(object) }
      return
    }
    // Its other places came first.
    addPlace(PlaceRow(dot: dot, stamp: stamp, slot: slot, from: nil), of: known)
  }

  /// An entry came that puts the object where it stands.
  mutating func place(_ moved: MovedObject, by dot: DotRow, _ stamp: Stamp, at slot: SlotHandle) {
    moves.isOn = true
    let object: ObjectHandle
    if let known = objects.find(moved.object) {
      guard objects[known].kind == moved.kind else { return }
      object = known
      if moves.objects[known] == nil {
        // The entry that brought it into being is the first of its places, unless it went.
        let first = moves.orphans[known] == nil ? placeOfBirth(of: known) : nil
        moves.objects[known] = MovedRow(places: first.map { [$0] } ?? [], effective: first?.dot)
      }
    } else {
      object = objects.insert(ObjectRow(id: moved.object, kind: moved.kind, slot: slot))
      objects[object].isHeld = objects[slots[slot].object].isHeld
      moves.objects[object] = MovedRow()
      moves.arrived.insert(object)
    }
    addPlace(PlaceRow(dot: dot, stamp: stamp, slot: slot, from: moved.from), of: object)
  }

  private mutating func addPlace(_ place: PlaceRow, of object: ObjectHandle) {
    moves.objects[object, default: MovedRow()].places.append(place)
    touchPlaces(of: object)
  }

  mutating func touchPlaces(of object: ObjectHandle) {
    moves.isDirty = true
    moves.touched.insert(object)
  }

  func placeOfBirth(of object: ObjectHandle) -> PlaceRow? {
    let row = objects[object]
    guard let dot = row.id.dot, let item = item(dot) else { return nil }
    var found: PlaceRow?
    forEachEntry(in: row.slot) { entry in
      if entry.dot == item {
        found = PlaceRow(dot: item, stamp: entry.stamp, slot: row.slot, from: nil)
      }
    }
    return found
  }

  /// An entry went that put the object somewhere.
  mutating func placeWent(_ dot: DotRow, of id: ObjectID, patch: inout Patch) {
    guard moves.isOn else { return kill(id, patch: &patch) }
    guard let object = objects.find(id) else { return }
    if moves.objects[object] != nil {
      moves.objects[object]!.places.removeAll { $0.dot == dot }
    } else if moves.orphans[object] == nil {
      moves.orphans[object] = .some(nil)
    }
    touchPlaces(of: object)
  }

  /// The object whose place the entry is; nil if it is none.
  func objectPlaced(by dot: DotRow, _ value: Value) -> ObjectID? {
    if case .object = value { return .assigned(by: self.dot(dot)) }
    return value.movedObject?.object
  }

  /// Everything that stands in the slot, hidden or not, in no order.
  func forEachEntry(in slot: SlotHandle, _ body: (EntryRow) -> Void) {
    if slots[slot].hasEntry {
      body(slots.entry(slot))
      if slots.hasSiblings(slot) { slots[compound: slot].siblings.forEach(body) }
    }
    if slots[slot].hidesEntries { moves.hidden[slot]?.forEach(body) }
  }

  /// The entries in the slot that put an object there, hidden or not.
  func forEachPlace(in slot: SlotHandle, _ body: (DotRow, ObjectID) -> Void) {
    forEachEntry(in: slot) { entry in
      if let object = objectPlaced(by: entry.dot, entry.value) { body(entry.dot, object) }
    }
  }

  // MARK: Hiding and showing

  /// Takes the entry out of what a reader of its slot sees. It stands all the same.
  mutating func hide(_ place: PlaceRow, patch: inout Patch) {
    let slot = place.slot
    guard slots[slot].hasEntry else { return }
    var account = openAccount(slot)
    guard let entry = takeOut(place.dot, account: &account) else { return }
    moves.hidden[slot, default: []].append(entry)
    slots[slot].hidesEntries = true
    closeAccount(account, patch: &patch)
    showOrHideElement(at: slot, patch: &patch)
  }

  mutating func show(_ place: PlaceRow, patch: inout Patch) {
    let slot = place.slot
    guard slots[slot].hidesEntries, let number = moves.hidden[slot]?.firstIndex(where: { $0.dot == place.dot }) else {
      return
    }
    var account = openAccount(slot)
    let entry = moves.hidden[slot]!.remove(at: number)
    put(entry, account: &account)
    closeAccount(account, patch: &patch)
    showOrHideElement(at: slot, patch: &patch)
    forgetHiddenIfNone(at: slot)
  }

  mutating func forgetHiddenIfNone(at slot: SlotHandle) {
    guard slots[slot].hidesEntries, moves.hidden[slot]?.isEmpty ?? true else { return }
    moves.hidden[slot] = nil
    slots[slot].hidesEntries = false
    // Of a state that is merged what goes comes first: the element may get another value yet.
    if !slots[slot].hasEntry { moves.bared.insert(slot) }
    if !slots.isPresent(slot) { emptied.slots.append(slot) }
  }

  private mutating func takeOut(_ dot: DotRow, account: inout Account) -> EntryRow? {
    let slot = account.slot
    let greatest = slots.entry(slot)
    if greatest.dot == dot {
      account.droppedGreatest = true
      slots.setEntry(slot, to: takeGreatestSibling(slot))
      return greatest
    }
    guard slots.hasSiblings(slot),
      let place = slots[compound: slot].siblings.firstIndex(where: { $0.dot == dot })
    else { return nil }
    account.droppedLesser = true
    return slots[compound: slot].siblings.remove(at: place)
  }

  /// A reader sees an element of a list where it sees one of its entries.
  mutating func showOrHideElement(at slot: SlotHandle, patch: inout Patch) {
    guard case .element(let dot) = keys[slots[slot].key], let element = item(dot),
      let sequence = sequence(of: slots[slot].object)
    else { return }
    let id = objects[slots[slot].object].id
    let candidates = candidates(of: element, in: sequence)
    let item = visible(candidates)
    if slots[slot].hasEntry {
      if candidates.count == 1, candidates[0].item == element { sequences[sequence].moved[element] = nil }
      guard let index = sequences[sequence].tree.revive(item) else { return }
      patch.forget(slot)
      patch.record(.insert(at: index, count: 1), in: id)
    } else {
      sequences[sequence].moved[element] = candidates
      guard sequences[sequence].tree.liveness(of: item) == true else { return }
      patch.forget(slot)
      sequences[sequence].tree.remove(ItemRun(item)) {
        patch.record(.remove(at: $0.lowerBound, count: $0.count), in: id)
      }
    }
  }

  /// Shows elements that lost their hidden entries to the state that is being merged, and got others from it.
  mutating func showElementsWithNewValues(patch: inout Patch) {
    for slot in moves.bared where !slots[slot].isFree && slots[slot].hasEntry {
      showOrHideElement(at: slot, patch: &patch)
    }
  }

  /// Whether the element of this slot stands and nobody sees it.
  func isHiddenElement(_ slot: SlotHandle) -> Bool { slots[slot].hidesEntries && !slots[slot].hasEntry }

  // MARK: Resolving

  /// Lets every object stand at its place, and nothing but there, after places came or went.
  mutating func resolvePlaces(patch: inout Patch) {
    if !resolveTouched(patch: &patch) { resolveAll(patch: &patch) }
    moves.isDirty = false
    moves.touched = []
    moves.touchesAll = false
    moves.arrived = []
  }

  private mutating func resolveAll(patch: inout Patch) {
    let handles = Array(moves.objects.keys)
    let numbers = Dictionary(uniqueKeysWithValues: handles.enumerated().map { ($0.element, $0.offset) })
    var graph = PlaceGraph()
    for handle in handles {
      graph.nodes.append(
        moves.objects[handle]!.places.map { place in
          PlaceGraph.Place(
            dot: dot(place.dot), stamp: place.stamp, from: place.from,
            holder: holder(of: slots[place.slot].object, numbers))
        })
    }
    let (found, isCircling) = graph.resolved()
    moves.isCircling = isCircling
    var (gone, back): (ContiguousArray<ObjectHandle>, ContiguousArray<ObjectHandle>) = ([], [])
    for (number, handle) in handles.enumerated() {
      let row = moves.objects[handle]!
      let effective = found[number].map { row.places[$0].dot }
      moves.objects[handle]!.effective = effective
      if effective == nil {
        if moves.orphans[handle] == nil { moves.orphans[handle] = .some(nil) }
        if !objects[handle].isHeld { gone.append(handle) }
      } else {
        moves.orphans[handle] = nil
        if objects[handle].isHeld { back.append(handle) }
        let isAside = moves.setAside.contains(handle)
        for place in row.places where place.dot != effective || isAside { hide(place, patch: &patch) }
      }
    }
    for handle in moves.orphans.keys where moves.objects[handle] == nil && !objects[handle].isHeld {
      gone.append(handle)
    }
    for handle in gone { setHeld(true, below: handle, patch: &patch) }
    for handle in back { setHeld(false, below: handle, patch: &patch) }
    for (number, handle) in handles.enumerated() where !moves.setAside.contains(handle) {
      if let place = found[number] { show(moves.objects[handle]!.places[place], patch: &patch) }
    }
    for handle in handles { simplifyPlaces(of: handle) }
    noteOrphans()
    moves.rest()
  }

  /// What the object stands in, as far as places decide.
  private func holder(of object: ObjectHandle, _ numbers: [ObjectHandle: Int]) -> PlaceGraph.Holder {
    var object = object
    while true {
      if objects[object].isRoot { return .root }
      if let number = numbers[object] { return .node(number) }
      if moves.orphans[object] != nil { return .nothing }
      object = slots[objects[object].slot].object
    }
  }

  /// An object whose only place is the entry that created it needs no row.
  mutating func simplifyPlaces(of object: ObjectHandle) {
    guard let row = moves.objects[object], row.places.count == 1, row.places[0].from == nil, row.effective != nil,
      !moves.setAside.contains(object)
    else { return }
    objects[object].slot = row.places[0].slot
    moves.objects[object] = nil
  }

  private mutating func noteOrphans() {
    guard moves.orphans.values.contains(where: { $0 == nil }) else { return }
    let seen = versionOfOrphans
    for object in moves.orphans.keys where moves.orphans[object]! == nil { moves.orphans[object] = seen }
  }

  /// What is known here of removals and their writers.
  var versionOfOrphans: VersionVector {
    var seen = version
    if isWriting, !open.operations.isEmpty { seen[open.replica] = open.lastCounter }
    return seen
  }

  /// Notes of the object and of all in it that has no place elsewhere whether it is held for others alone.
  mutating func setHeld(_ isHeld: Bool, below top: ObjectHandle, patch: inout Patch) {
    if isHeld { moves.hasHeld = true } else { moves.hasReturned = true }
    var pending: ContiguousArray<ObjectHandle> = [top]
    while let object = pending.popLast() {
      if isHeld { openContents(of: object) }
      objects[object].isHeld = isHeld
      if !objects[object].isDerived, isHeld { patch.removedObjects.append(objects[object].id) }
      forEachSlot(of: object) { slot in
        forEachChild(of: slot) { pending.append($0) }
        forEachPlace(in: slot) { _, id in
          if let child = objects.find(id), moves.objects[child] == nil { pending.append(child) }
        }
      }
    }
  }

  /// Leaves out of the patch what stands in objects that are held for others alone, and of the objects that went those
  /// that came back.
  mutating func leaveOutWhatIsHeld(_ patch: inout Patch) {
    if moves.hasReturned, !patch.postponed.isEmpty { tellOfWhatReturned(&patch) }
    // What former calls wrote was looked at then, and stands in what stood.
    let first = moves.hasHeld ? 0 : min(moves.patchEntryCount, patch.entries.count)
    moves.hasHeld = false
    moves.hasReturned = false
    moves.patchEntryCount = 0
    for place in (first..<patch.entries.count).reversed() {
      if let object = objects.find(patch.entries[place].object), objects[object].isHeld {
        patch.postponed.add(patch.entries[place])
        patch.drop(place)
      }
    }
    for edits in patch.sequences {
      if let object = objects.find(edits.object), objects[object].isHeld {
        patch.postponed.add(edits)
        patch.forgetSequence(of: edits.object)
      }
    }
    patch.removedObjects.removeAll { isLive($0) }
  }

  /// Objects that went and came back within the patch were never away for a reader of the patch.
  private mutating func tellOfWhatReturned(_ patch: inout Patch) {
    var postponed = PostponedChanges()
    swap(&postponed, &patch.postponed)
    let returned = postponed.take { id in objects.find(id).map { !objects[$0].isHeld } ?? false }
    swap(&postponed, &patch.postponed)
    for entry in returned.entries {
      guard let object = objects.find(entry.object), mayHaveSlot(entry.key, object) else { continue }
      let slot = makeSlot(object, entry.key)
      emptied.slots.append(slot)
      patch.record(slot, postponed: entry, to: visible(slot))
    }
    for edits in returned.sequences { patch.record(formerly: edits) }
  }
}
