extension Patch {
  /// Notes that the slot shows `to` where it showed `from`, or that its conflicts changed. What the
  /// patch says of the slot already keeps its `from`; an entry that comes to say nothing is dropped.
  mutating func record(
    _ slot: SlotHandle, object: ObjectID, key: @autoclosure () -> Key, from: Visible, to: Visible,
    conflictsChanged: Bool
  ) {
    if let place = places.find(slot) {
      entries[place].to = to
      if conflictsChanged { entries[place].conflictsChanged = true }
      if !entries[place].conflictsChanged, entries[place].from.looksLike(to) { drop(place) }
    } else if conflictsChanged || !from.looksLike(to) {
      entries.append(Entry(object: object, key: key(), from: from, to: to, conflictsChanged: conflictsChanged))
      places.append(slot)
    }
  }

  /// The slot goes with its object, which `removedObjects` names.
  mutating func forget(_ slot: SlotHandle) {
    if let place = places.find(slot) { drop(place) }
  }

  /// The slot shows `to`, and its readers saw `entry.from` before it was postponed for them.
  mutating func record(_ slot: SlotHandle, postponed entry: Entry, to: Visible) {
    guard let place = places.find(slot) else {
      return record(
        slot, object: entry.object, key: entry.key, from: entry.from, to: to, conflictsChanged: entry.conflictsChanged)
    }
    entries[place].from = entry.from
    if entry.conflictsChanged { entries[place].conflictsChanged = true }
    if !entries[place].conflictsChanged, entry.from.looksLike(to) { drop(place) }
  }

  mutating func drop(_ place: Int) {
    places.drop(place)
    entries.swapAt(place, entries.count - 1)
    entries.removeLast()
  }
}

extension Visible {
  /// Whether a reader sees the same in both: who wrote a value does not show, unless the value is an
  /// object, whose identity it is.
  func looksLike(_ other: Visible) -> Bool {
    switch self {
    case .value(let left, let leftDot):
      guard case .value(let right, let rightDot) = other, left == right else { return false }
      return !left.isObject || leftDot == rightDot
    case .absent:
      if case .absent = other { return true } else { return false }
    case .count(let left):
      if case .count(let right) = other { return left == right } else { return false }
    case .container(let left):
      if case .container(let right) = other { return left == right } else { return false }
    }
  }
}

/// The slot that each entry of a patch describes: entry *i* describes `slot(at: i)`.
///
/// ```
/// up to four entries:   few  = (slot of entry 0, slot of entry 1, ...)     nothing is allocated
/// more:                 many = [slot of entry 0, slot of entry 1, ...],  index: slot → place
/// ```
struct PatchPlaces: Sendable {
  /// How many slot rows the document had given back when the patch was last in its hands. If it has
  /// given back more since, a handle here may have become another slot's.
  var releaseCount: UInt64 = 0
  private var few = SIMD4<UInt32>(repeating: .max)
  private var fewCount = 0
  private var many: ContiguousArray<SlotHandle> = []
  private var index = HandleIndex()

  var count: Int { many.isEmpty ? fewCount : many.count }

  mutating func removeAll() {
    if many.isEmpty { fewCount = 0 } else { self = PatchPlaces() }
  }

  @inline(__always)
  func find(_ slot: SlotHandle) -> Int? {
    if many.isEmpty {
      for place in 0..<fewCount where few[place] == slot.rawValue { return place }
      return nil
    }
    return index.find(hash: Self.hash(slot)) { many[$0] == slot }
  }

  mutating func append(_ slot: SlotHandle) {
    if many.isEmpty, fewCount < 4 {
      few[fewCount] = slot.rawValue
      fewCount += 1
      return
    }
    if many.isEmpty {
      for place in 0..<fewCount { appendToMany(SlotHandle(rawValue: few[place])) }
    }
    appendToMany(slot)
  }

  /// The entry at `place` is dropped and the last one takes its place.
  mutating func drop(_ place: Int) {
    guard !many.isEmpty else {
      few[place] = few[fewCount - 1]
      fewCount -= 1
      return
    }
    unindex(many.count - 1)
    let moved = many[many.count - 1]
    if place != many.count - 1 {
      unindex(place)
      many[place] = moved
      indexPlace(place)
    }
    many.removeLast()
    if many.isEmpty { fewCount = 0 }
  }

  private mutating func appendToMany(_ slot: SlotHandle) {
    many.append(slot)
    indexPlace(many.count - 1)
  }

  private mutating func indexPlace(_ place: Int) {
    let many = many
    index.insert(place, hash: Self.hash(many[place])) { Self.hash(many[$0]) }
  }

  private mutating func unindex(_ place: Int) {
    let many = many
    index.remove(place, hash: Self.hash(many[place])) { Self.hash(many[$0]) }
  }

  private static func hash(_ slot: SlotHandle) -> UInt64 {
    spread(UInt64(slot.rawValue), salt: 0)
  }
}
