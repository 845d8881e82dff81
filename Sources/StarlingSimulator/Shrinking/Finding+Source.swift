import StarlingCore
import StarlingEngine

// A finding as a test that repeats it.
extension Finding {
  /// The name of the file that `source` is meant for.
  public var fileName: String { "Seed\(schedule.seed)Tests.swift" }

  /// A Swift file with a test that fails as the run did. It names everything that decides the run, so that it stays the
  /// same when other seeds are drawn otherwise.
  ///
  /// A simulation with an activity of its own has to be given that by hand.
  public var source: String {
    let calm = Schedule(calm: schedule.seed)
    var settings: [String] = []
    func set<Value: Equatable>(_ path: KeyPath<Schedule, Value>, _ name: String, _ words: (Value) -> String) {
      if schedule[keyPath: path] != calm[keyPath: path] {
        settings.append("  schedule.\(name) = \(words(schedule[keyPath: path]))")
      }
    }
    set(\.replicas, "replicas") { "\($0)" }
    set(\.topology, "topology") { ".\($0)" }
    set(\.documents, "documents") { ids in "[\(ids.map { "DocumentID(\"\($0.name)\")!" }.joined(separator: ", "))]" }
    set(\.history, "history") { ".\($0)" }
    set(\.guests, "guests") { "\($0)" }
    set(\.hasKeys, "hasKeys") { "\($0)" }
    set(\.hostileRole, "hostileRole") { $0.map { ".\($0)" } ?? "nil" }
    set(\.hostileForges, "hostileForges") { "\($0)" }
    set(\.oddDialect, "oddDialect") { ".\($0)" }
    set(\.failingLogCalls, "failingLogCalls") {
      $0.map { calls in
        "FailingLogCalls(of: \(calls.replica), .\(calls.fault), first: \(calls.first), count: \(calls.count))"
      } ?? "nil"
    }
    set(\.postponesPresence, "postponesPresence") { "\($0)" }
    set(\.closesDocuments, "closesDocuments") { "\($0)" }
    set(\.theme, "theme") { ".\($0)" }
    set(\.duration, "duration") { $0.source }
    set(\.faults.loss, "faults.loss") { "\($0)" }
    set(\.faults.duplication, "faults.duplication") { "\($0)" }
    set(\.faults.corruption, "faults.corruption") { "\($0)" }
    set(\.faults.delay, "faults.delay") { "\($0.lowerBound.source) ... \($0.upperBound.source)" }
    set(\.faults.diskDelay, "faults.diskDelay") { "\($0.lowerBound.source) ... \($0.upperBound.source)" }
    set(\.faults.clockSkew, "faults.clockSkew") { $0.source }
    let steps = (schedule.steps ?? []).map { "    Step(\($0.microseconds), \($0.action.source)),\n" }
    return """
      import StarlingCore
      import StarlingEngine
      import StarlingSession
      import StarlingSimulator
      import Testing

      // \(violation.split(separator: "\n").joined(separator: " "))
      @Test func `seed \(schedule.seed) violates nothing`() {
        var schedule = Schedule(calm: \(schedule.seed))
      \(settings.joined(separator: "\n"))
        schedule.steps = [
      \(steps.joined())  ]
        let simulation = schedule.run()
        #expect(simulation.violations.isEmpty, "\\(simulation.report)")
      }

      """
  }
}

extension Action {
  /// As it is written in Swift.
  var source: String {
    String(reflecting: self).replacing("StarlingSimulator.Action.", with: ".")
      .replacing("StarlingSimulator.Edit.", with: ".")
  }
}

extension Duration {
  fileprivate var source: String { ".microseconds(\(microseconds))" }
}
