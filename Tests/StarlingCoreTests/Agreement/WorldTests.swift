import Foundation
import StarlingWorlds
import Testing

/// `STARLING_WORLDS=20000 STARLING_SEED=7` draws other worlds, or more; `make worlds` draws very many.
@Suite struct `Drawn worlds` {
  private static let count = number("STARLING_WORLDS") ?? 2_000
  private static let seed = number("STARLING_SEED") ?? 1

  private static func number(_ variable: String) -> UInt64? {
    ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init)
  }

  @Test func `agree with the reference model, and all replicas with each other`() {
    let seeds = Self.seed..<Self.seed + Self.count
    var found: [Finding] = []
    for seed in seeds {
      if let finding = World(seed: seed).finding() { found.append(finding) }
    }
    print("\(Self.count) worlds, seeds \(seeds): \(found.count) differ")
    #expect(found.isEmpty, "\(found.count) worlds differ; the first: \(found.first?.shrunk().description ?? "")")
  }

  /// What is left out of a trace does not matter to what goes wrong in it.
  @Test func `mean the same whatever steps are left out`() {
    for seed in 1...40 as ClosedRange<UInt64> {
      let world = World(seed: seed)
      for place in world.steps.indices {
        var fewer = world
        fewer.steps.remove(at: place)
        #expect(fewer.finding()?.description == nil, "seed \(seed) without step \(place)")
      }
    }
  }
}
