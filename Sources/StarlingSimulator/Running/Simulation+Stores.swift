import StarlingCore
import StarlingEngine

// Faults of stores: disks that fail, logs whose answers are lost, copies that run and copies that are put back.
extension Simulation {
  func performStoreFault(_ action: Action) {
    switch action {
    case .breakDisk(let place):
      guard let process = replicas[place].process else { return }
      count(action)
      trace.note("the disk of \(replicas[place].name) fails", at: now)
      process.log.breakDown()
    case .loseLogAnswers(let place, let lasting):
      guard let process = replicas[place].process else { return }
      count(action)
      trace.note("the log of \(replicas[place].name) does not answer", at: now)
      process.log.loseAnswers(true)
      later(.microseconds(lasting)) { [unowned self] in
        trace.note("the log of \(replicas[place].name) answers", at: now)
        process.log.loseAnswers(false)
      }
    case .runCopy(let place, let document, let edits, let lasting):
      guard mayRunCopy(of: replicas[place]) else { return }
      count(action)
      runCopy(of: replicas[place], writing: edits, to: documents[document], lasting: .microseconds(lasting))
    case .putBackClosedStore(let place, let lasting):
      let replica = replicas[place]
      guard replica.isRunning, !replica.isGuest else { return }
      count(action)
      if let store = replica.closedStore {
        putBack(store, at: replica, startingAfter: .microseconds(lasting))
      } else {
        replica.keepsClosedStore = true
        close(replica, startingAfter: .microseconds(lasting))
      }
    default: break
    }
  }

  /// Does what the program says where a key is another writer's now, and somebody may hold what was written under it.
  func replaceDisownedStores() {
    for replica in take(disowned) {
      // A relay that lies may say of any replica id that it is another name's, whatever the document, or not say whose
      // it is and then be gone.
      guard doings["renamedKey", default: 0] > 0 || schedule.hostileRole == .relays else {
        return report(violation: "\(replica.name) cannot bring to the group what it wrote under its own key")
      }
      goOnWithNewStore(replica)
    }
    replaceForgetfulStores()
  }

  /// Does what is to be done where a disk lost what it said to have: others may have collected what stood there
  /// (Documentation/Faults.md).
  private func replaceForgetfulStores() {
    for replica in take(standsOnNothing) where isHealed && replica.hasForgotten { goOnWithNewStore(replica) }
  }

  /// Those that were named since this was last asked.
  private func take(_ named: Shared<Set<String>>) -> [SimulatedReplica] {
    let names = named.withLock { names in
      defer { names = [] }
      return names
    }
    return replicas.filter { names.contains($0.name) }
  }

  private func goOnWithNewStore(_ replica: SimulatedReplica) {
    trace.note("\(replica.name) goes on with a new store", at: now)
    doings["newStore", default: 0] += 1
    crash(replica)
    replica.forget()
    later(.milliseconds(100)) { [unowned self] in startAgain(replica) }
  }

  /// A process that others dial holds its endpoint.
  func mayRunCopy(of replica: SimulatedReplica) -> Bool {
    replica.isRunning && !replica.isGuest && !topology.relays(replica.index, of: replicas.count)
  }

  /// What it writes is nowhere but at those who heard it, once it has ended.
  private func runCopy(
    of replica: SimulatedReplica, writing edits: [Edit], to document: DocumentID, lasting: Duration
  ) {
    copyCount += 1
    let copy = SimulatedReplica(copying: replica, number: copyCount)
    copies.append(copy)
    start(copy)
    later(lasting * 0.5) { [unowned self] in
      guard copy.isRunning, let handle = handle(of: document, at: copy) else { return }
      willWrite(to: handle, at: copy)
      for edit in edits { handle.write { edit.apply(to: &$0, patch: &$1) } }
      didWrite(to: handle, at: copy)
      noteWitnesses(edits, at: copy, handle)
      trace.note("\(copy.name) writes to '\(document)': \(edits.map(\.name)), \(handle.version)", at: now)
    }
    later(lasting) { [unowned self] in end(copy) }
  }

  /// A copy is never heard of again.
  func end(_ copy: SimulatedReplica) {
    crash(copy)
    copies.removeAll { $0 === copy }
  }

  private func putBack(_ store: any SimulatedStore, at replica: SimulatedReplica, startingAfter absence: Duration) {
    crash(replica)
    trace.note("the store of \(replica.name) is as it was when it was closed", at: now)
    replica.lose(keeping: store)
    (replica.closedStore, replica.isPutBack) = (nil, true)
    later(absence) { [unowned self] in startAgain(replica) }
  }
}
