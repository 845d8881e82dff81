/// Consecutive changes of one writer that only set, plainly. All but the first saw nothing new of anybody else: one
/// property was written after the other. They stand in one array, where each change by itself would have several.
///
/// ```
/// counter     7         8         9           10          11
/// operation   set a=1   set b=2   set a=3     set a=4     set b=5
/// replaces    x         nothing   7           9           8
/// changes     └── 1 ──┘ └───────── 2 ───────┘ └── 3 ──┘   └── 4 ──┘
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
  @usableFromInline private(set) var sets: ContiguousArray<WrittenSet> = []

  @usableFromInline
  struct WrittenObject: Sendable {
    @usableFromInline let id: ObjectID
    /// The definitions of its derived ancestors, outermost first, and its own; empty for one that is not derived.
    @usableFromInline let chain: [ObjectDefinition]
  }

  @usableFromInline
  struct WrittenSet: Sendable {
    /// First, so that it can be looked at by the address of the whole.
    @usableFromInline let operation: Operation
    /// What it replaces; `Dot.origin` for nothing.
    let replaced: Dot
    @usableFromInline let stamp: Stamp
    /// A place in `objects`.
    @usableFromInline let object: Int32
    /// The place of the first of those that followed one another in the slot up to this one: its own, if it is that.
    let base: Int32
    /// The place of the last of them; kept where the first stands.
    fileprivate(set) var last: Int32
    @usableFromInline let beginsChange: Bool
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
    objects.append(WrittenObject(id: operation.object, chain: change.objects))
    append(operation, in: 0, replacing: replacing.first ?? .origin, stamp: change.stamp, beginsChange: true)
  }

  @inlinable public var lastCounter: UInt64 { firstCounter &+ UInt64(sets.count) &- 1 }
  @inlinable package var setCount: Int { sets.count }

  // MARK: Making one

  /// Has an object written to.
  ///
  /// - Parameters:
  ///   - chain: its definition behind those of its derived ancestors; empty if it is not derived.
  ///   - place: where it may stand already.
  /// - Returns: its place.
  @inline(__always)
  package mutating func place(
    of object: ObjectID, definedBy chain: @autoclosure () -> [ObjectDefinition], lookingAt place: Int
  ) -> Int {
    if place < objects.count, objects[place].id == object { return place }
    objects.append(WrittenObject(id: object, chain: chain()))
    return objects.count - 1
  }

  /// - Parameters:
  ///   - operation: a set that is plain.
  ///   - object: the place of its object.
  ///   - replaced: what it replaces; `Dot.origin` for nothing.
  package mutating func append(
    _ operation: consuming Operation, in object: Int, replacing replaced: Dot, stamp: Stamp, beginsChange: Bool
  ) {
    let place = Int32(truncatingIfNeeded: sets.count)
    var base = place
    if let followed = placeFollowed(by: operation, replacing: replaced) {
      base = sets[followed].base
      sets[Int(base)].last = place
    }
    sets.append(
      WrittenSet(
        operation: operation, replaced: replaced, stamp: stamp, object: Int32(truncatingIfNeeded: object), base: base,
        last: place, beginsChange: beginsChange))
    if beginsChange { changeCount += 1 }
    latestStamp = max(latestStamp, stamp)
  }

  /// The place of the set that one of this slot replaces, if it is here and nothing else replaced it.
  @inline(__always)
  private func placeFollowed(by operation: borrowing Operation, replacing replaced: Dot) -> Int? {
    guard replaced.replica == replica, replaced.counter >= firstCounter else { return nil }
    let place = Int(replaced.counter - firstCounter)
    guard place < sets.count, sets[Int(sets[place].base)].last == place,
      sets[place].operation.object == operation.object, sets[place].operation.key == operation.key
    else { return nil }
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
      operations: places.map { sets[$0].operation })
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

  @inlinable
  package func frontier(at place: Int) -> [Dot] { place == 0 ? frontier : [] }

  @inlinable
  package func stamp(at place: Int) -> Stamp { sets[place].stamp }

  /// Calls `body` with each set at the places, none of them copied.
  @inlinable @inline(__always)
  package func forEachOperation(at places: Range<Int>, _ body: (borrowing Borrowed<Operation>) -> Void) {
    sets.withUnsafeBufferPointer { sets in
      for place in places {
        guard let set = sets.baseAddress.map({ $0 + place }) else { return }
        // The operation stands first, so it has the address of the whole.
        body(Borrowed.at(UnsafeRawPointer(set).assumingMemoryBound(to: Operation.self)).pointee)
      }
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
      $0[Int(sets[places.lowerBound].object)].chain.withUnsafeBufferPointer(body)
    }
  }

  /// How many definitions the changes at the places have.
  package func definitionCount(at places: Range<Int>) -> Int {
    guard hasDefinitions else { return 0 }
    var count = 0
    forEachChange(in: places) { places in count += withDefinitions(at: places) { $0.count } }
    return count
  }

  private var hasDefinitions: Bool { !objects.allSatisfy { $0.chain.isEmpty } }

  @usableFromInline
  func definitions(at places: Range<Int>) -> [ObjectDefinition] {
    var object = sets[places.lowerBound].object
    var definitions = objects[Int(object)].chain
    guard places.contains(where: { sets[$0].object != object }) else { return definitions }
    var known = Set(definitions.map { $0.id })
    for place in places where sets[place].object != object {
      object = sets[place].object
      for definition in objects[Int(object)].chain where known.insert(definition.id).inserted {
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
