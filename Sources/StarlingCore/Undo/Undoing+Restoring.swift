// Writing again what went.

/// Items that went together and come back at one index.
private struct Part {
  var index: Int
  var range: Range<Int>
}

extension Undoing {
  mutating func restore(_ pieces: [Piece], _ document: inout Document, _ patch: inout Patch) {
    for piece in pieces {
      switch piece {
      case .slot(let location, let key, let content):
        guard let object = find(location, &document) else { continue }
        let key = names.key(key)
        // Somebody has written here since.
        guard document.storedEntries(key, in: object).isEmpty else { continue }
        restore(content, key, in: object, replacing: nil, &document, &patch)
      case .elements(let piece): restore(piece, &document, &patch)
      case .text(let piece): restore(piece, &document, &patch)
      }
    }
  }

  /// Puts back what stood in a slot, in place of `mine`. What others had written there is a conflict again; one's own
  /// entry that a reader did not see stays away.
  mutating func restore(
    _ content: SlotContent, _ key: Key, in object: ObjectID, replacing mine: Dot?, _ document: inout Document,
    _ patch: inout Patch
  ) {
    if let count = content.count, !count.isVisible { restore(count, key, in: object, &document, &patch) }
    var replacing = mine.map { [$0] } ?? []
    for (place, entry) in content.entries.enumerated() {
      guard place == content.entries.count - 1 || entry.dot.replica != document.open.replica else { continue }
      let new = document.put(value(entry.value, document), for: key, in: object, replacing: replacing, patch: &patch)
      guard let new else { continue }
      note(entry, cameBackAs: new, in: document)
      replacing = []
    }
    if let count = content.count, count.isVisible { restore(count, key, in: object, &document, &patch) }
  }

  private mutating func restore(
    _ count: SlotContent.Count, _ key: Key, in object: ObjectID, _ document: inout Document, _ patch: inout Patch
  ) {
    if count.total == 0 {
      // A counter of 0 differs from none.
      document.increment(key, in: object, by: 1, patch: &patch)
      document.increment(key, in: object, by: -1, patch: &patch)
    } else {
      document.increment(key, in: object, by: count.total, patch: &patch)
    }
    guard let share = document.share(of: document.open.replica, key, in: object) else { return }
    for birth in count.births where birth != share.birth { names.addEntry(birth, share.birth) }
  }

  private mutating func note(_ entry: Entry, cameBackAs new: Dot, in document: Document) {
    names.addEntry(entry.dot, new)
    if entry.value.isObject { revived[.assigned(by: entry.dot)] = .assigned(by: new) }
    if let moved = entry.value.movedObject, !document.isLive(moved.object) {
      names.addEntry(moved.dot, new)
      revived[moved.object] = .assigned(by: new)
    }
  }

  /// A reference points at what its object came back as. An object that was moved is moved again while it stands, and
  /// comes back as a new one otherwise.
  private func value(_ value: Value, _ document: Document) -> Value {
    if let moved = value.movedObject {
      return document.isLive(moved.object) ? document.movedAgain(moved) : .object(moved.kind)
    }
    return if case .reference(let target) = value { .reference(names.object(target)) } else { value }
  }

  // MARK: Elements

  private mutating func restore(_ piece: ElementsPiece, _ document: inout Document, _ patch: inout Patch) {
    guard let list = find(piece.location, &document) else { return }
    let bounds = bounds(piece.gap, in: list, document)
    var parts: [Part] = []
    for (place, element) in piece.elements.enumerated() {
      let known = document.index(of: Edge(.left, of: element.item), in: list)
      append(place..<place + 1, at: known, from: piece.gap, within: bounds, to: &parts)
    }
    // From the last to the first, so that no index moves before it is used.
    for part in parts.reversed() {
      insert(piece.elements[part.range], at: part.index, in: list, &document, &patch)
    }
  }

  private mutating func insert(
    _ elements: ArraySlice<ElementsPiece.Element>, at index: Int, in list: ObjectID, _ document: inout Document,
    _ patch: inout Patch
  ) {
    let values = elements.map { value($0.content.entries.first?.value ?? .null, document) }
    guard let first = document.insert(values, at: index, in: list, patch: &patch) else { return }
    for (offset, element) in elements.enumerated() {
      let new = Dot(first.replica, first.counter + UInt64(offset))
      names.addItems(DotRun(first: element.name, count: 1), new)
      names.addCandidate(element.item, new)
      guard let least = element.content.entries.first else { continue }
      note(least, cameBackAs: new, in: document)
      var more = element.content
      more.entries.removeFirst()
      // A count that an entry hides could only be written above it.
      if more.count?.isVisible == false { more.count = nil }
      if !more.isEmpty { restore(more, .element(new), in: list, replacing: nil, &document, &patch) }
    }
  }

  // MARK: Texts

  private mutating func restore(_ piece: TextPiece, _ document: inout Document, _ patch: inout Patch) {
    guard let text = find(piece.location, &document) else { return }
    let bounds = bounds(piece.gap, in: text, document)
    var parts: [Part] = []
    var offset = 0
    for run in piece.runs {
      var next = offset
      if let sequence = document.sequence(of: text) {
        document.forEachPart(of: run, in: sequence) { start, count, index, _ in
          if offset + start > next {
            append(next..<offset + start, at: nil, from: piece.gap, within: bounds, to: &parts)
          }
          append(offset + start..<offset + start + count, at: index, from: piece.gap, within: bounds, to: &parts)
          next = offset + start + count
        }
      }
      offset += run.count
      if next < offset { append(next..<offset, at: nil, from: piece.gap, within: bounds, to: &parts) }
    }
    let scalars = Array(piece.text.unicodeScalars)
    for part in parts.reversed() {
      let (index, range) = (part.index, part.range)
      var string = String.UnicodeScalarView()
      string.append(contentsOf: scalars[range])
      let former = document.count(in: text)
      document.insert(String(string), at: index, in: text, patch: &patch)
      guard document.count(in: text) > former else { continue }
      let last = document.open.lastCounter
      note(piece.runs, range, cameBackAs: Dot(document.open.replica, last - UInt64(range.count) + 1))
      restoreMarks(of: piece, range, at: index, in: text, &document, &patch)
    }
  }

  /// Adds a part that is written at `index`, joined to the one before where both go to one place. Parts do not
  /// overtake each other, and stay within the bounds.
  private func append(
    _ range: Range<Int>, at index: Int?, from gap: Gap, within bounds: ClosedRange<Int>,
    to parts: inout [Part]
  ) {
    let index = min(max(index ?? parts.last?.index ?? gap.index, bounds.lowerBound), bounds.upperBound)
    if let last = parts.last, index <= last.index {
      parts[parts.count - 1].range = last.range.lowerBound..<range.upperBound
    } else {
      parts.append(Part(index: index, range: range))
    }
  }

  /// - Parameter range: counts scalars of the runs.
  private mutating func note(_ runs: [DotRun], _ range: Range<Int>, cameBackAs new: Dot) {
    var offset = 0
    for run in runs {
      let part = range.clamped(to: offset..<offset + run.count)
      if !part.isEmpty {
        let former = Dot(run.first.replica, run.first.counter + UInt64(part.lowerBound - offset))
        names.addItems(
          DotRun(first: former, count: part.count),
          Dot(new.replica, new.counter + UInt64(part.lowerBound - range.lowerBound)))
      }
      offset += run.count
    }
  }
}
