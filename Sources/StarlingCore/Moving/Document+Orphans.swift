// Objects that were removed and are held for those who may not know yet (Protocol/merge.md, "Moving between parents").

extension Document {
  /// Whether a removed object is held until everybody knows of its removal, so that one who moved it without knowing lets
  /// it stand where he put it.
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

  /// Forgets orphans of which everybody has merged that they are.
  ///
  /// - Returns: How many.
  mutating func letGoOfOrphans(stable: Version, patch: inout Patch) -> Int {
    guard !moves.orphans.isEmpty else { return 0 }
    let known = moves.orphans.compactMap { object, version -> ObjectID? in
      guard let version, stable.covers(version) else { return nil }
      return objects[object].id
    }
    for id in known { kill(id, takesAll: true, patch: &patch) }
    if !moves.isDirty { moves.rest() }
    return known.count
  }

  /// An object began in an element that was removed here: its writer may move it out.
  mutating func beginOrphan(_ value: Value, by dot: DotRow) {
    guard moves.isOn, case .object(let kind) = value else { return }
    let id = ObjectID.assigned(by: self.dot(dot))
    guard objects.find(id) == nil else { return }
    let object = objects.insert(ObjectRow(id: id, kind: kind, slot: SlotHandle(0)))
    moves.orphans[object] = .some(nil)
    touchPlaces(of: object)
  }

  // MARK: Merging states

  /// Whether `other` holds nothing of the assigned object in which this one stands: it let go of it, or never heard of it,
  /// and what is absent there says nothing.
  func isUnknown(holderOf object: ObjectHandle, in other: Document) -> Bool {
    var object = object
    while objects[object].isDerived { object = slots[objects[object].slot].object }
    return !objects[object].isRoot && other.objects.find(objects[object].id) == nil
  }

  /// Whether the entry puts its object where it stands here already.
  func isKnownPlace(_ entry: Entry) -> Bool {
    guard moves.isOn, entry.value.isPlace, let item = item(entry.dot),
      let id = objectPlaced(by: item, entry.value), let object = objects.find(id)
    else { return false }
    if let row = moves.objects[object] { return row.places.contains { $0.dot == item } }
    return moves.orphans[object] == nil && id.dot == entry.dot
  }

  /// Takes over what stands in the objects there that were moved or removed: in those that are here too what is new, and
  /// whole those that were let go of here and came back with a place.
  mutating func addWhatIsInMoved(in other: Document, patch: inout Patch) {
    var pending = Array(Set(other.moves.objects.keys).union(other.moves.orphans.keys))
    // What comes may bring others that stand in it.
    while true {
      var left: [ObjectHandle] = []
      for there in pending {
        let row = other.objects[there]
        guard let dot = row.id.dot else { continue }
        if let here = objects.find(row.id) {
          guard objects[here].kind == row.kind else { continue }
          let isWhole = moves.arrived.contains(here) && version.covers(dot)
          // Of what comes whole nothing was merged and removed here.
          let known = version
          if isWhole { version = Version() }
          addWhatIsNew(in: other, visiting: [(there, here)], patch: &patch)
          version = known
        } else if !version.covers(dot) {
          let here = objects.insert(ObjectRow(id: row.id, kind: row.kind, slot: SlotHandle(0)))
          moves.orphans[here] = .some(nil)
          moves.isDirty = true
          moves.touchesAll = true
          addWhatIsNew(in: other, visiting: [(there, here)], patch: &patch)
        } else {
          left.append(there)
        }
      }
      if left.count == pending.count { return }
      pending = left
    }
  }
}
