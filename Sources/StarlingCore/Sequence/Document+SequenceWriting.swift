// Writing to lists and texts. Like all writing it needs an open change; where the object does not stand, or is of
// another kind, or a limit is passed (`takeRefusal`), nothing is written.

extension Document {
  /// Puts new elements before the one at `index` of the list, or at its end. A value of `.object` begins an object,
  /// whose id is `ObjectID.assigned(by:)` the element's dot.
  ///
  /// - Returns: The first of the new elements; the others have the counters after its. Nil if nothing was written.
  /// - Complexity: O(log *n*) and O(1) for each value.
  @discardableResult
  public mutating func insert(_ values: [Value], at index: Int, in list: ObjectID, patch: inout Patch) -> Dot? {
    guard let handle = writable(list, .list), !values.isEmpty else { return nil }
    for value in values where value.isUnknown && !mayPlace(value, in: handle) { return nil }
    let place = place(forInsertAt: index, in: handle)
    let key = Key.element(name(of: place.parent))
    let weight = values.reduce(ChangeWeight.amount) { $0 + $1.weight }
    guard admitItems(values.count, under: key, in: handle),
      admit(weight, under: key, in: handle, dots: 0, isNamed: false, values: values.count)
    else { return nil }
    beginCall(&patch)
    let step = takeStep(in: handle, counters: values.count)
    log(Operation(object: list, key: key, action: .insert(.values(values), side: place.side)), step)
    if open.isRecording { recordInsertion(of: dot(step.dot), values.count, in: handle) }
    applyInsert(values, at: place, step, patch: &patch)
    endCall(&patch)
    return dot(step.dot)
  }

  /// Puts a text before the scalar at `index` of the text, or at its end.
  ///
  /// - Returns: How many scalars it has; 0 if nothing was written.
  /// - Complexity: O(log *n* + length of the new text)
  @discardableResult
  public mutating func insert(_ string: String, at index: Int, in text: ObjectID, patch: inout Patch) -> Int {
    guard !string.isEmpty, let handle = writable(text, .text) else { return 0 }
    let scalars = Scalars(string)
    let place = place(forInsertAt: index, in: handle)
    let key = Key.element(name(of: place.parent))
    let continues = continuesLastInsertion(place, in: text)
    let weight = ChangeWeight.amount + scalars.utf8Count
    guard admitItems(scalars.count, under: key, in: handle),
      admit(weight, under: key, in: handle, dots: 0, isNamed: continues)
    else { return 0 }
    beginCall(&patch)
    let count = scalars.count
    let step = takeStep(in: handle, counters: count)
    if continues {
      open.appendToLastInsertion(scalars)
    } else {
      log(Operation(object: text, key: key, action: .insert(.text(scalars), side: place.side)), step)
    }
    if open.isRecording { recordInsertion(of: dot(step.dot), scalars, at: index, in: handle) }
    applyInsert(scalars, at: place, step, patch: &patch)
    endCall(&patch)
    return count
  }

  /// Takes away the elements of a list, or the scalars of a text, in the range.
  ///
  /// - Complexity: O(log *n*) for each run that the range is made of, and in lists what the elements hold.
  public mutating func removeItems(_ range: Range<Int>, in object: ObjectID, patch: inout Patch) {
    guard !range.isEmpty, let handle = writable(object, .list, .text) else { return }
    let runs = runs(range, of: handle)
    if !moves.objects.isEmpty, objects[handle].kind == .list {
      leavePlacesElsewhere(of: runs, in: handle, patch: &patch)
    }
    guard admit(runs, in: handle) else { return }
    beginCall(&patch)
    if open.isRecording { recordRemoval(range, in: handle) }
    for run in runs {
      let step: Step
      if extendLastRemoval(by: run, in: object) {
        step = Step(
          object: handle, dot: DotRow(replica: open.replicaHandle, counter: open.lastCounter), stamp: open.stamp)
      } else {
        step = takeStep(in: handle)
        log(
          Operation(object: object, key: .element(dot(run.first)), action: .removeRun(count: UInt64(run.count))), step)
      }
      if objects[handle].kind == .list {
        applyRemove(elements: run, step, patch: &patch)
      } else {
        applyRemove(scalars: run, step, patch: &patch)
      }
    }
    endCall(&patch)
  }

  /// Moves the element at `from` so that it stands at `to` afterwards. Nothing is written where it stands there.
  ///
  /// - Complexity: O(log *n*)
  public mutating func move(from: Int, to: Int, in list: ObjectID, patch: inout Patch) {
    guard let handle = writable(list, .list), let sequence = sequence(of: handle), from != to else { return }
    // No copy of the sequence must be held while it is written.
    let count = sequences[sequence].tree.count
    precondition(to >= 0 && to < count, "\(to) is not within 0..<\(count).")
    let element = sequences[sequence].element(at: sequences[sequence].tree.item(at: from))
    let place = sequences[sequence].tree.place(forInsertAt: from < to ? to + 1 : to)
    let replacing = candidates(of: element, in: sequence).map { dot($0.item) }.sorted()
    let key = Key.element(dot(element))
    guard admitItems(1, under: key, in: handle),
      admit(ChangeWeight.amount, under: key, in: handle, dots: 1 + replacing.count, isNamed: false)
    else { return }
    beginCall(&patch)
    let step = takeStep(in: handle)
    let edge = Edge(place.side, of: name(of: place.parent))
    log(Operation(object: list, key: key, action: .move(to: edge, replacing: replacing)), step)
    if open.isRecording { recordMove(element, from: from, by: dot(step.dot), in: sequence) }
    applyMove(dot(element), to: place, replacing: replacing, step, patch: &patch)
    endCall(&patch)
  }

  /// Gives the scalars of the range the property `name`; null takes it away. Nothing is written where all of them
  /// have it, with this value.
  ///
  /// - Parameters:
  ///   - range: The characters to mark, by their offsets in Unicode scalars.
  ///   - name: Which property of the characters.
  ///   - value: The value of that property; null takes it away.
  ///   - expandsLeft: Whether what is later inserted right before the range gets the property too.
  ///   - expandsRight: Whether what is later inserted right behind it does.
  ///   - text: The text.
  ///   - patch: Gains what visibly differs.
  /// - Complexity: O(m log n) for *m* marks of the text.
  public mutating func mark(
    _ range: Range<Int>, _ name: Key, value: Value, expandsLeft: Bool = false, expandsRight: Bool = true,
    in text: ObjectID, patch: inout Patch
  ) {
    if case .element(let dot) = name { preconditionFailure("\(dot) is no name of a mark.") }
    guard let handle = writable(text, .text), let sequence = sequence(of: handle), !range.isEmpty else { return }
    let count = sequences[sequence].tree.count
    precondition(range.lowerBound >= 0 && range.upperBound <= count, "\(range) is not within 0..<\(count).")
    let peers = marks(named: name, of: sequence)
    if shows(value, over: range, peers, in: sequence) { return }
    let start = edgeRow(at: range.lowerBound, expandsLeft ? .right : .left, in: sequence)
    let end = edgeRow(at: range.upperBound, expandsRight ? .left : .right, in: sequence)
    let within = peers.filter { !isBefore($0.start, start, in: sequence) && !isBefore(end, $0.end, in: sequence) }
    let mark = MarkOperation(
      start: edge(start), end: edge(end), rank: nextRank(in: sequence), value: value,
      replacing: within.map { dot($0.dot) }.sorted())
    _ = put(mark, named: name, in: text, patch: &patch)
  }

  // MARK: Parts

  /// Writes a mark as it is given; both its edges rest on live items or ends of the text.
  ///
  /// - Returns: Its name; nil if nothing was written.
  mutating func put(_ mark: MarkOperation, named name: Key, in text: ObjectID, patch: inout Patch) -> Dot? {
    openText(of: text)
    guard let handle = locateStanding(text), objects[handle].kind == .text, let sequence = sequence(of: handle),
      admit(
        ChangeWeight.amount + mark.value.weight, under: name, in: handle, dots: 2 + mark.replacing.count, isNamed: false
      )
    else { return nil }
    beginCall(&patch)
    let step = takeStep(in: handle)
    log(Operation(object: text, key: name, action: .mark(mark)), step)
    if open.isRecording { recordMark(mark, name, by: dot(step.dot), in: sequence) }
    applyMark(mark, name: name, step, patch: &patch)
    endCall(&patch)
    return dot(step.dot)
  }

  /// - Parameter otherKind: allowed too.
  private mutating func writable(_ object: ObjectID, _ kind: Kind, _ otherKind: Kind? = nil) -> ObjectHandle? {
    precondition(isWriting, "Writing needs an open change: call `begin(as:now:)` first.")
    guard let handle = locateStanding(object) else { return nil }
    guard objects[handle].kind == kind || objects[handle].kind == otherKind else { return nil }
    if unopened != nil { openText(of: handle) }
    return handle
  }

  private mutating func leavePlacesElsewhere(of runs: ItemRuns, in list: ObjectHandle, patch: inout Patch) {
    var doomed = Doomed()
    for run in runs {
      for offset in 0..<run.count {
        if let slot = find(.element(dot(run.first.advanced(by: offset))), in: list) { doomed.slots.insert(slot) }
      }
    }
    leavePlacesElsewhere(ofWhatIsIn: doomed, patch: &patch)
  }

  /// Counts the removals of the runs in the open change; none of them if not all fit.
  private mutating func admit(_ runs: ItemRuns, in object: ObjectHandle) -> Bool {
    if runs.count > 1 {
      var weight = ChangeWeight()
      for run in runs { weight.add(.integer(.max), under: .element(dot(run.first))) }
      if let refusal = refusal(of: weight, under: .element(dot(runs[0].first)), in: objects[object].id) {
        open.refusal = open.refusal ?? refusal
        return false
      }
    }
    return runs.allSatisfy {
      admit(ChangeWeight.amount, under: .element(dot($0.first)), in: object, dots: 0, isNamed: false, adds: false)
    }
  }

  // These alter nothing. They are mutating because a method that is not would be handed a copy of the document.

  private mutating func place(forInsertAt index: Int, in object: ObjectHandle) -> Place {
    guard let sequence = sequence(of: object) else {
      precondition(index == 0, "\(index) is not within 0...0.")
      return Place(parent: .start, side: .right)
    }
    return sequences[sequence].tree.place(forInsertAt: index)
  }

  /// What the operations are called by that remove the range: items of a text, elements of a list, those with
  /// consecutive dots together.
  private mutating func runs(_ range: Range<Int>, of object: ObjectHandle) -> ItemRuns {
    guard let sequence = sequence(of: object) else {
      preconditionFailure("\(range) is not within 0..<0.")
    }
    let runs = sequences[sequence].tree.runs(in: range)
    return sequences[sequence].elements.isEmpty ? runs : elements(at: runs, of: sequence)
  }

  /// The elements that stand at the items of the runs, in as few runs as they make. Apart from what most removals do, as it
  /// copies the sequence's row.
  private func elements(at runs: ItemRuns, of sequence: SequenceHandle) -> ItemRuns {
    let row = sequences[sequence]
    var found = ItemRuns()
    for run in runs {
      for offset in 0..<run.count {
        found.join(ItemRun(row.element(at: run.first.advanced(by: offset))))
      }
    }
    return found
  }

  /// Whether all of the range has the value already.
  private func shows(
    _ value: Value, over range: Range<Int>, _ marks: [MarkRow], in sequence: SequenceHandle
  ) -> Bool {
    let resolved = resolve(marks, in: sequence)
    if value == .null { return !resolved.contains { $0.range.overlaps(range) } }
    return resolved.contains {
      $0.value == value && $0.range.lowerBound <= range.lowerBound && range.upperBound <= $0.range.upperBound
    }
  }

  // MARK: Typing

  /// Whether the latest operation inserted into the same text, and what comes goes on behind it: so that a
  /// transaction in which somebody types is one operation.
  private mutating func continuesLastInsertion(_ place: Place, in text: ObjectID) -> Bool {
    guard place == Place(parent: DotRow(replica: open.replicaHandle, counter: open.lastCounter), side: .right),
      let last = open.operations.last, last.object == text, case .insert(.text, _) = last.action
    else { return false }
    return true
  }

  /// Lets the latest operation remove the run too, if it is a removal from the same object and the run is next to it.
  private mutating func extendLastRemoval(by run: ItemRun, in object: ObjectID) -> Bool {
    guard let last = open.operations.last, last.object == object, case .removeRun(let count) = last.action,
      case .element(let first) = last.key, first.replica == replicas[run.first.replica]
    else { return false }
    let runCount = UInt64(run.count)
    if first.counter + count == run.first.counter {
      open.operations[open.operations.count - 1].action = .removeRun(count: count + runCount)
    } else if run.first.counter + runCount == first.counter {
      open.operations[open.operations.count - 1] = Operation(
        object: object, key: .element(dot(run.first)), action: .removeRun(count: count + runCount))
    } else {
      return false
    }
    return true
  }
}

extension OpenChange {
  fileprivate mutating func appendToLastInsertion(_ scalars: Scalars) {
    let place = operations.count - 1
    guard case .insert(.text(var text), let side) = operations[place].action else { return }
    // Nothing else must hold the text while it grows, or each scalar would copy all before it.
    operations[place].action = .removeRun(count: 0)
    text.append(scalars)
    operations[place].action = .insert(.text(text), side: side)
  }
}
