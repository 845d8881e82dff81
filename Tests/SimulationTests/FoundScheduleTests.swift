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

  /// Seed 52848. A log that keeps the state alone stores a state with a change in it, and loses power before that change's
  /// own record is stored: its daemon takes no states from a writer, and never gets the change. Turn the expectation round once
  /// that is closed.
  @Test func `a change that is stored in a state before its record stays with its writer`() {
    var schedule = Schedule(calm: 52848)
    schedule.replicas = 4
    schedule.topology = .daemons
    schedule.history = .stateOnly(byteCountMin: 300)
    schedule.hasKeys = true
    schedule.hostileRole = .writes
    schedule.theme = .objects
    schedule.faults.diskDelay = .microseconds(0) ... .microseconds(2000)
    schedule.steps = [
      Step(108112, .write(3, document: 0, edits: [.witness(0)])),
      Step(129052, .write(2, document: 0, edits: [.witness(1)])),
      Step(229383, .write(3, document: 0, edits: [.assignAt(holder: 4, key: 3)])),
      Step(259244, .write(2, document: 0, edits: [.removeObject(2)])),
      Step(280306, .write(3, document: 0, edits: [.assign(holder: 1)])),
      Step(300139, .restore(3, document: 0, pick: 7)),
      Step(
        326189,
        .write(
          2, document: 0,
          edits: [.assign(holder: 0), .setAside(4, holder: Optional(4)), .moveObject(1, holder: 0, key: 1)])),
      Step(404789, .write(3, document: 0, edits: [.moveObject(6, holder: 2, key: 1)])),
      Step(412724, .crash(1, lasting: 1_074_103)),
      Step(434789, .replaceKey(3)),
      Step(556051, .write(3, document: 0, edits: [.assignAt(holder: 4, key: 1)])),
      Step(558442, .losePower(3, lying: 1_767_867, lasting: 801289)),
      Step(1_268_165, .crash(3, lasting: 1_880_208)),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.first?.hasPrefix("no convergence") == true, "\(simulation.report)")
  }

  /// Seed 3986. A store writes under an id for the first time while its log refuses, and ends right after that works again:
  /// that the id is its own is stored before the first record of it, so that its daemon gets the change from it afterwards.
  @Test func `an id that was first written under while the log refused is known to be one's own`() {
    var schedule = Schedule(calm: 3986)
    schedule.replicas = 4
    schedule.topology = .daemons
    schedule.documents = [DocumentID("shared")!, DocumentID("other")!]
    schedule.hasKeys = true
    schedule.steps = [
      Step(583599, .reduceRole(2, mayRead: true, lasting: 1_126_181)),
      Step(974359, .fillDisk(2, lasting: Optional(378065))),
      Step(1_004_839, .write(2, document: 1, edits: [.incrementRegister(holder: 4, key: 3)])),
      Step(1_016_312, .write(2, document: 0, edits: [.increment(holder: 3, by: 3)])),
      Step(1_798_461, .crash(2, lasting: 947815)),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }
}
