import StarlingTestSupport
import Testing

@testable import StarlingCore

/// Somebody who alone inserts beside any item and removes any counters, also such as no editor would: the tree that
/// every edit was played into, and the same edits for all at once.
private struct DrawnTyping {
  private var generator: Dice
  private let replica = ReplicaHandle(rawValue: 3)
  private let firstCounter: UInt64
  private var counter: UInt64
  private var items: [UInt64] = []
  private(set) var tree = SequenceTree(holdsText: true)
  private(set) var typing: Typing
  private(set) var text = ""

  init(seed: UInt64, from firstCounter: UInt64) {
    generator = Dice(seed: seed)
    self.firstCounter = firstCounter
    counter = firstCounter
    typing = Typing(by: replica, from: firstCounter, insertionCount: 0, removalCount: 0)
  }

  private mutating func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func insert(_ string: String) {
    // Often behind the latest item, or beside one that has others beside it already.
    let parents = [items.last, items.first, items.isEmpty ? nil : items[pick(0..<items.count)], nil]
    let parent = parents[pick(0..<4)] ?? 0
    let side: Side = parent == 0 || pick(0..<2) == 0 ? .right : .left
    let count = string.unicodeScalars.count
    let place = Place(parent: parent == 0 ? .start : DotRow(replica: replica, counter: parent), side: side)
    tree.insert(ItemRun(first: DotRow(replica: replica, counter: counter), count: count), at: place, string: string)
    typing.insert(counter, count: count, side, of: parent, utf8: text.utf8.count)
    text += string
    items += counter..<counter + UInt64(count)
    counter += UInt64(count)
  }

  mutating func remove() {
    let first = firstCounter - 1 + UInt64(pick(0..<Int(counter - firstCounter)))
    let count = min(Int(counter - first), pick(1..<[3, 40][pick(0..<2)]))
    tree.remove(ItemRun(first: DotRow(replica: replica, counter: first), count: count))
    _ = typing.remove(from: first, count: count)
    counter += 1
  }

  mutating func draw(_ count: Int, from alphabet: [String]) {
    for _ in 0..<count {
      if !items.isEmpty, pick(0..<3) == 0 {
        remove()
      } else {
        var string = ""
        for _ in 0..<(pick(0..<3) == 0 ? pick(1..<20) : 1) { string += alphabet[pick(0..<alphabet.count)] }
        insert(string)
      }
    }
  }

  /// Whether all at once has the outcome of one edit after another.
  var agrees: Bool {
    let whole = SequenceTree(typing, text: Scalars(text))
    whole.checkInvariants()
    return listing(of: whole) == listing(of: tree)
  }

  private func listing(of tree: SequenceTree) -> [Listed] {
    var listing: [Listed] = []
    tree.forEachRun { run, text in listing.append(Listed(run: run, text: Array(text))) }
    return listing
  }

  private struct Listed: Equatable {
    let run: StoredRun
    let text: [UInt8]
  }
}

@Suite struct `What one typed into an empty text` {
  @Test(arguments: 0..<200) func `stands as its edits leave it`(seed: Int) {
    var drawn = DrawnTyping(seed: UInt64(seed), from: seed.isMultiple(of: 2) ? 1 : 1000)
    for _ in 0..<30 {
      drawn.draw(1 + seed % 12, from: seed % 3 == 0 ? ["a", "ß", "🪶"] : ["a", "b"])
      #expect(drawn.agrees, "seed \(seed)")
    }
  }

  @Test func `may be longer than a leaf holds`() {
    var drawn = DrawnTyping(seed: 7, from: 1)
    for string in ["a", "ß", "🪶"] {
      drawn.insert(String(repeating: string, count: 9000))
      drawn.draw(50, from: [string])
      #expect(drawn.agrees)
    }
  }

  @Test func `may be nothing but gone`() {
    var drawn = DrawnTyping(seed: 9, from: 5)
    drawn.insert("gone")
    while drawn.tree.count > 0 { drawn.remove() }
    #expect(drawn.agrees)
  }
}
