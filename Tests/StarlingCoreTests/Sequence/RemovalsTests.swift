import Testing

@testable import StarlingCore

@Suite struct `Noted removals` {
  private func removal(_ counter: Int) -> Removal {
    let item = DotRow(replica: ReplicaHandle(0), counter: UInt64(counter))
    return Removal(run: ItemRun(item), cause: .operation(item))
  }

  private func counters(_ removals: Removals) -> [UInt64] { removals.runs.map(\.first.counter) }

  /// The second number is of more than two blocks.
  @Test(arguments: [1000, 140_000]) func `come out in the order in which they were noted`(_ count: Int) {
    var removals = Removals()
    for counter in 1...count { removals.append(removal(counter)) }
    #expect(counters(removals) == (1...UInt64(count)).map(\.self))
    let taken = count / 3
    let first = (1...taken).map { _ in removals.popFirst()?.run.first.counter }
    #expect(first == (1...UInt64(taken)).map(\.self))
    for counter in count + 1...count + 100 { removals.append(removal(counter)) }
    let left = UInt64(taken + 1)...UInt64(count + 100)
    #expect(counters(removals) == left.map(\.self))
    #expect(left.map { _ in removals.popFirst()?.run.first.counter } == left.map(\.self))
    #expect(removals.popFirst() == nil && removals.isEmpty && removals.last == nil)
    removals.append(removal(1))
    #expect(counters(removals) == [1])
  }

  @Test func `of a copy stay as they were`() {
    var removals = Removals()
    for counter in 1...600 { removals.append(removal(counter)) }
    let copy = removals
    removals.extendLast(by: 4)
    for counter in 605...700 { removals.append(removal(counter)) }
    #expect(removals.last?.run.first.counter == 700 && removals.runs[599].count == 5)
    #expect(counters(copy) == Array(1...600) && copy.runs[599].count == 1)
  }

  @Test func `follow on others`() {
    var (former, latter) = (Removals(), Removals())
    for counter in 1...400 { former.append(removal(counter)) }
    for counter in 401...900 { latter.append(removal(counter)) }
    for _ in 1...10 { _ = former.popFirst() }
    former.append(latter)
    #expect(counters(former) == Array(11...900))
    #expect(counters(latter) == Array(401...900))
  }
}
