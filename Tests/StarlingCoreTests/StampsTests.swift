import StarlingTestSupport
import Testing

@testable import StarlingCore

@Suite struct `Stamps in a row` {
  /// Runs that go on evenly, halt, skip and go back.
  private func drawn(seed: UInt64) -> [Stamp] {
    var generator = Dice(seed: seed)
    var stamps: [Stamp] = []
    var value = UInt64.random(in: 0..<50, using: &generator)
    for _ in 0..<40 {
      let step = UInt64.random(in: 0..<3, using: &generator)
      for _ in 0..<Int.random(in: 1..<5, using: &generator) {
        stamps.append(Stamp(rawValue: value))
        value += step
      }
      if Int.random(in: 0..<4, using: &generator) == 0 { value = UInt64.random(in: 0..<50, using: &generator) }
    }
    return stamps
  }

  @Test(arguments: 0..<50) func `are what was put in`(seed: Int) {
    let all = drawn(seed: UInt64(seed))
    for count in 0...all.count {
      let stamps = Stamps(all[..<count])
      #expect(Array(stamps) == Array(all[..<count]) && stamps.count == count, "seed \(seed)")
      #expect(stamps.max() == all[..<count].max() && stamps.last == all[..<count].last, "seed \(seed)")
      var shorter = Stamps(all[...min(count, all.count - 1)])
      shorter.removeLast()
      if count < all.count { #expect(shorter == stamps && shorter.hashValue == stamps.hashValue, "seed \(seed)") }
    }
  }

  @Test func `are the same whether they came one by one or all at once`() {
    for former in [[], [5], [5, 5], [1, 3], [1, 3, 5], [9]] as [[UInt64]] {
      for (count, first, step) in [(1, 7, 2), (2, 7, 2), (6, 7, 2), (6, 5, 0), (3, 5, 4), (0, 7, 1)]
        as [(Int, UInt64, UInt64)]
      {
        let added = (0..<UInt64(count)).map { Stamp(rawValue: first + $0 * step) }
        var stamps = Stamps(former.map(Stamp.init(rawValue:)))
        stamps.append(count, from: Stamp(rawValue: first), step: step)
        #expect(stamps == Stamps(former.map(Stamp.init(rawValue:)) + added), "\(count) from \(first) after \(former)")
      }
    }
  }

  @Test func `may be the greatest there is`() {
    var stamps: Stamps = [Stamp(rawValue: .max), Stamp(rawValue: 0)]
    stamps.append(3, from: Stamp(rawValue: .max - 2), step: 1)
    #expect(stamps.map(\.rawValue) == [.max, 0, .max - 2, .max - 1, .max])
  }
}
