import StarlingTestSupport
import Testing

@testable import StarlingCore

@Suite struct `Runs of items` {
  @Test func `are joined where their dots run on`() {
    var dice = Dice(seed: 21)
    for _ in 0..<500 {
      var (runs, items): (ItemRuns, [DotRow]) = (ItemRuns(), [])
      for _ in 0..<dice.roll(6) {
        let (replica, counter) = (ReplicaHandle(dice.roll(2)), UInt64(1 + dice.roll(4)))
        let run = ItemRun(first: DotRow(replica: replica, counter: counter), count: 1 + dice.roll(3))
        runs.join(run)
        items += (0..<run.count).map { run.first.advanced(by: $0) }
      }
      #expect(runs.flatMap { run in (0..<run.count).map { run.first.advanced(by: $0) } } == items)
      for (former, latter) in zip(runs, runs.dropFirst()) {
        #expect(former.first.advanced(by: former.count) != latter.first, "seed \(dice.seed)")
      }
    }
  }

  @Test func `are none, one or several`() {
    let (first, other) = (ItemRun(.start), ItemRun(first: .start, count: 2))
    var runs = ItemRuns()
    #expect(runs.isEmpty && Array(runs) == [])
    runs.append(first)
    #expect(Array(runs) == [first] && runs == ItemRuns(first))
    runs.append(other)
    runs[0] = other
    runs[1] = first
    #expect(Array(runs) == [other, first] && runs.reversed() == [first, other])
  }
}
