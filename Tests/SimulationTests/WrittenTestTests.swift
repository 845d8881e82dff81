import Foundation
import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingSimulator
import Testing

/// `Seed0Tests.swift` stands beside this file and is compiled with it: it is what a finding is written as that has
/// every setting and every sort of step.
@Suite struct `The test that a finding is written as` {
  private static var finding: Finding {
    var schedule = Schedule(calm: 0)
    schedule.replicas = 4
    schedule.topology = .star
    schedule.documents = ["shared", "other"].compactMap { DocumentID($0) }
    schedule.history = .stateOnly(byteCountMin: 300)
    schedule.guests = 1
    schedule.hasKeys = true
    schedule.hostileRole = .reads
    schedule.hostileForges = true
    schedule.oddDialect = .later
    schedule.failingLogCalls = FailingLogCalls(of: 1, .full, first: 1_000_000, count: 2)
    schedule.postponesPresence = true
    schedule.theme = .texts
    schedule.duration = .milliseconds(100)
    schedule.faults.loss = 0.05
    schedule.faults.delay = .milliseconds(1) ... .milliseconds(5)
    schedule.steps = actions.enumerated().map { Step(1000 * $0.offset, $0.element) }
    return Finding(schedule: schedule, violation: "Nothing is wrong.", lines: [])
  }

  private static let actions: [StarlingSimulator.Action] = [
    .write(1, document: 0, edits: [.type(holder: 0, at: 0, text: 1), .setAside(2, holder: 1)]),
    .act(1, document: 0, seed: 5), .begin(1, document: 0, canBeTakenBack: true),
    .end(1, document: 0, isTakenBack: true), .undo(1, document: 0), .redo(1, document: 0),
    .say(1, document: 0, value: 3), .say(1, document: 0, value: nil), .flush(1, document: 1, others: 1),
    .readHistory(1, document: 0, pick: 2), .restore(1, document: 0, pick: 2),
    .fork(1, document: 0, edits: [.witness(1)], asState: false, lasting: 1000),
    .partition(from: [1, 2], isOneWay: true, lasting: 1000), .partition(from: [2], isOneWay: false, lasting: 1000),
    .flap(from: [1], isOneWay: false, each: 500, lasting: 3000), .interrupt(1, pick: 7),
    .goOffline(1, lasting: 1000), .freeze(1, lasting: 1000), .crash(2, lasting: 1000), .restart(1, lasting: 1000),
    .exchangeBackup(2, lasting: 1000), .losePower(2, lying: 1000, lasting: 1000), .stayAway(2), .leave(2),
    .fillDisk(1, lasting: 1000), .fillDisk(1, lasting: nil), .jumpClock(1, by: -1000),
    .reduceRole(1, mayRead: true, lasting: 1000), .replaceKey(1), .lie(seed: 9), .breakDisk(1),
    .loseLogAnswers(1, lasting: 1000), .runCopy(1, document: 0, edits: [.witness(2)], lasting: 1000),
    .putBackClosedStore(1, lasting: 1000), .renameKey(1),
  ]

  @Test func `compiles, whatever it names`() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: Self.finding.fileName)
    let source = try String(contentsOf: path, encoding: .utf8)
    #expect(source == Self.finding.source, "Put this into \(path.path):\n\(Self.finding.source)")
  }

  @Test func `has every sort of step`() {
    let faults = Set(Self.actions.map(\.name)).intersection(StarlingSimulator.Action.faultNames)
    #expect(faults == Set(StarlingSimulator.Action.faultNames))
  }
}
