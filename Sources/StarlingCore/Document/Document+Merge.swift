extension Document {
  /// Merges a change made elsewhere (Protocol/merge.md, "The causal gate", "Operations").
  ///
  /// - Returns: Whether it is merged now, was before, or must wait. A change that must wait, or that
  ///   throws, has altered nothing.
  /// - Complexity: O(operations in the change, and what they clear).
  public mutating func merge(_ change: Change, patch: inout Patch) throws(MergeError) -> MergeOutcome {
    try change.borrow { borrowed throws(MergeError) in try merge(borrowed, patch: &patch) }
  }

  /// The same, of a change that is not copied.
  mutating func merge(_ borrowed: borrowing Borrowed<Change>, patch: inout Patch) throws(MergeError) -> MergeOutcome {
    let first = Dot(borrowed.value.replica, borrowed.value.firstCounter)
    let last = Dot(borrowed.value.replica, try borrowed.value.checkShape())
    if let outcome = try outcomeBeforeMerging(from: first, to: last, frontier: borrowed.value.frontier) {
      return outcome
    }
    if unopened != nil { openTexts(of: borrowed.value) }
    var definitions = Definitions(borrowed.value.objects)
    let (lacking, movesObjects) = try checkReferences(of: borrowed.value, &definitions)
    guard lacking.isEmpty else { return .lacksAnchors(lacking) }

    if movesObjects { moves.isOn = true }
    beginCall(&patch)
    applyOperations(of: borrowed.value, &definitions, patch: &patch)
    capacity.spend(UInt64(borrowed.value.objects.count))
    advance(to: last, from: first, frontier: borrowed.value.frontier, stamp: borrowed.value.stamp)
    endCall(&patch)
    return .merged
  }

  /// What happens to operations by one writer that need not, or may not yet, merge; nil if they may.
  @inline(__always)
  func outcomeBeforeMerging(from first: Dot, to last: Dot, frontier: [Dot]) throws(MergeError) -> MergeOutcome? {
    let held = version[last.replica]
    if last.counter <= held { return .duplicate }
    guard first.counter > held else {
      throw MergeError(
        .overlappingCounters,
        "The change has operations \(first.counter) to \(last.counter); those up to \(held) are merged.",
        where: .change(last))
    }
    if isWriting, last.replica == open.replica {
      throw MergeError(.replicaInUse, "Replica \(last.replica) has a change open here.", where: .change(last))
    }
    if frontier.isEmpty, held + 1 == first.counter { return nil }
    let version = version
    var missing = frontier.filter { !version.covers($0) }
    if held + 1 < first.counter { missing.append(Dot(first.replica, first.counter - 1)) }
    return missing.isEmpty ? nil : .notYet(missing: missing)
  }

  private mutating func applyOperations(of change: Change, _ definitions: inout Definitions, patch: inout Patch) {
    let replica = replicas.intern(change.replica)
    var counter = change.firstCounter
    var target = Target()
    change.operations.forEachBorrowed { borrowed in
      // An object that does not stand was removed: what is written below it comes too late.
      if let handle = resolve(borrowed.value.object, &target, &definitions) {
        let step = Step(object: handle, dot: DotRow(replica: replica, counter: counter), stamp: change.stamp)
        apply(borrowed, step, patch: &patch)
      } else if moves.isOn {
        beginOrphans(of: borrowed.value.action, by: DotRow(replica: replica, counter: counter))
      }
      counter += borrowed.value.action.counterCount
    }
  }

  /// - Parameter frontier: What the writer had seen, none of which is a head any more.
  mutating func advance(to last: Dot, from first: Dot, frontier seen: [Dot], stamp: Stamp) {
    let held = Dot(first.replica, first.counter - 1)
    version[last.replica] = last.counter
    capacity.spend(last.counter &- first.counter &+ 1)
    clock.observe(stamp)
    // What the change had seen is no head any more; what it names is one, or it was not when it merged.
    if frontier.count == 1, frontier[0] == held {
      frontier[0] = last
      return
    }
    if held.counter > 0 { removeHead(held) }
    for dot in seen { removeHead(dot) }
    frontier.insert(last, at: headPlace(of: last))
  }

  mutating func removeHead(_ dot: Dot) {
    let place = headPlace(of: dot)
    if place < frontier.count, frontier[place] == dot { frontier.remove(at: place) }
  }

  /// The place of the first head that is not before `dot`.
  func headPlace(of dot: Dot) -> Int {
    frontier.partitioningIndex { $0 >= dot }
  }

  /// The object that an operation writes to, which is often that of the one before.
  struct Target {
    fileprivate var id: ObjectID?
    fileprivate var handle: ObjectHandle?

    init() {}

    /// - Parameter handle: where it was found; nil if it is not known.
    init(id: ObjectID, handle: ObjectHandle?) {
      // What is not known is looked up again, with its definitions.
      if handle != nil { (self.id, self.handle) = (id, handle) }
    }

    var isKnown: Bool { handle != nil }
  }

  /// The object, looked up only if it is not `target`, or if that went since.
  @inline(__always)
  mutating func resolve(
    _ id: ObjectID, _ target: inout Target, _ definitions: inout Definitions
  ) -> ObjectHandle? {
    if target.id != id || target.handle.map({ !objects.holds(id, at: $0) }) ?? false {
      target.id = id
      target.handle = resolve(id, &definitions)
    }
    return target.handle
  }

  /// The object, made from its definitions if it is derived and not known here; nil if it does not stand.
  mutating func resolve(_ id: ObjectID, _ definitions: inout Definitions) -> ObjectHandle? {
    var missing: ContiguousArray<ObjectDefinition> = []
    var known = objects.locate(id)
    var next = id
    while known == nil {
      guard next.isDerived, let definition = definitions[next] else { return nil }
      missing.append(definition)
      next = definition.parent
      known = objects.find(next)
    }
    while let parent = known, let definition = missing.popLast() {
      // What stands in an element goes with it.
      guard mayHaveSlot(definition.key, parent) else { return nil }
      let object = makeDerived(definition.id, definition.kind, at: makeSlot(parent, definition.key))
      emptied.objects.append(object)
      known = object
    }
    return known
  }

  // MARK: What is refused

  /// Refuses a change that names what it cannot have seen, or objects that nobody defined.
  ///
  /// - Returns: Items that it rests on, and objects that it moves, that were collected here; whether it moves any.
  @inline(__always)
  private func checkReferences(
    of change: Change, _ definitions: inout Definitions
  ) throws(MergeError) -> (lacking: [Dot], movesObjects: Bool) {
    var seen = Dot(change.replica, change.firstCounter - 1)
    var object: ObjectID?
    var lacking: [Dot] = []
    var movesObjects = false
    try change.operations.forEachBorrowed { borrowed throws(MergeError) in
      if borrowed.value.object != object {
        try checkDefined(borrowed.value.object, seen, &definitions)
        object = borrowed.value.object
      }
      if borrowed.value.action.isOnSequence {
        let operation = borrowed.value
        try operation.forEachItemNamed { (dot, verb) throws(MergeError) in try checkSeen(dot, by: seen, verb) }
        noteItemsLacking(for: operation, of: change, &definitions, in: &lacking)
        if case .insert(.values(let values), _) = operation.action {
          for value in values where value.isUnknown {
            movesObjects = try checkMoved(value, seen, change, in: &lacking) || movesObjects
          }
        }
        let count = seen.counter + 1 - change.firstCounter + operation.counterCount
        try checkCapacity(for: operation, count: count, Dot(seen.replica, seen.counter + 1))
      } else {
        try checkNames(in: borrowed.value.action, seen)
        if case .set(let value, _, _) = borrowed.value.action, value.isUnknown {
          movesObjects = try checkMoved(value, seen, change, in: &lacking) || movesObjects
        }
        if case .element(let dot) = borrowed.value.key { try checkSeen(dot, by: seen, "writes to") }
      }
      seen.counter += borrowed.value.action.counterCount
    }
    return (lacking, movesObjects)
  }

  /// Refuses a value that moves what its writer cannot have seen, or what is of another kind.
  ///
  /// - Returns: Whether it moves anything.
  @inline(never)
  private func checkMoved(
    _ value: Value, _ seen: Dot, _ change: Change, in lacking: inout [Dot]
  ) throws(MergeError) -> Bool {
    guard let moved = value.movedObject else { return false }
    try checkSeen(moved.dot, by: seen, "moves")
    try checkSeen(moved.from, by: seen, "moves from")
    guard let object = objects.find(moved.object) else {
      // What the change itself began is not here yet.
      if moved.dot.replica != change.replica || moved.dot.counter < change.firstCounter { lacking.append(moved.dot) }
      return true
    }
    guard objects[object].kind == moved.kind else {
      throw MergeError(.malformedChange, "The object \(moved.dot) is of another kind.", where: .object(moved.object))
    }
    return true
  }

  private func checkNames(in action: borrowing Action, _ seen: Dot) throws(MergeError) {
    switch action {
    case .set(_, let replacing, let clearing), .remove(let replacing, let clearing):
      for place in replacing.indices { try checkSeen(replacing[place], by: seen, "replaces") }
      guard let clearing else { return }
      for entry in clearing.entries {
        try checkSeen(Dot(entry.replica, entry.counter), by: seen, "clears up to")
      }
    case .increment, .insert, .removeRun, .move, .mark:
      break
    }
  }

  /// Refuses an operation that names a dot which its writer cannot have seen: neither does the document
  /// cover it, nor is it one of the writer's up to `seen`.
  @inline(__always)
  func checkSeen(_ dot: Dot, by seen: Dot, _ verb: StaticString) throws(MergeError) {
    if dot.replica == seen.replica && dot.counter <= seen.counter || version.covers(dot) { return }
    throw unseen(dot, by: seen, verb)
  }

  @inline(never)
  private func unseen(_ dot: Dot, by seen: Dot, _ verb: StaticString) -> MergeError {
    MergeError(
      .unseenDot, "The operation \(verb) \(dot), which its writer cannot have seen.",
      where: .operation(Dot(seen.replica, seen.counter + 1)))
  }

  /// Refuses an object that neither stands, nor stands once its definitions are followed, nor may have
  /// been removed.
  @inline(__always)
  func checkDefined(_ id: ObjectID, _ seen: Dot, _ definitions: inout Definitions) throws(MergeError) {
    if objects.find(id) == nil { try checkWhatDefines(id, seen, &definitions) }
  }

  private func checkWhatDefines(
    _ id: ObjectID, _ seen: Dot, _ definitions: inout Definitions
  ) throws(MergeError) {
    var id = id
    while objects.find(id) == nil {
      if let dot = id.dot { return try checkSeen(dot, by: seen, "writes below") }
      guard let definition = definitions[id] else {
        throw MergeError(
          .undefinedObject, "The change writes below a derived object that it does not define.", where: .object(id))
      }
      if case .element(let dot) = definition.key { try checkSeen(dot, by: seen, "writes below") }
      id = definition.parent
    }
  }
}

extension Change {
  /// Refuses what contradicts itself, whatever is merged already (Protocol/merge.md, "Changes").
  ///
  /// - Returns: `lastCounter`.
  func checkShape() throws(MergeError) -> UInt64 {
    func refuse(_ message: String) -> MergeError {
      MergeError(.malformedChange, message, where: .change(Dot(replica, firstCounter)))
    }
    guard !operations.isEmpty else { throw refuse("The change has no operations.") }
    let counterCount = counterCount
    guard firstCounter >= 1, firstCounter < 1 << 63, counterCount <= (1 << 63) - firstCounter else {
      throw refuse("The counters of the change leave the range from 1 to 2^63 - 1.")
    }
    try Dot(replica, firstCounter).checkFrontier(frontier)
    var counter = firstCounter
    try operations.forEachBorrowed { borrowed throws(MergeError) in
      switch borrowed.value.action {
      case .increment(_, let birth):
        guard birth < 1 || birth > counter else { break }
        throw MergeError(
          .malformedChange, "The increment adds to share \(birth), which begins after it or never.",
          where: .operation(Dot(replica, counter)))
      case .set:
        break
      case .remove, .insert, .removeRun, .move, .mark:
        try borrowed.value.checkItems(Dot(replica, counter))
      }
      counter += borrowed.value.action.counterCount
    }
    return firstCounter + (counterCount - 1)
  }
}

extension Dot {
  /// Refuses a frontier that no change which begins here can have.
  func checkFrontier(_ frontier: [Dot]) throws(MergeError) {
    func refuse(_ message: String) -> MergeError {
      MergeError(.malformedChange, message, where: .change(self))
    }
    for (place, dot) in frontier.enumerated() {
      guard place == 0 || frontier[place - 1] < dot else { throw refuse("The frontier is not ascending.") }
      guard dot.replica != replica else { throw refuse("The frontier names the writer's own dot \(dot).") }
      guard dot.counter >= 1 else { throw refuse("The frontier names \(dot), which no operation has.") }
    }
  }
}

/// The definitions of one change by id; an index is made only where there are many.
struct Definitions {
  private let all: [ObjectDefinition]
  private var index: [ObjectID: Int]?

  init(_ all: [ObjectDefinition]) {
    self.all = all
  }

  subscript(id: ObjectID) -> ObjectDefinition? {
    mutating get {
      if all.count <= 8 { return all.first { $0.id == id } }
      if index == nil { index = Dictionary(all.indices.map { (all[$0].id, $0) }) { first, _ in first } }
      return index?[id].map { all[$0] }
    }
  }
}
