extension Document {
  /// Merges a change made elsewhere (Protocol/merge.md, "The causal gate", "Operations").
  ///
  /// - Returns: Whether it is merged now, was before, or must wait. A change that must wait, or that
  ///   throws, has altered nothing.
  /// - Complexity: O(operations in the change, and what they clear).
  public mutating func merge(_ change: Change, patch: inout Patch) throws(MergeError) -> MergeOutcome {
    try change.checkShape()
    let held = version[change.replica]
    if change.lastCounter <= held { return .duplicate }
    guard change.firstCounter > held else {
      throw MergeError(
        .overlappingCounters,
        "The change has operations \(change.firstCounter) to \(change.lastCounter); those up to \(held) are merged.",
        where: .change(change.last))
    }
    if isWriting, change.replica == open.replica {
      throw MergeError(
        .replicaInUse, "Replica \(change.replica) has a change open here.", where: .change(change.last))
    }
    let missing = dotsMissing(for: change, held: held)
    guard missing.isEmpty else { return .notYet(missing: missing) }
    var definitions = Definitions(change.objects)
    let lacking = try checkReferences(of: change, &definitions)
    guard lacking.isEmpty else { return .lacksAnchors(lacking) }

    beginCall(&patch)
    applyOperations(of: change, &definitions, patch: &patch)
    advance(past: change, held: held)
    endCall(&patch)
    return .merged
  }

  /// What the change rests on and the document does not hold.
  private func dotsMissing(for change: Change, held: UInt64) -> [Dot] {
    var missing = change.frontier.filter { !version.covers($0) }
    if held + 1 < change.firstCounter { missing.append(Dot(change.replica, change.firstCounter - 1)) }
    return missing
  }

  private mutating func applyOperations(of change: Change, _ definitions: inout Definitions, patch: inout Patch) {
    let replica = replicas.intern(change.replica)
    var counter = change.firstCounter
    var object: (id: ObjectID, handle: ObjectHandle?)?
    // By place: iterating would copy each operation whole.
    for place in change.operations.indices {
      let id = change.operations[place].object
      if object?.id != id || object?.handle.map({ !objects.holds(id, at: $0) }) ?? false {
        object = (id, resolve(id, &definitions))
      }
      // An object that does not stand was removed: what is written beneath it comes too late.
      if let handle = object?.handle {
        let step = Step(object: handle, dot: DotRow(replica: replica, counter: counter), stamp: change.stamp)
        apply(change.operations[place].action, at: change.operations[place].key, step, patch: &patch)
      }
      counter += change.operations[place].counterCount
    }
  }

  private mutating func advance(past change: Change, held: UInt64) {
    version[change.replica] = change.lastCounter
    // What the change had seen is no head any more; what it names is one, or it was not when it merged.
    if frontier.count == 1, frontier[0] == Dot(change.replica, held) {
      frontier[0] = change.last
      clock.observe(change.stamp)
      return
    }
    removeHead(Dot(change.replica, held))
    for dot in change.frontier { removeHead(dot) }
    frontier.insert(change.last, at: headPlace(of: change.last))
    clock.observe(change.stamp)
  }

  private mutating func removeHead(_ dot: Dot) {
    let place = headPlace(of: dot)
    if place < frontier.count, frontier[place] == dot { frontier.remove(at: place) }
  }

  /// The place of the first head that is not before `dot`.
  private func headPlace(of dot: Dot) -> Int {
    var low = 0
    var high = frontier.count
    while low < high {
      let middle = (low + high) / 2
      if frontier[middle] < dot { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The object, made from its definitions if it is derived and not known here; nil if it does not stand.
  private mutating func resolve(_ id: ObjectID, _ definitions: inout Definitions) -> ObjectHandle? {
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
  /// - Returns: Items that it rests on, and that were let go of here.
  private func checkReferences(of change: Change, _ definitions: inout Definitions) throws(MergeError) -> [Dot] {
    var seen = Dot(change.replica, change.firstCounter - 1)
    var object: ObjectID?
    var lacking: [Dot] = []
    for place in change.operations.indices {
      if change.operations[place].object != object {
        try checkDefined(change.operations[place].object, by: change, seen, &definitions)
        object = change.operations[place].object
      }
      switch change.operations[place].action {
      case .set(_, let replacing, let clearing), .remove(let replacing, let clearing):
        for place in replacing.indices { try checkSeen(replacing[place], by: seen, "replaces") }
        if case .element(let dot) = change.operations[place].key { try checkSeen(dot, by: seen, "writes to") }
        guard let clearing else { break }
        for entry in clearing.entries {
          try checkSeen(Dot(entry.replica, entry.counter), by: seen, "clears up to")
        }
      case .increment:
        if case .element(let dot) = change.operations[place].key { try checkSeen(dot, by: seen, "writes to") }
      case .insert, .removeRun, .move, .mark:
        let operation = change.operations[place]
        try operation.forEachItemNamed { (dot, deed) throws(MergeError) in try checkSeen(dot, by: seen, deed) }
        noteItemsLacking(for: operation, of: change, &definitions, in: &lacking)
      }
      seen.counter += change.operations[place].counterCount
    }
    return lacking
  }

  /// Refuses an operation that names a dot which its writer cannot have seen: neither does the document
  /// cover it, nor is it one of the writer's up to `seen`.
  @inline(__always)
  private func checkSeen(_ dot: Dot, by seen: Dot, _ deed: StaticString) throws(MergeError) {
    if dot.replica == seen.replica && dot.counter <= seen.counter || version.covers(dot) { return }
    throw unseen(dot, by: seen, deed)
  }

  @inline(never)
  private func unseen(_ dot: Dot, by seen: Dot, _ deed: StaticString) -> MergeError {
    MergeError(
      .unseenDot, "The operation \(deed) \(dot), which its writer cannot have seen.",
      where: .operation(Dot(seen.replica, seen.counter + 1)))
  }

  /// Refuses an object that neither stands, nor stands once its definitions are followed, nor may have
  /// been removed.
  private func checkDefined(
    _ id: ObjectID, by change: Change, _ seen: Dot, _ definitions: inout Definitions
  ) throws(MergeError) {
    var id = id
    while objects.find(id) == nil {
      if let dot = id.dot { return try checkSeen(dot, by: seen, "writes beneath") }
      guard let definition = definitions[id] else {
        throw MergeError(
          .undefinedObject, "The change writes beneath a derived object that it does not define.", where: .object(id))
      }
      if case .element(let dot) = definition.key { try checkSeen(dot, by: seen, "writes beneath") }
      id = definition.parent
    }
  }
}

extension Change {
  /// Refuses what contradicts itself, whatever is merged already (Protocol/merge.md, "Changes").
  func checkShape() throws(MergeError) {
    func refuse(_ message: String) -> MergeError {
      MergeError(.malformedChange, message, where: .change(Dot(replica, firstCounter)))
    }
    guard !operations.isEmpty else { throw refuse("The change has no operations.") }
    guard firstCounter >= 1, firstCounter < 1 << 63, counterCount <= (1 << 63) - firstCounter else {
      throw refuse("The counters of the change leave the range from 1 to 2^63 - 1.")
    }
    for (place, dot) in frontier.enumerated() {
      guard place == 0 || frontier[place - 1] < dot else { throw refuse("The frontier is not ascending.") }
      guard dot.replica != replica else { throw refuse("The frontier names the writer's own dot \(dot).") }
      guard dot.counter >= 1 else { throw refuse("The frontier names \(dot), which no operation has.") }
    }
    var counter = firstCounter
    for place in operations.indices {
      switch operations[place].action {
      case .increment(_, let birth):
        guard birth < 1 || birth > counter else { break }
        throw MergeError(
          .malformedChange, "The increment adds to share \(birth), which begins after it or never.",
          where: .operation(Dot(replica, counter)))
      case .set:
        break
      case .remove, .insert, .removeRun, .move, .mark:
        try operations[place].checkItems(Dot(replica, counter))
      }
      counter += operations[place].counterCount
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
