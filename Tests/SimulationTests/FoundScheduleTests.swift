import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingSimulator
import Testing

/// The shortest steps of schedules that once violated something.
@Suite struct `A schedule that failed once` {
  /// Seed 50548. A writer forgot a mark of null before its daemon had heard of another writer's mark below it: for a while
  /// the two hold different marks at one version, as Protocol/merge.md allows ("Tombstone collection"), and then the same.
  @Test func `a mark of null is forgotten before a mark below it arrives, and comes back`() {
    var schedule = Schedule(calm: 50548)
    schedule.replicas = 5
    schedule.topology = .daemons
    schedule.theme = .texts
    schedule.faults.delay = .microseconds(1000) ... .microseconds(400_000)
    schedule.steps = [
      Step(237638, .crash(0, lasting: 1_234_415)),
      Step(318341, .write(2, document: 0, edits: [.type(holder: 4, at: 31, text: 3)])),
      Step(324091, .write(2, document: 0, edits: [.type(holder: 0, at: 3, text: 3)])),
      Step(573547, .write(2, document: 0, edits: [.mark(holder: 3, at: 3, count: 5, name: 6, value: 1)])),
      Step(814833, .write(4, document: 0, edits: [.type(holder: 3, at: 26, text: 0)])),
      Step(
        948806,
        .write(
          4, document: 0,
          edits: [
            .type(holder: 0, at: 22, text: 1), .erase(holder: 0, at: 13, count: 4),
            .mark(holder: 0, at: 2, count: 1, name: 0, value: 1), .unmark(holder: 3, at: 26, count: 8, name: 0),
          ])),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
    #expect(simulation.doings["forgottenMarks", default: 0] > 0)
  }
}
