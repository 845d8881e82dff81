import Logging
import StarlingEngine
import StarlingZeroMQ

#if NATS
  import StarlingNATS
#endif

/// A replica's way to the daemons of its group at other sites: a link to a cluster, beside the sockets of its own site.
struct ClusterPort: Sendable {
  /// What the counters and errors call the links.
  static let siteName = "site", clusterName = "cluster"

  let link: CompositeLink
  /// Where the replica is bound in the cluster.
  let endpoint: String
  /// Where the daemons in the cluster are dialled; nil while there is no connection to it.
  let endpoints: @Sendable () -> [String]?

  #if NATS
    /// - Throws: `LinkError(.endpoint)` for a group's name that cannot be one in a cluster.
    init(
      _ cluster: BareReplica.Options.Cluster, group: String, site: ZeroMQLink, keys: ClusterKeys?, logger: Logger
    ) throws(LinkError) {
      guard !cluster.servers.isEmpty else {
        throw LinkError(.endpoint, "Name at least one server of the cluster, as nats://host:4222.")
      }
      let nats = try NATSLink(
        servers: cluster.servers, group: group, access: NATSAccess(cluster), security: try keys?.security,
        startsAlone: true, sharing: site.rounds, onConnection: { logger.note($0) })
      link = CompositeLink(
        CompositeLink.Member(Self.siteName, site) { !Self.takes($0) },
        [CompositeLink.Member(Self.clusterName, nats, takes: Self.takes)])
      endpoint = "nats:\(group)"
      endpoints = { [weak nats] in nats?.endpoints() }
    }
  #else
    /// - Throws: `LinkError(.misuse)`: how to build it.
    init(
      _ cluster: BareReplica.Options.Cluster, group: String, site: ZeroMQLink, keys: ClusterKeys?, logger: Logger
    ) throws(LinkError) {
      throw LinkError(
        .misuse,
        "This program is built without NATS, so it joins no cluster. Build it with the package trait: "
          + "swift build --traits NATS (Scripts/prerequisites --with-nats installs what that needs).")
    }
  #endif

  /// Whether an endpoint is one in the cluster.
  static func takes(_ endpoint: String) -> Bool { endpoint.hasPrefix("nats:") }
}

#if NATS
  extension NATSAccess {
    init(_ cluster: BareReplica.Options.Cluster) {
      self.init()
      credentials = cluster.credentials
      nkey = cluster.nkey
      tlsAuthorities = cluster.tlsAuthorities
      tlsCertificate = cluster.tlsCertificate
      tlsKey = cluster.tlsKey
    }
  }

  extension Logger {
    fileprivate func note(_ change: NATSLink.ConnectionChange) {
      switch change {
      case .waiting(let error): warning("The site is alone, and goes on trying: \(error.message)")
      case .connected: info("connected to the cluster")
      case .lost: warning("The connection to the cluster was lost. The site is alone until it is back.")
      case .refused(let refusal): error("The site is alone: \(refusal.message)")
      }
    }
  }
#endif

extension EngineConfiguration {
  /// Finds the daemons in the cluster.
  ///
  /// - Parameter daemon: where the daemon of this machine is found by name.
  mutating func join(_ cluster: ClusterPort, isDaemon: Bool, daemon: String) {
    let endpoints = cluster.endpoints
    guard isDaemon else {
      let (local, chosen) = (discover, ChosenDaemon())
      discover = {
        let local = local?()
        return local == [daemon] ? local : (local ?? []) + chosen.choose(from: endpoints())
      }
      return
    }
    let (announced, mayDial) = (announced, mayDial)
    self.announced = { (announced?() ?? []) + (endpoints() ?? []) }
    self.mayDial = { ClusterPort.takes($0) || mayDial($0) }
  }
}
