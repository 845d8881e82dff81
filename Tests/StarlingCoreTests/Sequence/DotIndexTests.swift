import StarlingTestSupport
import Testing

@testable import StarlingCore

@Suite struct `The index of a sequence tree's items` {
  private func item(_ counter: Int) -> DotRow { DotRow(replica: ReplicaHandle(0), counter: UInt64(counter)) }

  /// Removes all but every fiftieth of many steps, from one end or all over.
  @Test(arguments: [10_000, 40_000], [1, 7, 4999])
  func `gives its memory back as what it leads to thins out`(count: Int, stride: Int) {
    var index = DotIndex()
    func leaf(_ counter: Int) -> LeafHandle { LeafHandle(counter % 3) }
    for counter in 1...count { index.assign(item(counter), count: 1, to: leaf(counter)) }

    // A stride without a common factor comes to every counter once.
    for number in 0..<count {
      let counter = number * stride % count + 1
      if counter % 50 != 0 { index.removeStep(at: item(counter)) }
    }

    for counter in 1...count where counter % 50 == 0 { #expect(index.leaf(of: item(counter)) == leaf(counter)) }
    let capacity = index.rows[0].blocks.joined().reduce(0) { $0 + $1.capacity }
    #expect(capacity < count / 50 * 8, "capacity for \(capacity) steps where \(count / 50) are")
  }

  /// Beside an array that says the same of each counter.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `leads where it was told last, however many steps there are`(seed: UInt64) {
    var generator = Dice(seed: seed)
    var (index, leaves) = (DotIndex(), [0])
    for counter in 1...40_000 {
      leaves.append(counter)
      index.assign(item(counter), count: 1, to: LeafHandle(counter))
    }
    func check(_ index: DotIndex, _ leaves: [Int]) {
      let wrong = leaves.indices.dropFirst().filter { index.leaf(of: item($0)) != LeafHandle(leaves[$0]) }
      #expect(wrong.isEmpty, "seed \(seed): \(wrong.count) lead elsewhere, the first is \(wrong.first ?? 0)")
    }
    let former = (index: index, leaves: leaves)
    for _ in 0..<20_000 {
      let first = Int.random(in: 1...40_000, using: &generator)
      let count = min(Int.random(in: 1...20, using: &generator), 40_001 - first)
      let leaf = Int.random(in: 0..<50, using: &generator)
      index.assign(item(first), count: count, to: LeafHandle(leaf))
      for counter in first..<first + count { leaves[counter] = leaf }
    }
    check(index, leaves)
    check(former.index, former.leaves)
    for counter in leaves.indices.dropFirst().dropLast() where leaves[counter] != leaves[counter + 1] {
      #expect(index.nextStep(after: item(counter)) == UInt64(counter + 1), "seed \(seed), behind \(counter)")
    }
  }
}
