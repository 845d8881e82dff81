// Marks go and come back by rank, so that whoever overruled one still does. A mark of null that has been merged by
// everybody may have been forgotten by some (Protocol/merge.md, "Tombstone collection"), and would not stop them from
// showing what comes back below it: such marks are written again, or what comes back gets a new rank.

extension Undoing {
  /// Takes one's mark away and puts back what it took, each where it ranked.
  mutating func undo(_ undoRecord: MarkUndoRecord, _ document: inout Document, _ patch: inout Patch) {
    guard let text = find(undoRecord.location, &document), let sequence = document.sequence(of: text) else { return }
    let mine = names.allMarks(undoRecord.mine)
    var replacing = document.marks(named: undoRecord.name, of: sequence).map { document.dot($0.dot) }.filter(
      mine.contains)
    guard !replacing.isEmpty || undoRecord.isRetraction else { return }
    replacing.sort()
    var isRaised = false
    for mark in undoRecord.taken {
      guard let start = edge(mark.start, in: sequence, document), let end = edge(mark.end, in: sequence, document)
      else { continue }
      let copy = MarkOperation(start: start, end: end, rank: mark.rank, value: mark.value, replacing: replacing)
      if putBack(copy, named: undoRecord.name, for: mark.dot, in: text, &isRaised, &document, &patch) { replacing = [] }
    }
    guard !replacing.isEmpty else { return }
    // Nothing came in its place: what covers nothing, and overrules nothing, takes it away.
    let retraction = MarkOperation(start: .start, end: .start, rank: 0, value: .null, replacing: replacing)
    _ = document.put(retraction, named: undoRecord.name, in: text, patch: &patch)
  }

  /// Puts a mark where another one, `former`, ranked; of several, the lesser ones first.
  ///
  /// - Parameter isRaised: whether it goes on top, because one before it did or what it ranked below was forgotten.
  /// - Returns: Whether it was written.
  private mutating func putBack(
    _ mark: MarkOperation, named name: Key, for former: Dot, in text: ObjectID, _ isRaised: inout Bool,
    _ document: inout Document, _ patch: inout Patch
  ) -> Bool {
    guard let sequence = document.sequence(of: text) else { return false }
    let nulls = document.nulls(above: mark, named: name, in: sequence)
    isRaised = isRaised || mark.rank <= document.forgottenRankMax || nulls.count > Self.renewedNullsMax
    var mark = mark
    if isRaised {
      mark.rank = document.nextRank(in: sequence)
    } else {
      for null in nulls {
        guard renew(null, named: name, in: text, sequence, &document, &patch) else { return false }
      }
    }
    guard let new = document.put(mark, named: name, in: text, patch: &patch) else { return false }
    names.addMark(former, new)
    return true
  }

  /// Where more overrule it, a mark goes on top of them: what comes back must not cost many times what went.
  private static var renewedNullsMax: Int { 4 }

  /// Writes a mark of null again, so that everybody holds it. That is no undo record.
  private mutating func renew(
    _ row: MarkRow, named name: Key, in text: ObjectID, _ sequence: SequenceHandle, _ document: inout Document,
    _ patch: inout Patch
  ) -> Bool {
    let wasRecording = document.open.isRecording
    document.open.isRecording = false
    defer { document.open.isRecording = wasRecording }
    let former = document.dot(row.dot)
    let renewed = MarkOperation(
      start: document.restingOnLive(row.start, in: sequence), end: document.restingOnLive(row.end, in: sequence),
      rank: row.rank, value: .null, replacing: [former])
    guard let new = document.put(renewed, named: name, in: text, patch: &patch) else { return false }
    names.addMark(former, new)
    return true
  }

  /// The edge as it is called now, beside a live item; nil if its item was collected.
  private func edge(_ edge: Edge, in sequence: SequenceHandle, _ document: Document) -> Edge? {
    guard edge.item != .origin else { return edge }
    guard let item = document.item(names.item(edge.item)), document.isKnown(item, in: sequence) else { return nil }
    return document.restingOnLive(EdgeRow(item: item, side: edge.side), in: sequence)
  }

  // MARK: Of text that came back

  /// Lays the marks over scalars that came back which lay over them when they went: the marks' own edges may rest
  /// on the other side of them now. These go with the scalars, so they are no undo records.
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
    guard let sequence = document.sequence(of: text) else { return }
    let strangers = overlay.shown.filter { mark in
      // What somebody laid over the place since is his.
      let isLater = mark.rank > rankMax && mark.dot.replica != document.open.replica
      return !isLater && !known.contains { $0.contains(mark.dot) }
    }
    let start = document.edge(document.edgeRow(at: range.lowerBound, .left, in: sequence))
    let end = document.edge(document.edgeRow(at: range.upperBound, .right, in: sequence))
    guard !strangers.isEmpty else {
      var isRaised = false
      for (mark, dots) in zip(overlay.wanted, known) where !overlay.shown.contains(where: { dots.contains($0.dot) }) {
        let copy = MarkOperation(start: start, end: end, rank: mark.rank, value: mark.value, replacing: [])
        _ = putBack(copy, named: overlay.name, for: mark.dot, in: text, &isRaised, &document, &patch)
      }
      return
    }
    // A mark spread to where it did not lie: it is hidden, and what did lie there goes on top.
    func cover(_ value: Value) -> Dot? {
      let rank = document.nextRank(in: sequence)
      let mark = MarkOperation(start: start, end: end, rank: rank, value: value, replacing: [])
      return document.put(mark, named: overlay.name, in: text, patch: &patch)
    }
    _ = cover(.null)
    for mark in overlay.wanted {
      if let new = cover(mark.value) { names.addMark(mark.dot, new) }
    }
  }
}

extension Document {
  /// The marks of null that overrule `mark` somewhere, or would if something stood there.
  fileprivate mutating func nulls(above mark: MarkOperation, named name: Key, in sequence: SequenceHandle) -> [MarkRow]
  {
    guard mark.value != .null else { return [] }
    let (start, end) = (row(mark.start), row(mark.end))
    return sequences[sequence].marks.filter { null in
      null.name == name && null.value == .null && null.rank >= mark.rank
        && isBefore(null.start, end, in: sequence) && isBefore(start, null.end, in: sequence)
        && !mark.replacing.contains(dot(null.dot))
    }
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
