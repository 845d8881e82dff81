/// Which leaf of a sequence holds an item: for each replica a step function from counters to leaves.
///
/// ```
/// counters    1 ──────── 40 ─── 57 ──────────── 90 ──►
/// leaf        │    a     │  c   │       a       │  b
/// ```
///
/// A step says where an item stands if it stands anywhere; counters that name no item of the sequence
/// belong to whichever step they lie in. So a stretch of work in one leaf is one step, however many
/// spans it made. Steps lie in pieces of less than 128, so that an insertion moves little.
struct DotIndex: Sendable {
  struct Step: Sendable {
    var counter: UInt64
    var leaf: LeafHandle
  }

  struct Steps: Sendable {
    let replica: ReplicaHandle
    /// None of them empty.
    var pieces: ContiguousArray<ContiguousArray<Step>> = []
    /// One past the greatest counter ever assigned.
    var end: UInt64 = 0
  }

  /// Ascending by handle.
  private(set) var rows: ContiguousArray<Steps> = []

  init() {}

  /// - Parameter steps: Ascending; the last one ends before the counter `end`.
  init(of replica: ReplicaHandle, _ steps: some Sequence<Step>, end: UInt64) {
    append(of: replica, steps, end: end)
  }

  /// Adds the steps of a replica whose handle is greater than those that are here.
  mutating func append(of replica: ReplicaHandle, _ steps: some Sequence<Step>, end: UInt64) {
    var row = Steps(replica: replica, end: end)
    for step in steps { row.appendIfElsewhere(step) }
    if !row.pieces.isEmpty { rows.append(row) }
  }

  // MARK: Finding

  /// The leaf that holds the item, if there is such an item.
  @inline(__always)
  func leaf(of item: DotRow) -> LeafHandle? {
    guard let row = row(of: item.replica), item.counter < rows[row].end else { return nil }
    return rows[row].step(at: item.counter).map { rows[row].pieces[$0.piece][$0.slot].leaf }
  }

  /// One past the greatest counter that an item of the replica ever had here.
  @inline(__always)
  func end(of replica: ReplicaHandle) -> UInt64 {
    row(of: replica).map { rows[$0].end } ?? 0
  }

  /// Where the step after the one that `item` lies in begins.
  func nextStep(after item: DotRow) -> UInt64? {
    guard let row = row(of: item.replica) else { return nil }
    let steps = rows[row]
    guard let place = steps.step(at: item.counter) else { return steps.pieces.first?.first?.counter }
    if place.slot + 1 < steps.pieces[place.piece].count { return steps.pieces[place.piece][place.slot + 1].counter }
    return place.piece + 1 < steps.pieces.count ? steps.pieces[place.piece + 1][0].counter : nil
  }

  /// The step that `item` lies in.
  func step(holding item: DotRow) -> (counters: Range<UInt64>, leaf: LeafHandle)? {
    guard let row = row(of: item.replica), let place = rows[row].step(at: item.counter) else { return nil }
    let step = rows[row].pieces[place.piece][place.slot]
    return (step.counter..<(nextStep(after: item) ?? .max), step.leaf)
  }

  // MARK: Changing

  /// The items from `first` on now stand in `leaf`.
  mutating func assign(_ first: DotRow, count: Int, to leaf: LeafHandle) {
    let row = row(of: first.replica) ?? addRow(first.replica)
    rows[row].assign(from: first.counter, to: first.counter &+ UInt64(count), leaf: leaf)
  }

  /// Forgets the step that begins at or before `item`; no item stands in it any more.
  mutating func removeStep(at item: DotRow) {
    guard let row = row(of: item.replica), let place = rows[row].step(at: item.counter) else { return }
    rows[row].remove(place)
    // `end` may be forgotten with the last step, since no item is left.
    if rows[row].pieces.isEmpty { rows.remove(at: row) }
  }

  @inline(__always)
  private func row(of replica: ReplicaHandle) -> Int? {
    let place = rows.partitioningIndex { $0.replica.rawValue >= replica.rawValue }
    return place < rows.count && rows[place].replica == replica ? place : nil
  }

  private mutating func addRow(_ replica: ReplicaHandle) -> Int {
    let place = rows.firstIndex { $0.replica.rawValue > replica.rawValue } ?? rows.count
    rows.insert(Steps(replica: replica), at: place)
    return place
  }
}

extension DotIndex.Steps {
  typealias Step = DotIndex.Step
  typealias StepPlace = (piece: Int, slot: Int)

  private static var stepsPerPiece: Int { 128 }

  /// The last step that begins at or before `counter`.
  @inline(__always)
  func step(at counter: UInt64) -> StepPlace? {
    guard !pieces.isEmpty else { return nil }
    let piece = lastPlace(of: pieces.count, notAbove: counter) { pieces[$0][0].counter }
    return pieces[piece].withUnsafeBufferPointer { steps in
      let slot = lastPlace(of: steps.count, notAbove: counter) { steps[$0].counter }
      return steps[slot].counter <= counter ? (piece, slot) : nil
    }
  }

  /// Lays a step over [first, after); what lies beyond keeps its leaf.
  @inline(__always)
  mutating func assign(from first: UInt64, to after: UInt64, leaf: LeafHandle) {
    // Counters mostly come in ascending order.
    if first >= end, let last = pieces.last?.last {
      end = after
      if last.leaf != leaf { append(Step(counter: first, leaf: leaf)) }
    } else {
      overlay(from: first, to: after, leaf: leaf)
    }
  }

  private mutating func append(_ step: Step) {
    pieces[pieces.count - 1].append(step)
    splitPiece(pieces.count - 1)
  }

  /// Appends the step unless it goes on with the last one.
  mutating func appendIfElsewhere(_ step: Step) {
    guard let last = pieces.last?.last else { return pieces.append([step]) }
    if last.leaf != step.leaf { append(step) }
  }

  private mutating func overlay(from first: UInt64, to after: UInt64, leaf: LeafHandle) {
    if let place = step(at: first), follower(of: place).map({ $0.counter >= after }) ?? true {
      return cut(place, from: first, to: after, leaf: leaf)
    }
    // What follows, if anything does, must know where it stands.
    if after < end, let rest = step(at: after) {
      let step = pieces[rest.piece][rest.slot]
      if step.counter < after, step.leaf != leaf { insert(Step(counter: after, leaf: step.leaf)) }
    }
    while let inside = step(at: after &- 1), pieces[inside.piece][inside.slot].counter >= first {
      remove(inside)
    }
    end = max(end, after)
    if let before = step(at: first), pieces[before.piece][before.slot].leaf == leaf { return }
    insert(Step(counter: first, leaf: leaf))
  }

  /// Lays a step over a part of one other.
  private mutating func cut(_ place: StepPlace, from first: UInt64, to after: UInt64, leaf: LeafHandle) {
    let former = pieces[place.piece][place.slot]
    guard former.leaf != leaf else { return end = max(end, after) }
    let next = follower(of: place)
    let hasRest = after < end && next?.counter != after
    end = max(end, after)
    if former.counter == first {
      pieces[place.piece][place.slot].leaf = leaf
      if hasRest { return insert(Step(counter: after, leaf: former.leaf), after: place) }
      if place.slot + 1 < pieces[place.piece].count, next?.leaf == leaf {
        pieces[place.piece].remove(at: place.slot + 1)
      }
      if place.slot > 0, pieces[place.piece][place.slot - 1].leaf == leaf { pieces[place.piece].remove(at: place.slot) }
      joinIfSmall(place.piece)
    } else if !hasRest, next?.leaf == leaf, place.slot + 1 < pieces[place.piece].count {
      pieces[place.piece][place.slot + 1].counter = first
    } else {
      if hasRest { insert(Step(counter: after, leaf: former.leaf), after: place) }
      insert(Step(counter: first, leaf: leaf), after: place)
    }
  }

  private func follower(of place: StepPlace) -> Step? {
    if place.slot + 1 < pieces[place.piece].count { return pieces[place.piece][place.slot + 1] }
    return place.piece + 1 < pieces.count ? pieces[place.piece + 1][0] : nil
  }

  private mutating func insert(_ step: Step, after place: StepPlace) {
    // A split of its piece may have moved the former step.
    var (piece, slot) = place
    while slot >= pieces[piece].count { (piece, slot) = (piece + 1, slot - pieces[piece].count) }
    pieces[piece].insert(step, at: slot + 1)
    splitPiece(piece)
  }

  private mutating func insert(_ step: Step) {
    guard let place = self.step(at: step.counter) else {
      if pieces.isEmpty { pieces.append([step]) } else { pieces[0].insert(step, at: 0) }
      return splitPiece(0)
    }
    pieces[place.piece].insert(step, at: place.slot + 1)
    splitPiece(place.piece)
  }

  private mutating func splitPiece(_ piece: Int) {
    let count = pieces[piece].count
    guard count >= Self.stepsPerPiece else { return }
    // Counters mostly come in ascending order: then the full piece stays full.
    let kept = piece == pieces.count - 1 ? count - 1 : count / 2
    let moved = ContiguousArray(pieces[piece][kept...])
    pieces[piece].removeSubrange(kept...)
    pieces.insert(moved, at: piece + 1)
  }

  mutating func remove(_ place: StepPlace) {
    pieces[place.piece].remove(at: place.slot)
    if pieces[place.piece].isEmpty { pieces.remove(at: place.piece) } else { joinIfSmall(place.piece) }
  }

  /// Joins a piece that has become small with one beside it: what was written long ago thins out, and a piece keeps
  /// its memory however few steps it has.
  private mutating func joinIfSmall(_ piece: Int) {
    guard pieces.count > 1, pieces[piece].count < Self.stepsPerPiece / 4 else { return }
    if !joinWithNext(piece), piece > 0 { _ = joinWithNext(piece - 1) }
  }

  /// - Returns: Whether there is a next piece, and both together are not so large that a few steps more would split
  ///   them.
  private mutating func joinWithNext(_ piece: Int) -> Bool {
    guard piece + 1 < pieces.count, pieces[piece].count + pieces[piece + 1].count < Self.stepsPerPiece / 2 else {
      return false
    }
    pieces[piece] = pieces[piece] + pieces[piece + 1]
    pieces.remove(at: piece + 1)
    return true
  }
}

/// The last of some ascending keys that is at most `key`; the first, if none is.
///
/// Which half to go on with is chosen without a branch, which would be guessed wrong every other time.
@inline(__always)
func lastPlace(of count: Int, notAbove key: UInt64, _ keyAt: (Int) -> UInt64) -> Int {
  var (place, left) = (0, count)
  while left > 1 {
    let half = left / 2
    place = keyAt(place &+ half) <= key ? place &+ half : place
    left &-= half
  }
  return place
}
