// A document that was opened from a stored snapshot, and reads of it what is touched (`UnopenedSlots`): a block at the
// first write within it, all of an object where something goes through its slots, nothing for the look at one slot.

extension Document {
  /// The document whose state is `snapshot`, with the slots of some objects left in a store.
  ///
  /// - Parameter snapshot: without the slots that are left there, but for those of blocks that are listed.
  /// - Throws: `MergeError` if what the snapshot lists contradicts itself.
  /// - Complexity: O(what is listed)
  package init(
    _ snapshot: Snapshot, leaving groups: [StoredGroup], in store: any SlotStore
  ) throws(MergeError) {
    self.init()
    let blockCount = groups.reduce(0) { max($0, $1.blocks.upperBound) }
    try place(
      snapshot, leaving: Dictionary(uniqueKeysWithValues: groups.map { ($0.object, $0) }),
      in: UnopenedSlots(of: store, blockCount: blockCount))
  }

  /// Reads all that is left in the stored snapshot, which whoever walks through the whole document often does first:
  /// a document that cannot be altered reads it anew each time.
  ///
  /// - Complexity: O(what is left)
  public mutating func openFully() {
    guard let unopened else { return }
    for object in Array(unopened.objects) { openSlots(of: object) }
  }

  /// The same document with nothing left in its stored snapshot.
  var opened: Document {
    var opened = self
    opened.openFully()
    return opened
  }

  /// Whether slots of the object are left in the stored snapshot.
  func hasUnopenedSlots(_ object: ObjectHandle) -> Bool {
    unopened?.contains(object) ?? false
  }

  /// Gives rows to all slots of the object.
  mutating func openSlots(of object: ObjectHandle) {
    guard let blocks = unopened?.blocks(of: object), !blocks.isEmpty else { return }
    if objects[object].isRoot { keys.reserve(Int(objects[object].presentCount)) }
    slots.reserve(slots.count + Int(objects[object].presentCount))
    for block in blocks { openBlock(block, of: object) }
  }

  /// The slot at (object, key) if it stands, with rows from now on.
  @inline(__always)
  mutating func locate(_ key: Key, in object: ObjectHandle) -> SlotHandle? {
    if let slot = find(key, in: object) { return slot }
    return unopened == nil ? nil : openBlock(holding: key, of: object)
  }

  mutating func locate(_ key: Key, in object: ObjectID) -> SlotHandle? {
    objects.find(object).flatMap { locate(key, in: $0) }
  }

  /// Gives rows to the slots around the key.
  ///
  /// - Returns: the slot under the key, if it stood in a block that was not open.
  @inline(never)
  mutating func openBlock(holding key: Key, of object: ObjectHandle) -> SlotHandle? {
    guard let block = unopened?.block(holding: key, of: object) else { return nil }
    openBlock(block, of: object)
    return find(key, in: object)
  }

  /// What is there counts as present already.
  private mutating func openBlock(_ block: Int, of object: ObjectHandle) {
    let contents = unopened!.store.slots(in: block)
    unopened!.open(block, of: object)
    if unopened!.isEmpty { unopened = nil }
    for content in contents {
      let slot = addSlot(object, content.key)
      if content.entries.count == 1, content.shares.isEmpty {
        let entry = content.entries[0]
        _ = slots.exchangePlainEntry(slot, entry.value, row(entry.dot), entry.stamp)
      } else {
        var account = openAccount(slot)
        for entry in content.entries { add(row(entry), account: &account) }
        for share in content.shares { slots.put(row(share), at: slot) }
      }
    }
  }

  // MARK: Reading where it lies

  /// What the stored snapshot holds at (object, key), if that is not open.
  func unopenedSlot(_ key: Key, in object: ObjectID) -> Snapshot.Slot? {
    guard let unopened, let object = objects.find(object), let block = unopened.block(holding: key, of: object) else {
      return nil
    }
    return unopened.store.slot(key, in: block)
  }

  /// The keys of the object that are left in the stored snapshot.
  func unopenedKeys(in object: ObjectHandle) -> [Key] {
    guard let unopened else { return [] }
    return unopened.blocks(of: object).flatMap { unopened.store.slots(in: $0).map(\.key) }
  }
}

extension Snapshot.Slot {
  /// What a reader sees where only this stands (Protocol/merge.md, "What is visible").
  var visible: Visible {
    guard let entry = greatest else { return .count(count) }
    let isHidden = shares.contains { share in
      (entry.stamp, entry.dot.replica, entry.dot.counter) < (share.stamp, share.replica, share.last)
    }
    return isHidden ? .count(count) : .value(entry.value, by: entry.dot)
  }

  /// The sum of the shares.
  var count: Int64 { shares.reduce(0) { $0 &+ $1.total } }

  /// The entries, the greatest first.
  var ranked: [Entry] { entries.sorted { ($1.stamp, $1.dot) < ($0.stamp, $0.dot) } }

  private var greatest: Entry? {
    entries.max { ($0.stamp, $0.dot) < ($1.stamp, $1.dot) }
  }
}
