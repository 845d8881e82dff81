/// Which leaf of a sequence holds an item: for each replica a step function from counters to leaves.
///
/// ```
/// counters    1 ──────── 40 ─── 57 ──────────── 90 ──►
/// leaf        │    a     │  c   │       a       │  b
/// ```
///
/// A step says where an item stands if it stands anywhere; counters that name no item of the sequence
/// belong to whichever step they lie in. So a stretch of work in one leaf is one step, however many
/// spans it made. Steps lie in pieces of less than 128, so that an insertion moves little, and pieces in blocks of less
/// than 128, so that the first one behind a copy of the document does not count a reference to each piece.
struct DotIndex: Sendable {
  struct Step: Sendable {
    var counter: UInt64
    var leaf: LeafHandle
  }

  struct Steps: Sendable {
    let replica: ReplicaHandle
    /// None of them empty, and no piece.
    var blocks: ContiguousArray<ContiguousArray<Piece>> = []
    /// One past the greatest counter ever assigned.
    var end: UInt64 = 0

    typealias Piece = ContiguousArray<Step>

    var isEmpty: Bool { blocks.isEmpty }
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
    let row = Steps(replica: replica, steps, end: end)
    if !row.isEmpty { rows.append(row) }
  }

  // MARK: Finding

  /// The leaf that holds the item, if there is such an item.
  @inline(__always)
  func leaf(of item: DotRow) -> LeafHandle? {
    guard let row = row(of: item.replica), item.counter < rows[row].end else { return nil }
    return rows[row].step(at: item.counter).map { rows[row][$0].leaf }
  }

  /// One past the greatest counter that an item of the replica ever had here.
  @inline(__always)
  func end(of replica: ReplicaHandle) -> UInt64 {
    row(of: replica).map { rows[$0].end } ?? 0
  }

  /// Where the step after the one that `item` lies in begins.
  func nextStep(after item: DotRow) -> UInt64? {
    guard let row = row(of: item.replica) else { return nil }
    guard let place = rows[row].step(at: item.counter) else { return rows[row].blocks.first?.first?.first?.counter }
    return rows[row].follower(of: place)?.counter
  }

  /// The step that `item` lies in.
  func step(holding item: DotRow) -> (counters: Range<UInt64>, leaf: LeafHandle)? {
    guard let row = row(of: item.replica), let place = rows[row].step(at: item.counter) else { return nil }
    let step = rows[row][place]
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
    if rows[row].isEmpty { rows.remove(at: row) }
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
  typealias StepPlace = (block: Int, piece: Int, slot: Int)

  private static var stepsPerPiece: Int { 128 }
  private static var piecesPerBlock: Int { 128 }

  @inline(__always)
  subscript(place: StepPlace) -> Step { blocks[place.block][place.piece][place.slot] }

  /// The last step that begins at or before `counter`.
  @inline(__always)
  func step(at counter: UInt64) -> StepPlace? {
    guard !blocks.isEmpty else { return nil }
    let block = lastPlace(of: blocks.count, notAbove: counter) { blocks[$0][0][0].counter }
    return blocks[block].withUnsafeBufferPointer { pieces in
      let piece = lastPlace(of: pieces.count, notAbove: counter) { pieces[$0][0].counter }
      return pieces[piece].withUnsafeBufferPointer { steps in
        let slot = lastPlace(of: steps.count, notAbove: counter) { steps[$0].counter }
        return steps[slot].counter <= counter ? (block, piece, slot) : nil
      }
    }
  }

  /// Calls `body` with all steps, ascending.
  func forEach(_ body: (Step) -> Void) {
    for block in blocks { for piece in block { for step in piece { body(step) } } }
  }

  /// The step behind it.
  func follower(of place: StepPlace) -> Step? {
    let (block, piece, slot) = place
    if slot + 1 < blocks[block][piece].count { return blocks[block][piece][slot + 1] }
    if piece + 1 < blocks[block].count { return blocks[block][piece + 1][0] }
    return block + 1 < blocks.count ? blocks[block + 1][0][0] : nil
  }

  /// Lays a step over [first, after); what lies beyond keeps its leaf.
  @inline(__always)
  mutating func assign(from first: UInt64, to after: UInt64, leaf: LeafHandle) {
    // Counters mostly come in ascending order.
    if first >= end, let last = blocks.last?.last?.last {
      end = after
      if last.leaf != leaf { append(Step(counter: first, leaf: leaf)) }
    } else {
      overlay(from: first, to: after, leaf: leaf)
    }
  }

  private mutating func append(_ step: Step) {
    let block = blocks.count - 1
    let piece = blocks[block].count - 1
    blocks[block][piece].append(step)
    splitPiece(block, piece)
  }

  /// Lays out steps that ascend, without those that go on with the one before.
  init(replica: ReplicaHandle, _ steps: some Sequence<Step>, end: UInt64) {
    self.init(replica: replica, end: end)
    var (piece, pieces) = (Piece(), ContiguousArray<Piece>())
    piece.reserveCapacity(Self.stepsPerPiece)
    for step in steps where piece.last?.leaf != step.leaf {
      // As full as those to which one step after the other was appended.
      if piece.count == Self.stepsPerPiece - 1 {
        pieces.append(piece)
        piece.removeAll(keepingCapacity: true)
        if pieces.count == Self.piecesPerBlock - 1 {
          blocks.append(pieces)
          pieces.removeAll()
        }
      }
      piece.append(step)
    }
    guard !piece.isEmpty else { return }
    pieces.append(piece)
    blocks.append(pieces)
  }

  private mutating func overlay(from first: UInt64, to after: UInt64, leaf: LeafHandle) {
    if let place = step(at: first), follower(of: place).map({ $0.counter >= after }) ?? true {
      return cut(place, from: first, to: after, leaf: leaf)
    }
    // What follows, if anything does, must know where it stands.
    if after < end, let rest = step(at: after) {
      let step = self[rest]
      if step.counter < after, step.leaf != leaf { insert(Step(counter: after, leaf: step.leaf)) }
    }
    while let inside = step(at: after &- 1), self[inside].counter >= first { remove(inside) }
    end = max(end, after)
    if let before = step(at: first), self[before].leaf == leaf { return }
    insert(Step(counter: first, leaf: leaf))
  }

  /// Lays a step over a part of one other.
  private mutating func cut(_ place: StepPlace, from first: UInt64, to after: UInt64, leaf: LeafHandle) {
    let (block, piece, slot) = place
    let former = self[place]
    guard former.leaf != leaf else { return end = max(end, after) }
    let next = follower(of: place)
    let isNextBeside = slot + 1 < blocks[block][piece].count
    let hasRest = after < end && next?.counter != after
    end = max(end, after)
    if former.counter == first {
      blocks[block][piece][slot].leaf = leaf
      if hasRest { return insert(Step(counter: after, leaf: former.leaf), after: place) }
      if isNextBeside, next?.leaf == leaf { blocks[block][piece].remove(at: slot + 1) }
      if slot > 0, blocks[block][piece][slot - 1].leaf == leaf { blocks[block][piece].remove(at: slot) }
      joinIfSmall(block, piece)
    } else if !hasRest, next?.leaf == leaf, isNextBeside {
      blocks[block][piece][slot + 1].counter = first
    } else if hasRest {
      insert(Step(counter: after, leaf: former.leaf), after: place)
      // Looked for again, as a split may have moved the former step.
      insert(Step(counter: first, leaf: leaf))
    } else {
      insert(Step(counter: first, leaf: leaf), after: place)
    }
  }

  private mutating func insert(_ step: Step, after place: StepPlace) {
    blocks[place.block][place.piece].insert(step, at: place.slot + 1)
    splitPiece(place.block, place.piece)
  }

  private mutating func insert(_ step: Step) {
    if let place = self.step(at: step.counter) { return insert(step, after: place) }
    if blocks.isEmpty { return blocks.append([[step]]) }
    blocks[0][0].insert(step, at: 0)
    splitPiece(0, 0)
  }

  private mutating func splitPiece(_ block: Int, _ piece: Int) {
    let count = blocks[block][piece].count
    guard count >= Self.stepsPerPiece else { return }
    // Counters mostly come in ascending order: then the full piece stays full.
    let isLast = block == blocks.count - 1 && piece == blocks[block].count - 1
    let kept = isLast ? count - 1 : count / 2
    let moved = ContiguousArray(blocks[block][piece][kept...])
    blocks[block][piece].removeSubrange(kept...)
    blocks[block].insert(moved, at: piece + 1)
    splitBlock(block)
  }

  private mutating func splitBlock(_ block: Int) {
    let count = blocks[block].count
    guard count >= Self.piecesPerBlock else { return }
    let kept = block == blocks.count - 1 ? count - 1 : count / 2
    let moved = ContiguousArray(blocks[block][kept...])
    blocks[block].removeSubrange(kept...)
    blocks.insert(moved, at: block + 1)
  }

  mutating func remove(_ place: StepPlace) {
    let (block, piece, slot) = place
    blocks[block][piece].remove(at: slot)
    guard blocks[block][piece].isEmpty else { return joinIfSmall(block, piece) }
    blocks[block].remove(at: piece)
    if blocks[block].isEmpty { blocks.remove(at: block) } else { joinIfSmall(block) }
  }

  /// Joins a piece that has become small with one beside it: what was written long ago thins out, and a piece keeps
  /// its memory however few steps it has.
  private mutating func joinIfSmall(_ block: Int, _ piece: Int) {
    guard blocks[block].count > 1 else { return joinIfSmall(block) }
    guard blocks[block][piece].count < Self.stepsPerPiece / 4 else { return }
    if joinWithNext(block, piece) || piece > 0 && joinWithNext(block, piece - 1) { joinIfSmall(block) }
  }

  /// - Returns: Whether there is a next piece in the block, and both together are not so large that a few steps more would
  ///   split them.
  private mutating func joinWithNext(_ block: Int, _ piece: Int) -> Bool {
    guard piece + 1 < blocks[block].count,
      blocks[block][piece].count + blocks[block][piece + 1].count < Self.stepsPerPiece / 2
    else { return false }
    let next = blocks[block].remove(at: piece + 1)
    blocks[block][piece] = blocks[block][piece] + next
    return true
  }

  /// The same of a block.
  private mutating func joinIfSmall(_ block: Int) {
    guard blocks.count > 1, blocks[block].count < Self.piecesPerBlock / 4 else { return }
    if !joinBlockWithNext(block), block > 0 { _ = joinBlockWithNext(block - 1) }
  }

  private mutating func joinBlockWithNext(_ block: Int) -> Bool {
    guard block + 1 < blocks.count, blocks[block].count + blocks[block + 1].count < Self.piecesPerBlock / 2 else {
      return false
    }
    let next = blocks.remove(at: block + 1)
    let lastPiece = blocks[block].count - 1
    blocks[block] += next
    // Two small pieces may lie side by side now.
    _ = joinWithNext(block, lastPiece)
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
