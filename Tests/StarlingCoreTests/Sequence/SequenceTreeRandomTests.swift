import StarlingTestSupport
import Testing

@testable import StarlingCore

/// Three writers that edit one sequence at random and hear of each other at random, with forks and purges,
/// each beside a reference.
private struct RandomSequences {
  var generator: Dice
  var writers: [Writer]
  var references: [ReferenceSequence]
  var log: [(writer: Int, edit: SequenceTreeEdit)] = []
  /// How much of the log each has heard; each hears it in its order, so causality holds.
  var heard: [Int]
  private let alphabet: [String]

  init(seed: UInt64, writers count: Int, alphabet: [String]) {
    generator = Dice(seed: seed)
    writers = (0..<count).map { Writer(UInt32($0)) }
    references = Array(repeating: ReferenceSequence(), count: count)
    heard = Array(repeating: 0, count: count)
    self.alphabet = alphabet
  }

  mutating func pick(_ range: Range<Int>) -> Int { Int.random(in: range, using: &generator) }

  mutating func write() {
    let writer = pick(0..<writers.count)
    let count = writers[writer].tree.count
    // Often where the last edit was, at the start, or at the end.
    let index = [0, count, min(count, count / 2 + pick(0..<3)), pick(0..<count + 1)][pick(0..<4)]
    let edit: SequenceTreeEdit
    if count > 0, pick(0..<5) < 2 {
      let start = min(index, count - 1)
      let length = pick(0..<8) == 0 ? pick(1..<count - start + 1) : 1
      edit = writers[writer].erase(start..<min(count, start + length))
    } else {
      var string = ""
      for _ in 0..<(pick(0..<4) == 0 ? pick(1..<12) : 1) { string += alphabet[pick(0..<alphabet.count)] }
      edit = writers[writer].write(string, at: index)
    }
    references[writer].apply(edit)
    // What the writer had not heard of, others may hear after its edit: then it has heard it all.
    log.append((writer, edit))
  }

  mutating func hear() {
    let writer = pick(0..<writers.count)
    let end = min(log.count, heard[writer] + pick(1..<20))
    hear(writer, upTo: end)
  }

  mutating func hear(_ writer: Int, upTo end: Int) {
    for step in log[heard[writer]..<end] where step.writer != writer {
      writers[writer].tree.apply(step.edit)
      references[writer].apply(step.edit)
    }
    heard[writer] = max(heard[writer], end)
  }

  mutating func settle() {
    for writer in writers.indices { hear(writer, upTo: log.count) }
    for writer in writers.indices { references[writer].settle() }
  }

  /// Purges what all have heard to be dead, at all alike.
  mutating func purge() {
    settle()
    let dead = references[0].order.filter { !references[0].items[$0]!.isLive && pick(0..<3) > 0 }
    let kept = dead.filter { _ in pick(0..<10) == 0 }
    for writer in writers.indices {
      for item in dead.reversed() {
        let purged = writers[writer].tree.purge(ItemRun(item)) { kept.contains($0) }
        #expect((purged == 1) == (!kept.contains(item) && references[writer].purge(item)))
      }
      references[writer].settle()
    }
  }
}

extension RandomSequences {
  /// Asks a sequence tree everything and its reference too.
  func check(_ writer: Int, _ comment: Comment) {
    let (tree, reference) = (writers[writer].tree, references[writer])
    tree.checkInvariants()
    #expect(tree.storedRuns == reference.runs, comment)
    let kept = reference.order.enumerated().filter { $0.offset % 29 == 0 }.map(\.element)
    #expect(tree.canonicalRuns() == reference.canonicalRuns(keeping: []), comment)
    #expect(tree.canonicalRuns(keeping: kept) == reference.canonicalRuns(keeping: kept), comment)
    let (text, live) = (reference.text, reference.live)
    #expect(tree.string == text, comment)
    #expect(tree.count == live.count && tree.itemCount == reference.order.count, comment)
    #expect(tree.utf8Count == text.utf8.count && tree.utf16Count == text.utf16.count, comment)
    var offsets = (utf8: 0, utf16: 0)
    for (index, item) in live.enumerated() {
      #expect(tree.item(at: index) == item && tree.index(of: item) == index, comment)
      #expect(tree.utf8Offset(of: index) == offsets.utf8 && tree.utf16Offset(of: index) == offsets.utf16, comment)
      let scalar = reference.items[item]!.scalar!
      for unit in 0..<UTF8.width(scalar) { #expect(tree.index(ofUTF8: offsets.utf8 + unit) == index, comment) }
      for unit in 0..<UTF16.width(scalar) { #expect(tree.index(ofUTF16: offsets.utf16 + unit) == index, comment) }
      offsets = (offsets.utf8 + UTF8.width(scalar), offsets.utf16 + UTF16.width(scalar))
    }
    #expect(tree.utf8Offset(of: live.count) == offsets.utf8 && tree.index(ofUTF8: offsets.utf8) == live.count)
    #expect(tree.utf16Offset(of: live.count) == offsets.utf16 && tree.index(ofUTF16: offsets.utf16) == live.count)
    var index = 0
    for (place, item) in reference.order.enumerated() {
      let row = reference.items[item]!
      #expect(tree.liveness(of: item) == row.isLive && tree.place(of: item) == row.place, comment)
      #expect(tree.index(of: item) == index && tree.hasChildren(item) == reference.hasChildren(item), comment)
      let other = reference.order[place * 7919 % reference.order.count]
      #expect(tree.isBefore(item, other) == (place < place * 7919 % reference.order.count), comment)
      index += row.isLive ? 1 : 0
    }
  }

  mutating func checkRanges(_ writer: Int, _ comment: Comment) {
    var tree = writers[writer].tree
    let reference = references[writer]
    let (scalars, live) = (Array(reference.text.unicodeScalars), reference.live)
    for _ in 0..<20 {
      let start = pick(0..<tree.count + 1)
      let range = start..<pick(start..<tree.count + 1)
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars[range])
      #expect(tree.text(in: range) == String(text), comment)
      let items = tree.runs(in: range).flatMap { run in (0..<run.count).map { run.first.advanced(by: $0) } }
      #expect(items == Array(live[range]), comment)
      #expect(tree.place(forInsertAt: start) == reference.place(forInsertAt: start), comment)
    }
  }
}

@Suite struct `A sequence tree under random edits` {
  @Test(arguments: 1...24 as ClosedRange<UInt64>)
  func `answers everything as the tree does`(_ seed: UInt64) {
    let alphabet = seed % 2 == 0 ? ["a", "b", "c"] : ["a", "é", "語", "🦜", "\u{301}"]
    var trees = RandomSequences(seed: seed, writers: 3, alphabet: alphabet)
    for round in 1...260 {
      trees.write()
      if trees.pick(0..<3) == 0 { trees.hear() }
      if round % 65 == 0 {
        trees.purge()
        let comment: Comment = "seed \(seed), round \(round)"
        for writer in 0..<3 {
          trees.check(writer, comment)
          trees.checkRanges(writer, comment)
        }
      }
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `grows and shrinks through several levels of branches`(_ seed: UInt64) {
    var trees = RandomSequences(seed: seed &* 77, writers: 2, alphabet: ["a", "b", "語"])
    for round in 1...6_000 {
      trees.write()
      if round % 100 == 0 { trees.hear() }
    }
    trees.settle()
    for writer in 0..<2 {
      let tree = trees.writers[writer].tree
      tree.checkInvariants()
      #expect(tree.storedRuns == trees.references[writer].runs, "seed \(seed)")
      #expect(tree.spanCount > 1_024)
    }
    var tree = trees.writers[0].tree
    tree.remove(ItemRun(first: DotRow(replica: ReplicaHandle(rawValue: 0), counter: 1), count: .max))
    tree.remove(ItemRun(first: DotRow(replica: ReplicaHandle(rawValue: 1), counter: 1), count: .max))
    #expect(tree.count == 0)
    while tree.itemCount > 0 {
      let former = tree.itemCount
      for replica in 0..<2 as Range<UInt32> {
        let first = DotRow(replica: ReplicaHandle(rawValue: replica), counter: 1)
        _ = tree.purge(ItemRun(first: first, count: .max)) { _ in false }
      }
      tree.checkInvariants()
      #expect(tree.itemCount < former)
    }
    #expect(tree.spanCount == 0 && tree.leaves.count == 0 && tree.branches.count == 0)
    #expect(tree.dots.rows.isEmpty && tree.firstLeaf.isNone && tree.root.isNone)
    #expect(trees.writers[0].tree.storedRuns == trees.references[0].runs, "A copy is a fork.")
  }

  @Test func `copied and edited apart leaves the other alone`() {
    var writer = Writer(0)
    for round in 0..<2_000 { _ = writer.write("ab", at: round * 7 % (writer.tree.count + 1)) }
    let former = writer.tree.storedRuns
    var copy = Writer(1, writer.tree)
    for round in 0..<500 {
      _ = copy.write("x", at: round * 13 % copy.tree.count)
      _ = copy.erase(round..<round + 2)
    }
    #expect(writer.tree.storedRuns == former)
    writer.tree.checkInvariants()
    copy.tree.checkInvariants()
  }
}
