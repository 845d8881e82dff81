import Starling
import StarlingEngine
import StarlingSimulator
import Testing

@Replicated final class Basket: Sendable {
  var items: [String] = []
}

/// The sample of Documentation/TestingYourApp.md, "A group under faults".
@Suite(.timeLimit(.minutes(5))) struct `Models in a simulated group` {
  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `end equal whatever goes wrong`(seed: UInt64) throws {
    // ----
    var faults = Faults()
    faults.loss = 0.05
    faults.partitions = 0.5
    faults.crashes = 0.5
    let simulation = Simulation(seed: seed, replicas: 3, topology: .mesh, faults: faults) { document, generator in
      let basket = try? ModelSpace(document).model(Basket.self, named: "home", isolation: nil)
      basket?.items.append("item \(Int.random(in: 0..<10, using: &generator))")
    }
    simulation.run(for: .seconds(6))  // writes, faults, checks
    simulation.heal()  // every replica is up and hears every other one
    #expect(simulation.settle(), "\(simulation.report)")

    let baskets = try (0..<3).map { replica in
      let document = try #require(simulation.document(simulation.documents[0], at: replica))
      return try ModelSpace(document).model(Basket.self, named: "home", isolation: nil).items
    }
    #expect(!baskets[0].isEmpty)
    #expect(Set(baskets).count == 1, "seed \(seed)")
    // ----
  }
}
