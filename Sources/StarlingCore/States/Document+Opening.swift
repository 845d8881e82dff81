// A document that was opened from a stored snapshot, and reads of it what is touched (`UnopenedSlots`): a block at the
// first write within it, all of an object where something goes through its slots, nothing for the look at one slot.

extension Document {
  /// The document whose state is `snapshot`, with the slots of some objects left in a store.
  ///
  /// - Parameter snapshot: without the slots that are left there, but for those of blocks that are listed.
  /// - Throws: `MergeError` if what the snapshot lists contradicts itself.
  /// - Complexity: O(what is listed)
  package init(
    _ snapshot: Snapshot, leaving groups: [StoredGroup], _ texts: [StoredText], in store: any SlotStore
  ) throws(MergeError) {
    self.init()
    let blockCount = groups.reduce(0) { max($0, $1.blocks.upperBound) }
    var left = Left()
    for group in groups { left.groups[group.object] = group }
    for text in texts { left.texts[text.object] = text }
    try place(
      snapshot, leaving: left, in: UnopenedSlots(of: store, version: snapshot.version, blockCount: blockCount))
  }

  /// Reads all that is left in the stored snapshot, which whoever walks through the whole document often does first:
  /// a document that cannot be altered reads it again each time.
  ///
  /// - Complexity: O(what is left)
  public mutating func openFully() {
    guard let unopened else { return }
    for object in unopened.objects { openContents(of: object) }
  }

  /// Reads some of what is left, for whoever reads all of it and lets others at the document in between.
  ///
  /// - Parameter blockCountMax: at most so many blocks of slots, or one text.
  /// - Returns: whether nothing is left.
  package mutating func openFully(blockCountMax: Int) -> Bool {
    guard let object = unopened?.anyObject else { return true }
    if unopened?.text(of: object) != nil { openText(of: object) } else { openSlots(of: object, atMost: blockCountMax) }
    return unopened == nil
  }

  /// How many blocks of slots are left in the stored snapshot.
  package var storedBlockCount: Int { unopened?.blockCountLeft ?? 0 }

  /// How many leaves of texts whose order is built lie in the stored snapshot.
  package var storedLeafCount: Int { sequenceHandles.reduce(0) { $0 + sequences[$1].tree.leaves.storedCount } }

  /// Reads some of the slots that are left, and no text.
  package mutating func openSlots(blockCountMax: Int) {
    if let object = unopened?.anyObjectWithBlocks { openSlots(of: object, atMost: blockCountMax) }
  }

  /// Reads all slots of the object that are left: for whoever goes through all of them.
  package mutating func openSlots(of object: ObjectID) {
    if unopened != nil, let object = objects.find(object) { openSlots(of: object) }
  }

  /// The same document with nothing left in its stored snapshot.
  package var opened: Document {
    var opened = self
    opened.openFully()
    return opened
  }

  /// Whether slots or the text of the object are left in the stored snapshot.
  func isUnopened(_ object: ObjectHandle) -> Bool {
    unopened?.contains(object) ?? false
  }

  /// Gives rows to all slots of the object, and to its text.
  mutating func openContents(of object: ObjectHandle) {
    openText(of: object)
    openSlots(of: object)
  }

  /// Builds the order of the text's items, if that is left: whoever asks where things stand in it, and may alter the
  /// document, does so first.
  package mutating func openText(of object: ObjectID) {
    if unopened != nil, let object = objects.find(object) { openText(of: object) }
  }

  /// Builds all texts that are left.
  mutating func openTexts() {
    guard let unopened else { return }
    for object in unopened.objects { openText(of: object) }
  }

  /// Builds those that the change writes to.
  @inline(never)
  mutating func openTexts(of change: Change) {
    for operation in change.operations where operation.action.isOnSequence { openText(of: operation.object) }
  }

  /// The same document, for a caller that asks more of a text than what it reads, and cannot alter it.
  func withOpenText(_ object: ObjectID) -> Document {
    var opened = self
    opened.openText(of: object)
    return opened
  }

  mutating func openText(of object: ObjectHandle) {
    guard let version = unopened?.version, let store = unopened?.store, let text = unopened?.openText(of: object) else {
      return
    }
    if unopened?.isEmpty == true { unopened = nil }
    if let order = store.order(text.number) { return fill(order, text, of: object, in: store, removedBy: version) }
    let content = store.sequence(text.number)
    do throws(MergeError) {
      // It counts as present already.
      try fill(content, of: object, removedBy: version)
    } catch {
      preconditionFailure("A text of a stored snapshot whose checksum held contradicts itself: \(error)")
    }
  }

  /// Takes over the order of a text, whose leaves stay in the store.
  private mutating func fill(
    _ order: StoredOrder, _ text: StoredText, of object: ObjectHandle, in store: any SlotStore,
    removedBy version: VersionVector
  ) {
    let replicas = ContiguousArray(order.replicas.map { row(ofItem: Dot($0, 1)).replica })
    let leaves = StoredLeaves(in: store, order, replicas: replicas, text: text.scalars)
    let sequence = makeSequence(of: object)
    sequences[sequence].tree = SequenceTree(order, in: leaves, replicas: replicas)
    sequences[sequence].removals = Removals(Removals.StoredRemovals(of: leaves, by: version))
    precondition(
      sequences[sequence].tree.count == text.scalars.count,
      "A stored text of \(text.scalars.count) scalars has the order of \(sequences[sequence].tree.count).")
  }

  private mutating func openSlots(of object: ObjectHandle, atMost blockCountMax: Int = .max) {
    guard let unopened, let left = unopened.left(of: object) else { return }
    // Space for all that will come, at the first block: a table that grows is gone through from end to end.
    let slotCount = Int(objects[object].presentCount)
    if objects[object].isRoot { keys.reserve(slotCount) }
    slots.reserve(slots.count + slotCount * left.blockCount / left.wholeBlockCount)
    for block in unopened.blocks(of: object).prefix(blockCountMax) { openBlock(block, of: object) }
  }

  /// The slot at (object, key) if it stands, with rows from now on.
  @inline(__always)
  mutating func locate(_ key: Key, in object: ObjectHandle) -> SlotHandle? {
    if let slot = find(key, in: object) { return slot }
    return unopened == nil ? nil : openBlock(holding: key, of: object)
  }

  mutating func locate(_ key: Key, in object: ObjectID) -> SlotHandle? {
    standing(object).flatMap { locate(key, in: $0) }
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
      if let entry = content.plainEntry {
        addSlot(object, content.key, holding: entry)
      } else {
        let slot = addSlot(object, content.key)
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

  /// The text, if that is left in the stored snapshot.
  func unopenedText(of object: ObjectID) -> Scalars? {
    guard let unopened else { return nil }
    return objects.find(object).flatMap { unopened.text(of: $0) }
  }

  /// The keys of the object that are left in the stored snapshot.
  func unopenedKeys(in object: ObjectHandle) -> [Key] {
    guard let unopened else { return [] }
    return unopened.blocks(of: object).flatMap { unopened.store.slots(in: $0).map(\.key) }
  }
}

/// What a snapshot leaves in a store, by object.
struct Left {
  var groups: [ObjectID: StoredGroup] = [:]
  var texts: [ObjectID: StoredText] = [:]

  var isEmpty: Bool { groups.isEmpty && texts.isEmpty }
  func contains(_ object: ObjectID) -> Bool { groups[object] != nil || texts[object] != nil }
}

extension Snapshot.Slot {
  /// What a reader sees where only this stands (Protocol/merge.md, "What is visible").
  var visible: Visible {
    if let entry = plainEntry { return .value(entry.value, by: entry.dot) }
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
