import Testing

@testable import StarlingCore

@Suite struct `Noted removals` {
  private func removal(_ counter: Int) -> Removal {
    let item = DotRow(replica: ReplicaHandle(0), counter: UInt64(counter))
    return Removal(run: ItemRun(item), cause: .operation(item))
  }

  private func counters(_ removals: Removals) -> [UInt64] { removals.runs.map(\.first.counter) }

  @Test func `come out in the order in which they were noted`() {
    var removals = Removals()
    for counter in 1...1000 { removals.append(removal(counter)) }
    #expect(counters(removals) == Array(1...1000))
    for counter in 1...300 { #expect(removals.popFirst()?.run.first.counter == UInt64(counter)) }
    for counter in 1001...1100 { removals.append(removal(counter)) }
    #expect(counters(removals) == Array(301...1100))
    for counter in 301...1100 { #expect(removals.popFirst()?.run.first.counter == UInt64(counter)) }
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
