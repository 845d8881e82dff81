import StarlingCore

// What users do and what goes wrong, drawn. How the group stands makes likelier what can be done; whether it can be is
// looked at again when it is.
extension Simulation {
  /// The steps of the time from `start` to `end`, in order.
  func drawSteps(from start: Duration, until end: Duration) -> [Step] {
    let length = (end - start).microseconds
    let seconds = Double(length) / 1e6
    var actions = drawFaults(within: seconds)
    var writes = schedule.writesPerSecond * seconds
    while writes > 0 {
      if generator.chance(min(writes, 1)), let action = drawDoing() { actions.append(action) }
      writes -= 1
    }
    guard !actions.isEmpty else { return [] }
    return actions.map { Step(start.microseconds + Int.random(in: 0..<max(1, length), using: &generator), $0) }
      .sorted { $0.microseconds < $1.microseconds }
  }

  // MARK: Users

  /// What a user of a running replica does, if one runs.
  private func drawDoing() -> Action? {
    guard let place = anybody({ [self] in $0.isRunning && mayWrite($0) }), !documents.isEmpty else { return nil }
    let replica = replicas[place]
    let document = Int.random(in: documents.indices, using: &generator)
    let habits = schedule.theme.habits
    if replica.transactions[documents[document], default: []].count > 0, generator.chance(0.4) {
      return .end(place, document: document, isTakenBack: generator.chance(0.4))
    }
    switch Int.random(in: 0..<1000, using: &generator) {
    case let number where number < habits.transactions:
      return .begin(place, document: document, canBeTakenBack: generator.chance(0.5))
    case let number where number < habits.transactions + habits.undos:
      return generator.chance(0.65) ? .undo(place, document: document) : .redo(place, document: document)
    case let number where number < habits.transactions + habits.undos + habits.histories:
      let pick = Int.random(in: 0..<8, using: &generator)
      return generator.chance(0.5)
        ? .readHistory(place, document: document, pick: pick) : .restore(place, document: document, pick: pick)
    case let number where number < habits.transactions + habits.undos + habits.histories + habits.forks:
      return .fork(
        place, document: document, edits: drawEdits(), asState: generator.chance(0.3) && !schedule.hasKeys,
        lasting: drawLasting())
    case let number where number >= 1000 - habits.sayings:
      return .say(
        place, document: document, value: generator.chance(0.8) ? Int.random(in: 0..<100, using: &generator) : nil)
    case let number where number >= 1000 - habits.sayings - habits.flushes:
      return .flush(
        place, document: document, others: generator.chance(0.3) ? Int.random(in: 1...2, using: &generator) : 0)
    default:
      if activity != nil { return .act(place, document: document, seed: generator.next()) }
      return .write(place, document: document, edits: drawEdits())
    }
  }

  /// What is written in one change.
  private func drawEdits() -> [Edit] {
    let count = generator.chance(0.2) ? Int.random(in: 2...5, using: &generator) : 1
    var edits = (0..<count).map { _ in schedule.theme.edit(using: &generator) }
    if schedule.oddDialect == .later, generator.chance(0.2) {
      edits.append(.setLater(holder: Int.random(in: 0..<4, using: &generator), key: nextWitness % 4))
    }
    if generator.chance(Double(schedule.theme.habits.witnesses) / 100) {
      edits.append(.witness(nextWitness))
      nextWitness += 1
    }
    return edits
  }

  // MARK: Faults

  private func drawFaults(within seconds: Double) -> [Action] {
    var actions: [Action] = []
    func draw(_ rate: Double, _ fit: ((SimulatedReplica) -> Bool)? = nil, _ action: (Int) -> Action?) {
      guard generator.chance(rate * seconds), let place = anybody(fit ?? { $0.process != nil }),
        let action = action(place)
      else { return }
      actions.append(action)
    }
    draw(faults.partitions, { _ in true }) { _ in
      let places = Array(replicas.indices).shuffled(using: &generator)
      let size = Int.random(in: 1..<max(2, places.count), using: &generator)
      return .partition(from: Array(places[..<size]), isOneWay: generator.chance(0.5), lasting: drawLasting())
    }
    draw(faults.interruptions) { .interrupt($0, pick: generator.next()) }
    draw(faults.absences, { $0.isRunning && !$0.isOffline }) { .goOffline($0, lasting: drawLasting()) }
    draw(faults.freezes, { $0.isRunning }) { .freeze($0, lasting: drawLasting()) }
    draw(faults.crashes, { [self] in mayLoseWrites($0) }) { .crash($0, lasting: drawLasting()) }
    draw(faults.restorations, { [self] in mayLoseItsDisk($0) }) { .exchangeBackup($0, lasting: drawLasting()) }
    draw(faults.flaps, { _ in true }) { _ in
      let places = Array(replicas.indices).shuffled(using: &generator)
      let size = Int.random(in: 1..<max(2, places.count), using: &generator)
      let each = generator.duration(in: .milliseconds(20) ... .milliseconds(200)).microseconds
      return .flap(from: Array(places[..<size]), isOneWay: generator.chance(0.5), each: each, lasting: drawLasting())
    }
    draw(faults.powerLosses, { [self] in mayLoseItsDisk($0) }) {
      .losePower($0, lying: drawLasting(), lasting: drawLasting())
    }
    draw(faults.longAbsences, { [self] in $0.isRunning && mayStayAway($0) && mayLoseWrites($0) }) { .stayAway($0) }
    if schedule.hasKeys {
      draw(faults.reducedRoles, { $0.index > 0 }) {
        .reduceRole($0, mayRead: generator.chance(0.7), lasting: drawLasting())
      }
      draw(faults.replacedKeys, { [self] in mayLoseWrites($0) }) { .replaceKey($0) }
    }
    if schedule.hostileRole != nil { draw(faults.lies, { _ in true }) { _ in .lie(seed: generator.next()) } }
    draw(faults.departures, { [self] in mayLeave($0) }) { .leave($0) }
    draw(faults.restarts, { $0.isRunning }) { .restart($0, lasting: drawLasting()) }
    draw(faults.diskFailures, { [self] in $0.isRunning && mayLoseItsDisk($0) }) {
      .fillDisk($0, lasting: generator.chance(0.5) ? drawLasting() : nil)
    }
    drawStoreFaults(draw)
    if schedule.hasKeys { draw(faults.renamedKeys, { [self] in mayBeRenamed($0) }) { .renameKey($0) } }
    draw(faults.clockJumps, { _ in true }) {
      let range: ClosedRange<Duration> =
        generator.chance(0.2) ? .seconds(-86_400 * 400) ... .seconds(86_400 * 400) : .seconds(-100) ... .seconds(100)
      return .jumpClock($0, by: generator.duration(in: range).microseconds)
    }
    return actions
  }

  private func drawStoreFaults(_ draw: (Double, ((SimulatedReplica) -> Bool)?, (Int) -> Action?) -> Void) {
    draw(faults.brokenDisks, { [self] in $0.isRunning && mayLoseItsDisk($0) }) { .breakDisk($0) }
    draw(faults.lostLogAnswers, nil) { .loseLogAnswers($0, lasting: drawLasting()) }
    // Where members have keys, what a copy wrote that ended is taken from nobody else.
    draw(faults.copiedStores, { [self] in !schedule.hasKeys && mayRunCopy(of: $0) }) {
      .runCopy(
        $0, document: Int.random(in: documents.indices, using: &generator), edits: drawEdits(), lasting: drawLasting())
    }
    draw(faults.closedStoresPutBack, { [self] in $0.isRunning && !$0.isGuest && mayLoseItsDisk($0) }) {
      .putBackClosedStore($0, lasting: drawLasting())
    }
  }

  private func anybody(_ isFit: (SimulatedReplica) -> Bool) -> Int? {
    replicas.filter(isFit).randomElement(using: &generator)?.index
  }

  private func drawLasting() -> Int { generator.duration(in: faults.duration).microseconds }

  /// Where members have keys, those that relay write nothing themselves, as daemons do: what one of them published and
  /// lost with a crash would be taken from nobody else.
  private func mayWrite(_ replica: SimulatedReplica) -> Bool {
    !(schedule.hasKeys && topology.relays(replica.index, of: replicas.count))
  }

  /// Whether what its disk had can come back: where members have keys, what a relay lost that its writer has lost too
  /// is taken from nobody else.
  private func mayLoseItsDisk(_ replica: SimulatedReplica) -> Bool {
    mayLoseWrites(replica) && !(schedule.hasKeys && topology.relays(replica.index, of: replicas.count))
  }

  /// Whether what it wrote lately may be lost with its process. What a writer gave to a relay that lies, and to no
  /// other daemon, stays with those who heard it there: daemons take it from its writer alone.
  private func mayLoseWrites(_ replica: SimulatedReplica) -> Bool {
    replica.process != nil
      && (hostileRelay == nil || schedule.hostileForges || topology.relays(replica.index, of: replicas.count))
  }

  /// Whether its key may stand for another name. What it wrote is written again then, unless somebody holds it; who
  /// heard it from a relay that lost it since, nobody knows.
  private func mayBeRenamed(_ replica: SimulatedReplica) -> Bool {
    mayLoseWrites(replica) && faults.crashes == 0 && faults.longAbsences == 0 && faults.lostLogAnswers == 0
  }

  /// Whether the others can do without it for a long time.
  private func mayStayAway(_ replica: SimulatedReplica) -> Bool {
    replica.index > 0 && replicas.count(where: { !$0.hasLeft && !$0.staysAway }) > 2
  }

  /// Whether the others can do without it for ever.
  func mayLeave(_ replica: SimulatedReplica) -> Bool {
    // Where members have keys, what one wrote that left is taken from nobody else.
    replica.process != nil && !schedule.hasKeys && topology.mayLeave(replica.index, of: replicas.count)
      && replicas.count(where: { !$0.hasLeft }) > 2
  }
}
