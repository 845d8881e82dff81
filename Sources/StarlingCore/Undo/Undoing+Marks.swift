// Marks go and come back by rank, so that whoever overruled one still does.

extension Undoing {
  /// Takes one's mark away and puts back what it took, each where it ranked.
  mutating func undo(_ deed: MarkDeed, _ document: inout Document, _ patch: inout Patch) {
    guard let text = find(deed.location, &document), let sequence = document.sequence(of: text) else { return }
    let mine = names.allMarks(deed.mine)
    var replacing = document.marks(named: deed.name, of: sequence).map { document.dot($0.dot) }.filter(mine.contains)
    guard !replacing.isEmpty || deed.isRetraction else { return }
    replacing.sort()
    for mark in deed.taken {
      guard let start = edge(mark.start, in: sequence, document), let end = edge(mark.end, in: sequence, document)
      else { continue }
      let copy = MarkOperation(start: start, end: end, rank: mark.rank, value: mark.value, replacing: replacing)
      guard let new = document.put(copy, named: deed.name, in: text, patch: &patch) else { continue }
      names.addMark(mark.dot, new)
      replacing = []
    }
    guard !replacing.isEmpty else { return }
    // Nothing came in its place: what covers nothing, and overrules nothing, takes it away.
    let retraction = MarkOperation(start: .start, end: .start, rank: 0, value: .null, replacing: replacing)
    _ = document.put(retraction, named: deed.name, in: text, patch: &patch)
  }

  /// The edge as it is called now, beside a live item; nil if its item was let go of.
  private func edge(_ edge: Edge, in sequence: SequenceHandle, _ document: Document) -> Edge? {
    guard edge.item != .origin else { return edge }
    guard let item = document.item(names.item(edge.item)), document.isKnown(item, in: sequence) else { return nil }
    return document.restingOnLive(EdgeRow(item: item, side: edge.side), in: sequence)
  }

  // MARK: Of text that came back

  /// Lays the marks over scalars that came back which lay over them when they went: the marks' own edges may rest
  /// on the other side of them now. These go with the scalars, so they are no deeds.
  ///
  /// - Parameter range: the scalars, counted in the piece; they stand at `index` now.
  mutating func restoreMarks(
    of piece: TextPiece, _ range: Range<Int>, at index: Int, in text: ObjectID, _ document: inout Document,
    _ patch: inout Patch
  ) {
    guard let sequence = document.sequence(of: text),
      !piece.covers.isEmpty || !document.sequences[sequence].marks.isEmpty
    else { return }
    document.open.isRecording = false
    defer { document.open.isRecording = true }
    let wanted = piece.covers.compactMap { $0.clamped(to: range) }
    let shown = document.covers(index..<index + range.count, in: sequence)
    for name in Set(wanted.map(\.name) + shown.map(\.name)).sorted() {
      let (wanted, shown) = (wanted.filter { $0.name == name }, shown.filter { $0.name == name })
      let borders = Set((wanted + shown).flatMap { [$0.range.lowerBound, $0.range.upperBound] }).sorted()
      for (start, end) in zip(borders, borders.dropFirst()) {
        let overlay = Overlay(
          name: name, wanted: wanted.filter { $0.range.contains(start) },
          shown: shown.filter { $0.range.contains(start) })
        lay(overlay, over: index + start..<index + end, rankMax: piece.rankMax, in: text, &document, &patch)
      }
    }
  }

  /// What lay over a range, and what does, of one name.
  private struct Overlay {
    var name: Key
    var wanted: [MarkCover]
    var shown: [MarkCover]
  }

  private mutating func lay(
    _ overlay: Overlay, over range: Range<Int>, rankMax: UInt64, in text: ObjectID, _ document: inout Document,
    _ patch: inout Patch
  ) {
    let known = overlay.wanted.map { names.allMarks($0.dot) }
    let strangers = overlay.shown.filter { mark in
      // What somebody laid over the place since is his.
      let isLater = mark.rank > rankMax && mark.dot.replica != document.open.replica
      return !isLater && !known.contains { $0.contains(mark.dot) }
    }
    guard let greatest = strangers.map(\.rank).max() else {
      for (mark, dots) in zip(overlay.wanted, known) where !overlay.shown.contains(where: { dots.contains($0.dot) }) {
        lay(mark.value, mark.rank, over: range, overlay.name, for: mark.dot, in: text, &document, &patch)
      }
      return
    }
    // A mark spread to where it did not lie: it is hidden, and what did lie there goes on top.
    var rank = greatest
    func next() -> UInt64 {
      rank = rank == .max ? .max : rank + 1
      return rank
    }
    lay(.null, next(), over: range, overlay.name, for: nil, in: text, &document, &patch)
    for mark in overlay.wanted {
      lay(mark.value, next(), over: range, overlay.name, for: mark.dot, in: text, &document, &patch)
    }
  }

  private mutating func lay(
    _ value: Value, _ rank: UInt64, over range: Range<Int>, _ name: Key, for former: Dot?, in text: ObjectID,
    _ document: inout Document, _ patch: inout Patch
  ) {
    guard let sequence = document.sequence(of: text) else { return }
    let start = document.edge(document.edgeRow(at: range.lowerBound, .left, in: sequence))
    let end = document.edge(document.edgeRow(at: range.upperBound, .right, in: sequence))
    let mark = MarkOperation(start: start, end: end, rank: rank, value: value, replacing: [])
    if let new = document.put(mark, named: name, in: text, patch: &patch), let former { names.addMark(former, new) }
  }
}

extension MarkCover {
  /// The part over the range, counted from its start; nil if there is none.
  fileprivate func clamped(to range: Range<Int>) -> MarkCover? {
    let part = self.range.clamped(to: range)
    guard !part.isEmpty else { return nil }
    var cover = self
    cover.range = part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound
    return cover
  }
}
