import Testing

@testable import StarlingCore

/// Shapes that make a tree deep or wide.
@Suite struct `A strand of ten thousand edits` {
  @Test func `typed forwards is one run`() {
    var writer = Writer(0)
    for place in 0..<10_000 { _ = writer.write("a", at: place) }
    writer.tree.checkInvariants()
    #expect(writer.tree.count == 10_000 && writer.tree.storedRuns.count == 1)
    #expect(writer.tree.spanCount < 10)
  }

  @Test func `typed backwards is a chain of left children`() {
    var writer = Writer(0)
    for _ in 0..<10_000 { _ = writer.write("a", at: 0) }
    writer.tree.checkInvariants()
    let last = DotRow(replica: writer.replica, counter: 10_000)
    #expect(writer.tree.item(at: 0) == last)
    #expect(writer.tree.place(of: last)?.parent.counter == 9_999)
    #expect(writer.tree.place(of: last)?.side == .left)
  }

  @Test func `typed and erased from the end backwards leaves one dead run`() {
    var writer = Writer(0)
    for place in 0..<10_000 { _ = writer.write("a", at: place) }
    for place in (0..<10_000).reversed() { _ = writer.erase(place..<place + 1) }
    writer.tree.checkInvariants()
    #expect(writer.tree.count == 0 && writer.tree.itemCount == 10_000 && writer.tree.storedRuns.count == 1)
  }

  @Test func `typed in turns by two is a chain of spans`() {
    var one = Writer(0)
    var other = Writer(1)
    for place in 0..<10_000 {
      if place % 2 == 0 {
        other.tree.apply(one.write("a", at: place))
      } else {
        one.tree.apply(other.write("b", at: place))
      }
    }
    one.tree.checkInvariants()
    #expect(one.tree.storedRuns == other.tree.storedRuns && one.tree.storedRuns.count == 10_000)
    #expect(one.tree.string == String(repeating: "ab", count: 5_000))
  }

  @Test func `typed and erased at one place has as many dead siblings`() {
    var (one, other) = (Writer(0), Writer(1))
    var edits: [SequenceTreeEdit] = []
    for _ in 0..<2_000 { edits += [one.write("a", at: 0), one.erase(0..<1)] }
    for _ in 0..<2_000 { edits += [other.write("b", at: 0), other.erase(0..<1)] }
    for edit in edits {
      guard case .insert(let run, _, _) = edit else { continue }
      if run.first.replica == one.replica { other.tree.apply(edit) } else { one.tree.apply(edit) }
    }
    for case .remove(let runs) in edits {
      one.tree.apply(.remove(runs))
      other.tree.apply(.remove(runs))
    }
    one.tree.checkInvariants()
    #expect(one.tree.storedRuns == other.tree.storedRuns)
    #expect(one.tree.count == 0 && one.tree.itemCount == 4_000)
    #expect(one.tree.place(forInsertAt: 0) == Place(parent: .start, side: .right))
  }

  /// Doubling the siblings adds steps, it does not double them: at most one leaf and one branch a level are
  /// compared child by child.
  @Test func `lets a newcomer pass siblings a branch at a time`() {
    let (near, far) = (ReplicaHandle(rawValue: 1), ReplicaHandle(rawValue: 2))
    let origin = Place(parent: .start, side: .right)
    for side in [Side.left, .right] {
      var counts: [Int: Int] = [:]
      for size in [1_000, 2_000, 4_000, 8_000, 16_000] {
        var list = SequenceTree(holdsText: false)
        let parent = DotRow(replica: near, counter: 1)
        list.insert(ItemRun(parent), at: origin, isBefore: ReferenceSequence.isBefore)
        let place = Place(parent: parent, side: side)
        for sibling in 1...UInt64(size) {
          let run = ItemRun(first: DotRow(replica: near, counter: sibling * 2), count: 1)
          list.insert(run, at: place, isBefore: ReferenceSequence.isBefore)
        }
        var count = 0
        let newcomer = DotRow(replica: far, counter: 1)
        let index = list.insert(ItemRun(newcomer), at: place) { left, right in
          count += 1
          return ReferenceSequence.isBefore(left, right)
        }
        #expect(index == (side == .left ? 0 : size + 1))
        #expect(count <= Branch.childCountMax * 4, "\(size) siblings took \(count) comparisons.")
        counts[size] = count
      }
      print("comparisons to pass siblings on the \(side):", counts.sorted { $0.key < $1.key })
    }
  }

  @Test func `pasted at once lies in leaves of bounded size`() {
    var writer = Writer(0)
    let text = String(repeating: "añb語🦜", count: 20_000)
    _ = writer.write(text, at: 0)
    _ = writer.write("x", at: 50_000)
    writer.tree.checkInvariants()
    #expect(writer.tree.storedRuns.count == 3)
    #expect(writer.tree.utf8Count == text.utf8.count + 1 && writer.tree.utf16Count == text.utf16.count + 1)
    #expect(writer.tree.text(in: 49_995..<50_005) == "añb語🦜xañb語")
  }
}
