import StarlingCore
import StarlingEngine
import StarlingGuard

// What users do that takes a while: waiting for disks, reading history, forks. Each ends at some later moment, or never
// if the process does.
extension Simulation {
  /// Waits for the disk, and notes what it then holds: the version, and the witnesses that stood when it was asked.
  func flush(_ handle: DocumentHandle, at replica: SimulatedReplica, others: Int) {
    guard let process = replica.process else { return }
    let (version, document) = (handle.version, handle.id)
    let seen = handle.read { Witness.all(in: $0) }
    let isOpen = replica.transactions[document]?.isEmpty == false
    let goal = others == 0 ? FlushGoal.durable : .replicated(others)
    whenDone({ (try? await process.engine.flush(document, until: goal)) != nil }) { [unowned self] isDone in
      guard isDone else { return }
      if others == 0 {
        process.state.withLock { $0.durable[document, default: SeenVersion()].merge(SeenVersion(version)) }
      }
      // What a transaction wrote that was taken back since was never promised.
      guard replica.process === process else { return }
      let kept = isOpen ? seen.intersection(handle.read { Witness.all(in: $0) }) : seen
      acknowledged(kept, in: document, at: replica, others: others)
    }
  }

  /// Reads a version that stood here before: it must have the digest that it had.
  func readHistory(of handle: DocumentHandle, at replica: SimulatedReplica, pick: Int) {
    guard let process = replica.process, let version = replica.pastVersion(of: handle.id, pick) else { return }
    let document = handle.id
    trace.note("\(replica.name) reads '\(document)' at \(version)", at: now)
    let read: @Sendable () async -> (HistoricDocument?, HistoryPage?) = {
      let past = try? await process.engine.document(document, at: version)
      return (past, try? await process.engine.historyPage(of: document, atMost: 10))
    }
    whenDone(read) { [unowned self] past, page in
      if let page, page.changes.count > 10 { report(violation: "a page of ten has \(page.changes.count) changes") }
      guard let past, let seen = digestsSeen[document]?[version], !isSame(seen, past.digest(), past.document) else {
        return
      }
      report(violation: "'\(document)' at \(version), read at \(replica.name), has another digest than it had")
    }
  }

  func restore(_ handle: DocumentHandle, at replica: SimulatedReplica, pick: Int) {
    guard let process = replica.process, let version = replica.pastVersion(of: handle.id, pick) else { return }
    // The engine refuses to make half a transaction a restored version; the same thread has it open here.
    guard replica.transactions[handle.id]?.isEmpty != false else { return }
    let document = handle.id
    trace.note("\(replica.name) restores '\(document)' to \(version)", at: now)
    let restore: @Sendable () async -> String? = {
      do {
        try await process.engine.restore(document, to: version, message: "restored")
        return nil
      } catch {
        return "\(error)"
      }
    }
    whenDone(restore) { [unowned self] refusal in
      // What the version does not have was taken away on purpose.
      if let refusal {
        trace.note("\(replica.name) cannot restore: \(refusal)", at: now)
      } else {
        excuse(unseenAt: handle)
      }
    }
  }

  func fork(
    _ handle: DocumentHandle, at replica: SimulatedReplica, edits: [Edit], asState: Bool, lasting: Duration
  ) {
    guard let process = replica.process else { return }
    let document = handle.id
    let fork = network.executor.run { process.engine.assumeIsolated { try? $0.fork(document) } }
    guard let fork else { return }
    trace.note("\(replica.name) forks '\(document)' as \(fork.replica)", at: now)
    for edit in edits { fork.handle.write { edit.apply(to: &$0, patch: &$1) } }
    later(lasting) { [unowned self] in
      guard replica.process === process, !replica.isFrozen, !process.isClosed else { return }
      trace.note("\(replica.name) merges its fork of '\(document)'", at: now)
      let refusal = network.executor.run {
        process.engine.assumeIsolated { engine in
          do {
            try engine.merge(fork, as: asState ? .state : .changes)
            return nil as String?
          } catch {
            return "\(error)"
          }
        }
      }
      if let refusal { trace.note("\(replica.name) cannot merge its fork: \(refusal)", at: now) }
      noteWitnesses(edits, at: replica, handle)
    }
  }
}

extension Simulation {
  /// Begins what takes a while, and goes on with its outcome, on this thread, if it ever ends.
  func whenDone<Value: Sendable>(_ work: @escaping @Sendable () async -> Value, _ goOn: @escaping (Value) -> Void) {
    let outcome = Outcome<Value>()
    Task(executorPreference: network.executor) {
      let value = await work()
      outcome.value.withLock { $0 = value }
    }
    underWay.append {
      guard let value = outcome.value.withLock({ $0 }) else { return false }
      goOn(value)
      return true
    }
  }

  func goOnWithWhatIsDone() {
    let before = underWay
    underWay = []
    underWay = before.filter { !$0() } + underWay
  }
}

/// Of work that is under way.
private final class Outcome<Value: Sendable>: Sendable {
  let value = Guarded<Value?>(nil)
}
