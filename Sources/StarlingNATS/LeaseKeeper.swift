#if NATS
  import StarlingEngine

  /// Says again and again that the holder of a log lives, over a connection of its own: a long read does not silence it.
  actor LeaseKeeper {
    private let subjects: LogSubjects
    private let replicas: Int
    private let cluster: Servers
    private let limits: JetStreamLog.Limits
    private let session: UInt64
    /// Where the session's opening stands in the stream.
    private let opening: UInt64
    private let queue = LogQueue()
    private var witness: LogWitness?
    private var task: Task<Void, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    /// - Parameter limits: those of the log; it asks again itself, and waits no longer than a renewal.
    init(
      _ subjects: LogSubjects, replicas: Int, at cluster: Servers, limits: JetStreamLog.Limits, session: UInt64,
      opening: UInt64
    ) {
      self.subjects = subjects
      self.replicas = replicas
      self.cluster = cluster
      self.limits = limits
      self.session = session
      self.opening = opening
    }

    /// Begins.
    ///
    /// - Parameter onLoss: called once another process holds the log; then it ends.
    func start(every renewal: Duration, _ onLoss: @escaping @Sendable (LogError) -> Void) {
      task = Task { [weak self] in
        while (try? await Task.sleep(for: renewal)) != nil {
          guard let self else { return }
          do {
            try await renew()
          } catch let error as LogError where error.code == .busy {
            return onLoss(error)
          } catch {
            // The servers do not answer just now.
          }
        }
      }
    }

    /// Returns once nothing more is said.
    func stop() async {
      task?.cancel()
      await task?.value
      task = nil
      witness = nil
    }

    func renew() throws {
      do {
        guard witness != nil else { return try attach() }
        try witness?.say(.opened, by: session)
      } catch let error as LogError where error.code == .busy {
        // Somebody opened the log, or the servers forgot what was in their memory.
        try attach()
      } catch {
        witness = nil
        throw error
      }
    }

    /// - Throws: `LogError(.busy)` where another process holds the log.
    private func attach() throws {
      witness = nil
      var limits = limits
      limits.patience = min(limits.patience, .seconds(2))
      let connection = try JetStreamConnection(to: cluster, limits: limits)
      let stream = try LogStream(
        LogStream.Settings(name: subjects.stream, root: subjects.root, replicas: replicas), at: connection,
        isMade: false)
      if let error = try stream.displacement(of: session, at: opening) { throw error }
      var found = try LogWitness(subjects, replicas: replicas, at: connection)
      try found.say(.opened, by: session)
      witness = found
    }
  }
#endif
