extension Document {
  /// Merges the whole state of another replica, in one step (Protocol/merge.md, "States").
  ///
  /// What is absent there but covered by its version was removed there; what is absent here but
  /// covered by this version was removed here; all else stands. The exception are marks that were forgotten here: a
  /// state that knows as much as this document, or more, brings them back where they are not idle.
  ///
  /// - Throws: `MergeError` if the snapshot contradicts itself; then nothing is altered.
  /// - Complexity: O(slots here and there)
  public mutating func merge(_ snapshot: Snapshot, patch: inout Patch) throws(MergeError) {
    try snapshot.version.checkClaims()
    if version.covers(snapshot.version), version != snapshot.version || !mayLackSome(of: snapshot) { return }
    try merge(Document(snapshot), isHeard: true, patch: &patch)
  }

  /// The same of a document that was made of a snapshot, and that nothing was done to since.
  ///
  /// - Parameter isHeard: whether anybody reads the patch. Where nothing was ever written nobody need spell out all
  ///   that came, and it stays empty.
  package mutating func merge(_ other: consuming Document, isHeard: Bool, patch: inout Patch) throws(MergeError) {
    try other.version.checkClaims()
    takeOverIncomplete(from: other, patch: &patch)
    if version.covers(other.version) { return try takeOverMarks(forgottenHereAndHeldIn: other, patch: &patch) }
    if isBlank, patch.isEmpty { return adopt(other, isHeard: isHeard, patch: &patch) }
    other.openFully()
    try mergeSlots(of: other, patch: &patch)
  }

  private mutating func mergeSlots(of other: Document, patch: inout Patch) throws(MergeError) {
    if isWriting, other.version[open.replica] > version[open.replica] {
      throw MergeError(
        .replicaInUse, "Replica \(open.replica) has a change open here; the state has later operations of it.",
        where: .snapshot)
    }
    openFully()
    try checkCapacity(forItemsOf: other)
    if other.moves.isOn { moves.isOn = true }
    moves.arrived = []
    beginCall(&patch)
    noteIncomplete(beside: other)
    dropItemsGone(in: other, patch: &patch)
    dropWhatIsGone(in: other, patch: &patch)
    addWhatIsNew(in: other, patch: &patch)
    showElementsWithNewValues(patch: &patch)
    dropElementsWithoutValue(cause: .state(other.version), patch: &patch)
    frontier = frontier(joining: other)
    version.merge(other.version)
    capacity.recount()
    clock.observe(other.latestStamp)
    endCall(&patch)
  }

  // MARK: What was removed there

  private mutating func dropWhatIsGone(in other: Document, patch: inout Patch) {
    for slot in Array(slots.handles) where !slots[slot].isFree {
      if moves.isOn, saysNothing(of: slots[slot].object, other) { continue }
      dropWhatIsGone(at: slot, in: other, patch: &patch)
    }
  }

  mutating func dropWhatIsGone(at slot: SlotHandle, in other: Document, patch: inout Patch) {
    let counterpart = other.counterpart(of: slot, in: self)
    if isSomethingGone(at: slot, in: other, counterpart) {
      dropWhatIsGone(at: slot, in: other, counterpart, patch: &patch)
    }
  }

  /// The slot here that stands where `slot` stands in `other`.
  private func counterpart(of slot: SlotHandle, in other: Document) -> SlotHandle? {
    let row = other.slots[slot]
    return objects.find(other.objects[row.object].id).flatMap { find(other.keys[row.key], in: $0) }
  }

  private func isSomethingGone(at slot: SlotHandle, in other: Document, _ counterpart: SlotHandle?) -> Bool {
    if slots[slot].hasEntry, other.lacks(dot(slots.dot(slot)), at: counterpart) { return true }
    if slots[slot].hidesEntries, let hidden = moves.hidden[slot],
      hidden.contains(where: { other.lacks(dot($0.dot), at: counterpart) })
    {
      return true
    }
    guard slots[slot].isCompound else { return false }
    return slots[compound: slot].siblings.contains { other.lacks(dot($0.dot), at: counterpart) }
      || slots[compound: slot].shares.contains { other.lacksShare(named: name($0), at: counterpart) }
  }

  private mutating func dropWhatIsGone(
    at slot: SlotHandle, in other: Document, _ counterpart: SlotHandle?, patch: inout Patch
  ) {
    var account = openAccount(slot)
    drop(account: &account, patch: &patch) { other.lacks($0, at: counterpart) }
    dropShares(at: slot) { other.lacksShare(named: $0, at: counterpart) }
    closeAccount(account, patch: &patch)
  }

  /// Whether the entry was here once and is no more.
  private func lacks(_ dot: Dot, at slot: SlotHandle?) -> Bool {
    version.covers(dot) && !(slot.map { hasEntry(dot, at: $0) } ?? false)
  }

  /// Whether the share with the replica and birth in `name` was here once and is no more.
  private func lacksShare(named name: Dot, at slot: SlotHandle?) -> Bool {
    version.covers(name) && slot.flatMap { share(named: name, at: $0) } == nil
  }

  private func hasEntry(_ dot: Dot, at slot: SlotHandle) -> Bool {
    guard let replica = replicas.find(dot.replica) else { return false }
    if slots[slot].hidesEntries,
      moves.hidden[slot]?.contains(where: { $0.dot == DotRow(replica: replica, counter: dot.counter) }) == true
    {
      return true
    }
    guard slots[slot].hasEntry else { return false }
    let name = DotRow(replica: replica, counter: dot.counter)
    if slots.dot(slot) == name { return true }
    return slots.hasSiblings(slot) && slots[compound: slot].siblings.contains { $0.dot == name }
  }

  private func share(named name: Dot, at slot: SlotHandle) -> ShareRow? {
    guard let replica = replicas.find(name.replica), let share = slots.share(of: replica, at: slot),
      share.birth == name.counter
    else { return nil }
    return share
  }

  private func name(_ share: ShareRow) -> Dot {
    Dot(replicas[share.replica], share.birth)
  }

  // MARK: What is new there

  /// Adds from the root down, so that whatever comes finds the object that it stands in.
  mutating func addWhatIsNew(in other: Document, patch: inout Patch) {
    var visited: Set<ObjectHandle> = []
    addWhatIsNew(in: other, visiting: (other.root, root), &visited, patch: &patch)
    if moves.isOn { addWhatIsInMoved(in: other, &visited, patch: &patch) }
  }

  /// Adds what stands in an object, and in those that stand in it.
  ///
  /// - Parameter visited: the assigned objects there that were looked at, where objects move.
  mutating func addWhatIsNew(
    in other: Document, visiting first: (there: ObjectHandle, here: ObjectHandle),
    _ visited: inout Set<ObjectHandle>, patch: inout Patch
  ) {
    let known = version
    defer { version = known }
    var visits: ContiguousArray = [Visit(there: first.there, here: first.here)]
    while let visit = visits.popLast() {
      let (there, here) = (visit.there, visit.here)
      var isWhole = visit.isWhole
      if moves.isOn, !objects[here].isDerived {
        guard visited.insert(there).inserted else { continue }
        // What goes from it is what this document has merged, also where all of the object before came.
        version = known
        isWhole = takesWhole(here, from: there, in: other, known: known, patch: &patch)
      }
      // Of what comes whole nothing counts as merged and removed here.
      if isWhole != version.isEmpty { version = isWhole ? VersionVector() : known }
      let newElements = addItemsNew(of: there, in: other, to: here, patch: &patch)
      var slot = other.objects[there].firstSlot
      while !slot.isNone {
        if case .element(let dot) = other.keys[other.slots[slot].key], !newElements.contains(dot),
          find(.element(dot), in: here) == nil
        {
          // It was removed here, with whatever was written to it since, but for objects that others may have moved.
          if moves.isOn { visitAssigned(in: slot, of: other, &visits) }
          slot = other.slots[slot].next
          continue
        }
        addWhatIsNew(at: slot, in: other, to: here, patch: &patch)
        visitAssigned(in: slot, of: other, &visits)
        var child = other.slots.firstChild(slot)
        while !child.isNone {
          let row = other.objects[child]
          let key = other.keys[other.slots[slot].key]
          let counterpart = makeDerived(row.id, row.kind, at: makeSlot(here, key))
          emptied.objects.append(counterpart)
          visits.append(Visit(there: child, here: counterpart, isWhole: isWhole))
          child = row.nextChild
        }
        slot = other.slots[slot].next
      }
    }
  }

  /// An object there and the same one here.
  private struct Visit {
    var there: ObjectHandle
    var here: ObjectHandle
    /// Of a derived one: whether all comes that stands in it there.
    var isWhole = false
  }

  private func visitAssigned(in slot: SlotHandle, of other: Document, _ visits: inout ContiguousArray<Visit>) {
    other.forEachAssigned(in: slot) { id in
      // One that is not here was removed here. Those that were moved have their own turn.
      if let child = other.objects.find(id), other.moves.objects[child] == nil, let counterpart = objects.find(id) {
        visits.append(Visit(there: child, here: counterpart))
      }
    }
  }

  /// Whether the entry is neither here nor was removed here.
  private func isNew(_ dot: Dot, _ key: Key, in object: ObjectHandle) -> Bool {
    if version.covers(dot) { return false }
    return !version.isEmpty || !(find(key, in: object).map { hasEntry(dot, at: $0) } ?? false)
  }

  private mutating func addWhatIsNew(
    at slot: SlotHandle, in other: Document, to object: ObjectHandle, patch: inout Patch
  ) {
    if !other.slots[slot].isCompound, !other.slots[slot].hidesEntries {
      addPlain(slot, in: other, to: object, patch: &patch)
      return
    }
    let key = other.keys[other.slots[slot].key]
    var entries: [Entry] = []
    if other.slots[slot].hasEntry { entries.append(other.publicEntry(other.slots.entry(slot))) }
    let compound = other.slots[slot].isCompound ? other.slots[compound: slot] : CompoundRow()
    entries += compound.siblings.map { other.publicEntry($0) }
    if other.slots[slot].hidesEntries { entries += (other.moves.hidden[slot] ?? []).map { other.publicEntry($0) } }
    entries.removeAll { !isNew($0.dot, key, in: object) }
    let shares = compound.shares.map { other.publicShare($0) }.filter { !version.covers(Dot($0.replica, $0.last)) }
    guard !entries.isEmpty || !shares.isEmpty else { return }
    let place = makeSlot(object, key)
    for entry in entries where !isKnownPlace(entry) {
      var account = openAccount(place)
      add(row(entry), account: &account)
      closeAccount(account, patch: &patch)
    }
    for share in shares {
      // Increments to a share that was cleared here went with it.
      let name = Dot(share.replica, share.birth)
      if version.covers(name), self.share(named: name, at: place) == nil { continue }
      let account = openAccount(place)
      slots.put(row(share), at: place)
      closeAccount(account, patch: &patch)
    }
    if !slots.isPresent(place) { emptied.slots.append(place) }
    // Of a new element the patch says that it came.
    if case .element(let dot) = key, !version.covers(dot) { patch.forget(place) }
  }

  /// Adds the only entry of a slot, if it is new.
  private mutating func addPlain(
    _ slot: SlotHandle, in other: Document, to object: ObjectHandle, patch: inout Patch
  ) {
    let dot = other.dot(other.slots.dot(slot))
    if version.covers(dot) { return }
    let value = other.slots.value(slot)
    let stamp = other.slots[slot].stamp
    let key = other.keys[other.slots[slot].key]
    if !isNew(dot, key, in: object) || isKnownPlace(Entry(dot: dot, stamp: stamp, value: value)) { return }
    let place = makeSlot(object, key)
    if !putPlainly(value, at: place, row(dot), stamp, replacing: DotSet(), patch: &patch) {
      var account = openAccount(place)
      add(row(Entry(dot: dot, stamp: stamp, value: value)), account: &account)
      closeAccount(account, patch: &patch)
    }
    if case .element(let dot) = key, !version.covers(dot) { patch.forget(place) }
  }

  /// A head stays if it is one on both sides, or if the other side has not heard of it.
  private func frontier(joining other: Document) -> [Dot] {
    let mine = frontier.filter { other.frontier.contains($0) || !other.version.covers($0) }
    let theirs = other.frontier.filter { !version.covers($0) }
    // Heads that contradict each other (some snapshot was wrong about its own) all stay.
    return (mine.isEmpty && theirs.isEmpty ? Array(Set(frontier + other.frontier)) : mine + theirs).sorted()
  }
}
