import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingSimulator
import Testing

// Nothing is wrong.
@Test func `seed 0 violates nothing`() {
  var schedule = Schedule(calm: 0)
  schedule.replicas = 4
  schedule.topology = .star
  schedule.documents = [DocumentID("shared")!, DocumentID("other")!]
  schedule.history = .stateOnly(byteCountMin: 300)
  schedule.guests = 1
  schedule.hasKeys = true
  schedule.hostileRole = .reads
  schedule.hostileForges = true
  schedule.oddDialect = .later
  schedule.failingLogCalls = FailingLogCalls(of: 1, .full, first: 1000000, count: 2)
  schedule.postponesPresence = true
  schedule.theme = .texts
  schedule.duration = .microseconds(100000)
  schedule.faults.loss = 0.05
  schedule.faults.delay = .microseconds(1000) ... .microseconds(5000)
  schedule.steps = [
    Step(0, .write(1, document: 0, edits: [.type(holder: 0, at: 0, text: 1), .setAside(2, holder: Optional(1))])),
    Step(1000, .act(1, document: 0, seed: 5)),
    Step(2000, .begin(1, document: 0, canBeTakenBack: true)),
    Step(3000, .end(1, document: 0, isTakenBack: true)),
    Step(4000, .undo(1, document: 0)),
    Step(5000, .redo(1, document: 0)),
    Step(6000, .say(1, document: 0, value: Optional(3))),
    Step(7000, .say(1, document: 0, value: nil)),
    Step(8000, .flush(1, document: 1, others: 1)),
    Step(9000, .readHistory(1, document: 0, pick: 2)),
    Step(10000, .restore(1, document: 0, pick: 2)),
    Step(11000, .fork(1, document: 0, edits: [.witness(1)], asState: false, lasting: 1000)),
    Step(12000, .partition(from: [1, 2], isOneWay: true, lasting: 1000)),
    Step(13000, .partition(from: [2], isOneWay: false, lasting: 1000)),
    Step(14000, .flap(from: [1], isOneWay: false, each: 500, lasting: 3000)),
    Step(15000, .interrupt(1, pick: 7)),
    Step(16000, .goOffline(1, lasting: 1000)),
    Step(17000, .freeze(1, lasting: 1000)),
    Step(18000, .crash(2, lasting: 1000)),
    Step(19000, .restart(1, lasting: 1000)),
    Step(20000, .exchangeBackup(2, lasting: 1000)),
    Step(21000, .losePower(2, lying: 1000, lasting: 1000)),
    Step(22000, .stayAway(2)),
    Step(23000, .leave(2)),
    Step(24000, .fillDisk(1, lasting: Optional(1000))),
    Step(25000, .fillDisk(1, lasting: nil)),
    Step(26000, .jumpClock(1, by: -1000)),
    Step(27000, .reduceRole(1, mayRead: true, lasting: 1000)),
    Step(28000, .replaceKey(1)),
    Step(29000, .lie(seed: 9)),
    Step(30000, .breakDisk(1)),
    Step(31000, .loseLogAnswers(1, lasting: 1000)),
    Step(32000, .runCopy(1, document: 0, edits: [.witness(2)], lasting: 1000)),
    Step(33000, .putBackClosedStore(1, lasting: 1000)),
    Step(34000, .renameKey(1)),
  ]
  let simulation = schedule.run()
  #expect(simulation.violations.isEmpty, "\(simulation.report)")
}
