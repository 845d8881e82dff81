import Foundation
import StarlingEngine
import StarlingSimulator
import Testing

@Suite struct `Many replicas behind daemons` {
  /// As many as `STARLING_REPLICAS` says, under the seed `STARLING_SEED`: `make thousand-replicas` says a thousand.
  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  @Test func `converge, each change delivered about once to each`() {
    let count = Int(Self.number("STARLING_REPLICAS") ?? 100)
    let seed = Self.number("STARLING_SEED") ?? 1
    let again = "STARLING_REPLICAS=\(count) STARLING_SEED=\(seed) swift test --filter ManyReplicasTests"
    let simulation = Simulation(seed: seed, replicas: count, topology: .daemons)
    // The daemons find each other first.
    simulation.idle(for: .seconds(10))
    let before = simulation.counters
    simulation.run(for: .seconds(5))
    simulation.heal()
    let healed = simulation.now
    guard simulation.settle() else {
      Issue.record("\(simulation.report)\nAgain: \(again)")
      return
    }
    let after = simulation.counters
    let written = (after.changesMerged - before.changesMerged) / (count - 1)
    let frames = after.framesReceived - before.framesReceived
    let perReplica = Double(frames) / Double(written) / Double(count)
    print(
      "\(count) replicas, seed \(seed): level \(simulation.now - healed) after the last of \(written) changes, "
        + "\(frames) frames received: \(perReplica) for each change and replica. Again: \(again)")
    #expect(written > 0)
    // A writer hears its own change from its daemon.
    #expect(perReplica < 1.2)
  }
}
