// Sequences in the merging of states (Protocol/merge.md, "States and sequences").

extension Document {
  // MARK: What was removed there

  /// Removes the elements, items and marks that were removed there.
  mutating func dropItemsGone(in other: Document, patch: inout Patch) {
    let cause = Removal.Cause.state(other.version)
    for sequence in Array(sequenceHandles) {
      let object = sequences[sequence].object
      // An object that went with one before.
      if object.isNone { continue }
      if moves.isOn, saysNothing(of: object, other) { continue }
      let there = other.objects.find(objects[object].id).flatMap { other.sequence(of: $0) }
      if objects[object].kind == .list {
        for element in elementsGone(of: object, in: other) {
          removeElement(element, from: sequence, cause: cause, patch: &patch)
        }
        continue
      }
      let gone = scalarsGone(of: sequence, in: other, there)
      let marks = Set(there.map { other.sequences[$0].marks.map { other.dot($0.dot) } } ?? [])
      altering(textOf: object, patch: &patch) { document, patch in
        for run in gone { document.removeScalars(run, from: sequence, cause: cause, patch: &patch) }
        let gone = document.sequences[sequence].marks.filter { mark in
          let dot = document.dot(mark.dot)
          return other.version.covers(dot) && !marks.contains(dot)
        }
        guard !gone.isEmpty else { return }
        for mark in gone { document.noteForgotten(mark) }
        let dots = Set(gone.map { document.dot($0.dot) })
        document.dropMarks(of: sequence, patch: &patch) { dots.contains($1) }
      }
    }
  }

  private func elementsGone(of list: ObjectHandle, in other: Document) -> ContiguousArray<DotRow> {
    var gone: ContiguousArray<DotRow> = []
    let there = other.objects.find(objects[list].id)
    forEachElement(of: list) { element, _ in
      let dot = dot(element)
      let stands = there.map { other.find(.element(dot), in: $0) != nil } ?? false
      if !stands, other.version.covers(dot) { gone.append(element) }
    }
    return gone
  }

  /// The live scalars here that `other` covers and does not have live.
  private func scalarsGone(
    of sequence: SequenceHandle, in other: Document, _ there: SequenceHandle?
  ) -> ContiguousArray<ItemRun> {
    let covered = liveRuns(of: sequence, coveredBy: other.version)
    guard let there, other.sequences[there].tree.holdsText else { return covered }
    // The live counters there, by replica, ascending.
    var live: [ReplicaHandle: ContiguousArray<ItemRun>] = [:]
    other.sequences[there].tree.forEachRun { stored, _ in
      if stored.isLive { live[stored.run.first.replica, default: []].append(stored.run) }
    }
    for replica in live.keys { live[replica]!.sort { $0.first.counter < $1.first.counter } }
    var gone: ContiguousArray<ItemRun> = []
    for run in covered {
      guard let replica = other.replicas.find(replicas[run.first.replica]), let runs = live[replica] else {
        gone.append(run)
        continue
      }
      var next = run.first.counter
      let end = next + UInt64(run.count)
      var place = runs.firstIndex(endingAfter: next)
      while next < end, place < runs.count, runs[place].first.counter < end {
        let start = runs[place].first.counter
        if next < start {
          gone.append(ItemRun(first: DotRow(replica: run.first.replica, counter: next), count: Int(start - next)))
        }
        next = max(next, start + UInt64(runs[place].count))
        place += 1
      }
      if next < end {
        gone.append(ItemRun(first: DotRow(replica: run.first.replica, counter: next), count: Int(end - next)))
      }
    }
    return gone
  }

  /// Elements whose entries two contradicting states took from each other go.
  mutating func dropElementsWithoutValue(cause: Removal.Cause, patch: inout Patch) {
    for slot in Array(emptied.slots)
    where !slots[slot].isFree && !slots[slot].hasEntry && !slots[slot].hidesEntries {
      guard case .element(let dot) = keys[slots[slot].key], let element = item(dot),
        let sequence = sequence(of: slots[slot].object)
      else { continue }
      removeElement(element, from: sequence, cause: cause, patch: &patch)
    }
  }

  // MARK: What is new there

  /// Takes over the items, marks and elements of the object that are new, but for the elements' values.
  ///
  /// - Returns: The elements that are new.
  mutating func addItemsNew(
    of there: ObjectHandle, in other: Document, to here: ObjectHandle, patch: inout Patch
  ) -> Set<Dot> {
    guard let theirs = other.sequence(of: there), other.objects[there].kind == objects[here].kind else { return [] }
    let sequence = makeSequence(of: here)
    var removed: ContiguousArray<ItemRun> = []
    var arrivals: Set<Dot> = []
    altering(textOf: here, patch: &patch) { document, patch in
      document.takeOver(itemsOf: theirs, in: other, to: sequence, &removed, patch: &patch)
      let forgotten = document.marksForgotten(of: theirs, in: other, here: sequence)
      for mark in other.sequences[theirs].marks {
        let dot = other.dot(mark.dot)
        guard !document.version.covers(dot) || forgotten.contains(dot) else { continue }
        document.takeOver(mark, of: theirs, in: other, to: sequence, &removed, patch: &patch)
      }
    }
    if objects[here].kind == .list {
      arrivals = mergeElements(of: there, theirs, in: other, to: sequence, patch: &patch)
    }
    // An item that stands removed by what was merged here may be live there, and the other way round: only who has
    // merged both knows.
    if !removed.isEmpty { noteRemoved(removed, in: sequence, cause: .state(version.merging(other.version))) }
    return arrivals
  }

  /// Notes those items of the runs at which no element stands.
  mutating func noteRemoved(
    _ runs: ContiguousArray<ItemRun>, in sequence: SequenceHandle, cause: Removal.Cause
  ) {
    if sequences[sequence].tree.holdsText {
      for run in runs { note(cause, of: run, in: sequence) }
      return
    }
    for run in runs {
      for offset in 0..<run.count where !isCandidate(run.first.advanced(by: offset), in: sequence) {
        note(cause, of: ItemRun(run.first.advanced(by: offset)), in: sequence)
      }
    }
  }

  private mutating func takeOver(
    itemsOf theirs: SequenceHandle, in other: Document, to sequence: SequenceHandle,
    _ removed: inout ContiguousArray<ItemRun>, patch: inout Patch
  ) {
    var parts: ContiguousArray<NewItems> = []
    other.sequences[theirs].tree.forEachRun { stored, text in
      if let part = new(stored, text, in: other) { parts.append(part) }
    }
    guard !parts.isEmpty else { return }
    let byName = RunsByName(parts.map(\.run))
    // What something is anchored on comes first, wherever it stands in the order.
    for place in parts.indices {
      var pending = [place]
      while let part = pending.last {
        guard !parts[part].isTaken else {
          pending.removeLast()
          continue
        }
        let anchor = parts[part].place.parent
        if let above = byName.place(of: anchor), !parts[above].isTaken {
          pending.append(above)
        } else {
          takeOverRemoved(anchor, of: theirs, in: other, to: sequence, &removed)
          take(parts[part], in: other, to: sequence, &removed, patch: &patch)
          parts[part].isTaken = true
          parts[part].text = []
          pending.removeLast()
        }
      }
    }
  }

  /// The items of the run that are not covered here.
  private func new(_ stored: StoredRun, _ text: UnsafeBufferPointer<UInt8>, in other: Document) -> NewItems? {
    let covered = version[other.replicas[stored.run.first.replica]]
    let end = stored.run.first.counter + UInt64(stored.run.count)
    guard covered + 1 < end else { return nil }
    let skipped = covered >= stored.run.first.counter ? Int(covered + 1 - stored.run.first.counter) : 0
    var part = NewItems(run: stored.run, place: stored.place, isLive: stored.isLive)
    part.text = Array(text)
    if skipped > 0 {
      part.place = Place(parent: stored.run.first.advanced(by: skipped - 1), side: .right)
      part.run = ItemRun(first: stored.run.first.advanced(by: skipped), count: stored.run.count - skipped)
      part.text = part.text.droppingScalars(skipped)
    }
    return part
  }

  private mutating func take(
    _ part: NewItems, in other: Document, to sequence: SequenceHandle, _ removed: inout ContiguousArray<ItemRun>,
    patch: inout Patch
  ) {
    let run = ItemRun(first: row(ofItem: other.name(of: part.run.first)), count: part.run.count)
    let place = Place(parent: row(ofItem: other.name(of: part.place.parent)), side: part.place.side)
    // Elements are placed at their items later, when it is known where the last mover put them.
    let isLive = part.isLive && sequences[sequence].tree.holdsText
    guard let index = insert(run, at: place, text: part.text, isLive: isLive, in: sequence) else { return }
    if isLive {
      patch.record(.insert(at: index, count: run.count), in: objects[sequences[sequence].object].id)
    } else {
      removed.append(run)
    }
  }

  /// Takes over an item that is covered and not known here: it was removed and collected, and now something needs
  /// it. With it come those that it is anchored on.
  private mutating func takeOverRemoved(
    _ item: DotRow, of theirs: SequenceHandle, in other: Document, to sequence: SequenceHandle,
    _ removed: inout ContiguousArray<ItemRun>
  ) {
    var missing: ContiguousArray<DotRow> = []
    var item = item
    while item != .start, !isKnown(row(ofItem: other.name(of: item)), in: sequence),
      let place = other.sequences[theirs].tree.place(of: item)
    {
      missing.append(item)
      item = place.parent
    }
    while let item = missing.popLast() {
      guard let place = other.sequences[theirs].tree.place(of: item) else { return }
      let run = ItemRun(row(ofItem: other.name(of: item)))
      let parent = row(ofItem: other.name(of: place.parent))
      _ = insert(run, at: Place(parent: parent, side: place.side), isLive: false, in: sequence)
      removed.append(run)
    }
  }

  mutating func takeOver(
    _ mark: MarkRow, of theirs: SequenceHandle, in other: Document, to sequence: SequenceHandle,
    _ removed: inout ContiguousArray<ItemRun>, patch: inout Patch
  ) {
    takeOverRemoved(mark.start.item, of: theirs, in: other, to: sequence, &removed)
    takeOverRemoved(mark.end.item, of: theirs, in: other, to: sequence, &removed)
    let row = MarkRow(
      dot: row(ofItem: other.dot(mark.dot)), name: mark.name, start: row(other.edge(mark.start)),
      end: row(other.edge(mark.end)), rank: mark.rank, value: mark.value)
    guard isKnown(row.start.item, in: sequence), isKnown(row.end.item, in: sequence) else { return }
    add(row, to: sequence, patch: &patch)
  }

  // MARK: Elements

  /// Lets the elements that stand on both sides, or came there, stand where both sides say.
  private mutating func mergeElements(
    of there: ObjectHandle, _ theirs: SequenceHandle, in other: Document, to sequence: SequenceHandle,
    patch: inout Patch
  ) -> Set<Dot> {
    let list = sequences[sequence].object
    var arrivals: Set<Dot> = []
    var candidatesThere: [(element: Dot, candidates: [(Dot, Stamp)])] = []
    other.forEachElement(of: there) { element, _ in
      candidatesThere.append(
        (other.dot(element), other.candidates(of: element, in: theirs).map { (other.dot($0.item), $0.stamp) }))
    }
    for (dot, candidates) in candidatesThere {
      let stands = find(.element(dot), in: list) != nil
      // What this version covers and does not have was removed here.
      if !stands, version.covers(dot) { continue }
      let element = row(ofItem: dot)
      let rows = Candidates(candidates.map { Candidate(item: row(ofItem: $0.0), stamp: $0.1) })
      if stands {
        merge(rows, of: element, in: other, to: sequence, patch: &patch)
      } else if begin(element, at: rows, in: sequence, patch: &patch) {
        arrivals.insert(dot)
      }
    }
    return arrivals
  }

  private mutating func merge(
    _ theirs: Candidates, of element: DotRow, in other: Document, to sequence: SequenceHandle, patch: inout Patch
  ) {
    let mine = candidates(of: element, in: sequence)
    if mine == theirs { return }
    var merged: Candidates = mine.filter { theirs.contains($0) || !other.version.covers(dot($0.item)) }
    for candidate in theirs where !mine.contains(candidate) && !version.covers(dot(candidate.item)) {
      if isKnown(candidate.item, in: sequence) { merged.append(candidate) }
    }
    // States that contradict each other leave none; then those here stay.
    if merged.isEmpty || merged == mine { return }
    for candidate in mine where !merged.contains(candidate) {
      note(.state(other.version), of: ItemRun(candidate.item), in: sequence)
    }
    give(element, merged, in: sequence, patch: &patch)
  }

  /// An element comes to stand, at items that stand removed so far.
  ///
  /// - Returns: False if there is none that is new, as in states that contradict each other.
  private mutating func begin(
    _ element: DotRow, at candidates: Candidates, in sequence: SequenceHandle, patch: inout Patch
  ) -> Bool {
    let known: Candidates = candidates.filter { isKnown($0.item, in: sequence) && !version.covers(dot($0.item)) }
    guard !known.isEmpty else { return false }
    for candidate in known where candidate.item != element { sequences[sequence].elements[candidate.item] = element }
    if known.count > 1 || known[0].item != element { sequences[sequence].moved[element] = known }
    if let index = sequences[sequence].tree.revive(visible(known)) {
      patch.record(.insert(at: index, count: 1), in: objects[sequences[sequence].object].id)
    }
    return true
  }
}

/// Items of one run that are new here; the rows are those of the other document.
private struct NewItems {
  var run: ItemRun
  var place: Place
  var isLive: Bool
  var text: [UInt8] = []
  var isTaken = false
}

extension ContiguousArray<ItemRun> {
  /// The place of the first run, of those that ascend, that ends after `counter`.
  fileprivate func firstIndex(endingAfter counter: UInt64) -> Int {
    partitioningIndex { $0.first.counter + UInt64($0.count) > counter }
  }
}

extension [UInt8] {
  /// What is left of a text without its first scalars.
  fileprivate func droppingScalars(_ count: Int) -> [UInt8] {
    Array(self[withUnsafeBufferPointer { $0.passing(count).end }...])
  }
}
