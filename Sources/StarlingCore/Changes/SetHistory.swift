/// Consecutive changes of one writer that only set, plainly. All but the first saw nothing new of anybody else: one
/// property was written after the other. They stand in one array, where each change by itself would have several, and
/// the slots that they write to in another.
///
/// ```
/// counter     7         8         9           10          11
/// operation   set a=1   set b=2   set a=3     set a=4     set b=5
/// replaces    x         nothing   7           9           8
/// changes     └── 1 ──┘ └───────── 2 ───────┘ └── 3 ──┘   └── 4 ──┘
/// slots       a, b
/// merges as   a=4, named 10, in place of x    b=5, named 11, in place of nothing
/// ```
///
/// It says the same as its changes, which can be had back. Whoever merges it needs only the last of those that
/// followed one another in a slot, in place of what the first one replaced (`PlainSets`).
public struct SetHistory: Sendable {
  public let replica: ReplicaID
  public let firstCounter: UInt64
  /// Of the first change; the others have none.
  public let frontier: [Dot]
  /// The greatest of the changes' stamps.
  public private(set) var latestStamp = Stamp(rawValue: 0)
  public private(set) var changeCount = 0
  /// The objects that are written to; the same one several times, perhaps.
  @usableFromInline private(set) var objects: ContiguousArray<WrittenObject> = []
  /// Their slots; the same one several times, perhaps.
  @usableFromInline private(set) var slots: ContiguousArray<WrittenSlot> = []
  @usableFromInline private(set) var sets: ContiguousArray<WrittenSet> = []

  @usableFromInline
  struct WrittenObject: Sendable {
    @usableFromInline let id: ObjectID
    /// The definitions of its derived ancestors, outermost first, and its own; empty for one that is not derived.
    @usableFromInline let chain: [ObjectDefinition]
  }

  @usableFromInline
  struct WrittenSlot: Sendable {
    @usableFromInline let key: Key
    @usableFromInline let hint: SlotHint
    /// A place in `objects`.
    @usableFromInline let object: Int32
  }

  @usableFromInline
  struct WrittenSet: Sendable {
    /// First, so that it can be looked at by the address of the whole.
    @usableFromInline let value: Value
    /// A place in `slots`.
    @usableFromInline let slot: Int32
    @usableFromInline let beginsChange: Bool
    /// What it replaces; `Dot.origin` for nothing.
    @usableFromInline let replaced: Dot
    @usableFromInline let stamp: Stamp
    /// The place of the first of those that followed one another in the slot up to this one: its own, if it is that.
    let base: Int32
    /// The place of the last of them; kept where the first stands.
    fileprivate(set) var last: Int32
  }

  /// So many changes stand in one at most, as in a record of the log.
  package static let changeCountMax = 4096

  /// One without a change, which `append` gives it.
  package init(replica: ReplicaID, firstCounter: UInt64, frontier: [Dot]) {
    self.replica = replica
    self.firstCounter = firstCounter
    self.frontier = frontier
  }

  /// One that begins with the change; nil where that is no plain set.
  ///
  /// - Parameter change: of one operation, with the definitions that its object implies.
  package init?(ifPlain change: Change) {
    guard let operation = change.operations.first, case .set(let value, let replacing, nil) = operation.action,
      replacing.count < 2, !value.isObject, !value.isUnknown
    else { return nil }
    self.init(replica: change.replica, firstCounter: change.firstCounter, frontier: change.frontier)
    let slot = append(operation.key, in: operation.object, definedBy: change.objects, hint: operation.hint)
    append(value, in: slot, replacing: replacing.first ?? .origin, stamp: change.stamp, beginsChange: true)
  }

  @inlinable public var lastCounter: UInt64 { firstCounter &+ UInt64(sets.count) &- 1 }
  @inlinable package var setCount: Int { sets.count }

  // MARK: Making one

  /// Whether the slot at `place` is this one. Mutating, as a caller that is would copy the history for one that is not.
  ///
  /// - Parameter definitionCount: of its object: which they are follows from the object's id, as far as they are told.
  @inline(__always)
  package mutating func hasSlot(
    _ key: borrowing Key, in object: ObjectID, definedBy definitionCount: Int, hint: SlotHint, at place: Int
  ) -> Bool {
    place < slots.count && slots[place].hint == hint && slots[place].key == key
      && hasObject(object, definitionCount, at: Int(slots[place].object))
  }

  @inline(__always)
  private func hasObject(_ object: ObjectID, _ definitionCount: Int, at place: Int) -> Bool {
    objects[place].id == object && objects[place].chain.count == definitionCount
  }

  /// Has a slot written to.
  ///
  /// - Parameter chain: the definition of its object behind those of the object's derived ancestors; empty if it is not
  ///   derived.
  /// - Returns: its place.
  package mutating func append(
    _ key: Key, in object: ObjectID, definedBy chain: [ObjectDefinition], hint: SlotHint
  ) -> Int {
    // Those of one object are written to one after the other, more often than not.
    if objects.isEmpty || !hasObject(object, chain.count, at: objects.count - 1) {
      objects.append(WrittenObject(id: object, chain: chain))
    }
    slots.append(WrittenSlot(key: key, hint: hint, object: Int32(truncatingIfNeeded: objects.count - 1)))
    return slots.count - 1
  }

  /// - Parameters:
  ///   - value: of a set that is plain.
  ///   - slot: the place of its slot.
  ///   - replaced: what it replaces; `Dot.origin` for nothing.
  @inline(__always)
  package mutating func append(
    _ value: consuming Value, in slot: Int, replacing replaced: Dot, stamp: Stamp, beginsChange: Bool
  ) {
    let place = Int32(truncatingIfNeeded: sets.count)
    let slot = Int32(truncatingIfNeeded: slot)
    var base = place
    if let followed = placeFollowed(in: slot, replacing: replaced) {
      base = sets[followed].base
      sets[Int(base)].last = place
    }
    sets.append(
      WrittenSet(
        value: value, slot: slot, beginsChange: beginsChange, replaced: replaced, stamp: stamp, base: base, last: place)
    )
    if beginsChange { changeCount += 1 }
    latestStamp = max(latestStamp, stamp)
  }

  /// The place of the set that one of this slot replaces, if it is here and nothing else replaced it.
  @inline(__always)
  private func placeFollowed(in slot: Int32, replacing replaced: Dot) -> Int? {
    guard replaced.replica == replica, replaced.counter >= firstCounter else { return nil }
    let place = Int(replaced.counter - firstCounter)
    guard place < sets.count, sets[place].slot == slot, sets[Int(sets[place].base)].last == place else { return nil }
    return place
  }

  /// Takes the last changes away again; of the last one, as much as is here.
  ///
  /// - Complexity: O(sets)
  package mutating func removeLastChanges(_ count: Int) {
    let countLeft = changeCount - count
    while changeCount > countLeft, let set = sets.popLast() {
      if set.base < sets.count {
        sets[Int(set.base)].last = Int32(truncatingIfNeeded: set.replaced.counter - firstCounter)
      }
      if set.beginsChange { changeCount -= 1 }
    }
    latestStamp = sets.reduce(Stamp(rawValue: 0)) { max($0, $1.stamp) }
  }
}

// MARK: Its changes

extension SetHistory {
  /// Each with its dots, its stamp and its definitions.
  ///
  /// - Complexity: O(sets)
  public var changes: [Change] {
    var changes: [Change] = []
    changes.reserveCapacity(changeCount)
    forEachChange(in: sets.indices) { changes.append(change(at: $0)) }
    return changes
  }

  private func change(at places: Range<Int>) -> Change {
    Change(
      replica: replica, firstCounter: firstCounter + UInt64(places.lowerBound), stamp: sets[places.lowerBound].stamp,
      frontier: frontier(at: places.lowerBound), objects: definitions(at: places),
      operations: places.map { operation(at: $0) })
  }

  private func operation(at place: Int) -> Operation {
    let set = sets[place]
    let slot = slots[Int(set.slot)]
    return Operation(
      object: objects[Int(slot.object)].id, key: slot.key, hint: slot.hint,
      action: .set(set.value, replacing: set.replaced == .origin ? DotSet() : DotSet(set.replaced), clearing: nil))
  }

  /// Calls `body` with the places of each change's sets.
  @inlinable @inline(__always)
  package func forEachChange(in places: Range<Int>, _ body: (Range<Int>) -> Void) {
    var start = places.lowerBound
    while start < places.upperBound {
      var end = start + 1
      while end < places.upperBound, !sets[end].beginsChange { end += 1 }
      body(start..<end)
      start = end
    }
  }

  /// Where the second half of the changes at the places begins; nil where they are one.
  package func middle(of places: Range<Int>) -> Int? {
    var starts: [Int] = []
    forEachChange(in: places) { starts.append($0.lowerBound) }
    return starts.count > 1 ? starts[starts.count / 2] : nil
  }

  // MARK: Parts of a change

  @inlinable @inline(__always)
  package func frontier(at place: Int) -> [Dot] { place == 0 ? frontier : [] }

  @inlinable @inline(__always)
  package func stamp(at place: Int) -> Stamp { sets[place].stamp }

  /// What the set at `place` replaces; `Dot.origin` for nothing.
  @inlinable @inline(__always)
  package func replaced(at place: Int) -> Dot { sets[place].replaced }

  /// The place of the slot of the set at `place`.
  @inlinable @inline(__always)
  package func slot(at place: Int) -> Int { Int(sets[place].slot) }

  /// In how many slots the sets are, or more.
  @inlinable package var slotCount: Int { slots.count }

  /// Where the slot at `place` may be found.
  @inlinable @inline(__always)
  package func hint(ofSlot place: Int) -> SlotHint { slots[place].hint }

  /// Whether the slot at `place` is this one.
  @inlinable @inline(__always)
  package func isSlot(_ place: Int, _ key: borrowing Key, in object: ObjectID) -> Bool {
    slots.withUnsafeBufferPointer { slots in
      objects.withUnsafeBufferPointer { $0[Int(slots[place].object)].id == object } && slots[place].key == key
    }
  }

  /// Whether the slot at `place` is that of a list's element.
  package func isElement(ofSlot place: Int) -> Bool {
    if case .element = slots[place].key { true } else { false }
  }

  /// Calls `body` with the set at `place` as an operation.
  package func withOperation<Result>(at place: Int, _ body: (borrowing Borrowed<Operation>) -> Result) -> Result {
    withUnsafePointer(to: operation(at: place)) { body(Borrowed.at($0).pointee) }
  }

  /// Calls `body` with the value of the set at `place`, not copied.
  @inlinable @inline(__always)
  package func withValue(at place: Int, _ body: (borrowing Borrowed<Value>) -> Void) {
    sets.withUnsafeBufferPointer { sets in
      guard sets.indices.contains(place), let set = sets.baseAddress.map({ $0 + place }) else { return }
      // The value stands first, so it has the address of the whole.
      body(Borrowed.at(UnsafeRawPointer(set).assumingMemoryBound(to: Value.self)).pointee)
    }
  }

  /// Calls `body` with what the change at the places defines: the chains of its objects in order, each definition
  /// once.
  @inlinable @inline(__always)
  package func withDefinitions<Result>(
    at places: Range<Int>, _ body: (UnsafeBufferPointer<ObjectDefinition>) -> Result
  ) -> Result {
    guard places.count == 1 else { return definitions(at: places).withUnsafeBufferPointer(body) }
    return objects.withUnsafeBufferPointer {
      $0[object(at: places.lowerBound)].chain.withUnsafeBufferPointer(body)
    }
  }

  /// The place of the object that the set at `place` writes to.
  @inlinable @inline(__always)
  func object(at place: Int) -> Int { Int(slots[Int(sets[place].slot)].object) }

  /// How many definitions the changes at the places have.
  package func definitionCount(at places: Range<Int>) -> Int {
    var count = 0
    forEachChange(in: places) { places in count += withDefinitions(at: places) { $0.count } }
    return count
  }

  @usableFromInline
  func definitions(at places: Range<Int>) -> [ObjectDefinition] {
    var object = object(at: places.lowerBound)
    var definitions = objects[object].chain
    guard places.contains(where: { self.object(at: $0) != object }) else { return definitions }
    var known = Set(definitions.map { $0.id })
    for place in places where self.object(at: place) != object {
      object = self.object(at: place)
      for definition in objects[object].chain where known.insert(definition.id).inserted {
        definitions.append(definition)
      }
    }
    return definitions
  }
}

extension SetHistory: Hashable {
  /// - Complexity: O(sets)
  public static func == (left: SetHistory, right: SetHistory) -> Bool { left.changes == right.changes }

  public func hash(into hasher: inout Hasher) { hasher.combine(changes) }
}
