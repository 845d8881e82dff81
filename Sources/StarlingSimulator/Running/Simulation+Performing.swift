import StarlingCore
import StarlingEngine

// Each step, done. One that cannot be done as things stand does nothing.
extension Simulation {
  func perform(_ action: Action) {
    switch action {
    case .write, .act, .begin, .end, .undo, .redo, .say, .flush, .readHistory, .restore, .fork: performDoing(action)
    case .partition, .interrupt, .goOffline, .freeze, .crash, .restart, .exchangeBackup, .leave, .fillDisk, .jumpClock,
      .flap, .losePower, .stayAway, .reduceRole, .replaceKey, .lie, .breakDisk, .loseLogAnswers, .runCopy,
      .putBackClosedStore, .renameKey:
      performFault(action)
    }
  }

  // MARK: Users

  private func performDoing(_ action: Action) {
    switch action {
    case .write(let place, let document, let edits):
      onHandle(action, place, document) { replica, handle in
        let isGroup = edits.count > 1
        if isGroup { handle.beginTransaction() }
        for edit in edits { handle.write { edit.apply(to: &$0, patch: &$1) } }
        if isGroup { handle.endTransaction(message: nil) }
        noteWitnesses(edits, at: replica, handle)
        trace.note("\(replica.name) writes to '\(handle.id)': \(edits.map(\.name)), \(handle.version)", at: now)
      }
    case .act(let place, let document, let seed):
      onHandle(action, place, document) { replica, handle in
        var generator = SeededGenerator(seed: seed)
        activity?(handle, &generator)
        trace.note("\(replica.name) writes to '\(handle.id)': \(handle.version)", at: now)
      }
    case .begin(let place, let document, let canBeTakenBack):
      onHandle(action, place, document) { replica, handle in
        trace.note("\(replica.name) begins a transaction in '\(handle.id)'", at: now)
        handle.beginTransaction(canBeTakenBack: canBeTakenBack)
        replica.transactions[handle.id, default: []].append(canBeTakenBack)
      }
    case .end(let place, let document, let isTakenBack):
      onHandle(action, place, document) { replica, handle in
        endTransaction(of: handle, at: replica, isTakenBack: isTakenBack)
      }
    case .undo(let place, let document):
      onHandle(action, place, document) { replica, handle in
        altering(handle) { _ = try? handle.undo() }
        trace.note("\(replica.name) undoes in '\(handle.id)': \(handle.version)", at: now)
      }
    case .redo(let place, let document):
      onHandle(action, place, document) { replica, handle in
        altering(handle) { _ = try? handle.redo() }
        trace.note("\(replica.name) does again in '\(handle.id)': \(handle.version)", at: now)
      }
    case .say(let place, let document, let value):
      onHandle(action, place, document) { replica, handle in
        trace.note("\(replica.name) says \(value.map(String.init) ?? "nothing") in '\(handle.id)'", at: now)
        handle.setPresence(
          value.map { .string("\(replica.name) \($0)") }, at: Self.presenceKey, lifetime: Self.presenceLifetime)
      }
    case .flush(let place, let document, let others):
      onHandle(action, place, document) { replica, handle in flush(handle, at: replica, others: others) }
    case .readHistory(let place, let document, let pick):
      onHandle(action, place, document) { replica, handle in readHistory(of: handle, at: replica, pick: pick) }
    case .restore(let place, let document, let pick):
      onHandle(action, place, document) { replica, handle in restore(handle, at: replica, pick: pick) }
    case .fork(let place, let document, let edits, let asState, let lasting):
      onHandle(action, place, document) { replica, handle in
        fork(handle, at: replica, edits: edits, asState: asState, lasting: .microseconds(lasting))
      }
    default: break
    }
  }

  /// Notes that it was done.
  func count(_ action: Action) {
    doings[action.name, default: 0] += 1
    switch action {
    case .write(_, _, let edits), .fork(_, _, let edits, _, _), .runCopy(_, _, let edits, _):
      for edit in edits { doings[edit.name, default: 0] += 1 }
    default: break
    }
  }

  /// Calls `body` if the replica runs and has the document open.
  private func onHandle(
    _ action: Action, _ place: Int, _ document: Int, _ body: (SimulatedReplica, DocumentHandle) -> Void
  ) {
    let replica = replicas[place]
    guard replica.isRunning, !closesDocuments(replica), let handle = handle(of: documents[document], at: replica)
    else { return }
    // Whoever runs a store that was put back lets it meet the others before writing to it.
    guard replica.doubtfulIDs[handle.id] != handle.replica else { return }
    count(action)
    attend(to: handle, at: replica)
    willWrite(to: handle, at: replica)
    body(replica, handle)
    didWrite(to: handle, at: replica)
  }

  func endTransactions(of replica: SimulatedReplica) {
    for document in documents {
      while replica.transactions[document]?.isEmpty == false, let handle = handle(of: document, at: replica) {
        endTransaction(of: handle, at: replica, isTakenBack: false)
      }
    }
  }

  private func endTransaction(of handle: DocumentHandle, at replica: SimulatedReplica, isTakenBack: Bool) {
    guard let canBeTakenBack = replica.transactions[handle.id]?.popLast() else { return }
    if canBeTakenBack, isTakenBack {
      altering(handle) { _ = handle.takeBackTransaction { _, _ in } }
      trace.note("\(replica.name) takes a transaction back in '\(handle.id)': \(handle.version)", at: now)
    } else {
      handle.endTransaction(message: "from \(replica.name)", canBeTakenBack: canBeTakenBack)
      trace.note("\(replica.name) ends a transaction in '\(handle.id)': \(handle.version)", at: now)
    }
  }

  // MARK: Faults

  private func performFault(_ action: Action) {
    switch action {
    case .partition(let from, let isOneWay, let lasting):
      count(action)
      partition(from, isOneWay: isOneWay, lasting: .microseconds(lasting))
    case .interrupt(let place, let pick):
      guard let process = replicas[place].process else { return }
      count(action)
      trace.note("a connection of \(replicas[place].name) breaks", at: now)
      process.link.interrupt(pick: pick)
    case .goOffline(let place, let lasting):
      let replica = replicas[place]
      guard replica.isRunning, !replica.isOffline else { return }
      count(action)
      setOnline(false, replica)
      later(.microseconds(lasting)) { [unowned self] in setOnline(true, replica) }
    case .freeze(let place, let lasting):
      let replica = replicas[place]
      guard replica.isRunning else { return }
      count(action)
      freeze(replica)
      later(.microseconds(lasting)) { [unowned self] in thaw(replica) }
    case .crash(let place, let lasting):
      let replica = replicas[place]
      guard replica.process != nil else { return }
      count(action)
      crash(replica)
      later(.microseconds(lasting)) { [unowned self] in startAgain(replica) }
    case .restart(let place, let lasting):
      guard replicas[place].isRunning else { return }
      count(action)
      close(replicas[place], startingAfter: .microseconds(lasting))
    case .exchangeBackup(let place, let lasting):
      let replica = replicas[place]
      guard replica.process != nil else { return }
      count(action)
      crash(replica)
      exchangeBackup(of: replica)
      later(.microseconds(lasting)) { [unowned self] in startAgain(replica) }
    case .leave(let place):
      let replica = replicas[place]
      guard mayLeave(replica) else { return }
      count(action)
      crash(replica)
      trace.note("\(replica.name) is gone for ever", at: now)
      replica.hasLeft = true
    case .fillDisk(let place, let lasting):
      let replica = replicas[place]
      guard let process = replica.process else { return }
      count(action)
      trace.note("the disk of \(replica.name) refuses", at: now)
      process.log.fill()
      guard let lasting else { return }
      later(.microseconds(lasting)) { [unowned self] in
        trace.note("the disk of \(replica.name) works again", at: now)
        process.log.recover()
      }
    case .jumpClock(let place, let distance):
      count(action)
      trace.note("the clock of \(replicas[place].name) jumps by \(distance) µs", at: now)
      replicas[place].clock.jump(by: .microseconds(distance))
    default: performRareFault(action)
    }
  }

  func partition(_ places: [Int], isOneWay: Bool, lasting: Duration) {
    let from = places.map { replicas[$0].name }
    let to = replicas.map(\.name).filter { !from.contains($0) }
    trace.note("\(from) cannot reach \(to)\(isOneWay ? "" : ", nor the other way")", at: now)
    let cut = networkFaults.cut(from: Set(from), to: Set(to), isOneWay: isOneWay)
    later(lasting) { [unowned self] in
      trace.note("\(from) can reach \(to)", at: now)
      networkFaults.heal(cut)
    }
  }
}
