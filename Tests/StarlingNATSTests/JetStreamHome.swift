#if NATS
  import StarlingEngine
  import StarlingLogTestSupport
  @testable import StarlingNATS

  /// A log's name on servers that have JetStream. Nothing of it is copied by a crash: whoever opens it next
  /// displaces who had it.
  struct JetStreamHome: LogHome {
    let servers: [Server]
    var name = "test"
    var replicas = 1
    var limits = JetStreamLog.Limits.patient

    init(_ servers: Server...) {
      self.servers = servers
    }

    init(_ cluster: Cluster) {
      servers = cluster.servers
      replicas = 3
    }

    func log() -> any ChangeLog { jetStreamLog() }

    func jetStreamLog() -> JetStreamLog {
      do {
        return try JetStreamLog(servers: servers.map(\.url), name: name, replicas: replicas, limits: limits)
      } catch {
        preconditionFailure("'\(name)' on \(replicas) servers: \(error)")
      }
    }

    /// Whether the servers still hold what the log said last when it was closed, in their memory.
    ///
    /// nats-server 2.9 may let a server lead a stream in memory which was just started, and so forget it: the others
    /// ran on in vain.
    func isClosedByWitness() throws -> Bool {
      let connection = try JetStreamConnection(to: Servers(servers.map(\.url)), limits: limits)
      let witness = try LogWitness(LogSubjects(name: name)!, replicas: replicas, at: connection)
      return witness.closedBy != nil
    }

    func crashed() -> any LogHome { self }

    func another() -> any LogHome {
      var other = self
      other.name += "-\(UInt32.random(in: .min ... .max))"
      return other
    }

    var worldsPerTrial: Int { 11 }
  }

  extension JetStreamLog.Limits {
    /// For a machine that is busy elsewhere.
    static var patient: JetStreamLog.Limits {
      var limits = JetStreamLog.Limits()
      limits.connecting = .seconds(15)
      limits.patience = .seconds(120)
      return limits
    }
  }

  extension Server {
    /// Settings of a server that keeps streams.
    static let jetStream = "jetstream: { store_dir: store }"
  }
#endif
