// The items of a sequence as snapshots list them and digests hash them (Protocol/merge.md, "Snapshots").

/// A run of items of one sort.
struct ListedRun {
  var run: ItemRun
  var place: Place
  var content: Content

  enum Content {
    case removed
    case text
    case elements
    case moved(element: DotRow, stamp: Stamp)

    var isRemoved: Bool {
      if case .removed = self { true } else { false }
    }
  }

  /// Whether `next`, which follows, goes on with this run.
  func joins(_ next: ListedRun) -> Bool {
    guard run.first.advanced(by: run.count) == next.run.first,
      next.place == Place(parent: run.first.advanced(by: run.count - 1), side: .right)
    else { return false }
    switch (content, next.content) {
    case (.removed, .removed), (.text, .text), (.elements, .elements): return true
    default: return false
    }
  }

  mutating func join(_ next: ListedRun) {
    run.count += next.run.count
  }
}

extension Document {
  /// The runs of the sequence, as many as there are, and the text of those that are text.
  ///
  /// - Parameter isCanonical: Whether to leave out tombstones on which nothing live rests.
  func listing(of sequence: SequenceHandle, isCanonical: Bool) -> (runs: [ListedRun], text: Scalars) {
    var (runs, text) = allRuns(of: sequence)
    if isCanonical { keepWhatIsNeeded(of: &runs, by: canonicalMarks(of: sequence)) }
    var listed: [ListedRun] = []
    listed.reserveCapacity(runs.count)
    for run in runs where run.run.count > 0 {
      if let last = listed.last, last.joins(run) {
        listed[listed.count - 1].join(run)
      } else {
        listed.append(run)
      }
    }
    return (listed, text)
  }

  /// The marks of the sequence, ascending by dot.
  func listedMarks(of sequence: SequenceHandle, isCanonical: Bool) -> [MarkRow] {
    let marks = isCanonical ? canonicalMarks(of: sequence) : sequences[sequence].marks
    return marks.sorted { dot($0.dot) < dot($1.dot) }
  }

  /// The marks but those that take away a property which no other mark gives.
  func canonicalMarks(of sequence: SequenceHandle) -> ContiguousArray<MarkRow> {
    var kept: ContiguousArray<MarkRow> = []
    for mark in sequences[sequence].marks where mark.value != .null || kept.last?.name == mark.name {
      kept.append(mark)
    }
    return kept
  }

  private func allRuns(of sequence: SequenceHandle) -> (runs: [ListedRun], text: Scalars) {
    let row = sequences[sequence]
    var runs: [ListedRun] = []
    runs.reserveCapacity(row.tree.spanCount)
    var utf8: [UInt8] = []
    utf8.reserveCapacity(row.tree.utf8Count)
    row.tree.forEachRun { stored, text in
      utf8 += text
      if row.tree.holdsText {
        runs.append(ListedRun(run: stored.run, place: stored.place, content: stored.isLive ? .text : .removed))
      } else if row.moved.isEmpty {
        runs.append(ListedRun(run: stored.run, place: stored.place, content: stored.isLive ? .elements : .removed))
      } else {
        // What an element was moved to, or from, is told item by item.
        for offset in 0..<stored.run.count {
          let item = stored.run.first.advanced(by: offset)
          let place =
            offset == 0 ? stored.place : Place(parent: stored.run.first.advanced(by: offset - 1), side: .right)
          runs.append(
            ListedRun(run: ItemRun(item), place: place, content: content(of: item, isLive: stored.isLive, in: row)))
        }
      }
    }
    return (runs, Scalars(unchecked: utf8, count: row.tree.holdsText ? row.tree.count : 0))
  }

  private func content(of item: DotRow, isLive: Bool, in row: SequenceRow) -> ListedRun.Content {
    if let element = row.elements[item], let candidate = row.moved[element]?.first(where: { $0.item == item }) {
      return .moved(element: element, stamp: candidate.stamp)
    }
    let isOwn = row.moved[item].map { $0.contains { $0.item == item } }
    return isOwn ?? isLive ? .elements : .removed
  }

  /// Cuts off tombstones below which nothing live is, and no edge of a mark rests.
  private func keepWhatIsNeeded(of runs: inout [ListedRun], by marks: ContiguousArray<MarkRow>) {
    guard runs.contains(where: \.content.isRemoved) else { return }
    let byName = RunsByName(runs.map(\.run))
    var needed = runs.map { $0.content.isRemoved ? 0 : $0.run.count }
    var items = runs.filter { !$0.content.isRemoved }.map(\.place.parent)
    for mark in marks { items += [mark.start.item, mark.end.item] }
    while let item = items.popLast() {
      guard let place = byName.place(of: item) else { continue }
      let count = runs[place].run.distance(to: item) + 1
      if needed[place] == 0 { items.append(runs[place].place.parent) }
      needed[place] = max(needed[place], count)
    }
    for place in runs.indices where runs[place].content.isRemoved { runs[place].run.count = needed[place] }
  }
}

extension ItemRun {
  func distance(to item: DotRow) -> Int { Int(truncatingIfNeeded: item.counter &- first.counter) }
}
