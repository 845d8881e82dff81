import Foundation
import StarlingSimulatedStores
import StarlingSimulator
import Testing

/// Groups whose logs are the real one, in SQLite's files on simulated disks that lose their power.
@Suite struct `A group with the real log` {
  @Test func `converges and keeps what it promised under any schedule of faults`() {
    var doings: [String: Int] = [:]
    let seed = ProcessInfo.processInfo.environment["STARLING_SEED"].flatMap { UInt64($0) }
    for seed in seed.map({ $0...$0 }) ?? 1...120 {
      if seed % 50 == 1 { print("groups with the real log from STARLING_SEED=\(seed)") }
      let simulation = Schedule(seed: seed).run(planting: nil, stores: SQLiteStore.make)
      guard simulation.violations.isEmpty else {
        Issue.record("\(simulation.report)\nAgain: STARLING_SEED=\(seed) swift test --filter RealLogTests")
        return
      }
      for (name, count) in simulation.doings { doings[name, default: 0] += count }
    }
    guard seed == nil else { return }
    let undone = ["crash", "restart", "backup", "powerLoss", "copiedStore", "closedStorePutBack", "witness"]
      .filter { doings[$0, default: 0] == 0 }
    #expect(undone.isEmpty, "nothing of \(undone) happened")
  }

  @Test func `runs the same way twice`() {
    for seed in UInt64(1)...5 {
      let runs = (0..<2).map { _ in Schedule(seed: seed).run(planting: nil, stores: SQLiteStore.make).trace.hash }
      #expect(runs[0] == runs[1], "seed \(seed)")
    }
  }
}
