import StarlingEngine
import StarlingZeroMQ

#if NATS
  import StarlingNATS
#endif

/// The key that a replica proves in a cluster, and the allowlist by which it judges the others there: the same as over
/// TCP.
struct ClusterKeys: Sendable {
  let own: KeyPair
  let allowlist: Allowlist

  #if NATS
    var security: NATSLink.Security {
      get throws(LinkError) {
        try NATSLink.Security(secretKey: own.secret) { [allowlist] in allowlist.admission(of: $0) }
      }
    }
  #endif
}

#if NATS
  extension Allowlist {
    /// What a member of a cluster may receive there. One that may not have everything is answered alone, as over TCP.
    func admission(of key: [UInt8]) -> NATSLink.Admission {
      guard let key = PublicKey(bytes: key) else { return NATSLink.Admission(.refused, as: .unknown) }
      let identity = PeerIdentity.key(key.description)
      guard let allowed = self.key(key) else { return NATSLink.Admission(.refused, as: identity) }
      let isRelay = allowed.role == .relays
      guard allowed.trust.readsEverything else {
        return NATSLink.Admission(.directOnly, as: identity, isRelay: isRelay)
      }
      return NATSLink.Admission(isRelay ? .relays : .everything, as: identity)
    }
  }

  extension ClusterKeyCounters {
    init(_ counters: NATSLink.Counters) {
      handshakes = counters.handshakes
      handshakesFailed = counters.handshakesFailed
      handshakesPutOff = counters.handshakesPutOff
      keysRefused = counters.keysRefused
      messagesUnopened = counters.messagesUnopened
      broadcastKeys = counters.broadcastKeys
    }
  }
#endif

extension ClusterKeyCounters {
  /// Nil for another link than one to a cluster.
  init?(_ link: (any PeerLink)?) {
    #if NATS
      guard let link = link as? NATSLink else { return nil }
      self.init(link.counters)
    #else
      return nil
    #endif
  }
}
