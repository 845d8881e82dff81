package import StarlingCore
import StarlingGuard
import StarlingSession

// Transactions, and writes of other threads that wait for their end (`WriteTurns`).
extension DocumentHandle {
  /// Begins a transaction: until `endTransaction`, everything that this thread writes to the document becomes one
  /// change, and what others write waits. Nests. Waits itself while another thread has one open.
  ///
  /// - Parameter canBeTakenBack: whether `takeBackTransaction` may end it.
  package func beginTransaction(canBeTakenBack: Bool = false) {
    let thread = ThreadNumber.current
    while !tryBegin(thread, canBeTakenBack) { waitForTurn(thread) }
  }

  private func tryBegin(_ thread: ThreadNumber, _ canBeTakenBack: Bool) -> Bool {
    state.withLock { state in
      guard state.turns.admits(thread) else { return false }
      state.turns.enter(thread)
      if canBeTakenBack {
        state.savepoints.append(Savepoint(thread: thread, document: state.document, gate: state.gate))
      }
      state.begin(now)
      return true
    }
  }

  /// Called by the thread that began it.
  ///
  /// - Parameters:
  ///   - message: kept in the change for those who read its history. The outermost that is given stands.
  ///   - canBeTakenBack: as it was begun.
  /// - Returns: The objects that it took away and put nowhere else, with those in them, at the end of the outermost.
  @discardableResult
  package func endTransaction(message: String?, canBeTakenBack: Bool = false) -> [ObjectID] {
    let origin = tracer?.origin()
    let (committed, removed, next) = state.withLock { state in
      if canBeTakenBack { state.keepWrites(.current) }
      let next = state.turns.leave(.current)
      state.message = message ?? state.message
      let removed = state.removeWhatWasTaken()
      var committed = state.commit(message: state.message)
      state.note(origin, of: committed)
      if !state.document.isWriting {
        state.message = nil
        committed.isFirst = committed.isFirst || state.isEndAwaited
        state.isEndAwaited = false
      }
      return (committed, removed, next)
    }
    next?.turn.signal()
    announce(committed)
    return removed
  }

  /// Runs `body` while no other thread has a transaction open. Where this thread has one, that stays open.
  func inTurn<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    let thread = ThreadNumber.current
    while !state.withLock({ $0.tryEnter(thread) }) { waitForTurn(thread) }
    defer { state.withLock { $0.turns.leave(thread) }?.turn.signal() }
    return try body()
  }

  /// A copy of the document; nil while this thread has a transaction open. Those of others are waited for.
  package func copyInTurn() -> Document? { inTurn { copy() } }

  /// Returns when the thread may write: its turn has come, or it joins the transaction that is open.
  @inline(never)
  func waitForTurn(_ thread: ThreadNumber) {
    let writer = WaitingWriter(thread)
    let wait: Wait = WaitGraph.shared.withLock { graph in
      let isFree = state.withLock { state in
        if state.turns.admits(thread) { return true }
        state.turns.wait(writer)
        return false
      }
      if isFree { return .free }
      graph.begin(thread, for: self)
      return graph.isCycle(thread) ? .deadlock : .turn
    }
    switch wait {
    case .free: return
    case .turn: if !writer.turn.wait(timeout: transactionTimeout) { join(writer, .timeout) }
    case .deadlock: join(writer, .deadlock)
    }
    // Released with the lock open.
    _ = WaitGraph.shared.withLock { $0.end(thread) }
  }

  private enum Wait {
    case free
    case turn
    case deadlock
  }

  private func join(_ writer: WaitingWriter, _ reason: JoinedTransaction.Reason) {
    let holder = state.withLock { state in
      state.turns.join(writer)
      return state.turns.threads.first
    }
    // Its turn may have come just now.
    guard let holder, holder != writer.thread else { return }
    let joined = JoinedTransaction(
      document: id, reason: reason, writer: writer.thread.number, holder: holder.number)
    for receiver in listeners.withLock({ $0.joined }) { receiver(joined) }
  }

  /// Calls `receiver` when a write joins a transaction of another thread, on the writing thread, outside the lock.
  package func onJoinedTransaction(_ receiver: @escaping @Sendable (JoinedTransaction) -> Void) {
    listeners.withLock { $0.joined.append(receiver) }
  }

  // MARK: Looking on

  var threadsWriting: [ThreadNumber] { state.withLock { $0.turns.threads } }

  /// How many threads wait for their turn.
  package var waitingWriterCount: Int { state.withLock { $0.turns.waitingCount } }

  /// Whether another thread has a transaction open.
  var isWrittenElsewhere: Bool { state.withLock { !$0.turns.admits(.current) } }

  /// The number of the transaction that is open; nil if none is. `onOutbox` is told of its end.
  ///
  /// - Parameter hasWritten: whether one counts only if it has written something.
  func transactionToAwait(hasWritten: Bool) -> UInt64? {
    state.withLock { state in
      guard hasWritten ? state.document.hasUncommittedWrites : state.document.isWriting else { return nil }
      state.isEndAwaited = true
      return state.turns.number
    }
  }

  /// The number of the transaction that is open, if one is.
  var openTransaction: UInt64? {
    state.withLock { $0.document.isWriting ? $0.turns.number : nil }
  }

  /// How much of what is durable others may be told of (`AcknowledgementHold`).
  func acknowledgeable(of durable: VersionVector) -> VersionVector {
    state.withLock { $0.acknowledgements.acknowledgeable(of: durable) }
  }
}

extension DocumentHandle.State {
  fileprivate mutating func tryEnter(_ thread: ThreadNumber) -> Bool {
    guard turns.admits(thread) else { return false }
    turns.enter(thread)
    return true
  }
}
