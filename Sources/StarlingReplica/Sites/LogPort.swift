import Logging
import StarlingEngine
import StarlingSQLite

#if NATS
  import StarlingNATS
#endif

extension BareReplica.Options.LogPlace {
  var isInDirectory: Bool { if case .directory = self { true } else { false } }
}

extension BareReplica.Options {
  /// The log that these options name.
  ///
  /// - Parameters:
  ///   - group: gives a log in a stream its name where it has none.
  ///   - path: of the directory; nil for none.
  ///   - onLoss: called once another process holds a log in a stream.
  /// - Throws: `LogError(.misuse)` where there is no cluster, a name or a number cannot be, or the program is built
  ///   without NATS.
  func log(
    of group: String, in path: String?, onLoss: @escaping @Sendable (LogError) -> Void
  ) throws(LogError) -> any ChangeLog {
    switch log {
    case .directory:
      guard let path else { return MemoryLog() }
      return SQLiteLog(directory: path, durability: durability, acceptsDamage: acceptsDamage)
    case .jetStream(let place):
      guard let cluster, !cluster.servers.isEmpty else {
        throw LogError(.misuse, "A log in a stream stands on the servers of a cluster: name them (--cluster).")
      }
      return try place.log(of: group, at: cluster, logger, onLoss: onLoss)
    }
  }
}

extension BareReplica.Options.JetStream {
  #if NATS
    fileprivate func log(
      of group: String, at cluster: BareReplica.Options.Cluster, _ logger: Logger,
      onLoss: @escaping @Sendable (LogError) -> Void
    ) throws(LogError) -> any ChangeLog {
      var limits = JetStreamLog.Limits()
      limits.byteCountMax = byteCountMax
      var lease = JetStreamLog.Lease()
      lease.duration = leaseDuration
      lease.renewal = leaseDuration / 5
      lease.waits = isStandby
      return try JetStreamLog(
        servers: cluster.servers, name: name ?? group, replicas: replicas, access: NATSAccess(cluster), limits: limits,
        lease: lease
      ) { [onWaiting] event in
        switch event {
        case .waiting(let holder): onWaiting?(holder)
        case .unreachable(let error): logger.warning("The standby sees nothing, and goes on trying: \(error.message)")
        case .lost(let error): onLoss(error)
        }
      }
    }
  #else
    fileprivate func log(
      of group: String, at cluster: BareReplica.Options.Cluster, _ logger: Logger,
      onLoss: @escaping @Sendable (LogError) -> Void
    ) throws(LogError) -> any ChangeLog {
      throw LogError(
        .misuse,
        "This program is built without NATS, so it has no log in a stream. Build it with the package trait: "
          + "swift build --traits NATS (Scripts/prerequisites --with-nats installs what that needs).")
    }
  #endif
}
