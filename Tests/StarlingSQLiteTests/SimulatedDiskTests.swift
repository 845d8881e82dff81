import Foundation
import StarlingDrawnDisks
import Testing

/// Seeds of the runs below: from `STARLING_DISK_SEED`, or 1, so many as `STARLING_DISKS` says.
enum DrawnDisks {
  static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  static var seeds: [UInt64] {
    let seed = number("STARLING_DISK_SEED")
    let count = number("STARLING_DISKS") ?? (seed == nil ? 300 : 1)
    return (0..<count).map { (seed ?? 1) &+ $0 }
  }
}

@Suite struct `A store on a simulated disk` {
  @Test func `holds what it acknowledged, or says by name that it is damaged`() async {
    var tally: [String: Int] = [:]
    let seeds = DrawnDisks.seeds
    for seed in seeds {
      if seed % 100 == 1 { print("disks from STARLING_DISK_SEED=\(seed)") }
      var run = DiskRun(seed: seed)
      if let finding = await run.finding() {
        Issue.record("\(finding)\nAgain: STARLING_DISK_SEED=\(seed) swift test --filter StarlingSQLiteTests")
        return
      }
      for (name, count) in run.tally { tally["\(run.kind) \(name)", default: 0] += count }
    }
    print("\(seeds.count) simulated disks: \(tally.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })")
  }

  @Test(arguments: PlantedStoreFault.allCases) func `shows what a careless program gets wrong`(
    _ fault: PlantedStoreFault
  ) async {
    for seed in UInt64(1)...300 {
      var run = DiskRun(seed: seed, kind: .honest, planting: fault)
      if let finding = await run.finding() {
        return print("\(fault): after \(seed) disks, \(finding.prefix(160))")
      }
    }
    Issue.record("\(fault) was not noticed")
  }
}
