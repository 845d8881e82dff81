import StarlingCore
import StarlingEngine

// Faults that are rare where programs run, and so the ones that nobody has seen.
extension Simulation {
  func performRareFault(_ action: Action) {
    switch action {
    case .flap(let from, let isOneWay, let each, let lasting):
      count(action)
      flap(from, isOneWay: isOneWay, each: .microseconds(each), until: now + .microseconds(lasting))
    case .losePower(let place, let lying, let lasting):
      guard replicas[place].process != nil else { return }
      count(action)
      losePower(of: replicas[place], after: .microseconds(lying), startingAfter: .microseconds(lasting))
    case .stayAway(let place):
      let replica = replicas[place]
      guard replica.process != nil, !replica.hasLeft else { return }
      count(action)
      crash(replica)
      trace.note("\(replica.name) stays away", at: now)
      replica.staysAway = true
    case .reduceRole(let place, let mayRead, let lasting):
      guard let allowlist else { return }
      count(action)
      let name = replicas[place].name
      trace.note("\(name) may \(mayRead ? "only read" : "do nothing")", at: now)
      allowlist.reduce(name, to: mayRead ? .reads : nil)
      later(.microseconds(lasting)) { [unowned self] in
        trace.note("\(name) may do what it might", at: now)
        allowlist.restore(name)
      }
    case .replaceKey(let place):
      guard let allowlist, replicas[place].process != nil else { return }
      count(action)
      trace.note("\(replicas[place].name) has another key", at: now)
      allowlist.replaceKey(of: replicas[place].name)
      // A process proves the key that it was started with.
      crash(replicas[place])
      startAgain(replicas[place])
    case .lie(let seed):
      guard hostile != nil || hostileRelay != nil else { return }
      count(action)
      if hostileRelay != nil { doings[schedule.hostileForges ? "forgingRelay" : "lyingRelay", default: 0] += 1 }
      trace.note("the hostile peer lies", at: now)
      var generator = SeededGenerator(seed: seed)
      network.executor.run {
        hostile?.lie(using: &generator)
        hostileRelay?.lie(using: &generator)
      }
    case .renameKey(let place):
      guard let allowlist else { return }
      count(action)
      trace.note("the key of \(replicas[place].name) is listed under another name", at: now)
      allowlist.rename(replicas[place].keyName)
    case .breakDisk, .loseLogAnswers, .runCopy, .putBackClosedStore: performStoreFault(action)
    default: break
    }
  }

  private func flap(_ places: [Int], isOneWay: Bool, each: Duration, until end: Duration) {
    guard now < end, !isHealed else { return }
    partition(places, isOneWay: isOneWay, lasting: each)
    later(each * 2) { [unowned self] in flap(places, isOneWay: isOneWay, each: each, until: end) }
  }

  /// What its disk is told from now on is gone when the power goes: the disk had said that it was there.
  private func losePower(of replica: SimulatedReplica, after lying: Duration, startingAfter absence: Duration) {
    let (disk, kept) = (replica.disk, replica.disk.copied())
    trace.note("the disk of \(replica.name) keeps nothing from now on", at: now)
    later(lying) { [unowned self] in
      guard replica.disk === disk, !replica.hasLeft else { return }
      trace.note("\(replica.name) loses power, and its disk what it did not keep", at: now)
      crash(replica)
      replica.lose(keeping: kept)
      later(absence) { [unowned self] in startAgain(replica) }
    }
  }
}
