// Keeping what is about to go, so that it can be written again.

/// What went, as it is gathered: without recursion, since objects may lie in one another as deep as anybody likes.
struct Clipping {
  var pieces: [Piece] = []
  /// Objects that are still to be looked at.
  fileprivate var rest: ContiguousArray<ObjectHandle> = []

  /// The assigned objects that the entries brought into being.
  mutating func addObjects(of content: SlotContent, in document: borrowing Document) {
    for entry in content.entries {
      if entry.value.isObject, let object = document.objects.find(.assigned(by: entry.dot)) {
        if document.hasNoOtherPlace(object) { rest.append(object) }
      } else if let moved = entry.value.movedObject, let object = document.objects.find(moved.object) {
        if document.hasNoOtherPlace(object) { rest.append(object) }
      }
    }
  }

  /// The objects derived from the slot that hold something.
  mutating func addChildren(of slot: SlotHandle, keeping kept: Kind? = nil, in document: borrowing Document) {
    var child = document.slots.firstChild(slot)
    while !child.isNone {
      let row = document.objects[child]
      if row.presentCount > 0, row.kind != kept { rest.append(child) }
      child = row.nextChild
    }
  }
}

extension Document {
  /// - Complexity: O(what stands in the objects of the clipping)
  mutating func clipObjects(_ clipping: inout Clipping) {
    while let object = clipping.rest.popLast() {
      openContents(of: object)
      if objects[object].isDerived { _ = chain(of: object) }
      if let sequence = sequence(of: object), sequences[sequence].tree.count > 0 {
        clip(0..<sequences[sequence].tree.count, of: sequence, &clipping)
      }
      var slot = objects[object].firstSlot
      while !slot.isNone {
        let row = slots[slot]
        slot = row.next
        if case .element = keys[row.key] { continue }
        clip(slots.find(object, row.key)!, of: object, &clipping)
      }
    }
  }

  private func clip(_ slot: SlotHandle, of object: ObjectHandle, _ clipping: inout Clipping) {
    let content = content(slot, ascendingEntries(slot))
    if !content.isEmpty { clipping.pieces.append(.slot(location(object), keys[slots[slot].key], content)) }
    clipping.addObjects(of: content, in: self)
    clipping.addChildren(of: slot, in: self)
  }

  /// All entries of the slot, the lesser ones first.
  func ascendingEntries(_ slot: SlotHandle) -> [Entry] {
    guard slots[slot].hasEntry else { return [] }
    let greatest = publicEntry(slots.entry(slot))
    guard slots.hasSiblings(slot) else { return [greatest] }
    let siblings = slots[compound: slot].siblings.map { publicEntry($0) }
    return siblings.sorted { ($0.stamp, $0.dot) < ($1.stamp, $1.dot) } + [greatest]
  }

  /// All that stands in the slot itself.
  private func content(_ slot: SlotHandle, _ entries: [Entry]) -> SlotContent {
    SlotContent(entries: entries, count: count(slot) { _ in true })
  }

  func content(
    _ slot: SlotHandle, _ entries: [Entry], clearing: VersionVector?, where isTaken: (Dot) -> Bool
  ) -> SlotContent {
    SlotContent(
      entries: entries.filter { isTaken($0.dot) },
      count: clearing.flatMap { clearing in count(slot) { clearing.covers($0) } })
  }

  private func count(_ slot: SlotHandle, where isTaken: (Dot) -> Bool) -> SlotContent.Count? {
    guard slots.hasShares(slot) else { return nil }
    var count = SlotContent.Count(total: 0, births: [], isVisible: true)
    if case .value = visible(slot) { count.isVisible = false }
    for share in slots[compound: slot].shares {
      let birth = Dot(replicas[share.replica], share.birth)
      guard isTaken(birth) else { continue }
      count.total &+= share.total
      count.births.append(birth)
    }
    return count.births.isEmpty ? nil : count
  }

  // MARK: Sequences

  mutating func clip(_ range: Range<Int>, of sequence: SequenceHandle, _ clipping: inout Clipping) {
    var row = sequences[sequence]
    let location = location(row.object)
    let gap = gap(range, in: sequence)
    let runs = row.tree.runs(in: range)
    guard !row.tree.holdsText else {
      let covers = covers(range, in: sequence)
      clipping.pieces.append(
        .text(
          TextPiece(
            location: location, gap: gap, text: row.tree.text(in: range),
            runs: runs.map { DotRun(first: dot($0.first), count: $0.count) }, covers: covers,
            rankMax: row.marks.reduce(0) { max($0, $1.rank) })))
      return
    }
    var piece = ElementsPiece(location: location, gap: gap, elements: [])
    var slots: [(SlotHandle, SlotContent)] = []
    for run in runs {
      for offset in 0..<run.count {
        let item = run.first.advanced(by: offset)
        let name = dot(row.element(at: item))
        guard let slot = find(.element(name), in: row.object) else { continue }
        let content = content(slot, ascendingEntries(slot))
        piece.elements.append(ElementsPiece.Element(name: name, item: dot(item), content: content))
        slots.append((slot, content))
      }
    }
    clipping.pieces.append(.elements(piece))
    for (slot, content) in slots {
      clipping.addObjects(of: content, in: self)
      clipping.addChildren(of: slot, in: self)
    }
  }

  /// The place that the range leaves once its items are gone.
  func gap(_ range: Range<Int>, in sequence: SequenceHandle) -> Gap {
    let row = sequences[sequence]
    func name(at index: Int) -> Dot {
      guard index >= 0, index < row.tree.count else { return .origin }
      return dot(row.element(at: row.tree.item(at: index)))
    }
    return Gap(before: name(at: range.lowerBound - 1), after: name(at: range.upperBound), index: range.lowerBound)
  }

  // MARK: Marks

  /// The marks over the range of a text, clipped to it, the lesser ones of a name first; ranges count from its start.
  func covers(_ range: Range<Int>, in sequence: SequenceHandle) -> [MarkCover] {
    sequences[sequence].marks.compactMap { mark in
      let covered = visibleRange(of: mark, in: sequence).clamped(to: range)
      guard !covered.isEmpty else { return nil }
      return MarkCover(
        range: covered.lowerBound - range.lowerBound..<covered.upperBound - range.lowerBound, dot: dot(mark.dot),
        name: mark.name, value: mark.value, rank: mark.rank)
    }
  }

  func takenMark(_ mark: MarkRow, in sequence: SequenceHandle) -> TakenMark {
    TakenMark(
      dot: dot(mark.dot), value: mark.value, rank: mark.rank, start: restingOnLive(mark.start, in: sequence),
      end: restingOnLive(mark.end, in: sequence))
  }

  /// The same place beside a live item: nobody rests anything new on one whose removal he has seen.
  func restingOnLive(_ row: EdgeRow, in sequence: SequenceHandle) -> Edge {
    if row.item == .start || sequences[sequence].tree.liveness(of: row.item) == true { return edge(row) }
    return edge(edgeRow(at: index(of: row, in: sequence), row.side, in: sequence))
  }
}
