extension Document {
  /// What a reader of the slot sees (Protocol/merge.md, "What is visible").
  ///
  /// - Complexity: O(1); O(shares) where a counter and entries stand in one slot.
  public func visible(_ key: Key, in object: ObjectID) -> Visible {
    if let slot = find(key, in: object) { return visible(slot) }
    return unopenedSlot(key, in: object)?.visible ?? .absent
  }

  /// The same, by a reader who goes on reading the slot.
  ///
  /// - Parameter place: where the slot was found last, and is found now.
  package func visible(_ key: Key, in object: ObjectID, at place: inout SlotPlace) -> Visible {
    guard let handle = standing(object) else { return unopenedSlot(key, in: object)?.visible ?? .absent }
    if isSlot(place, key, of: handle) { return visible(place.slot) }
    guard let slot = find(key, in: handle) else { return unopenedSlot(key, in: object)?.visible ?? .absent }
    place.slot = slot
    return visible(slot)
  }

  /// All entries of the slot that a reader may see, the greatest first. Several are a conflict. An object that was
  /// moved here has the dot of the entry that brought it into being, as `visible` says.
  public func entries(_ key: Key, in object: ObjectID) -> [Entry] {
    storedEntries(key, in: object).map { entry in
      guard let moved = entry.value.movedObject else { return entry }
      return Entry(dot: moved.dot, stamp: entry.stamp, value: .object(moved.kind))
    }
  }

  /// The same, with their own dots and values.
  func storedEntries(_ key: Key, in object: ObjectID) -> [Entry] {
    guard let slot = find(key, in: object) else { return unopenedSlot(key, in: object)?.ranked ?? [] }
    guard slots[slot].hasEntry else { return [] }
    let greatest = publicEntry(slots.entry(slot))
    guard slots.hasSiblings(slot) else { return [greatest] }
    let siblings = slots[compound: slot].siblings.map { publicEntry($0) }
    return [greatest] + siblings.sorted { ($1.stamp, $1.dot) < ($0.stamp, $0.dot) }
  }

  /// The sum of the counter's shares, whether or not a concurrent entry hides it; 0 if there are none.
  public func count(_ key: Key, in object: ObjectID) -> Int64 {
    guard let slot = find(key, in: object) else { return unopenedSlot(key, in: object)?.count ?? 0 }
    guard slots[slot].isCompound else { return 0 }
    return slots[compound: slot].total
  }

  /// The keys under which an entry, a counter share or a derived object that holds something
  /// stands, in no particular order.
  ///
  /// - Complexity: O(*n*)
  public func keys(in object: ObjectID) -> [Key] {
    guard let handle = standing(object) else { return [] }
    var found = unopenedKeys(in: handle)
    found.reserveCapacity(Int(objects[handle].presentCount))
    forEachSlot(of: handle) { slot in
      if slots.isPresent(slot) { found.append(keys[slots[slot].key]) }
    }
    return found
  }

  /// How many keys `keys(in:)` has.
  ///
  /// - Complexity: O(1)
  public func keyCount(in object: ObjectID) -> Int {
    standing(object).map { Int(objects[$0].presentCount) - (holdsText($0) ? 1 : 0) } ?? 0
  }

  /// Calls `body` with each key of `keys(in:)` and what a reader sees there. Where nothing was read yet of a stored
  /// snapshot the keys ascend, and nothing is kept of what is read.
  ///
  /// - Complexity: O(*n*)
  package func forEachVisible(in object: ObjectID, _ body: (Key, Visible) -> Void) {
    guard let handle = standing(object) else { return }
    if let unopened {
      for block in unopened.blocks(of: handle) {
        for slot in unopened.store.slots(in: block) { body(slot.key, slot.visible) }
      }
    }
    forEachSlot(of: handle) { slot in
      if slots.isPresent(slot) { body(keys[slots[slot].key], visible(slot)) }
    }
  }

  /// Whether the slot holds anything.
  public func contains(_ key: Key, in object: ObjectID) -> Bool {
    if let slot = find(key, in: object) { return slots.isPresent(slot) }
    return unopenedSlot(key, in: object) != nil
  }

  /// Whether the object stands and can be written to: the root can, an assigned object can while its
  /// entry stands, a derived object can while it is known here (it is declared, or holds something) and
  /// everything above it stands.
  public func isLive(_ object: ObjectID) -> Bool {
    standing(object) != nil
  }
}

// MARK: By handle

extension Document {
  /// The object, unless it was removed and is held for others alone.
  @inline(__always)
  func standing(_ object: ObjectID) -> ObjectHandle? {
    guard let handle = objects.find(object), !objects[handle].isHeld else { return nil }
    return handle
  }

  /// The same of one that is about to be written to.
  @inline(__always)
  mutating func locateStanding(_ object: ObjectID) -> ObjectHandle? {
    guard let handle = objects.locate(object), !objects[handle].isHeld else { return nil }
    return handle
  }

  func find(_ key: Key, in object: ObjectID) -> SlotHandle? {
    standing(object).flatMap { find(key, in: $0) }
  }

  // Always inlined, here and below: a call from a mutating method would copy the document's four hundred bytes.
  @inline(__always)
  func find(_ key: Key, in object: ObjectHandle) -> SlotHandle? {
    keys.find(key).flatMap { slots.find(object, $0) }
  }

  /// Whether what stands at the place is the slot at (object, key): a row may belong to another by now, and a
  /// transaction that was taken back leaves a document without some.
  @inline(__always)
  func isSlot(_ place: SlotPlace, _ key: Key, of object: ObjectHandle) -> Bool {
    !place.slot.isNone && place.slot.index < slots.extent && slots[place.slot].object == object
      && keys.is(slots[place.slot].key, key)
  }

  func visible(_ slot: SlotHandle) -> Visible {
    if slots[slot].isCompound { return visibleAmongMany(slot) }
    guard slots[slot].hasEntry else { return .absent }
    if slots[slot].form == .moved { return visibleObject(slots.value(slot), by: dot(slots[slot].dot)) }
    return .value(slots.value(slot), by: dot(slots[slot].dot))
  }

  /// An object that was moved shows as where it began.
  private func visibleObject(_ value: Value, by dot: Dot) -> Visible {
    guard let moved = value.movedObject else { return .value(value, by: dot) }
    return .value(.object(moved.kind), by: moved.dot)
  }

  private func visibleAmongMany(_ slot: SlotHandle) -> Visible {
    let shares = slots[compound: slot].shares
    if slots[slot].hasEntry {
      let entry = slots.entry(slot)
      let isHidden = shares.contains { share in
        isLess((entry.stamp, entry.replica, entry.counter), (share.stamp, share.replica, share.last))
      }
      if isHidden { return .count(slots[compound: slot].total) }
      return visibleObject(entry.value, by: Dot(replicas[entry.replica], entry.counter))
    }
    if !shares.isEmpty { return .count(slots[compound: slot].total) }
    var least: Kind?
    forEachChild(of: slot) { child in
      guard objects[child].presentCount > 0 else { return }
      least = min(least ?? objects[child].kind, objects[child].kind)
    }
    return least.map { .container($0) } ?? .absent
  }

  /// The order in which entries and shares win: by stamp, then replica id, then counter.
  @inline(__always)
  func isLess(
    _ left: (stamp: Stamp, replica: ReplicaHandle, counter: UInt64),
    _ right: (stamp: Stamp, replica: ReplicaHandle, counter: UInt64)
  ) -> Bool {
    if left.stamp != right.stamp { return left.stamp < right.stamp }
    if left.replica != right.replica { return replicas[left.replica] < replicas[right.replica] }
    return left.counter < right.counter
  }

  func publicEntry(_ row: EntryRow) -> Entry {
    Entry(dot: dot(row.dot), stamp: row.stamp, value: row.value)
  }

  @inline(__always)
  func dot(_ row: DotRow) -> Dot {
    Dot(replicas[row.replica], row.counter)
  }

  func id(ofObjectWith slot: SlotHandle) -> ObjectID {
    objects[slots[slot].object].id
  }

  @inline(__always)
  func forEachSlot(of object: ObjectHandle, _ body: (SlotHandle) -> Void) {
    var slot = objects[object].firstSlot
    while !slot.isNone {
      let next = slots[slot].next
      body(slot)
      slot = next
    }
  }

  /// Derived objects of the slot, whether or not they hold anything.
  @inline(__always)
  func forEachChild(of slot: SlotHandle, _ body: (ObjectHandle) -> Void) {
    var child = slots.firstChild(slot)
    while !child.isNone {
      let next = objects[child].nextChild
      body(child)
      child = next
    }
  }
}
