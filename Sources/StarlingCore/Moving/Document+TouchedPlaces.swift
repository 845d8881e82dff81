// Where a few objects stand whose places came or went, where no other object is concerned (Protocol/merge.md, "Moving
// between parents"): the usual move, which costs a walk to the root.

extension Document {
  /// Lets the objects that the present call touched stand at their first choice.
  ///
  /// - Returns: False, and nothing is done, where others may be concerned: an object stands elsewhere than at its first
  ///   choice or would have to, what can be reached from the root changes for objects with several places, or one comes
  ///   back.
  /// - Complexity: O(depth) for each object that is placed; what stands in each that goes.
  mutating func resolveTouched(patch: inout Patch) -> Bool {
    if moves.touchesAll || moves.isCircling { return false }
    var chosen: [ObjectHandle: PlaceRow] = [:]
    var gone: [ObjectHandle] = []
    for object in moves.touched {
      guard objects.isInUse(object), !objects[object].isHeld else { return false }
      if let row = moves.objects[object] {
        guard moves.orphans[object] == nil, let first = firstChoice(of: row) else { return false }
        chosen[object] = first
      } else if let orphan = moves.orphans[object], orphan == nil {
        gone.append(object)
      } else {
        return false
      }
    }
    for object in chosen.keys where !reachesRoot(object, chosen) { return false }
    for object in gone where holdsPlaceOfMoved(object) { return false }

    for (object, place) in chosen {
      moves.objects[object]!.effective = place.dot
      let isAside = moves.setAside.contains(object)
      for other in moves.objects[object]!.places where other.dot != place.dot || isAside { hide(other, patch: &patch) }
    }
    for object in gone {
      setHeld(true, below: object, patch: &patch)
      moves.orphans[object] = versionOfOrphans
    }
    for (object, place) in chosen where !moves.setAside.contains(object) { show(place, patch: &patch) }
    for object in chosen.keys { simplifyPlaces(of: object) }
    return true
  }

  private func firstChoice(of row: MovedRow) -> PlaceRow? {
    let reachable = row.places.filter { isReachable($0) }
    let left = Set(reachable.compactMap(\.from))
    func choice(_ place: PlaceRow) -> PlaceChoice {
      let dot = dot(place.dot)
      return PlaceChoice(dot: dot, stamp: place.stamp, isLeft: left.contains(dot))
    }
    return reachable.min { choice($0) < choice($1) }
  }

  /// Whether the way up from the object, with all at their chosen places, ends at the root.
  private func reachesRoot(_ object: ObjectHandle, _ chosen: [ObjectHandle: PlaceRow]) -> Bool {
    var passed: Set<ObjectHandle> = []
    var next = object
    while !objects[next].isRoot {
      if chosen[next] != nil, !passed.insert(next).inserted { return false }
      guard let slot = chosen[next]?.slot ?? slotOfObject(next) else { return false }
      next = slots[slot].object
    }
    return true
  }

  /// Whether an object with several places has one in this object, at any depth.
  private mutating func holdsPlaceOfMoved(_ top: ObjectHandle) -> Bool {
    if moves.objects.isEmpty { return false }
    var pending = [top]
    var holds = false
    while let object = pending.popLast(), !holds {
      openContents(of: object)
      forEachSlot(of: object) { slot in
        forEachChild(of: slot) { pending.append($0) }
        forEachPlace(in: slot) { _, id in
          guard let child = objects.find(id) else { return }
          if moves.objects[child] != nil { holds = true } else { pending.append(child) }
        }
      }
    }
    return holds
  }
}
