import StarlingCore
import StarlingEngine
import StarlingGuard

/// One run of a replica's program: from its start to its end, good or bad.
final class SimulatedProcess: Sendable {
  struct State {
    var isReady = false
    var isClosed = false
    var failure: String?
    /// What `flush` said is durable.
    var durable: [DocumentID: SeenVersion] = [:]
  }

  let engine: ReplicaEngine
  let link: SimulatedLink
  let log: SimulatedLog
  let state = Guarded(State())

  init(engine: ReplicaEngine, link: SimulatedLink, log: SimulatedLog) {
    self.engine = engine
    self.link = link
    self.log = log
  }

  var isReady: Bool { state.withLock { $0.isReady } }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// What the process has promised that its store holds, to its own writers and to others.
  var promises: [DocumentID: SeenVersion] {
    state.withLock { $0.durable }.merging(link.promises) { left, right in
      var both = left
      both.merge(right)
      return both
    }
  }

  /// Starts, listens, dials and opens; ready once it has.
  ///
  /// - Parameter doubtful: documents that somebody may have had forgotten, which nobody opens again.
  func start(
    endpoint: String?, dialling peers: [String], opening documents: [DocumentID], ifThere doubtful: [DocumentID] = [],
    on executor: ManualExecutor
  ) {
    Task(executorPreference: executor) { [self] in
      do {
        try await engine.start()
        if let endpoint { try await engine.bind(endpoint) }
        for peer in peers { try await engine.connect(to: peer) }
        for document in documents { _ = try await engine.open(document) }
        for document in doubtful { _ = try? await engine.open(document) }
        state.withLock { $0.isReady = true }
      } catch {
        state.withLock { $0.failure = "\(error)" }
      }
    }
  }

  /// Closes in good order; `isClosed` once it has.
  func close(on executor: ManualExecutor) {
    Task(executorPreference: executor) { [self] in
      try? await engine.close()
      state.withLock { $0.isClosed = true }
    }
  }

  /// Ends at once; nothing that it had in memory is left.
  func kill() {
    link.memory.vanish()
    log.kill()
    engine.assumeIsolated { $0.abandon() }
  }
}
