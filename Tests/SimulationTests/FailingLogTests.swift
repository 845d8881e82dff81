import StarlingCore
import StarlingEngine
import StarlingSimulator
import Testing

/// One call of a log after the other fails, in a small run with a crash and a clean stop in it, and works again
/// afterwards.
@Suite struct `A call of a log that fails` {
  private static let faulty = 1

  private func schedule(_ fault: LogFault, call: Int, count: Int) -> Schedule {
    var schedule = Schedule(calm: 7)
    schedule.topology = .star
    schedule.history = .stateOnly(byteCountMin: 300)
    schedule.failingLogCalls = FailingLogCalls(of: Self.faulty, fault, first: call, count: count)
    schedule.duration = .milliseconds(900)
    schedule.steps = [
      Step(20_000, .write(1, document: 0, edits: [.witness(1)])),
      Step(40_000, .flush(1, document: 0, others: 0)),
      Step(60_000, .write(2, document: 0, edits: [.type(holder: 0, at: 0, text: 3)])),
      Step(80_000, .write(1, document: 0, edits: [.insert(holder: 0, at: 0, count: 3)])),
      Step(100_000, .restart(1, lasting: 20_000)),
      Step(200_000, .write(1, document: 0, edits: [.witness(2)])),
      Step(210_000, .flush(1, document: 0, others: 1)),
      Step(300_000, .crash(1, lasting: 20_000)),
      Step(400_000, .write(1, document: 0, edits: [.witness(3)])),
      Step(420_000, .write(2, document: 0, edits: [.mark(holder: 0, at: 0, count: 3, name: 1, value: 1)])),
      Step(440_000, .undo(1, document: 0)),
      Step(460_000, .flush(1, document: 0, others: 0)),
      Step(500_000, .write(1, document: 0, edits: [.witness(4)])),
      Step(600_000, .flush(1, document: 0, others: 0)),
    ]
    return schedule
  }

  @Test(arguments: LogFault.allCases, [1, 3])
  func `costs nothing that was acknowledged, whichever call it is`(_ fault: LogFault, count: Int) {
    let calm = schedule(fault, call: 1_000_000, count: count).run()
    #expect(calm.violations.isEmpty, "\(calm.report)")
    let calls = calm.logCallCount(of: Self.faulty)
    #expect(calls > 20)
    for call in 1...calls {
      let simulation = schedule(fault, call: call, count: count).run()
      #expect(simulation.violations.isEmpty, "\(fault) from call \(call) of \(calls) on: \(simulation.report)")
    }
  }
}
