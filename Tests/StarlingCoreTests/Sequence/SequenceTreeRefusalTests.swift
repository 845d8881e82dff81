import Testing

@testable import StarlingCore

private let a = ReplicaHandle(rawValue: 0)
private let b = ReplicaHandle(rawValue: 1)

private func run(_ replica: ReplicaHandle, _ counter: UInt64, _ count: Int = 1) -> ItemRun {
  ItemRun(first: DotRow(replica: replica, counter: counter), count: count)
}

@Suite struct `What a hostile peer may send` {
  private let atStart = Place(parent: .start, side: .right)

  private var tree: SequenceTree {
    var tree = SequenceTree(holdsText: true)
    tree.insert(run(a, 10, 5), at: atStart, string: "hello")
    tree.insert(run(b, 1, 2), at: Place(parent: DotRow(replica: a, counter: 12), side: .right), string: "xy")
    return tree
  }

  @Test func `is refused where it contradicts what stands`() {
    var tree = tree
    let former = tree.storedRuns
    let parent = DotRow(replica: a, counter: 14)
    let refused: [(ItemRun, Place, String)] = [
      (run(a, 10), atStart, "a"), (run(a, 9, 2), atStart, "ab"), (run(a, 14, 2), atStart, "ab"),
      (run(a, 1, 100), atStart, String(repeating: "a", count: 100)),
      (run(a, 20), Place(parent: DotRow(replica: a, counter: 15), side: .right), "a"),
      (run(a, 20), Place(parent: DotRow(replica: a, counter: 20), side: .right), "a"),
      (run(a, 20), Place(parent: DotRow(replica: ReplicaHandle(rawValue: 7), counter: 1), side: .left), "a"),
      (run(a, 20), Place(parent: .start, side: .left), "a"),
      (run(a, 20), Place(parent: parent, side: .left), ""), (run(a, 20), Place(parent: parent, side: .left), "ab"),
      (run(a, 20, 0), atStart, ""), (run(a, 20, -1), atStart, ""), (run(a, 20, .max), atStart, "a"),
      (run(a, 0), atStart, "a"), (run(a, 1 << 63), atStart, "a"), (run(a, 1 << 63 - 1, 2), atStart, "ab"),
      (run(.none, 1), atStart, "a"),
    ]
    for (run, place, string) in refused {
      #expect(tree.insert(run, at: place, string: string) == nil, "\(run) \(place) \(string)")
    }
    #expect(tree.storedRuns == former)
    tree.checkInvariants()
    let bytes: [[UInt8]] = [[0x80], [0xC3], [0xE3, 0x81], [0xC3, 0x41], [0xFF], [0x41, 0x80]]
    for text in bytes {
      let index = text.withUnsafeBufferPointer {
        tree.insert(run(a, 20, 1), at: atStart, text: $0, isBefore: ReferenceSequence.isBefore)
      }
      #expect(index == nil, "\(text)")
    }
  }

  @Test func `may reach the last counter there is`() {
    var tree = tree
    #expect(tree.insert(run(a, 1 << 63 - 1), at: atStart, string: "z") == 0)
    #expect(tree.index(of: DotRow(replica: a, counter: 1 << 63 - 1)) == 0)
    tree.checkInvariants()
    tree.remove(run(a, 1 << 63 - 1, .max))
    tree.remove(run(a, .max, .max))
    tree.remove(run(b, 0, .max))
    #expect(tree.string == "hello")
    #expect(tree.purge(run(a, 1, .max)) { _ in false } == 1)
    #expect(tree.purge(run(b, 0, .max)) { _ in false } == 2)
    tree.checkInvariants()
  }

  @Test func `may fill lists to the brim, not beyond`() {
    var list = SequenceTree(holdsText: false)
    let most = SequenceTree.itemCountMax
    #expect(list.insert(run(a, 1, most - 1), at: atStart, isBefore: ReferenceSequence.isBefore) == 0)
    #expect(list.insert(run(b, 1, 2), at: atStart, isBefore: ReferenceSequence.isBefore) == nil)
    #expect(list.insert(run(b, 1, 1), at: atStart, isBefore: ReferenceSequence.isBefore) == most - 1)
    list.checkInvariants()
    list.remove(run(a, 1, .max))
    #expect(list.count == 1)
    list.checkInvariants()
  }
}

@Suite struct `Stored runs` {
  private let start = Place(parent: .start, side: .right)

  private func stored(_ run: ItemRun, _ place: Place, isLive: Bool = true) -> StoredRun {
    StoredRun(run: run, place: place, isLive: isLive)
  }

  private func right(_ replica: ReplicaHandle, _ counter: UInt64) -> Place {
    Place(parent: DotRow(replica: replica, counter: counter), side: .right)
  }

  private func left(_ replica: ReplicaHandle, _ counter: UInt64) -> Place {
    Place(parent: DotRow(replica: replica, counter: counter), side: .left)
  }

  private func reason(_ runs: [StoredRun]) -> Contradiction.Reason? {
    do throws(Contradiction) {
      try SequenceTree(holdsText: false, runs: runs, isBefore: ReferenceSequence.isBefore).checkInvariants()
      return nil
    } catch {
      return error.reason
    }
  }

  @Test func `build a strand`() {
    #expect(reason([]) == nil)
    #expect(reason([stored(run(b, 5), left(a, 1)), stored(run(a, 1, 3), start)]) == nil)
    #expect(reason([stored(run(a, 1, 2), start), stored(run(a, 3, 2), right(a, 2), isLive: false)]) == nil)
  }

  @Test func `that contradict each other are refused by name`() {
    #expect(reason([stored(run(a, 1, 0), start)]) == .impossible)
    #expect(reason([stored(run(a, 1, .max), start)]) == .impossible)
    #expect(reason([stored(run(a, 1 << 63), start)]) == .impossible)
    #expect(reason([StoredRun(run: run(a, 1), place: start, isLive: true, utf8Count: 1)]) == .text)
    #expect(reason([stored(run(a, 1, 3), start), stored(run(a, 3), right(a, 1))]) == .duplicate)
    #expect(reason([stored(run(a, 1), right(b, 1))]) == .parent)
    #expect(reason([stored(run(a, 1), Place(parent: .start, side: .left))]) == .parent)
    #expect(reason([stored(run(a, 1), right(b, 1)), stored(run(b, 1), right(a, 1))]) == .parent)
    #expect(reason([stored(run(a, 1), right(a, 1))]) == .parent)
    #expect(reason([stored(run(b, 1), left(a, 2)), stored(run(a, 1, 2), start)]) == .parent)
    #expect(reason([stored(run(a, 1), start), stored(run(b, 1), left(a, 1))]) == .order)
    #expect(reason([stored(run(b, 1), right(a, 1)), stored(run(a, 1), start)]) == .order)
    #expect(reason([stored(run(a, 1), start), stored(run(a, 2), start)]) == .order)
    #expect(reason([stored(run(b, 1), start), stored(run(a, 1), start)]) == .order)
    #expect(reason([stored(run(a, 1), start), stored(run(b, 1), start)]) == nil)
    #expect(reason([stored(run(b, 1, 2), start), stored(run(a, 1), right(b, 1))]) == .order)
    #expect(reason([stored(run(a, 1), left(a, 3)), stored(run(a, 2), left(a, 3)), stored(run(a, 3), start)]) == nil)
    #expect(reason([stored(run(a, 2), left(a, 3)), stored(run(a, 1), left(a, 3)), stored(run(a, 3), start)]) == .order)
    #expect(
      reason([
        stored(run(b, 1), start), stored(run(a, 2), right(b, 1)), stored(run(a, 1), start),
        stored(run(b, 2), right(b, 1)),
      ])
        == .order)
    #expect(reason([stored(run(a, 1), start), stored(run(a, 2), right(a, 1))]) == .divided)
  }

  @Test func `in any other order are refused`() {
    var one = Writer(0)
    for place in [0, 0, 1, 2, 1, 0, 3, 2] { _ = one.write("a", at: place) }
    var other = Writer(1, one.tree)
    for place in [3, 3, 1, 0] { _ = other.write("b", at: place) }
    _ = other.erase(2..<4)
    let runs = other.tree.storedRuns
    for first in runs.indices {
      for second in runs.indices where first < second {
        var swapped = runs.map { stored($0.run, $0.place, isLive: $0.isLive) }
        #expect(reason(swapped) == nil)
        swapped.swapAt(first, second)
        #expect(reason(swapped) != nil, "\(first) and \(second)")
      }
    }
  }
}

@Suite struct `A dead position of a list` {
  @Test func `may become visible again`() {
    var list = SequenceTree(holdsText: false)
    list.insert(run(a, 1, 100), at: Place(parent: .start, side: .right), isBefore: ReferenceSequence.isBefore)
    list.remove(run(a, 1, 100))
    for (index, counter) in stride(from: UInt64(2), through: 100, by: 2).enumerated() {
      #expect(list.revive(DotRow(replica: a, counter: counter)) == index)
    }
    list.checkInvariants()
    #expect(list.count == 50 && list.spanCount == 100)
    #expect(list.revive(DotRow(replica: a, counter: 2)) == nil && list.revive(DotRow(replica: b, counter: 2)) == nil)
    for counter in stride(from: UInt64(1), through: 99, by: 2) { _ = list.revive(DotRow(replica: a, counter: counter)) }
    #expect(list.storedRuns.count == 1)
    list.checkInvariants()
  }
}
