// One operation, applied alike whoever wrote it. Everything that it names is valid by now.

/// Where and when an operation acts, as the tables know it.
struct Step {
  let object: ObjectHandle
  let dot: DotRow
  let stamp: Stamp
}

extension Document {
  mutating func apply(_ action: Action, at key: Key, _ step: Step, patch: inout Patch) {
    switch action {
    case .set(let value, let replacing, let clearing):
      applySet(value, at: key, step, replacing: replacing, clearing: clearing, patch: &patch)
    case .remove(let replacing, let clearing):
      applyRemove(at: key, step, replacing: replacing, clearing: clearing, patch: &patch)
    case .increment(let amount, let birth):
      applyIncrement(at: key, step, amount: amount, birth: birth, patch: &patch)
    }
  }

  mutating func applySet(
    _ value: Value, at key: Key, _ step: Step, replacing: [Dot], clearing: Version?, patch: inout Patch
  ) {
    let slot = makeSlot(step.object, key)
    let entry = EntryRow(value: value, replica: step.dot.replica, counter: step.dot.counter, stamp: step.stamp)
    if clearing == nil, overwrite(slot, with: entry, replacing: replacing, patch: &patch) { return }
    var account = openAccount(slot)
    drop(replacing, account: &account, patch: &patch)
    if let clearing {
      clearShares(clearing, at: slot)
      clear(clearing, beneath: slot, keeping: value.kindKeptBeneath, patch: &patch)
    }
    add(entry, account: &account)
    closeAccount(account, patch: &patch)
  }

  mutating func applyRemove(at key: Key, _ step: Step, replacing: [Dot], clearing: Version?, patch: inout Patch) {
    guard let key = keys.find(key), let slot = slots.find(step.object, key) else { return }
    var account = openAccount(slot)
    drop(replacing, account: &account, patch: &patch)
    if let clearing {
      clearShares(clearing, at: slot)
      clear(clearing, beneath: slot, keeping: nil, patch: &patch)
    }
    closeAccount(account, patch: &patch)
  }

  mutating func applyIncrement(at key: Key, _ step: Step, amount: Int64, birth: UInt64, patch: inout Patch) {
    let replica = step.dot.replica
    let slot: SlotHandle
    if birth == step.dot.counter {
      slot = makeSlot(step.object, key)
    } else {
      // A share that is not here was cleared, and the increment with it.
      guard let key = keys.find(key), let known = slots.find(step.object, key),
        slots.share(of: replica, at: known)?.birth == birth
      else { return }
      slot = known
    }
    let account = openAccount(slot)
    let former = birth == step.dot.counter ? 0 : slots.share(of: replica, at: slot)?.total ?? 0
    slots.put(
      ShareRow(
        replica: replica, birth: birth, last: step.dot.counter, total: former &+ amount, stamp: step.stamp), at: slot)
    closeAccount(account, patch: &patch)
  }

  /// The usual case by itself: one plain value takes the place of the only other.
  private mutating func overwrite(
    _ slot: SlotHandle, with entry: EntryRow, replacing: [Dot], patch: inout Patch
  ) -> Bool {
    let row = slots[slot]
    guard row.hasEntry, !row.isCompound, replacing.count == 1 else { return false }
    let dot = Dot(replicas[row.replica], row.counter)
    guard replacing[0] == dot else { return false }
    if case .object = entry.value { return false }
    if case .object = row.value { return false }
    slots.setEntry(slot, to: entry)
    patch.record(
      slot, object: objects[row.object].id, key: keys[row.key], from: .value(row.value, by: dot),
      to: .value(entry.value, by: self.dot(entry.dot)), conflictsChanged: false)
    return true
  }
}

extension Value {
  /// The kind of derived object that stays when this value clears what stands beneath its slot:
  /// to say that an object is present must not empty it.
  var kindKeptBeneath: Kind? {
    if case .derived(let kind) = self { kind } else { nil }
  }
}
