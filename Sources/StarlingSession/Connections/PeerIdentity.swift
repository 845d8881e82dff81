/// What a link knows of the peer at the other end of a connection. A link never guesses: what it cannot tell is
/// `unknown`.
public enum PeerIdentity: Sendable, Hashable {
  /// A process of this user on this machine: it is in this process's memory, or came by a socket in a directory that
  /// this user alone may enter.
  case sameUser
  /// A process on this machine, of whatever user: TCP on loopback without keys.
  case sameMachine
  /// A member of a cluster whose servers decide who may connect, as those of NATS do.
  case sameCluster
  /// Proved that it owns this key.
  case key(String, address: String? = nil)
  /// Nothing is known.
  case unknown

  /// The key that it proved.
  public var key: String? {
    if case .key(let key, _) = self { key } else { nil }
  }

  /// Where it came from, without the port.
  public var address: String? {
    if case .key(_, let address) = self { address } else { nil }
  }
}
