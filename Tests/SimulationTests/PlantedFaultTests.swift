import StarlingSimulator
import Testing

@Suite struct `A fault in the program` {
  @Test(arguments: PlantedFault.allCases) func `is found within 100 schedules`(fault: PlantedFault) {
    let found = (1...100 as ClosedRange<UInt64>).first { seed in
      let simulation = Schedules.simulation(of: seed) { fault.plant(in: $0) }
      simulation.run(for: .seconds(2))
      simulation.heal()
      return !simulation.settle()
    }
    #expect(found != nil)
  }
}
