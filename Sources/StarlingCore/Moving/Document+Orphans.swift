// Objects that were removed and are held for those who may not know yet (Protocol/merge.md, "Moving between parents").

extension Document {
  /// Whether a removed object is held until everybody knows of its removal, so that one who moved it without knowing
  /// lets it stand where he put it.
  ///
  /// It is on while an object stands elsewhere than where it began. Whoever may move objects, or passes on what such
  /// replicas write, turns it on before, also before a log is replayed: what was removed while it was off, and moved by
  /// somebody who did not know, must come with a state.
  public var holdsRemovedObjects: Bool {
    get { moves.isOn }
    set {
      moves.isAsked = newValue
      moves.isOn = newValue || !moves.isEmpty
    }
  }

  /// How many objects are held that nobody sees, not counting those that stand in them.
  package var orphanCount: Int { moves.orphans.count }

  /// Forgets objects that are orphans for every member, by what all have merged.
  ///
  /// - Returns: How many.
  /// - Complexity: O(places of orphans × depth), and what stands in those that go.
  mutating func collectOrphans(stable: VersionVector, patch: inout Patch) -> Int {
    guard !moves.orphans.isEmpty else { return 0 }
    let known = orphansToForget(stable: stable).map { objects[$0].id }
    for id in known { kill(id, takesAll: true, patch: &patch) }
    if !moves.isDirty { moves.rest() }
    return known.count
  }

  /// The objects that every member has as orphans, but for those with a place in one that stays: a member that
  /// lacks the removal of that one may move it elsewhere, and they stand again with it.
  private func orphansToForget(stable: VersionVector) -> [ObjectHandle] {
    var kept: [ObjectHandle] = []
    var known: Set<ObjectHandle> = []
    for (object, version) in moves.orphans {
      if let version, stable.covers(version) { known.insert(object) } else { kept.append(object) }
    }
    if kept.isEmpty || known.isEmpty { return Array(known) }
    var standing: [ObjectHandle: [ObjectHandle]] = [:]
    for object in known {
      for place in moves.objects[object]?.places ?? [] {
        standing[orphan(holding: place), default: []].append(object)
      }
    }
    while let holder = kept.popLast() {
      for object in standing[holder] ?? [] where known.remove(object) != nil { kept.append(object) }
    }
    return Array(known)
  }

  /// The orphan in which the place of another one is.
  private func orphan(holding place: PlaceRow) -> ObjectHandle {
    var object = slots[place.slot].object
    while moves.orphans[object] == nil { object = slots[objects[object].slot].object }
    return object
  }

  /// Objects began where nothing stands here any more: their writer may move them out. What is written to them is held
  /// until then.
  @inline(never)
  mutating func beginOrphans(of action: Action, by dot: DotRow) {
    guard moves.isOn else { return }
    switch action {
    case .set(let value, _, _): beginOrphan(value, by: dot)
    case .insert(.values(let values), _):
      for (offset, value) in values.enumerated() { beginOrphan(value, by: dot.advanced(by: offset)) }
    case .insert, .remove, .increment, .removeRun, .move, .mark: break
    }
  }

  private mutating func beginOrphan(_ value: Value, by dot: DotRow) {
    guard case .object(let kind) = value else { return }
    let id = ObjectID.assigned(by: self.dot(dot))
    guard objects.find(id) == nil else { return }
    let object = objects.insert(ObjectRow(id: id, kind: kind, slot: SlotHandle(0)))
    moves.orphans[object] = .some(nil)
    touchPlaces(of: object)
  }

  // MARK: Merging states

  /// Whether the entry puts its object where it stands here already.
  func isKnownPlace(_ entry: Entry) -> Bool {
    guard moves.isOn, entry.value.isPlace, let item = item(entry.dot),
      let id = objectPlaced(by: item, entry.value), let object = objects.find(id)
    else { return false }
    if let row = moves.objects[object] { return row.places.contains { $0.dot == item } }
    return moves.orphans[object] == nil && id.dot == entry.dot
  }

  /// Takes over what stands in the objects that were moved or removed on either side, where the way from the root did
  /// not lead to them: in those that are here too what is new, and whole those that were collected here and came back
  /// with a place.
  mutating func addWhatIsInMoved(in other: Document, _ visited: inout Set<ObjectHandle>, patch: inout Patch) {
    var pending = Set(other.moves.objects.keys).union(other.moves.orphans.keys)
    // What was moved here may stand there in an object that was collected here.
    for here in moves.objects.keys { if let there = other.objects.find(objects[here].id) { pending.insert(there) } }
    for here in moves.orphans.keys { if let there = other.objects.find(objects[here].id) { pending.insert(there) } }
    // What comes may bring others that stand in it.
    while true {
      var left: Set<ObjectHandle> = []
      for there in pending where !visited.contains(there) {
        let row = other.objects[there]
        guard let dot = row.id.dot else { continue }
        if let here = objects.find(row.id) {
          guard objects[here].kind == row.kind else { continue }
          addWhatIsNew(in: other, visiting: (there, here), &visited, patch: &patch)
        } else if !version.covers(dot) {
          let here = objects.insert(ObjectRow(id: row.id, kind: row.kind, slot: SlotHandle(0)))
          moves.orphans[here] = .some(nil)
          moves.isDirty = true
          moves.touchesAll = true
          addWhatIsNew(in: other, visiting: (there, here), &visited, patch: &patch)
        } else {
          left.insert(there)
        }
      }
      if left.count == pending.count { return }
      pending = left
    }
  }
}
