// What holds between any two calls. A breach is a mistake in this module, never bad input, and stops
// the program with the values that met.

extension Document {
  #if DEBUG
    /// Debug builds check small documents after every call.
    func checkInvariantsIfSmall() {
      guard checksEveryCall else { return }
      guard slots.count <= 12, version.entries.count <= 64, frontier.count <= 64 else { return }
      guard sequenceHandles.allSatisfy({ sequences[$0].tree.itemCount <= 12 }) else { return }
      // Few slots may hold many entries: whoever sends them decides.
      guard slots.handles.allSatisfy({ slots.besideCount($0) <= 64 }) else { return }
      checkInvariants()
    }
  #endif

  /// Stops the program if the tables contradict each other.
  ///
  /// - Complexity: O(*n*)
  public func checkInvariants() {
    if unopened != nil { return opened.checkInvariants() }
    checkHeads()
    var slotCount = 0
    var uses: [KeyHandle: Int] = [:]
    for object in objects.handles {
      checkObject(object)
      var present = 0
      var previous = SlotHandle.none
      forEachSlot(of: object) { slot in
        let row = slots[slot]
        precondition(row.object == object && row.previous == previous, "\(slot) is not where \(object) has it.")
        previous = slot
        slotCount += 1
        uses[row.key, default: 0] += 1
        checkSlot(slot)
        if slots.isPresent(slot) { present += 1 }
      }
      if let sequence = sequence(of: object) { checkSequence(sequence, of: object) }
      if holdsText(object) { present += 1 }
      let marked = countMarked(object)
      precondition(
        marked == Int(objects[object].markedCount),
        "\(objects[object].id) has \(marked) places with marks and counts \(objects[object].markedCount).")
      precondition(
        present == Int(objects[object].presentCount),
        "\(objects[object].id) has \(present) present slots and counts \(objects[object].presentCount).")
    }
    let apartCount = slots.handles.reduce(0) { $0 + (slots[$1].isValueApart ? 1 : 0) }
    precondition(apartCount == slots.valueCount, "\(slots.valueCount) values are kept, \(apartCount) of them by slots.")
    let conflictCount = slots.handles.count { slots.hasSiblings($0) }
    precondition(
      conflictCount == slots.conflictCount, "\(conflictCount) slots have siblings, and \(slots.conflictCount) count.")
    for object in moves.incomplete {
      let isAssigned = objects.isInUse(object) && objects[object].id.dot != nil
      precondition(isAssigned, "\(object) is incomplete, and no assigned object.")
    }
    precondition(slotCount == slots.count, "\(slots.count) slots are in use, \(slotCount) belong to objects.")
    precondition(uses.count == keys.count, "\(keys.count) keys are in use, \(uses.count) by slots.")
    for (key, count) in uses {
      precondition(keys.useCount(key) == count, "\(keys[key]) has \(count) uses and counts \(keys.useCount(key)).")
      precondition(keys.find(keys[key]) == key, "\(keys[key]) is not found.")
    }
  }

  private func countMarked(_ object: ObjectHandle) -> Int {
    var count = sequence(of: object).map { sequences[$0].marks.isEmpty ? 0 : 1 } ?? 0
    forEachSlot(of: object) { slot in
      if case .element = keys[slots[slot].key] { return }
      forEachChild(of: slot) { if objects[$0].markedCount > 0 { count += 1 } }
    }
    return count
  }

  private func checkHeads() {
    precondition(emptied.slots.isEmpty && emptied.objects.isEmpty, "Empty rows were kept.")
    for (place, dot) in frontier.enumerated() {
      precondition(version.covers(dot), "\(version) does not cover the head \(dot).")
      precondition(place == 0 || frontier[place - 1] < dot, "The frontier \(frontier) is not ascending.")
    }
    precondition(version.isEmpty == frontier.isEmpty, "\(version) has the frontier \(frontier).")
  }

  private func checkObject(_ object: ObjectHandle) {
    let row = objects[object]
    precondition(objects.find(row.id) == object, "\(row.id) is not found.")
    if row.isRoot { return precondition(row.id == .root && object == root, "\(row.id) passes for the root.") }
    if row.isDerived {
      let slot = slots[row.slot]
      precondition(!slot.isFree, "\(row.id) stands in a slot that is gone.")
      let id = ObjectID.derived(parent: objects[slot.object].id, key: keys[slot.key], kind: row.kind)
      precondition(row.id == id, "\(row.id) stands where \(id) would.")
      precondition(
        row.isDeclared || !row.firstSlot.isNone || !row.sequence.isNone,
        "\(row.id) holds nothing and nobody declared it.")
    } else if moves.objects[object] == nil, moves.orphans[object] == nil {
      var stands = false
      forEachAssigned(in: row.slot) { stands = stands || $0 == row.id }
      precondition(stands, "\(row.id) has no entry.")
    }
  }

  private func checkSlot(_ slot: SlotHandle) {
    let row = slots[slot]
    precondition(slots.find(row.object, row.key) == slot, "\(keys[row.key]) is not found.")
    if !slots.isPresent(slot), slots.firstChild(slot).isNone, !row.hidesEntries {
      precondition(emptied.lingering.contains(slot), "The empty slot \(keys[row.key]) was kept.")
    }
    forEachAssigned(in: slot) { precondition(objects.find($0) != nil, "\($0) has an entry and does not stand.") }
    if row.hasEntry { checkCovered(dot(slots.dot(slot))) }
    if row.isCompound { checkCompound(slot) }
  }

  private func checkCompound(_ slot: SlotHandle) {
    let compound = slots[compound: slot]
    precondition(
      compound.isNeeded || slots[slot].hasEntry && !SlotRow.fits(slots.dot(slot)),
      "The slot \(keys[slots[slot].key]) is compound without need.")
    precondition(compound.siblings.isEmpty || slots[slot].hasEntry, "Siblings stand without a greatest entry.")
    for sibling in compound.siblings {
      let greatest = slots.entry(slot)
      checkCovered(dot(sibling.dot))
      precondition(
        isLess(
          (sibling.stamp, sibling.replica, sibling.counter), (greatest.stamp, greatest.replica, greatest.counter)),
        "\(dot(sibling.dot)) is not less than \(dot(greatest.dot)).")
    }
    for share in compound.shares {
      checkCovered(Dot(replicas[share.replica], share.last))
      precondition(share.birth <= share.last, "A share ends at \(share.last), before its birth \(share.birth).")
    }
    precondition(
      Set(compound.shares.map(\.replica)).count == compound.shares.count, "A replica has two shares in one counter.")
    precondition(compound.total == compound.shares.reduce(0) { $0 &+ $1.total }, "The shares do not add up.")
    var previous = ObjectHandle.none
    var present = 0
    forEachChild(of: slot) { child in
      precondition(
        objects[child].slot == slot && objects[child].previousChild == previous, "\(objects[child].id) is misplaced.")
      previous = child
      if objects[child].presentCount > 0 { present += 1 }
    }
    precondition(present == Int(compound.presentChildCount), "\(present) derived objects hold something.")
  }

  func checkCovered(_ dot: Dot) {
    precondition(
      version.covers(dot) || isWriting && dot.replica == open.replica && dot.counter <= open.lastCounter,
      "\(dot) stands, and \(version) does not cover it.")
  }
}
