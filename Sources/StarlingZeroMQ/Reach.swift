import StarlingEngine

extension ZeroMQLink {
  /// How far away an endpoint is, and what it lets be known of the peer that answers there.
  public enum Reach: Sendable, Hashable {
    /// This machine's: a socket file, or a loopback address.
    case thisMachine
    /// Whoever answers must prove this key.
    case key(PublicKey)
    /// Anybody may answer.
    case anybody
  }

  /// Nil for what is no endpoint of this kind of link, and for one that nobody can dial.
  public static func reach(of endpoint: String) -> Reach? {
    switch try? LinkEndpoint(endpoint) {
    case .ipc: .thisMachine
    case .tcp(_, port: 0, _), nil: nil
    case .tcp(_, _, let key?): .key(key)
    case .tcp(let host, _, nil): NumericAddress(host)?.isLoopback == true ? .thisMachine : .anybody
    }
  }
}

extension LinkEndpoint {
  /// What is known of whoever answers there.
  var identity: PeerIdentity {
    switch self {
    case .ipc: .sameUser
    case .tcp(_, _, let key?): .key(key.description)
    case .tcp(let host, _, nil): NumericAddress(host)?.isLoopback == true ? .sameMachine : .unknown
    }
  }
}
