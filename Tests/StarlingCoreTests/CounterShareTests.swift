import StarlingCore
import Testing

@Suite struct `A share of a counter` {
  /// Its writer names the operation that began the share: one that was cleared gets nothing more.
  @Test func `takes no increments of one that was cleared before it`() throws {
    var group = Group(2)
    let first = group.increment(0, "n", by: 1)!
    try group.deliver(first, to: 1)
    try group.deliver(group.remove(1, "n"), to: 0)
    let second = group.increment(0, "n", by: 5)!
    try group.deliver(second, to: 1)
    var late = second
    late.firstCounter = second.lastCounter + 1
    late.operations[0].action = .increment(10, birth: first.firstCounter)
    #expect(try group.deliver(late, to: 1) == .merged)
    #expect(group.documents[1].visible("n", in: .root) == .count(5))
  }
}
