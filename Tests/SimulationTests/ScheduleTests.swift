import Foundation
import StarlingEngine
import StarlingSession
import StarlingSimulator
import Testing

@Suite struct `Under any schedule of faults` {
  @Test func `replicas converge and keep what they promised`() throws {
    var done = EngineCounters()
    var doings: [String: Int] = [:]
    let seeds = Schedules.seeds
    for (number, seed) in seeds.enumerated() {
      // A broken invariant ends the process: this line tells where to look.
      if number % 100 == 0 { print("schedules from \(Schedules.command(for: seed))") }
      let simulation = Schedules.schedule(of: seed).run()
      if let finding = simulation.finding {
        let shrunk = finding.shrunk()
        let path = try Schedules.write(shrunk)
        Issue.record("\(simulation.report)\n\(shrunk)\nAgain: \(Schedules.command(for: seed)), or \(path)")
        return
      }
      done += simulation.counters
      for (name, count) in simulation.doings { doings[name, default: 0] += count }
    }
    print("\(seeds.count) schedules")
    // A schedule in which nothing goes wrong proves nothing.
    guard seeds.count >= 100 else { return }
    #expect(2 * done.gaps >= seeds.count && done.pulls >= 5 * seeds.count, "\(done)")
    #expect(2 * done.snapshotsMerged >= seeds.count && done.malformed > 0, "\(done)")
    // So does one in which nothing is done.
    let undone = Self.doings.filter { doings[$0, default: 0] == 0 }
    #expect(undone.isEmpty, "nobody ever did \(undone)")
  }

  private static let doings = [
    "write", "begin", "end", "takeBack", "undo", "redo", "say", "flush", "flushElsewhere", "readHistory", "restore",
    "fork", "partition", "oneWayPartition", "interruption", "absence", "freeze", "crash", "restart", "backup",
    "departure", "diskFailure", "clockJump", "flapping", "powerLoss", "longAbsence", "reducedRole", "replacedKey",
    "lie", "brokenDisk", "lostLogAnswer", "copiedStore", "closedStorePutBack",
    "forgingRelay", "presence",
    "set", "setLater", "remove", "increment", "incrementRegister", "addMember",
    "removeMember", "putEntry", "removeEntry", "present", "clear", "assign", "assignAt", "refer", "moveObject",
    "moveObjectIntoList", "setAside", "removeObject", "insert", "insertObject", "removeElements", "move", "setElement",
    "incrementElement", "type", "erase", "mark", "unmark", "witness",
  ]
}
