import Foundation
import Testing

@testable import StarlingSession

/// Groups of values under schedules that are drawn: `STARLING_GROUP_COUNT=100000` draws more, `STARLING_GROUP_SEED=42`
/// runs one alone.
@Suite struct `A group of values` {
  private static let environment = ProcessInfo.processInfo.environment
  private static let partCount: UInt64 = 8
  private static let count = environment["STARLING_GROUP_COUNT"].flatMap { UInt64($0) } ?? 2000

  @Test(arguments: 0..<partCount)
  func `comes to rest with all that was acknowledged, whatever was done to it`(part: UInt64) {
    if let seed = Self.environment["STARLING_GROUP_SEED"].flatMap({ UInt64($0) }) {
      if part == 0 { check(seed) }
      return
    }
    for seed in stride(from: part, to: Self.count, by: Int(Self.partCount)) where !check(seed) { return }
  }

  @discardableResult
  private func check(_ seed: UInt64) -> Bool {
    let schedule = GroupSchedule(seed: seed)
    guard let failure = schedule.run() else { return true }
    let reduced = schedule.reduced()
    Issue.record("\(failure)\n\(schedule.report)\nReduced: \(reduced.run() ?? "")\n\(reduced.report)")
    return false
  }

  @Test func `does the same from the same seed`() {
    for seed in 0..<5 as Range<UInt64> {
      let counts = (0..<2).map { _ in
        let schedule = GroupSchedule(seed: seed)
        let group = ValueGroup(schedule.shape, seed: seed)
        for step in schedule.steps { group.perform(step) }
        return [group.handledCount, group.now]
      }
      #expect(counts[0] == counts[1])
    }
  }
}
