/// Removals in the order in which they were noted, in pieces.
///
/// ```
/// first ──►  [ taken | 254 ]  [ 256 ]  [ 256 ]  [ 17 ]  ◄── the next is noted here
/// ```
///
/// A copy shares all pieces but the last one: whoever holds the document as it stood costs the next removal no more
/// than a piece, however many there are.
struct Removals: Sendable {
  /// None of them is empty.
  private var pieces: ContiguousArray<ContiguousArray<Removal>>.SubSequence = []
  /// How many of the first piece were taken: never all.
  private var takenCount = 0

  private static var pieceCountMax: Int { 256 }

  init() {}

  var isEmpty: Bool { pieces.isEmpty }

  var last: Removal? { pieces.last?.last }

  /// The items that went.
  var runs: ContiguousArray<ItemRun> {
    ContiguousArray(ContiguousArray(pieces.joined()).dropFirst(takenCount).map(\.run))
  }

  /// - Complexity: O(1); behind a copy, O(removals / 256) for one of 256.
  mutating func append(_ removal: Removal) {
    if let last = pieces.indices.last, pieces[last].count < Self.pieceCountMax {
      pieces[last].append(removal)
    } else {
      pieces.append([removal])
    }
  }

  /// Those of `other` follow.
  mutating func append(_ other: Removals) {
    if isEmpty { return self = other }
    var other = other
    while let removal = other.popFirst() { append(removal) }
  }

  /// Lets the last one take so many items more.
  mutating func extendLast(by count: Int) {
    let piece = pieces.endIndex - 1
    pieces[piece][pieces[piece].count - 1].run.count += count
  }

  mutating func popFirst() -> Removal? {
    guard let first = pieces.first else { return nil }
    let removal = first[takenCount]
    takenCount += 1
    if takenCount == first.count {
      pieces.removeFirst()
      takenCount = 0
      if pieces.isEmpty { pieces = [] }
    }
    return removal
  }
}
