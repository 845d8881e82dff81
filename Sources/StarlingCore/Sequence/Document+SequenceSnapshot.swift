// Sequences in snapshots (Protocol/merge.md, "Snapshots").

extension Document {
  /// The items and marks of the object; nil if there are none.
  func sequenceOfSnapshot(_ object: ObjectHandle, isCanonical: Bool) -> Snapshot.Sequence? {
    guard let sequence = sequence(of: object) else { return nil }
    let (listed, text) = listing(of: sequence, isCanonical: isCanonical)
    let runs = listed.map { run in
      Snapshot.Run(
        first: dot(run.run.first), anchor: Edge(run.place.side, of: name(of: run.place.parent)),
        content: content(of: run))
    }
    let marks = listedMarks(of: sequence, isCanonical: isCanonical).map { publicMark($0) }
    return runs.isEmpty && marks.isEmpty ? nil : Snapshot.Sequence(runs: runs, text: text, marks: marks)
  }

  private func content(of run: ListedRun) -> Snapshot.Run.Content {
    switch run.content {
    case .removed: .removed(count: run.run.count)
    case .text: .text(count: run.run.count)
    case .elements: .elements(count: run.run.count)
    case .moved(let element, let stamp): .moved(element: dot(element), stamp: stamp)
    }
  }

  func publicMark(_ row: MarkRow) -> Mark {
    Mark(
      dot: dot(row.dot), name: row.name, start: edge(row.start), end: edge(row.end), rank: row.rank, value: row.value)
  }

  /// Derived objects that hold nothing, in which or below which items are kept: a snapshot lists them too, so
  /// that each thing in it stands somewhere.
  func objectsAboveItems(_ hasItems: (ObjectHandle) -> Bool) -> Set<ObjectHandle> {
    var found: Set<ObjectHandle> = []
    for sequence in sequenceHandles where hasItems(sequences[sequence].object) {
      var object = sequences[sequence].object
      while objects[object].isDerived, found.insert(object).inserted { object = slots[objects[object].slot].object }
    }
    for slot in moves.hidden.keys {
      var object = slots[slot].object
      while objects[object].isDerived, found.insert(object).inserted { object = slots[objects[object].slot].object }
    }
    return found
  }

  // MARK: Reading back

  /// Puts the items and marks of a snapshot into the object, whose slots are filled already.
  ///
  /// - Parameter version: what one has merged who knows of the removals.
  mutating func fill(
    _ content: Snapshot.Sequence?, of object: ObjectHandle, removedBy version: VersionVector
  ) throws(MergeError) {
    let id = objects[object].id
    func check(_ holds: Bool, _ message: @autoclosure () -> String) throws(MergeError) {
      guard !holds else { return }
      throw MergeError(.inconsistentSnapshot, message(), where: .object(id))
    }
    let kind = objects[object].kind
    let elements = kind == .list ? elementsOf(object) : []
    guard let content else { return try check(elements.isEmpty, "An element stands nowhere in the list.") }
    try check(kind == .list || kind == .text, "What is neither list nor text has items.")
    let sequence = makeSequence(of: object)
    try check(content.marks.isEmpty || kind == .text, "What is no text has marks.")
    try build(content, of: sequence, check)
    if kind == .list {
      try placeElements(content.runs, in: sequence, check)
      try checkStanding(elements, content.runs, in: sequence, check)
    }
    try fillMarks(content.marks, of: sequence, check)
    noteWhatIsRemoved(content.runs, by: version, in: sequence)
  }

  /// The elements that have a slot, ascending: so a snapshot lists them, and each slot is linked before the former one.
  private func elementsOf(_ object: ObjectHandle) -> ContiguousArray<Dot> {
    var found: ContiguousArray<Dot> = []
    found.reserveCapacity(Int(objects[object].presentCount))
    forEachSlot(of: object) { if case .element(let dot) = keys[slots[$0].key] { found.append(dot) } }
    found.reverse()
    return found
  }

  /// Refuses runs that hold other elements than those that have a slot, among them all that were moved. No item is in
  /// two runs, so the elements in the runs are as many as all if there are no others.
  private func checkStanding(
    _ elements: ContiguousArray<Dot>, _ runs: [Snapshot.Run], in sequence: SequenceHandle, _ check: Check
  ) throws(MergeError) {
    let moved = sequences[sequence].moved
    var standingCount = moved.count
    var place = 0
    for run in Self.elementRuns(of: runs) {
      while place < elements.count, elements[place] < run.first { place += 1 }
      for offset in 0..<run.content.count {
        let dot = Dot(run.first.replica, run.first.counter + UInt64(offset))
        // An element that was moved may stand at its own item too.
        let isMoved = !moved.isEmpty && item(dot).map { moved[$0] != nil } ?? false
        let isThere = place < elements.count && elements[place] == dot
        try check(isThere || isMoved, "An element of the list has no value.")
        if isThere { place += 1 }
        if !isMoved { standingCount += 1 }
      }
    }
    try check(standingCount == elements.count, "An element stands nowhere in the list.")
  }

  /// The runs that hold elements, ascending by their dots.
  private static func elementRuns(of runs: [Snapshot.Run]) -> some Sequence<Snapshot.Run> {
    var places = ContiguousArray(
      runs.indices.lazy.filter { if case .elements = runs[$0].content { true } else { false } })
    places.sortStably { runs[$0].first.counter }
    places.sortStably { runs[$0].first.replica.rawValue }
    return places.lazy.map { runs[$0] }
  }

  private typealias Check = (Bool, @autoclosure () -> String) throws(MergeError) -> Void

  /// The order. Items are live as far as a first look tells: those of texts, and those that elements were inserted
  /// with.
  private mutating func build(
    _ content: Snapshot.Sequence, of sequence: SequenceHandle, _ check: Check
  ) throws(MergeError) {
    let holdsText = sequences[sequence].tree.holdsText
    let (runs, text) = (content.runs, content.text)
    var stored: [StoredRun] = []
    stored.reserveCapacity(runs.count)
    var textEnd = 0
    for (place, run) in runs.enumerated() {
      let count = run.content.count
      try check(
        run.first.isOperation && count > 0 && UInt64(count) <= (1 << 63) - run.first.counter
          && version.covers(Dot(run.first.replica, run.first.counter + UInt64(count) - 1)),
        "The version does not cover \(count) items from \(run.first) on.")
      try check(run.anchor.isAnchor && version.covers(run.anchor.item), "\(run.anchor.item) is no anchor.")
      var row = StoredRun(
        run: ItemRun(first: self.row(ofItem: run.first), count: count),
        place: Place(parent: self.row(ofItem: run.anchor.item), side: run.anchor.side), isLive: false)
      switch run.content {
      case .removed:
        break
      case .text:
        try check(holdsText, "A list has scalars.")
        let end = text.utf8Offset(of: count, from: textEnd)
        try check(end != nil, "The text is shorter than its runs.")
        (row.isLive, row.utf8Count) = (true, (end ?? 0) - textEnd)
        textEnd += row.utf8Count
      case .elements:
        try check(!holdsText, "A text has elements.")
        row.isLive = true
      case .moved(let element, let stamp):
        try check(!holdsText, "A text has elements.")
        try check(
          element.isOperation && version.covers(element) && element != run.first && stamp <= latestStamp,
          "\(element) cannot have been moved.")
      }
      if let last = stored.last, last.goesOn(with: row) {
        // Runs of two contents, and one life, are one to the order.
        try check(
          !runs[place - 1].content.isLike(run.content), "The run from \(run.first) on goes on with another one.")
        stored[stored.count - 1].run.count += count
        stored[stored.count - 1].utf8Count += row.utf8Count
      } else {
        stored.append(row)
      }
    }
    try check(textEnd == text.utf8Count, "The text is longer than its runs.")
    let replicas = replicas
    do throws(Contradiction) {
      sequences[sequence].tree = try text.utf8.withUnsafeBufferPointer { text throws(Contradiction) in
        try SequenceTree(holdsText: holdsText, runs: stored, text: text) { replicas[$0] < replicas[$1] }
      }
    } catch {
      try check(false, "The items contradict each other (\(error)).")
    }
  }

  /// Lets each element that was moved stand where its greatest candidate is.
  private mutating func placeElements(
    _ runs: [Snapshot.Run], in sequence: SequenceHandle, _ check: Check
  ) throws(MergeError) {
    var moved: [DotRow: Candidates] = [:]
    for run in runs {
      guard case .moved(let dot, let stamp) = run.content else { continue }
      try check(find(.element(dot), in: sequences[sequence].object) != nil, "The moved element \(dot) has no value.")
      let (element, item) = (row(ofItem: dot), row(ofItem: run.first))
      moved[element, default: []].append(Candidate(item: item, stamp: stamp))
      sequences[sequence].elements[item] = element
    }
    for (element, candidates) in moved {
      var candidates = candidates
      // Its own item is live so far if it is a candidate too.
      if sequences[sequence].elements[element] == nil, sequences[sequence].tree.liveness(of: element) == true {
        candidates.append(Candidate(item: element, stamp: Stamp(rawValue: 0)))
        sequences[sequence].tree.remove(ItemRun(element))
      }
      sequences[sequence].moved[element] = candidates
    }
    for candidates in sequences[sequence].moved.values { _ = sequences[sequence].tree.revive(visible(candidates)) }
  }

  private mutating func fillMarks(
    _ marks: [Mark], of sequence: SequenceHandle, _ check: Check
  ) throws(MergeError) {
    var rows: ContiguousArray<MarkRow> = []
    for (place, mark) in marks.enumerated() {
      try check(place == 0 || marks[place - 1].dot < mark.dot, "The marks are not ascending.")
      try check(mark.dot.isOperation && version.covers(mark.dot), "The version does not cover the mark \(mark.dot).")
      if case .element = mark.name { try check(false, "A mark is named by an item.") }
      try check(mark.start.isEdge && mark.end.isEdge, "The mark \(mark.dot) ends at what is no item.")
      let row = MarkRow(
        dot: row(ofItem: mark.dot), name: mark.name, start: row(mark.start), end: row(mark.end), rank: mark.rank,
        value: mark.value)
      try check(
        isKnown(row.start.item, in: sequence) && isKnown(row.end.item, in: sequence),
        "The mark \(mark.dot) ends at what is no item of the text.")
      rows.append(row)
    }
    rows.sort { isLess($0, $1) }
    setMarks(rows, of: sequence)
  }

  /// Notes all tombstones, which whoever has merged as much knows to be removed.
  private mutating func noteWhatIsRemoved(
    _ runs: [Snapshot.Run], by version: VersionVector, in sequence: SequenceHandle
  ) {
    var removals = Removals()
    for run in runs {
      guard case .removed(let count) = run.content else { continue }
      removals.append(Removal(run: ItemRun(first: row(ofItem: run.first), count: count), cause: .state(version)))
    }
    sequences[sequence].removals = removals
  }
}

extension StoredRun {
  /// Whether `next`, which follows, is part of this run to the order.
  fileprivate func goesOn(with next: StoredRun) -> Bool {
    isLive == next.isLive && run.first.advanced(by: run.count) == next.run.first
      && next.place == Place(parent: run.first.advanced(by: run.count - 1), side: .right)
  }
}

extension Snapshot.Run.Content {
  /// Whether items of both make one run, where one follows the other.
  fileprivate func isLike(_ other: Self) -> Bool {
    switch (self, other) {
    case (.removed, .removed), (.text, .text), (.elements, .elements): true
    default: false
    }
  }
}
