import StarlingCore
import StarlingEngine

// What goes wrong, when, and to whom.
extension Simulation {
  /// Draws the happenings of a stretch of time.
  func bringFaults(within seconds: Double) {
    if generator.chance(faults.partitions * seconds) { partition() }
    if generator.chance(faults.interruptions * seconds) { interrupt() }
    if generator.chance(faults.absences * seconds), let replica = anybody({ $0.isRunning && !$0.isOffline }) {
      setOnline(false, replica)
      later(lasting()) { [unowned self] in setOnline(true, replica) }
    }
    if generator.chance(faults.freezes * seconds), let replica = anybody({ $0.isRunning }) {
      freeze(replica)
      later(lasting()) { [unowned self] in thaw(replica) }
    }
    if generator.chance(faults.crashes * seconds), let replica = anybody({ $0.process != nil }) {
      crash(replica)
      later(lasting()) { [unowned self] in startAgain(replica) }
    }
    if generator.chance(faults.restorations * seconds), let replica = anybody({ $0.process != nil }) {
      crash(replica)
      exchangeBackup(of: replica)
      later(lasting()) { [unowned self] in startAgain(replica) }
    }
    if generator.chance(faults.departures * seconds), replicas.count(where: { !$0.hasLeft }) > 2,
      let replica = anybody({ $0.process != nil && topology.mayLeave($0.index, of: replicas.count) })
    {
      crash(replica)
      trace.note("\(replica.name) is gone for ever", at: now)
      replica.hasLeft = true
    }
    if generator.chance(faults.restarts * seconds), let replica = anybody({ $0.isRunning }) {
      close(replica, startingAfter: lasting())
    }
    if generator.chance(faults.diskFailures * seconds), let replica = anybody({ $0.isRunning }) {
      trace.note("the disk of \(replica.name) refuses", at: now)
      replica.process?.log.fill()
    }
    if generator.chance(faults.clockJumps * seconds), let replica = anybody({ _ in true }) {
      let jump = generator.duration(in: .seconds(-100) ... .seconds(100))
      trace.note("the clock of \(replica.name) jumps by \(jump.microseconds) µs", at: now)
      replica.clock.jump(by: jump)
    }
  }

  private func anybody(_ isFit: (SimulatedReplica) -> Bool) -> SimulatedReplica? {
    replicas.filter(isFit).randomElement(using: &generator)
  }

  private func lasting() -> Duration {
    generator.duration(in: faults.duration)
  }

  private func partition() {
    let names = replicas.map(\.name).shuffled(using: &generator)
    let size = Int.random(in: 1..<max(2, names.count), using: &generator)
    let isOneWay = generator.chance(0.5)
    trace.note("\(names[..<size]) cannot reach \(names[size...])\(isOneWay ? "" : ", nor the other way")", at: now)
    let cut = weather.cut(from: Set(names[..<size]), to: Set(names[size...]), isOneWay: isOneWay)
    later(lasting()) { [unowned self] in
      trace.note("\(names[..<size]) can reach \(names[size...])", at: now)
      weather.heal(cut)
    }
  }

  private func interrupt() {
    guard let replica = anybody({ $0.process != nil }) else { return }
    trace.note("a connection of \(replica.name) breaks", at: now)
    replica.process?.link.interrupt(using: &generator)
  }
}
