// One operation, applied alike whoever wrote it. Everything that it names is valid by now.

/// Where and when an operation acts, as the tables know it.
struct Step {
  let object: ObjectHandle
  let dot: DotRow
  let stamp: Stamp
}

extension Document {
  @inline(__always)
  mutating func apply(_ action: Action, at key: Key, _ step: Step, patch: inout Patch) {
    switch action {
    case .set(let value, let replacing, let clearing):
      guard mayHaveSlot(key, step.object) else { return }
      let slot = makeSlot(step.object, key)
      applySet(value, at: slot, step, replacing: replacing, clearing: clearing, patch: &patch)
    case .remove(let replacing, let clearing):
      guard let slot = find(key, in: step.object) else { return }
      applyRemove(at: slot, step, replacing: replacing, clearing: clearing, patch: &patch)
    case .increment(let amount, let birth):
      guard mayHaveSlot(key, step.object) else { return }
      let begins = birth == step.dot.counter
      guard let slot = begins ? makeSlot(step.object, key) : find(key, in: step.object) else { return }
      applyIncrement(at: slot, step, amount: amount, birth: birth, patch: &patch)
    case .insert, .removeRun, .move, .mark:
      applyToSequence(action, at: key, step, patch: &patch)
    }
  }

  mutating func applySet(
    _ value: Value, at slot: SlotHandle, _ step: Step, replacing: DotSet, clearing: Version?, patch: inout Patch
  ) {
    let entry = EntryRow(value: value, replica: step.dot.replica, counter: step.dot.counter, stamp: step.stamp)
    if clearing == nil, putPlainly(entry, at: slot, replacing: replacing, patch: &patch) { return }
    var account = openAccount(slot)
    drop(replacing, account: &account, patch: &patch)
    if let clearing {
      clearShares(clearing, at: slot)
      clear(clearing, beneath: slot, keeping: value.kindKeptBeneath, by: step.dot, patch: &patch)
    }
    add(entry, account: &account)
    closeAccount(account, patch: &patch)
  }

  mutating func applyRemove(
    at slot: SlotHandle, _ step: Step, replacing: DotSet, clearing: Version?, patch: inout Patch
  ) {
    var account = openAccount(slot)
    drop(replacing, account: &account, patch: &patch)
    if let clearing {
      clearShares(clearing, at: slot)
      clear(clearing, beneath: slot, keeping: nil, by: step.dot, patch: &patch)
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
    _ entry: EntryRow, at slot: SlotHandle, replacing: DotSet, patch: inout Patch
  ) -> Bool {
    guard !slots[slot].isCompound, !entry.value.isObject else { return false }
    let to = Visible.value(entry.value, by: self.dot(entry.dot))
    guard slots[slot].hasEntry else {
      _ = slots.exchangePlainEntry(slot, with: entry)
      patch.record(
        slot, object: objects[slots[slot].object].id, key: keys[slots[slot].key], from: .absent, to: to,
        conflictsChanged: false)
      propagate(from: slot, came: true, working: .none, patch: &patch)
      return true
    }
    let former = Dot(replicas[slots[slot].replica], slots[slot].counter)
    guard replacing.isOnly(former), !slots[slot].value.isObject else { return false }
    let value = slots.exchangePlainEntry(slot, with: entry)
    patch.record(
      slot, object: objects[slots[slot].object].id, key: keys[slots[slot].key], from: .value(value, by: former),
      to: to, conflictsChanged: false)
    return true
  }
}

extension Value {
  /// Whether an object lives and dies with the entry that holds this value.
  var isObject: Bool {
    if case .object = self { true } else { false }
  }

  /// The kind of derived object that stays when this value clears what stands beneath its slot:
  /// to say that an object is present must not empty it.
  var kindKeptBeneath: Kind? {
    if case .derived(let kind) = self { kind } else { nil }
  }
}
