import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingSimulator
import Testing

/// What a writer keeps for its daemons while another, which has the role of a relay, says that it has it.
@Suite struct `A relay that acknowledged what it did not keep` {
  /// Seed 93019247. A relay that lies acknowledged what a writer wrote while its daemon was down; the writer's log held
  /// a state alone from then on, and the daemon takes none from a writer.
  @Test func `what one relay has acknowledged is kept for another that is away`() {
    var schedule = Schedule(calm: 93019247)
    schedule.replicas = 4
    schedule.topology = .star
    schedule.documents = [DocumentID("shared")!, DocumentID("other")!]
    schedule.hasKeys = true
    schedule.hostileRole = .relays
    schedule.theme = .history
    schedule.faults.diskDelay = .microseconds(0) ... .microseconds(2000)
    schedule.steps = [
      Step(13347, .lie(seed: 7415144166960296180)),
      Step(60241, .write(2, document: 0, edits: [.set(holder: 0, key: 3, value: 5)])),
      Step(144775, .lie(seed: 5794614283524885164)),
      Step(151634, .write(3, document: 0, edits: [.witness(0)])),
      Step(226469, .crash(0, lasting: 1806979)),
      Step(376551, .lie(seed: 12202615779125628952)),
      Step(413435, .write(3, document: 0, edits: [.type(holder: 1, at: 30, text: 4)])),
      Step(603077, .lie(seed: 246407988821111311)),
      Step(670022, .write(1, document: 1, edits: [.witness(1)])),
      Step(714980, .write(2, document: 0, edits: [.witness(2)])),
      Step(798697, .write(2, document: 0, edits: [.set(holder: 3, key: 2, value: 7)])),
      Step(863280, .lie(seed: 6669616533807921103)),
      Step(907253, .lie(seed: 15029752916973891204)),
      Step(929973, .lie(seed: 1945312175724754397)),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }

  /// Seed 95067417. It said hello as the store of the daemon, and acknowledged in its name.
  @Test func `cannot do so for a store of another key`() {
    var schedule = Schedule(calm: 95067417)
    schedule.replicas = 2
    schedule.topology = .star
    schedule.documents = [DocumentID("shared")!, DocumentID("other")!]
    schedule.hasKeys = true
    schedule.hostileRole = .relays
    schedule.postponesPresence = true
    schedule.theme = .collections
    schedule.faults.loss = 0.05
    schedule.faults.diskDelay = .microseconds(0) ... .microseconds(30000)
    schedule.steps = [
      Step(187114, .write(1, document: 0, edits: [.witness(0)])),
      Step(247224, .write(1, document: 0, edits: [.addMember(holder: 1, member: 0)])),
      Step(266659, .lie(seed: 6628795734994321796)),
      Step(285833, .flap(from: [0], isOneWay: false, each: 31559, lasting: 1080161)),
      Step(304255, .write(1, document: 0, edits: [.addMember(holder: 1, member: 1)])),
      Step(370818, .lie(seed: 10404527829329969631)),
      Step(398264, .write(1, document: 1, edits: [.present(holder: 1, kind: 1)])),
      Step(426477, .lie(seed: 9248366309815833415)),
      Step(427845, .write(1, document: 0, edits: [.putEntry(holder: 4, key: 3, value: 16)])),
      Step(451815, .lie(seed: 11223062360398475997)),
      Step(518219, .write(1, document: 0, edits: [.witness(1)])),
      Step(640531, .write(1, document: 1, edits: [.clear(holder: 0, kind: 0)])),
      Step(657493, .write(1, document: 1, edits: [.putEntry(holder: 0, key: 3, value: 14)])),
      Step(664951, .write(1, document: 1, edits: [.witness(3)])),
      Step(705396, .write(1, document: 1, edits: [.putEntry(holder: 0, key: 2, value: 20)])),
      Step(760757, .lie(seed: 6033482746305139853)),
      Step(856221, .lie(seed: 1823818958500396914)),
      Step(1047994, .write(1, document: 0, edits: [.present(holder: 0, kind: 3)])),
      Step(1055069, .lie(seed: 1489392667221573991)),
      Step(1278846, .lie(seed: 13248965489824245611)),
      Step(1411129, .lie(seed: 18378731744339257479)),
      Step(1447850, .loseLogAnswers(1, lasting: 1219023)),
      Step(1523925, .write(1, document: 1, edits: [.putEntry(holder: 0, key: 0, value: 25), .witness(4)])),
      Step(1569697, .lie(seed: 4642881248737657896)),
      Step(1779220, .write(1, document: 1, edits: [.present(holder: 3, kind: 3)])),
      Step(1816310, .write(1, document: 1, edits: [.assignAt(holder: 3, key: 2)])),
      Step(1972730, .write(1, document: 1, edits: [.clear(holder: 4, kind: 4), .witness(6)])),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }

  /// Seed 95080913. It was there before the daemon, which the writer was told to dial and had never met.
  @Test func `cannot do so for a daemon that was not met yet`() {
    var schedule = Schedule(calm: 95080913)
    schedule.replicas = 4
    schedule.topology = .star
    schedule.documents = [DocumentID("shared")!, DocumentID("other")!]
    schedule.hasKeys = true
    schedule.hostileRole = .relays
    schedule.oddDialect = .later
    schedule.postponesPresence = true
    schedule.theme = .undo
    schedule.faults.loss = 0.2
    schedule.faults.delay = .microseconds(1000) ... .microseconds(400000)
    schedule.steps = [
      Step(65000, .crash(0, lasting: 1603656)),
      Step(322528, .restart(1, lasting: 754025)),
      Step(423904, .write(3, document: 1, edits: [.witness(0)])),
      Step(907693, .write(2, document: 0, edits: [.increment(holder: 2, by: 1)])),
      Step(1252578, .loseLogAnswers(2, lasting: 1948984)),
      Step(1268283, .write(2, document: 1, edits: [.assign(holder: 0)])),
      Step(1294664, .write(2, document: 1, edits: [.putEntry(holder: 1, key: 2, value: 19), .witness(3)])),
      Step(1792491, .write(2, document: 1, edits: [.moveObject(3, holder: 1, key: 3), .setLater(holder: 1, key: 0)])),
    ]
    let simulation = schedule.run()
    #expect(simulation.violations.isEmpty, "\(simulation.report)")
  }
}
