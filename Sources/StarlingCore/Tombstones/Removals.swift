/// Removals in the order in which they were noted, in pieces of 256, and those in blocks of as many.
///
/// ```
/// first ──►  [[ taken | 254 ][ 256 ] … [ 256 ]]  [[ 256 ] … ]  [[ 256 ][ 256 ]]  [ 17 ]  ◄── the next is noted here
///                          blocks                             pieces of the next   latest
/// ```
///
/// A copy shares all but the latest piece, and the pieces of the block that is filled: whoever holds the document as it
/// stood costs the next removal no more than those, however many removals there are.
struct Removals: Sendable {
  /// Those that lie in a store, before all others.
  private var stored: StoredRemovals?
  private var pieces = Pieces()
  private var latest: ContiguousArray<Removal> = []
  /// How many of the first piece were taken: never all.
  private var takenCount = 0

  private static var pieceCountMax: Int { 256 }

  init() {}

  init(_ stored: StoredRemovals) { self.stored = stored }

  var isEmpty: Bool { latest.isEmpty && stored == nil }

  var last: Removal? { latest.last }

  /// The items that went.
  var runs: ContiguousArray<ItemRun> {
    var runs: ContiguousArray<ItemRun> = []
    pieces.forEach { for removal in $0 { runs.append(removal.run) } }
    for removal in latest { runs.append(removal.run) }
    runs.removeFirst(takenCount)
    guard var stored else { return runs }
    var all: ContiguousArray<ItemRun> = []
    while let removal = stored.popFirst() { all.append(removal.run) }
    return all + runs
  }

  /// - Complexity: O(1); behind a copy, O(removals / 65,536) for one of 65,536.
  mutating func append(_ removal: Removal) {
    if latest.count == Self.pieceCountMax {
      pieces.append(latest)
      latest = []
    }
    latest.append(removal)
  }

  /// Those of `other` follow.
  mutating func append(_ other: Removals) {
    if isEmpty { return self = other }
    var other = other
    while let removal = other.popFirst() { append(removal) }
  }

  /// Lets the last one take so many items more.
  mutating func extendLast(by count: Int) {
    latest[latest.count - 1].run.count += count
  }

  mutating func popFirst() -> Removal? {
    if let removal = stored?.popFirst() { return removal }
    stored = nil
    if let first = pieces.first {
      let removal = first[takenCount]
      takenCount += 1
      if takenCount == first.count {
        pieces.removeFirst()
        takenCount = 0
      }
      return removal
    }
    guard takenCount < latest.count else { return nil }
    let removal = latest[takenCount]
    takenCount += 1
    if takenCount == latest.count { (latest, takenCount) = ([], 0) }
    return removal
  }

  /// The dead items of a text that was opened from a store, which whoever has merged its state knows to be removed.
  struct StoredRemovals: Sendable {
    private let leaves: StoredLeaves
    private let version: VersionVector
    /// The leaf that is read next.
    private var next = 0
    /// What is left of the one before, the last one first.
    private var read: ContiguousArray<Removal> = []

    init(of leaves: StoredLeaves, by version: VersionVector) {
      self.leaves = leaves
      self.version = version
    }

    mutating func popFirst() -> Removal? {
      while read.isEmpty {
        guard next < leaves.count else { return nil }
        for span in leaves.spans(ofLeaf: next).reversed() where !span.isLive {
          read.append(Removal(run: ItemRun(first: span.first, count: span.length), cause: .state(version)))
        }
        next += 1
      }
      return read.popLast()
    }
  }

  /// Full pieces.
  private struct Pieces: Sendable {
    typealias Piece = ContiguousArray<Removal>

    /// None of them is empty.
    private var blocks: ContiguousArray<ContiguousArray<Piece>.SubSequence>.SubSequence = []
    /// Those behind all blocks.
    private var rest: ContiguousArray<Piece>.SubSequence = []

    var first: Piece? { blocks.first?.first ?? rest.first }

    func forEach(_ body: (Piece) -> Void) {
      for block in blocks { block.forEach(body) }
      rest.forEach(body)
    }

    mutating func append(_ piece: Piece) {
      rest.append(piece)
      guard rest.count == Removals.pieceCountMax else { return }
      blocks.append(rest)
      rest = []
    }

    mutating func removeFirst() {
      guard let block = blocks.indices.first else {
        rest.removeFirst()
        // A slice keeps the memory of what was taken from it.
        if rest.isEmpty { rest = [] }
        return
      }
      blocks[block].removeFirst()
      guard blocks[block].isEmpty else { return }
      blocks.removeFirst()
      if blocks.isEmpty { blocks = [] }
    }
  }
}
