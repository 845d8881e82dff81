import StarlingEngine

/// A schedule under which something was seen that must not be.
public struct Finding: Sendable {
  /// With its steps: it repeats the run.
  public var schedule: Schedule
  /// What was seen first, in words.
  public var violation: String
  /// The last lines of the trace.
  public var lines: [String]
  /// How many runs it took to make it as short as it is.
  public var runCount = 1

  package init(schedule: Schedule, violation: String, lines: [String]) {
    self.schedule = schedule
    self.violation = violation
    self.lines = lines
  }
}

extension Schedule {
  /// Runs it.
  ///
  /// - Returns: What is wrong; nil if nothing is.
  public func finding(activity: Simulation.Activity? = nil) -> Finding? { finding(activity: activity, planting: nil) }

  package func finding(
    activity: Simulation.Activity? = nil, planting fault: PlantedFault?, stores: SimulatedStoreMaker? = nil
  ) -> Finding? {
    let simulation = run(activity: activity, planting: fault, stores: stores)
    return simulation.finding
  }
}

extension Simulation {
  /// What was seen that must not be, with the steps that led there; nil if nothing was.
  public var finding: Finding? {
    guard let violation = violations.first else { return nil }
    var schedule = schedule
    schedule.steps = steps
    return Finding(schedule: schedule, violation: violation, lines: trace.lines)
  }
}

extension Finding: CustomStringConvertible {
  /// The seed, the violation and the steps, for people.
  public var description: String {
    let steps = schedule.steps ?? []
    return
      ([
        "seed \(schedule.seed), \(schedule.replicas) replicas, \(schedule.topology), \(schedule.theme): \(violation)",
        "The shortest trace that was found, of \(steps.count) steps:",
      ]
      + steps.map { "  \(Duration.microseconds($0.microseconds).inSeconds)  \($0.action.source)" })
      .joined(separator: "\n")
  }
}
