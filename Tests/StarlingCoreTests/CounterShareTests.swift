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

@Suite struct `An element that showed a count` {
  @Test(arguments: [0, 2] as [Int64]) func `shows it again when its former state is restored`(amount: Int64) {
    var group = Group(1)
    let list = ObjectID.derived(parent: .root, key: "list", kind: .list)
    var element = Key.name("")
    group.write(0) { document, patch in
      document.declare(.list, for: "list", in: .root)
      element = .element(document.insert([.integer(5)], at: 0, in: list, patch: &patch)!)
    }
    group.increment(0, element, by: 3, in: list)
    if amount != 3 { group.increment(0, element, by: amount - 3, in: list) }
    let then = group.documents[0]
    group.set(0, element, .string("set"), in: list)
    group.write(0) { $0.restore(like: then, patch: &$1) }
    #expect(group.documents[0].visible(element, in: list) == .count(amount))
  }
}
