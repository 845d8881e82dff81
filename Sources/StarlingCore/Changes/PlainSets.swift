/// Plain sets by one writer, of one change or several in a row, reduced: of those that followed one another in a slot
/// the last, in place of what the first one replaced.
///
/// ```
/// counter     7         8         9           10          11
/// operation   set a=1   set b=2   set a=3     set a=4     set b=5
/// replaces    x         nothing   7           9           8
///
/// comes to    a=4, named 10, in place of x    b=5, named 11, in place of nothing
/// ```
///
/// *Plain* is a set that clears nothing, replaces one entry or none, and whose value is no object. Nobody can tell
/// afterwards whether such sets were merged one by one: what stood in between is named by nobody else before the last
/// one has merged.
package struct PlainSets: Sendable {
  package var replica: ReplicaID
  /// Of the first set, and of the last.
  package var firstCounter: UInt64
  package var lastCounter: UInt64
  /// The greatest of the changes' stamps.
  package var latestStamp: Stamp
  /// Of the first change; the others have none.
  package var frontier: [Dot]
  /// Definitions of the derived objects that are written to and of those above them, in no order.
  package var objects: [ObjectDefinition]
  /// In how many slots; at least one.
  package var count: Int

  package init(
    replica: ReplicaID, firstCounter: UInt64, lastCounter: UInt64, latestStamp: Stamp, frontier: [Dot],
    objects: [ObjectDefinition], count: Int
  ) {
    self.replica = replica
    self.firstCounter = firstCounter
    self.lastCounter = lastCounter
    self.latestStamp = latestStamp
    self.frontier = frontier
    self.objects = objects
    self.count = count
  }
}

/// The last of plain sets that followed one another in one slot, without its value.
package struct PlainSet: ~Copyable {
  let object: ObjectID
  let key: Key
  let hint: SlotHint
  /// Of the first set, and of the last.
  let firstCounter: UInt64
  let counter: UInt64
  let stamp: Stamp
  /// What the first set replaced; `Dot.origin` for nothing.
  let replaced: Dot

  @inline(__always)
  package init(
    for key: Key, in object: ObjectID, hint: SlotHint, replacing replaced: Dot, firstCounter: UInt64, counter: UInt64,
    stamp: Stamp
  ) {
    self.object = object
    self.key = key
    self.hint = hint
    self.firstCounter = firstCounter
    self.counter = counter
    self.stamp = stamp
    self.replaced = replaced
  }
}

extension Document {
  /// Merges plain sets as one change (Protocol/merge.md, "Operations").
  ///
  /// - Parameters:
  ///   - set: The sets in the order in which the first ones stood, by place.
  ///   - value: Their values, each of which is asked for at most once.
  /// - Returns, and throws: as for a change. Where some of the changes are merged already, they must be left out.
  /// - Complexity: O(`count`)
  package mutating func merge(
    _ row: PlainSets, patch: inout Patch, set: (Int) -> PlainSet, value: (Int) -> Value
  ) throws(MergeError) -> MergeOutcome {
    let first = Dot(row.replica, row.firstCounter)
    let last = Dot(row.replica, row.lastCounter)
    try first.checkFrontier(row.frontier)
    if let outcome = try outcomeBeforeMerging(from: first, to: last, frontier: row.frontier) { return outcome }
    var definitions = Definitions(row.objects)
    // The first is made once: more often than not it is the only one.
    let firstSet = set(0)
    var object: ObjectID?
    try checkReferences(of: firstSet, by: row.replica, &object, &definitions)
    for place in 1..<row.count { try checkReferences(of: set(place), by: row.replica, &object, &definitions) }

    beginCall(&patch)
    let replica = replicas.intern(row.replica)
    var target = Target()
    apply(firstSet, by: replica, &target, &definitions, patch: &patch, value: value(0))
    for place in 1..<row.count {
      apply(set(place), by: replica, &target, &definitions, patch: &patch, value: value(place))
    }
    advance(to: last, from: first, frontier: row.frontier, stamp: row.latestStamp)
    endCall(&patch)
    return .merged
  }

  /// Merges a plain set that is a change by itself, as most changes are: the same for one, which need not wait
  /// anywhere.
  package mutating func merge(
    only set: borrowing PlainSet, value: consuming Value, by replica: ReplicaID, frontier: [Dot],
    objects: [ObjectDefinition], patch: inout Patch
  ) throws(MergeError) -> MergeOutcome {
    let dot = Dot(replica, set.counter)
    try dot.checkFrontier(frontier)
    if let outcome = try outcomeBeforeMerging(from: dot, to: dot, frontier: frontier) { return outcome }
    var definitions = Definitions(objects)
    var object: ObjectID?
    try checkReferences(of: set, by: replica, &object, &definitions)
    beginCall(&patch)
    var target = Target()
    apply(set, by: replicas.intern(replica), &target, &definitions, patch: &patch, value: value)
    advance(to: dot, from: dot, frontier: frontier, stamp: set.stamp)
    endCall(&patch)
    return .merged
  }

  /// - Parameter object: The one that was found to be defined last.
  private mutating func checkReferences(
    of set: borrowing PlainSet, by replica: ReplicaID, _ object: inout ObjectID?, _ definitions: inout Definitions
  ) throws(MergeError) {
    let seen = Dot(replica, set.firstCounter - 1)
    if set.object != object {
      if objects.find(set.object) == nil { try checkWhatIsMissing(set.object, seen, &definitions) }
      object = set.object
    }
    if set.replaced != .origin { try checkSeen(set.replaced, by: seen, "replaces") }
    if case .element(let dot) = set.key { try checkSeen(dot, by: seen, "writes to") }
  }

  /// Alters nothing, and is mutating and apart so that nobody makes a copy of the document for the rare call.
  @inline(never)
  private mutating func checkWhatIsMissing(
    _ object: ObjectID, _ seen: Dot, _ definitions: inout Definitions
  ) throws(MergeError) {
    try checkDefined(object, seen, &definitions)
  }

  private mutating func apply(
    _ set: borrowing PlainSet, by replica: ReplicaHandle, _ target: inout Target, _ definitions: inout Definitions,
    patch: inout Patch, value: Value
  ) {
    guard let object = resolve(set.object, &target, &definitions), mayHaveSlot(set.key, object) else { return }
    let step = Step(object: object, dot: DotRow(replica: replica, counter: set.counter), stamp: set.stamp)
    applySet(
      value, at: slot(set.key, in: object, hint: set.hint), step,
      replacing: set.replaced == .origin ? DotSet() : DotSet(set.replaced), clearing: nil, patch: &patch)
  }
}
