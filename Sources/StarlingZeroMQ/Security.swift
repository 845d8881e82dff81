import StarlingEngine

extension ZeroMQLink {
  /// With it, a link has keys: it accepts TCP connections from whoever `admits` names, also beyond loopback, and dials
  /// endpoints that name the key of the peer that answers there.
  ///
  /// CURVE encrypts and proves the keys on both sides; alone it would admit any key, so every handshake is asked about
  /// (ZAP, RFC 27 of ZeroMQ). Sockets of this machine's directory go on without keys: their files are this user's.
  public struct Security: Sendable {
    public var keys: KeyPair
    /// Whether a key is admitted now. Asked on the link's thread for each handshake and each second for every
    /// connection that stands: one whose key is admitted no more is cut.
    public var admits: @Sendable (PublicKey) -> Admission

    public init(keys: KeyPair, admits: @escaping @Sendable (PublicKey) -> Admission) {
      self.keys = keys
      self.admits = admits
    }
  }

  /// The decision about a key.
  public enum Admission: Sendable, Hashable {
    /// It may ask and subscribe to everything that is published.
    case everything
    /// It may ask and is answered, but does not receive what is published: whoever publishes cannot choose among
    /// subscribers, and not all of it is for this key.
    case directOnly
    case refused
  }
}

/// By which sockets a peer came in. A socket of libzmq's has one kind of security, whatever it listens at.
enum Listener: CaseIterable {
  /// Without keys: ipc, and TCP on loopback where the link has none.
  case open
  /// With keys: TCP where the link has some.
  case secured
}
