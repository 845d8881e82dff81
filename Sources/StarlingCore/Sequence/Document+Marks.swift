// Properties of ranges of texts (Protocol/merge.md, "Texts").

/// A maximal range of a text over which a property has one value.
public struct MarkedRange: Hashable, Sendable {
  /// Counts Unicode scalars.
  public var range: Range<Int>
  public var name: Key
  /// Never null.
  public var value: Value

  public init(range: Range<Int>, name: Key, value: Value) {
    self.range = range
    self.name = name
    self.value = value
  }
}

extension Document {
  // MARK: Applying

  mutating func applyMark(_ mark: MarkOperation, name: Key, _ step: Step, patch: inout Patch) {
    let sequence = makeSequence(of: step.object)
    let (start, end) = (row(mark.start), row(mark.end))
    guard isKnown(start.item, in: sequence), isKnown(end.item, in: sequence) else { return }
    if !mark.replacing.isEmpty {
      let replaced = Set(mark.replacing)
      dropMarks(of: sequence, patch: &patch) { $0.name == name && replaced.contains($1) }
    }
    add(
      MarkRow(dot: step.dot, name: name, start: start, end: end, rank: mark.rank, value: mark.value), to: sequence,
      patch: &patch)
  }

  mutating func add(_ mark: MarkRow, to sequence: SequenceHandle, patch: inout Patch) {
    let place = sequences[sequence].marks.partitioningIndex { !isLess($0, mark) }
    sequences[sequence].marks.insert(mark, at: place)
    if sequences[sequence].marks.count == 1 { countMarked(sequences[sequence].object, came: true) }
    record(mark, of: sequence, patch: &patch)
  }

  /// Puts these in place of all marks of the text, ascending.
  mutating func setMarks(_ marks: ContiguousArray<MarkRow>, of sequence: SequenceHandle) {
    let hadNone = sequences[sequence].marks.isEmpty
    sequences[sequence].marks = marks
    if hadNone != marks.isEmpty { countMarked(sequences[sequence].object, came: hadNone) }
  }

  /// The text came to hold marks, or holds none any more: so may, in turn, the objects that it stands in.
  private mutating func countMarked(_ text: ObjectHandle, came: Bool) {
    var object = text
    while true {
      let former = objects[object].markedCount
      if came { objects[object].markedCount += 1 } else { objects[object].markedCount -= 1 }
      guard former == (came ? 0 : 1), objects[object].isDerived else { return }
      let slot = slots[objects[object].slot]
      if case .element = keys[slot.key] { return }
      object = slot.object
    }
  }

  mutating func dropMarks(of sequence: SequenceHandle, patch: inout Patch, where isDoomed: (MarkRow, Dot) -> Bool) {
    var kept: ContiguousArray<MarkRow> = []
    for mark in sequences[sequence].marks {
      if isDoomed(mark, dot(mark.dot)) { record(mark, of: sequence, patch: &patch) } else { kept.append(mark) }
    }
    if kept.count != sequences[sequence].marks.count { setMarks(kept, of: sequence) }
  }

  private func record(_ mark: MarkRow, of sequence: SequenceHandle, patch: inout Patch) {
    let range = visibleRange(of: mark, in: sequence)
    if !range.isEmpty {
      patch.record(.mark(at: range.lowerBound, count: range.count), in: objects[sequences[sequence].object].id)
    }
  }

  /// The order of the marks of a text: of one name, the later one overrules.
  func isLess(_ left: MarkRow, _ right: MarkRow) -> Bool {
    if left.name != right.name { return left.name < right.name }
    return (left.rank, dot(left.dot)) < (right.rank, dot(right.dot))
  }

  /// The rank of a new mark: above all that its writer has seen, also above those that were forgotten since.
  func nextRank(in sequence: SequenceHandle) -> UInt64 {
    let greatest = sequences[sequence].marks.reduce(0) { max($0, $1.rank) }
    let written = open.lastCounter - version[open.replica]
    return max(greatest, version.operationCount.addingOrGreatest(written)).addingOrGreatest(1)
  }

  /// Remembers how marks ranked that are forgotten though nobody took them away.
  mutating func noteForgotten(_ mark: MarkRow) {
    if mark.value == .null { forgottenRankMax = max(forgottenRankMax, mark.rank) }
  }

  // MARK: Edges

  /// How many live items stand before the edge, whose item must be known.
  func index(of edge: EdgeRow, in sequence: SequenceHandle) -> Int {
    let tree = sequences[sequence].tree
    if edge.item == .start { return edge.side == .right ? 0 : tree.count }
    guard let index = tree.index(of: edge.item) else {
      preconditionFailure("The edge \(name(of: edge.item)) is no item of the text.")
    }
    return edge.side == .right && tree.liveness(of: edge.item) == true ? index + 1 : index
  }

  /// Whether `left` stands before `right`; the items of both must be known.
  func isBefore(_ left: EdgeRow, _ right: EdgeRow, in sequence: SequenceHandle) -> Bool {
    if left == right { return false }
    if left == .start || right == .end { return true }
    if left == .end || right == .start { return false }
    if left.item == right.item { return left.side == .left }
    return sequences[sequence].tree.isBefore(left.item, right.item) ?? false
  }

  /// The visible indices that the mark covers.
  func visibleRange(of mark: MarkRow, in sequence: SequenceHandle) -> Range<Int> {
    let (start, end) = (index(of: mark.start, in: sequence), index(of: mark.end, in: sequence))
    // The edges of a malformed mark may stand the other way round.
    return start..<max(start, end)
  }

  // MARK: What they come to

  /// The properties of the text, each over maximal ranges, by where they begin and then by name.
  ///
  /// - Complexity: O(m log m + m log n) for *m* marks in a text of *n* scalars.
  public func marks(in text: ObjectID) -> [MarkedRange] {
    guard let sequence = sequence(of: text) else { return [] }
    let marks = sequences[sequence].marks
    var found: [MarkedRange] = []
    var first = 0
    while first < marks.count {
      var next = first + 1
      while next < marks.count, marks[next].name == marks[first].name { next += 1 }
      found += resolve(marks[first..<next], in: sequence)
      first = next
    }
    return found.sorted {
      ($0.range.lowerBound, $0.name) < ($1.range.lowerBound, $1.name)
    }
  }

  /// Whether the text has marks, visible or not. Mutating, as what is not is handed a copy of the document.
  package mutating func holdsMarks(in text: ObjectID) -> Bool {
    guard let object = objects.locate(text), objects[object].kind == .text else { return false }
    return objects[object].markedCount > 0
  }

  /// What marks of one name, the lesser ones first, come to.
  func resolve(_ marks: some BidirectionalCollection<MarkRow>, in sequence: SequenceHandle) -> [MarkedRange] {
    let covering = marks.map { (mark: $0, range: visibleRange(of: $0, in: sequence)) }.filter { !$0.range.isEmpty }
    let borders = Set(covering.flatMap { [$0.range.lowerBound, $0.range.upperBound] }).sorted()
    guard borders.count > 1 else { return [] }
    var segments: [Int: Int] = [:]
    for (segment, border) in borders.enumerated() { segments[border] = segment }
    // From the greatest mark down, each takes the segments that are still free; `free[i]` leads to the next such one.
    var free = Array(0...borders.count)
    var values: [Value?] = Array(repeating: nil, count: borders.count)
    func nextFree(_ segment: Int) -> Int {
      var segment = segment
      while free[segment] != segment {
        free[segment] = free[free[segment]]
        segment = free[segment]
      }
      return segment
    }
    for (mark, range) in covering.reversed() {
      var segment = nextFree(segments[range.lowerBound]!)
      while segment < segments[range.upperBound]! {
        values[segment] = mark.value
        free[segment] = segment + 1
        segment = nextFree(segment)
      }
    }
    var found: [MarkedRange] = []
    for (segment, value) in values.dropLast().enumerated() {
      guard let value, value != .null else { continue }
      let range = borders[segment]..<borders[segment + 1]
      if let last = found.last, last.range.upperBound == range.lowerBound, last.value == value {
        found[found.count - 1].range = last.range.lowerBound..<range.upperBound
      } else {
        found.append(MarkedRange(range: range, name: marks.first!.name, value: value))
      }
    }
    return found
  }

  /// The marks of the name, the lesser ones first.
  func marks(named name: Key, of sequence: SequenceHandle) -> [MarkRow] {
    sequences[sequence].marks.filter { $0.name == name }
  }
}
