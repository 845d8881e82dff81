import StarlingCore
import StarlingSimulator
import Testing

@Suite(.serialized) struct `One seed` {
  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `gives one run`(seed: UInt64) {
    func run() -> (hash: UInt64, count: Int, digests: [DocumentID: [Digest?]], lines: [String]) {
      var generator = SeededGenerator(seed: seed)
      let simulation = Schedules.simulation(using: &generator, seed: seed)
      simulation.run(for: .seconds(3))
      return (simulation.trace.hash, simulation.trace.count, simulation.digests, simulation.trace.lines)
    }
    let first = run()
    let second = run()
    #expect(first.hash == second.hash, "seed \(seed)")
    if first.hash != second.hash {
      let place = zip(first.lines, second.lines).enumerated().first { $0.element.0 != $0.element.1 }; if let p = place?.offset { print(first.lines[max(0,p-20)..<p].joined(separator: "\n")); print("A"); print(first.lines[p..<min(first.lines.count,p+10)].joined(separator: "\n")); print("B"); print(second.lines[p..<min(p+10,second.lines.count)].joined(separator: "\n"))}
      print(first.count, second.count, place ?? "same lines")
    }
    #expect(first.digests == second.digests, "seed \(seed)")
  }
}
