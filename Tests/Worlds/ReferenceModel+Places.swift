import StarlingCore

// Protocol/merge.md, "Moving between parents", read off as it stands: every question goes through all places again.

extension ReferenceModel {
  /// An entry that puts an object somewhere.
  package struct Place: Hashable {
    package var object: ObjectID
    package var dot: Dot
    var stamp: Stamp
    var holder: ObjectID
    var key: Key
    /// Nil for the entry that brought the object into being.
    var from: Dot?
  }

  /// What a value of tag 1 says.
  struct Moved {
    var dot: Dot
    var kind: Kind
    var from: Dot

    init?(_ value: Value) {
      guard case .unknown(tag: 1, let payload) = value, payload.count == 33, let kind = Kind(rawValue: payload[0])
      else { return nil }
      var words: [UInt64] = []
      for start in stride(from: 1, to: 33, by: 8) {
        words.append(payload[start..<start + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
      }
      dot = Dot(words[0], words[1])
      from = Dot(words[2], words[3])
      self.kind = kind
    }
  }

  /// All places that were ever written.
  func allPlaces() -> [Place] {
    appliedOperations.compactMap { applied in
      guard case .set(let value, _, _) = applied.action else { return nil }
      if case .object = value {
        return Place(
          object: .assigned(by: applied.dot), dot: applied.dot, stamp: applied.stamp, holder: applied.object,
          key: applied.key)
      }
      guard let moved = Moved(value), kind(of: .assigned(by: moved.dot)) == moved.kind else { return nil }
      return Place(
        object: .assigned(by: moved.dot), dot: applied.dot, stamp: applied.stamp, holder: applied.object,
        key: applied.key,
        from: moved.from)
    }
  }

  private func stands(_ place: Place) -> Bool {
    appliedOperations.contains { applied in
      // An insertion has the dot of the first entry that it puts somewhere.
      guard applied.dot == place.dot, case .set = applied.action else { return false }
      return stands(applied)
    }
  }

  /// The assigned objects that some place leads to from the root: what stands in them does, so there are more, until
  /// there are none.
  func objectsReached() -> Set<ObjectID> {
    var model = self
    model.reached = []
    let places = allPlaces()
    while true {
      let next = Set(places.filter { model.stands($0) }.map(\.object))
      if next == model.reached { return next }
      model.reached = next
    }
  }

  /// The places of the object that stand: those that nobody took it away from first, then the latest first.
  func ranked(_ object: ObjectID, _ places: [Place]) -> [Place] {
    let own = places.filter { $0.object == object }
    let left = Set(own.compactMap(\.from))
    return own.sorted { one, other in
      let (oneIsLeft, otherIsLeft) = (left.contains(one.dot), left.contains(other.dot))
      if oneIsLeft != otherIsLeft { return otherIsLeft }
      return (other.stamp, other.dot) < (one.stamp, one.dot)
    }
  }

  /// The assigned object, or the root, that the object is or is derived in.
  private func assignedHolder(_ object: ObjectID) -> ObjectID {
    var object = object
    while let definition = definitions[object] { object = definition.parent }
    return object
  }

  /// Where every assigned object stands.
  func effectivePlaces() -> [ObjectID: Place] {
    let standing = allPlaces().filter { stands($0) }
    var found: [ObjectID: Place] = [:]
    for object in reached ?? [] { found[object] = ranked(object, standing).first }
    func isRooted(_ object: ObjectID) -> Bool {
      var seen: Set<ObjectID> = []
      var object = object
      while object != .root {
        guard seen.insert(object).inserted, let place = found[object] else { return false }
        object = assignedHolder(place.holder)
      }
      return true
    }
    func isInCircle(_ object: ObjectID) -> Bool {
      var next = object
      for _ in 0...found.count {
        guard next != .root, let place = found[next] else { return false }
        next = assignedHolder(place.holder)
        if next == object { return true }
      }
      return false
    }
    while true {
      let unrooted = found.keys.filter { !isRooted($0) }
      if unrooted.isEmpty { return found }
      func best(_ members: [ObjectID]) -> Place? {
        var best: (place: Place, isLeft: Bool)?
        for member in members {
          let own = ranked(member, standing)
          let left = Set(own.compactMap(\.from))
          for place in own where isRooted(assignedHolder(place.holder)) {
            let isLeft = left.contains(place.dot)
            if let former = best {
              let isBetter =
                isLeft != former.isLeft
                ? former.isLeft : (former.place.stamp, former.place.dot) < (place.stamp, place.dot)
              if !isBetter { continue }
            }
            best = (place, isLeft)
          }
        }
        return best?.place
      }
      guard let place = best(unrooted.filter(isInCircle)) ?? best(Array(unrooted)) else { fatalError("\(unrooted)") }
      found[place.object] = place
    }
  }

  /// The entries that stand and that nobody sees.
  func hiddenEntries() -> Set<Dot> {
    let effective = effectivePlaces()
    return Set(allPlaces().filter { effective[$0.object]?.dot != $0.dot }.map(\.dot))
  }

  /// Where a reader finds each object that stands.
  package func parents() -> [ObjectID: ObjectID] {
    let found = effectivePlaces().mapValues(\.holder)
    return found
  }
}
