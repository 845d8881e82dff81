/// How a slot looked before something was done to it. Whatever alters a slot opens an account
/// first and closes it last, and so the patch and the counts upward come out right.
struct Account {
  let slot: SlotHandle
  let visible: Visible
  let isPresent: Bool
  /// Whether several entries stood in it.
  let hadSiblings: Bool
  var added = false
  var droppedGreatest = false
  var droppedLesser = false
}

extension Document {
  func openAccount(_ slot: SlotHandle) -> Account {
    Account(
      slot: slot, visible: visible(slot), isPresent: slots.isPresent(slot), hadSiblings: slots.hasSiblings(slot))
  }

  /// - Parameter working: A slot above that has an account open itself, and will report its own outcome.
  mutating func closeAccount(_ account: Account, working: SlotHandle = .none, patch: inout Patch) {
    let slot = account.slot
    slots.simplify(slot)
    patch.record(
      slot, object: objects[slots[slot].object].id, key: keys[slots[slot].key], from: account.visible,
      to: visible(slot), conflictsChanged: conflictsChanged(account))
    let isPresent = slots.isPresent(slot)
    if isPresent != account.isPresent { propagate(from: slot, came: isPresent, working: working, patch: &patch) }
    if !isPresent { emptied.slots.append(slot) }
    if slots[slot].hidesEntries {
      showOrHideElement(at: slot, patch: &patch)
      forgetHiddenIfNone(at: slot)
    }
  }

  /// Whether what readers of the conflict find is something else: another entry stands where several do or did, or
  /// where a count stands above them, though the visible value may look the same.
  private func conflictsChanged(_ account: Account) -> Bool {
    guard account.added || account.droppedGreatest || account.droppedLesser else { return false }
    if account.hadSiblings || slots.hasSiblings(account.slot) { return true }
    if case .count = visible(account.slot) { return true }
    return false
  }

  /// A slot holds something now, or nothing any more: so may, in turn, those above it that
  /// stand by what derived objects hold.
  mutating func propagate(from slot: SlotHandle, came: Bool, working: SlotHandle, patch: inout Patch) {
    propagate(in: slots[slot].object, came: came, working: working, patch: &patch)
  }

  /// The same where something was placed in the object, or goes.
  mutating func propagate(in object: ObjectHandle, came: Bool, working: SlotHandle, patch: inout Patch) {
    var object = object
    while true {
      guard objects[object].isDerived, objects[object].presentCount == (came ? 0 : 1) else {
        count(came, slotOf: object)
        return
      }
      let parent = objects[object].slot
      let formerVisible = visible(parent)
      let wasPresent = slots.isPresent(parent)
      count(came, slotOf: object)
      if came {
        slots[compound: parent].presentChildCount += 1
      } else {
        slots[compound: parent].presentChildCount -= 1
      }
      if parent == working { return }
      patch.reachesHolders = true
      patch.record(
        parent, object: objects[slots[parent].object].id, key: keys[slots[parent].key], from: formerVisible,
        to: visible(parent), conflictsChanged: false)
      guard slots.isPresent(parent) != wasPresent else { return }
      if !came { emptied.slots.append(parent) }
      object = slots[parent].object
    }
  }

  private mutating func count(_ came: Bool, slotOf object: ObjectHandle) {
    if came { objects[object].presentCount += 1 } else { objects[object].presentCount -= 1 }
  }

  // MARK: Entries

  /// Adds an entry; with an object as its value, the object begins.
  mutating func add(_ entry: EntryRow, account: inout Account) {
    if case .object(let kind) = entry.value {
      begin(kind, by: entry.dot, entry.stamp, at: account.slot)
    } else if let moved = entry.value.movedObject {
      place(moved, by: entry.dot, entry.stamp, at: account.slot)
    }
    put(entry, account: &account)
  }

  /// Adds an entry, whatever it says.
  mutating func put(_ entry: EntryRow, account: inout Account) {
    let slot = account.slot
    account.added = true
    guard slots[slot].hasEntry else {
      slots.setEntry(slot, to: entry)
      return
    }
    let greatest = slots.entry(slot)
    slots.makeCompound(slot)
    if isLess((greatest.stamp, greatest.replica, greatest.counter), (entry.stamp, entry.replica, entry.counter)) {
      slots[compound: slot].siblings.append(greatest)
      slots.setEntry(slot, to: entry)
    } else {
      slots[compound: slot].siblings.append(entry)
    }
  }

  /// Drops the entries that are named; names of entries that are gone mean nothing.
  mutating func drop(_ names: DotSet, account: inout Account, patch: inout Patch) {
    if names.isEmpty || !slots[account.slot].hasEntry && !slots[account.slot].hidesEntries { return }
    if names.count == 1 {
      let name = names[0]
      drop(account: &account, patch: &patch) { $0 == name }
    } else {
      let names = Set(names)
      drop(account: &account, patch: &patch) { names.contains($0) }
    }
  }

  /// Drops the entries whose dot satisfies `isDoomed`; objects that they brought into being go.
  mutating func drop(account: inout Account, patch: inout Patch, where isDoomed: (Dot) -> Bool) {
    let slot = account.slot
    if slots[slot].hidesEntries { dropHidden(at: slot, patch: &patch, where: isDoomed) }
    guard slots[slot].hasEntry else { return }
    var gone: [(dot: DotRow, object: ObjectID)] = []
    if slots.hasSiblings(slot), slots[compound: slot].siblings.contains(where: { isDoomed(dot($0.dot)) }) {
      account.droppedLesser = true
      var kept: ContiguousArray<EntryRow> = []
      for sibling in slots[compound: slot].siblings {
        let dot = dot(sibling.dot)
        if !isDoomed(dot) {
          kept.append(sibling)
        } else if let object = objectPlaced(by: sibling.dot, sibling.value) {
          gone.append((sibling.dot, object))
        }
      }
      slots[compound: slot].siblings = kept
    }
    let greatest = slots.entry(slot)
    if isDoomed(dot(greatest.dot)) {
      account.droppedGreatest = true
      if let object = objectPlaced(by: greatest.dot, greatest.value) { gone.append((greatest.dot, object)) }
      slots.setEntry(slot, to: takeGreatestSibling(slot))
    }
    for place in gone { placeWent(place.dot, of: place.object, patch: &patch) }
  }

  /// Drops the entries that nobody sees whose dot satisfies `isDoomed`.
  private mutating func dropHidden(at slot: SlotHandle, patch: inout Patch, where isDoomed: (Dot) -> Bool) {
    guard let hidden = moves.hidden[slot] else { return }
    moves.hidden[slot] = hidden.filter { !isDoomed(dot($0.dot)) }
    for entry in hidden where isDoomed(dot(entry.dot)) {
      if let object = objectPlaced(by: entry.dot, entry.value) { placeWent(entry.dot, of: object, patch: &patch) }
    }
  }

  mutating func takeGreatestSibling(_ slot: SlotHandle) -> EntryRow? {
    guard slots.hasSiblings(slot) else { return nil }
    let siblings = slots[compound: slot].siblings
    let place = siblings.indices.max { isLess(rank(siblings[$0]), rank(siblings[$1])) }
    return place.map { slots[compound: slot].siblings.remove(at: $0) }
  }

  private func rank(_ entry: EntryRow) -> (stamp: Stamp, replica: ReplicaHandle, counter: UInt64) {
    (entry.stamp, entry.replica, entry.counter)
  }
}
