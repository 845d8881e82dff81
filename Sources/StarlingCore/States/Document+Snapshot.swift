extension Document {
  /// The whole state, with all tombstones that are kept (Protocol/merge.md, "Snapshots"). No change may be
  /// open.
  ///
  /// - Complexity: O(*n* log *n*)
  public func snapshot() -> Snapshot {
    snapshot(isCanonical: false)
  }

  /// The state without tombstones on which nothing rests: replicas with equal versions have equal ones, whatever
  /// each has collected. No change may be open.
  ///
  /// - Complexity: O(*n* log *n*)
  public func canonicalSnapshot() -> Snapshot {
    snapshot(isCanonical: true)
  }

  private func snapshot(isCanonical: Bool) -> Snapshot {
    precondition(!isWriting, "A snapshot holds whole changes; commit the open one first.")
    if unopened != nil { return opened.snapshot(isCanonical: isCanonical) }
    var contents: [ObjectHandle: Snapshot.Sequence] = [:]
    for sequence in sequenceHandles {
      let object = sequences[sequence].object
      if isCanonical, objects[object].isHeld { continue }
      contents[object] = sequenceOfSnapshot(object, isCanonical: isCanonical)
    }
    let objects = outlines(isCanonical: isCanonical) { contents[$0] != nil }.map { outline in
      let object = ObjectHandle(outline.number)
      return Snapshot.Object(
        id: outline.id, origin: outline.origin, slots: orderedSlots(of: object).map { slotOfSnapshot($0) },
        sequence: contents[object])
    }
    return Snapshot(version: version, frontier: frontier, latestStamp: latestStamp, objects: objects)
  }

  /// The objects that a snapshot lists, ascending by id.
  ///
  /// - Parameter hasItems: whether it lists a sequence of the object.
  func outlines(isCanonical: Bool = false, _ hasItems: (ObjectHandle) -> Bool) -> [Snapshot.Outline] {
    let above = objectsAboveItems(hasItems)
    var found: [Snapshot.Outline] = []
    for object in objects.handles {
      let row = objects[object]
      if isCanonical, row.isHeld { continue }
      let isIncomplete = !isCanonical && !row.isHeld && moves.incomplete.contains(object)
      if isIncomplete || moves.orphans[object] != nil {
        found.append(Snapshot.Outline(id: row.id, origin: .orphan(row.kind), number: object.index))
        continue
      }
      guard
        hasListedSlot(object) || hasItems(object)
          || row.isDerived && (row.presentCount > 0 || above.contains(object))
      else { continue }
      found.append(Snapshot.Outline(id: row.id, origin: origin(of: row), number: object.index))
    }
    return found.sorted { $0.id < $1.id }
  }

  private func origin(of row: ObjectRow) -> Snapshot.Origin {
    if row.isRoot { return .root }
    guard row.isDerived else { return .assigned(row.kind) }
    let slot = slots[row.slot]
    return .derived(ObjectDefinition(parent: objects[slot.object].id, key: keys[slot.key], kind: row.kind))
  }

  private func hasListedSlot(_ object: ObjectHandle) -> Bool {
    var slot = objects[object].firstSlot
    while !slot.isNone {
      if isListed(slot) { return true }
      slot = slots[slot].next
    }
    return false
  }

  /// Whether an entry or a share stands in the slot.
  private func isListed(_ slot: SlotHandle) -> Bool {
    slots[slot].hasEntry || slots.hasShares(slot) || slots[slot].hidesEntries
  }

  /// The object's slots in which an entry or a share stands, ascending by key.
  func orderedSlots(of object: ObjectHandle) -> ContiguousArray<SlotHandle> {
    var found: ContiguousArray<SlotHandle> = []
    found.reserveCapacity(Int(objects[object].presentCount))
    forEachSlot(of: object) { if isListed($0) { found.append($0) } }
    // They are linked from the latest to the first that was made, and often made in the order of their keys.
    found.reverse()
    if found.indices.dropFirst().allSatisfy({ key(of: found[$0 - 1]) < key(of: found[$0]) }) { return found }
    // Most keys differ in their beginnings, which are held side by side to be compared.
    var places = ContiguousArray(found.lazy.map { (beginning: key(of: $0).beginning, slot: $0) })
    places.sort { left, right in
      left.beginning != right.beginning
        ? left.beginning < right.beginning : key(of: left.slot) < key(of: right.slot)
    }
    for (place, slot) in places.lazy.map(\.slot).enumerated() { found[place] = slot }
    return found
  }

  private func key(of slot: SlotHandle) -> Key { keys[slots[slot].key] }

  func slotOfSnapshot(_ slot: SlotHandle) -> Snapshot.Slot {
    var entries = Snapshot.Entries()
    if slots[slot].hasEntry { entries.append(publicEntry(slots.entry(slot))) }
    var shares: [CounterShare] = []
    if slots[slot].hidesEntries {
      entries += moves.hidden[slot]?.map { publicEntry($0) } ?? []
      entries.sort { $0.dot < $1.dot }
    }
    if slots[slot].isCompound {
      entries += slots[compound: slot].siblings.map { publicEntry($0) }
      entries.sort { $0.dot < $1.dot }
      shares = slots[compound: slot].shares.map { publicShare($0) }
      shares.sort { ($0.replica, $0.birth) < ($1.replica, $1.birth) }
    }
    return Snapshot.Slot(key: keys[slots[slot].key], entries, shares: shares)
  }

  func publicShare(_ row: ShareRow) -> CounterShare {
    CounterShare(
      replica: replicas[row.replica], birth: row.birth, last: row.last, total: row.total, stamp: row.stamp)
  }

  /// The document whose state is `snapshot`.
  ///
  /// - Throws: `MergeError` if the snapshot contradicts itself or is not canonical.
  /// - Complexity: O(*n*)
  public init(_ snapshot: Snapshot) throws(MergeError) {
    self.init()
    try place(snapshot, leaving: Left(), in: nil)
  }

  /// Takes over what a snapshot says, into a document that is new.
  ///
  /// - Parameter left: what is left in a store.
  mutating func place(
    _ snapshot: Snapshot, leaving left: Left, in store: UnopenedSlots?
  ) throws(MergeError) {
    try snapshot.checkShape { left.contains($0) }
    version = snapshot.version
    frontier = snapshot.frontier
    clock.observe(snapshot.latestStamp)
    unopened = store
    try place(snapshot.objects, leaving: left)
    if left.isEmpty { unopened = nil }
    if moves.isDirty {
      var patch = Patch()
      resolvePlaces(patch: &patch)
      emptied = EmptiedRows()
      noteIncomplete(in: snapshot)
    }
    #if DEBUG
      checkInvariantsIfSmall()
    #endif
  }

  /// An orphan that stands after all is an object that may have been forgotten in part.
  private mutating func noteIncomplete(in snapshot: Snapshot) {
    for object in snapshot.objects {
      guard case .orphan = object.origin, let handle = objects.find(object.id), !objects[handle].isHeld else {
        continue
      }
      moves.incomplete.insert(handle)
      moves.isOn = true
    }
  }

  /// Puts every object where it belongs, from the root down; what cannot be reached is refused.
  private mutating func place(
    _ all: [Snapshot.Object], leaving left: Left
  ) throws(MergeError) {
    var places: [ObjectID: Int] = [:]
    var derived: [ObjectID: [ObjectDefinition]] = [:]
    places.reserveCapacity(all.count)
    let slotCount = all.reduce(0) { $0 + $1.slots.count }
    slots.reserve(slotCount)
    if all.count == 1 { keys.reserve(slotCount) }
    for (place, object) in all.enumerated() {
      places[object.id] = place
      if case .derived(let definition) = object.origin { derived[definition.parent, default: []].append(definition) }
    }
    // The ids of objects whose rows are made and whose slots are not.
    var begun: [ObjectID] = [.root]
    for object in all {
      guard case .orphan(let kind) = object.origin else { continue }
      moves.isOn = true
      moves.isDirty = true
      moves.touchesAll = true
      let handle = objects.insert(ObjectRow(id: object.id, kind: kind, slot: SlotHandle(0)))
      moves.orphans[handle] = .some(nil)
      begun.append(object.id)
    }
    var reached = 0
    var patch = Patch()
    while let id = begun.popLast() {
      guard let handle = objects.find(id) else { continue }
      if let place = places[id] {
        reached += 1
        let object = all[place]
        if !objects[handle].isRoot, !objects[handle].isDerived, object.origin != .assigned(objects[handle].kind),
          object.origin != .orphan(objects[handle].kind)
        {
          throw MergeError(
            .inconsistentSnapshot, "The object's kind is not what its entry says.", where: .object(object.id))
        }
        if let group = left.groups[id] { leave(group, of: handle) }
        try fill(object.slots, of: handle, beginning: &begun, patch: &patch)
        if let text = left.texts[id] {
          leave(text, of: handle)
        } else {
          try fill(object.sequence, of: handle, removedBy: version)
          // The slots above learn of the text as of anything else.
          if holdsText(handle) { propagate(in: handle, came: true, working: .none, patch: &patch) }
        }
      }
      for definition in derived[id] ?? [] {
        guard mayHaveSlot(definition.key, handle) else {
          throw MergeError(
            .inconsistentSnapshot, "The object stands in an element that does not.", where: .object(definition.id))
        }
        _ = makeDerived(definition.id, definition.kind, at: makeSlot(handle, definition.key))
        begun.append(definition.id)
      }
    }
    guard reached == all.count else {
      throw MergeError(
        .inconsistentSnapshot, "\(all.count - reached) objects stand nowhere.", where: .snapshot)
    }
    for object in objects.handles {
      guard objects[object].isDerived, hasNoSlots(object), objects[object].sequence.isNone else {
        continue
      }
      throw MergeError(
        .inconsistentSnapshot, "The derived object holds nothing.", where: .object(objects[object].id))
    }
  }

  /// Counts the slots that have no rows yet.
  private mutating func leave(_ group: StoredGroup, of object: ObjectHandle) {
    unopened?.add(group, of: object)
    var patch = Patch()
    count(present: group.slotCount, in: object, patch: &patch)
  }

  /// Counts so many slots of the object in which something is present.
  private mutating func count(present slotCount: Int, in object: ObjectHandle, patch: inout Patch) {
    guard slotCount > 0 else { return }
    propagate(in: object, came: true, working: .none, patch: &patch)
    objects[object].presentCount += UInt32(slotCount - 1)
  }

  private mutating func leave(_ text: StoredText, of object: ObjectHandle) {
    unopened?.add(text, of: object)
    var patch = Patch()
    count(present: 1, in: object, patch: &patch)
  }

  /// Makes slots of the object, whose keys ascend.
  private mutating func fill(
    _ contents: [Snapshot.Slot], of object: ObjectHandle, beginning begun: inout [ObjectID], patch: inout Patch
  ) throws(MergeError) {
    var plainCount = 0
    try contents.forEachBorrowed { content throws(MergeError) in
      if case .element(let dot) = content.value.key {
        guard objects[object].kind == .list else {
          throw MergeError(
            .inconsistentSnapshot, "\(dot) is an element of what is no list.", where: .object(objects[object].id))
        }
        _ = replicas.intern(dot.replica)
      }
      if let entry = content.value.plainEntry, !entry.value.isPlace {
        addSlot(object, content.value.key, holding: entry)
        plainCount += 1
      } else {
        try fill(content.value, of: object, beginning: &begun, patch: &patch)
      }
    }
    count(present: plainCount, in: object, patch: &patch)
  }

  /// Makes a slot in which several things stand, or an object.
  private mutating func fill(
    _ content: Snapshot.Slot, of object: ObjectHandle, beginning begun: inout [ObjectID], patch: inout Patch
  ) throws(MergeError) {
    let slot = addSlot(object, content.key)
    var account = openAccount(slot)
    for entry in content.entries {
      if case .object = entry.value {
        let id = ObjectID.assigned(by: entry.dot)
        if let known = objects.find(id) {
          guard moves.objects[known] != nil || moves.orphans[known] != nil,
            moves.objects[known]?.places.allSatisfy({ $0.from != nil }) ?? true
          else {
            throw MergeError(.inconsistentSnapshot, "Two entries have one dot.", where: .object(id))
          }
        } else {
          begun.append(id)
        }
      } else if let moved = entry.value.movedObject {
        if let known = objects.find(moved.object) {
          guard objects[known].kind == moved.kind else {
            throw MergeError(.inconsistentSnapshot, "An object has two kinds.", where: .object(moved.object))
          }
        } else {
          begun.append(moved.object)
        }
      }
      add(row(entry), account: &account)
    }
    for share in content.shares { slots.put(row(share), at: slot) }
    closeAccount(account, patch: &patch)
  }

  mutating func row(_ entry: Entry) -> EntryRow {
    EntryRow(
      value: entry.value, replica: replicas.intern(entry.dot.replica), counter: entry.dot.counter, stamp: entry.stamp)
  }

  mutating func row(_ dot: Dot) -> DotRow {
    DotRow(replica: replicas.intern(dot.replica), counter: dot.counter)
  }

  mutating func row(_ share: CounterShare) -> ShareRow {
    ShareRow(
      replica: replicas.intern(share.replica), birth: share.birth, last: share.last, total: share.total,
      stamp: share.stamp)
  }
}

extension Snapshot {
  /// Refuses what is not in canonical form or speaks of what the version does not cover.
  ///
  /// - Parameter isLeft: whether slots of the object are left elsewhere.
  func checkShape(_ isLeft: (ObjectID) -> Bool) throws(MergeError) {
    for entry in version.entries {
      try check(
        entry.counter < 1 << 63, "The version claims \(entry.counter) operations of \(entry.replica).", .snapshot)
    }
    try check(version.isEmpty == frontier.isEmpty, "A version that is not empty has a frontier.", .snapshot)
    for (place, dot) in frontier.enumerated() {
      try check(place == 0 || frontier[place - 1] < dot, "The frontier is not ascending.", .snapshot)
      try check(
        isNamed(dot) && dot.counter == version[dot.replica], "\(dot) is not its replica's last, and no head.", .snapshot
      )
    }
    for (place, object) in objects.enumerated() {
      try check(place == 0 || objects[place - 1].id < object.id, "The objects are not ascending.", .object(object.id))
      try checkOrigin(of: object, isLeft)
      if let sequence = object.sequence {
        try check(
          !sequence.runs.isEmpty || !sequence.marks.isEmpty, "The sequence holds nothing.", .object(object.id))
      }
      try checkShape(of: object.slots, in: object.id)
    }
  }

  /// Refuses slots that are to be left in a store, as they would be refused beside the others of the object, which is
  /// no list. None of their entries is an object.
  package func checkLeft(_ slots: [Slot], in object: ObjectID) throws(MergeError) {
    try checkShape(of: slots, in: object)
    for slot in slots {
      guard case .element(let dot) = slot.key else { continue }
      try check(false, "\(dot) is an element of what is no list.", .object(object))
    }
  }

  private func checkShape(of slots: [Slot], in object: ObjectID) throws(MergeError) {
    try slots.withBorrowed { slots throws(MergeError) in
      for place in slots.indices {
        try slots[place].check(
          place == 0 || slots[place - 1].value.key < slots[place].value.key, "The slots are not ascending.", in: object)
        try checkContent(of: slots[place], in: object)
        if case .element(let dot) = slots[place].value.key {
          try slots[place].check(
            isNamed(dot) && !slots[place].value.entries.isEmpty, "\(dot) is no element with a value.", in: object)
        }
      }
    }
  }

  private func checkOrigin(of object: Object, _ isLeft: (ObjectID) -> Bool) throws(MergeError) {
    switch object.origin {
    case .root:
      try check(object.id == .root, "Only the root has no origin.", .object(object.id))
    case .derived(let definition):
      try check(
        object.id == definition.id && object.id != .root, "The id is not that of the definition.", .object(object.id))
      return
    case .orphan:
      try check(!object.id.isDerived, "The id is not that of an assigned object.", .object(object.id))
      return
    case .assigned:
      try check(!object.id.isDerived, "The id is not that of an assigned object.", .object(object.id))
    }
    try check(
      !object.slots.isEmpty || object.sequence != nil || isLeft(object.id), "The object has no slots.",
      .object(object.id))
  }

  private func check(_ entry: Entry, _ location: @autoclosure () -> MergeError.Location) throws(MergeError) {
    try check(isNamed(entry.dot), "The version does not cover \(entry.dot).", location())
    if let moved = entry.value.movedObject {
      try check(isNamed(moved.dot) && isNamed(moved.from), "The version does not cover \(moved.dot).", location())
    }
    try check(entry.stamp <= latestStamp, "The entry's stamp is after the latest.", location())
  }

  private func checkContent(of slot: borrowing Borrowed<Slot>, in object: ObjectID) throws(MergeError) {
    if let entry = slot.value.plainEntry { return try check(entry, .slot(object, slot.value.key)) }
    try checkContent(of: slot.value, at: .slot(object, slot.value.key))
  }

  private func checkContent(of slot: Slot, at location: MergeError.Location) throws(MergeError) {
    try check(!slot.entries.isEmpty || !slot.shares.isEmpty, "The slot is empty.", location)
    for (place, entry) in slot.entries.enumerated() {
      try check(place == 0 || slot.entries[place - 1].dot < entry.dot, "The entries are not ascending.", location)
      try check(entry, location)
    }
    for (place, share) in slot.shares.enumerated() {
      try check(
        place == 0 || slot.shares[place - 1].replica < share.replica, "The shares are not ascending.", location)
      try check(
        share.birth >= 1 && share.birth <= share.last && isNamed(Dot(share.replica, share.last)),
        "The version does not cover the share of \(share.replica).", location)
      try check(share.stamp <= latestStamp, "The share's stamp is after the latest.", location)
    }
  }

  private func isNamed(_ dot: Dot) -> Bool {
    dot.counter >= 1 && dot.counter < 1 << 63 && version.covers(dot)
  }

  private func check(
    _ holds: Bool, _ message: @autoclosure () -> String, _ location: @autoclosure () -> MergeError.Location
  ) throws(MergeError) {
    guard holds else { throw MergeError(.inconsistentSnapshot, message(), where: location()) }
  }
}

extension Borrowed<Snapshot.Slot> {
  fileprivate func check(
    _ holds: Bool, _ message: @autoclosure () -> String, in object: ObjectID
  ) throws(MergeError) {
    guard holds else { throw MergeError(.inconsistentSnapshot, message(), where: .slot(object, value.key)) }
  }
}
