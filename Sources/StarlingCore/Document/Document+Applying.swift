// One operation, applied alike whoever wrote it. Everything that it names is valid by now.

/// Where and when an operation acts, as the tables know it.
struct Step {
  let object: ObjectHandle
  let dot: DotRow
  let stamp: Stamp
}

extension Document {
  mutating func apply(_ borrowed: borrowing Borrowed<Operation>, _ step: Step, patch: inout Patch) {
    switch borrowed.value.action {
    case .set(let value, let replacing, let clearing):
      guard mayHaveSlot(borrowed.value.key, step.object) else {
        return beginOrphans(of: borrowed.value.action, by: step.dot)
      }
      let slot = slot(borrowed.value.key, in: step.object, hint: borrowed.value.hint)
      applySet(value, at: slot, step, replacing: replacing, clearing: clearing, patch: &patch)
    case .remove(let replacing, let clearing):
      guard let slot = knownSlot(borrowed.value.key, in: step.object, hint: borrowed.value.hint) else { return }
      applyRemove(at: slot, step, replacing: replacing, clearing: clearing, patch: &patch)
    case .increment(let amount, let birth):
      guard mayHaveSlot(borrowed.value.key, step.object) else { return }
      let begins = birth == step.dot.counter
      if begins {
        let slot = slot(borrowed.value.key, in: step.object, hint: borrowed.value.hint)
        applyIncrement(at: slot, step, amount: amount, birth: birth, patch: &patch)
      } else if let slot = knownSlot(borrowed.value.key, in: step.object, hint: borrowed.value.hint) {
        applyIncrement(at: slot, step, amount: amount, birth: birth, patch: &patch)
      }
    case .insert, .removeRun, .move, .mark:
      applyToSequence(borrowed.value.action, at: borrowed.value.key, step, patch: &patch)
    }
  }

  /// The slot that the hint leads to, if it is the one at (object, key).
  @inline(__always)
  private func hintedSlot(_ key: Key, in object: ObjectHandle, hint: SlotHint) -> SlotHandle? {
    let slot = SlotHandle(rawValue: hinted[hint])
    guard !slot.isNone, slots[slot].object == object, keys.is(slots[slot].key, key) else { return nil }
    return slot
  }

  @inline(__always)
  private mutating func knownSlot(_ key: Key, in object: ObjectHandle, hint: SlotHint) -> SlotHandle? {
    hintedSlot(key, in: object, hint: hint) ?? locate(key, in: object)
  }

  /// The slot at (object, key), made if it is not there.
  @inline(__always)
  mutating func slot(_ key: Key, in object: ObjectHandle, hint: SlotHint) -> SlotHandle {
    if let slot = hintedSlot(key, in: object, hint: hint) { return slot }
    let slot = makeSlot(object, key)
    hinted.remember(slot.rawValue, for: hint)
    return slot
  }

  mutating func applySet(
    _ value: Value, at slot: SlotHandle, _ step: Step, replacing: DotSet, clearing: VersionVector?, patch: inout Patch
  ) {
    if clearing == nil, putPlainly(value, at: slot, step.dot, step.stamp, replacing: replacing, patch: &patch) {
      return
    }
    var account = openAccount(slot)
    drop(replacing, account: &account, patch: &patch)
    if let clearing {
      clearShares(clearing, at: slot)
      clear(clearing, below: slot, keeping: value.kindKeptBelow, by: step.dot, patch: &patch)
    }
    let entry = EntryRow(value: value, replica: step.dot.replica, counter: step.dot.counter, stamp: step.stamp)
    add(entry, account: &account)
    closeAccount(account, patch: &patch)
  }

  mutating func applyRemove(
    at slot: SlotHandle, _ step: Step, replacing: DotSet, clearing: VersionVector?, patch: inout Patch
  ) {
    var account = openAccount(slot)
    drop(replacing, account: &account, patch: &patch)
    if let clearing {
      clearShares(clearing, at: slot)
      clear(clearing, below: slot, keeping: nil, by: step.dot, patch: &patch)
    }
    closeAccount(account, patch: &patch)
  }

  mutating func applyIncrement(
    at slot: SlotHandle, _ step: Step, amount: Int64, birth: UInt64, patch: inout Patch
  ) {
    let replica = step.dot.replica
    let account = openAccount(slot)
    var total = amount
    if birth != step.dot.counter {
      // A share that is not here was cleared, and the increment with it.
      guard let share = slots.share(of: replica, at: slot), share.birth == birth else { return }
      total &+= share.total
    }
    let share = ShareRow(
      replica: replica, birth: birth, last: step.dot.counter, total: total, stamp: step.stamp)
    slots.put(share, at: slot)
    closeAccount(account, patch: &patch)
  }

  /// The usual cases by themselves: a plain value where nothing stands, or in place of the only other.
  @inline(__always)
  mutating func putPlainly(
    _ value: Value, at slot: SlotHandle, _ dot: DotRow, _ stamp: Stamp, replacing: DotSet, patch: inout Patch
  ) -> Bool {
    guard !slots[slot].isCompound, !slots[slot].hidesEntries, !value.isPlace else { return false }
    let name = self.dot(dot)
    guard slots[slot].hasEntry else {
      _ = slots.exchangePlainEntry(slot, value, dot, stamp)
      patch.record(
        slot, object: objects[slots[slot].object].id, key: keys[slots[slot].key], from: .absent,
        to: .value(value, by: name), conflictsChanged: false)
      propagate(from: slot, came: true, working: .none, patch: &patch)
      return true
    }
    let former = self.dot(slots[slot].dot)
    guard replacing.isOnly(former), !slots.holdsObject(slot) else { return false }
    let formerValue = slots.exchangePlainEntry(slot, value, dot, stamp)
    guard patch.listsPlainWrites else { return true }
    patch.record(
      slot, object: objects[slots[slot].object].id, key: keys[slots[slot].key],
      from: .value(formerValue, by: former), to: .value(value, by: name), conflictsChanged: false)
    return true
  }
}

extension Value {
  /// Whether an object lives and dies with the entry that holds this value.
  var isObject: Bool {
    if case .object = self { true } else { false }
  }

  /// The kind of derived object that stays when this value clears what stands below its slot:
  /// to say that an object is present must not empty it.
  var kindKeptBelow: Kind? {
    if case .derived(let kind) = self { kind } else { nil }
  }
}
