import Testing

@testable import StarlingCore

@Suite struct `The index of a strand's items` {
  /// Removes all but every fiftieth of ten thousand steps, from one end or all over.
  @Test(arguments: [1, 7, 4999])
  func `gives its memory back as what it leads to thins out`(stride: Int) {
    var index = DotIndex()
    func item(_ counter: Int) -> DotRow { DotRow(replica: ReplicaHandle(0), counter: UInt64(counter)) }
    func leaf(_ counter: Int) -> LeafHandle { LeafHandle(counter % 3) }
    for counter in 1...10_000 { index.assign(item(counter), count: 1, to: leaf(counter)) }

    // A stride without a common factor comes to every counter once.
    for number in 0..<10_000 {
      let counter = number * stride % 10_000 + 1
      if counter % 50 != 0 { index.removeStep(at: item(counter)) }
    }

    for counter in 1...10_000 where counter % 50 == 0 { #expect(index.leaf(of: item(counter)) == leaf(counter)) }
    let capacity = index.rows[0].pieces.reduce(0) { $0 + $1.capacity }
    #expect(capacity < 200 * 8, "room for \(capacity) steps where 200 are")
  }
}
