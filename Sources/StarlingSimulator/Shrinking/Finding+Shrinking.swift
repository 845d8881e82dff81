import StarlingCore
import StarlingEngine

extension Finding {
  /// The same kind of fault, with as few steps as can be found by leaving some out, ever fewer at a time (Zeller and
  /// Hildebrandt, “Simplifying and isolating failure-inducing input”, 2002), and on as good a network as shows it.
  ///
  /// - Parameters:
  ///   - activity: As the schedule was run with.
  ///   - runCountMax: After so many runs what was found until then is good enough.
  /// - Complexity: O(n log n) runs of *n* steps, mostly.
  public func shrunk(activity: Simulation.Activity? = nil, runCountMax: Int = 1000) -> Finding {
    shrunk(runCountMax: runCountMax) { $0.finding(activity: activity) }
  }

  package func shrunk(runCountMax: Int = 1000, _ find: (Schedule) -> Finding?) -> Finding {
    var shrinking = Shrinking(best: self, runsLeft: runCountMax)
    shrinking.best.runCount = 0
    repeat {
      shrinking.calm(find)
      shrinking.dropSteps(find)
    } while shrinking.dropEdits(find)
    var best = shrinking.best
    best.runCount = runCountMax - shrinking.runsLeft
    return best
  }
}

extension Finding {
  /// What the violation says but for numbers and names, which are others in another run.
  fileprivate var kind: String {
    violation.split(separator: " ").filter { !$0.contains(where: \.isNumber) }.prefix(8).joined(separator: " ")
  }
}

private struct Shrinking {
  var best: Finding
  var runsLeft: Int

  private var steps: [Step] { best.schedule.steps ?? [] }

  /// - Returns: Whether the schedule shows a fault still; then it is the best.
  private mutating func attempt(_ schedule: Schedule, _ find: (Schedule) -> Finding?) -> Bool {
    guard runsLeft > 0, schedule != best.schedule else { return false }
    runsLeft -= 1
    guard var finding = find(schedule), finding.kind == best.kind else { return false }
    // What came after the violation has not happened.
    if finding.schedule.steps == nil { finding.schedule.steps = schedule.steps }
    best = finding
    return true
  }

  mutating func dropSteps(_ find: (Schedule) -> Finding?) {
    var size = max(1, steps.count / 2)
    while runsLeft > 0 {
      var start = 0
      var hasShrunk = false
      while start < steps.count {
        var fewer = best.schedule
        fewer.steps?.removeSubrange(start..<min(start + size, steps.count))
        if attempt(fewer, find) { hasShrunk = true } else { start += size }
      }
      if size == 1, !hasShrunk { return }
      if !hasShrunk || size > steps.count { size = max(1, size / 2) }
    }
  }

  /// Leaves out single edits of changes that have several.
  ///
  /// - Returns: Whether it did.
  mutating func dropEdits(_ find: (Schedule) -> Finding?) -> Bool {
    var hasShrunk = false
    var place = 0
    while place < steps.count {
      guard case .write(let replica, let document, let edits) = steps[place].action, edits.count > 1 else {
        place += 1
        continue
      }
      let count = steps.count
      let isFewer = edits.indices.contains { edit in
        var fewer = edits
        fewer.remove(at: edit)
        var schedule = best.schedule
        schedule.steps?[place].action = .write(replica, document: document, edits: fewer)
        return attempt(schedule, find)
      }
      if isFewer { hasShrunk = true } else { place += 1 }
      // The steps behind a violation go with it.
      if steps.count < count { place = 0 }
    }
    return hasShrunk
  }

  /// Takes one fault of the network and the disks away after the other.
  mutating func calm(_ find: (Schedule) -> Finding?) {
    let calmer: [(inout Schedule) -> Void] = [
      { $0.faults.loss = 0 }, { $0.faults.duplication = 0 }, { $0.faults.corruption = 0 },
      { $0.faults.delay = .milliseconds(1) ... .milliseconds(1) }, { $0.faults.diskDelay = .zero ... .zero },
      { $0.faults.clockSkew = .zero }, { $0.history = .everything }, { $0.postponesPresence = false },
      { $0.closesDocuments = false },
    ]
    for calm in calmer {
      var schedule = best.schedule
      calm(&schedule)
      _ = attempt(schedule, find)
    }
  }
}
