#if NATS
  /// What a client shows the servers of a cluster, and which servers it believes. All are paths of files, which are read
  /// whenever a connection is made.
  ///
  /// A user and a password stand in a server's address instead.
  public struct NATSAccess: Sendable, Hashable {
    /// A user's credentials, as `nsc` writes them (`.creds`): a JWT and the seed that proves it.
    public var credentials: String?
    /// The seed of a user's NKEY (`.nk`), which begins with `SU`.
    public var nkey: String?
    /// The certificates (PEM) of the authorities that sign the servers' certificates; nil for those that the system
    /// knows. Asks for TLS.
    public var tlsAuthorities: String?
    /// The certificate (PEM) that servers may ask for, with those that lead to its authority. Asks for TLS.
    public var tlsCertificate: String?
    /// The secret key (PEM) of `tlsCertificate`.
    public var tlsKey: String?

    /// Nothing but what stands in the servers' addresses.
    public init() {}

    /// Whether it proves a key to the servers.
    var signs: Bool { credentials != nil || nkey != nil }

    var asksForTLS: Bool { tlsAuthorities != nil || tlsCertificate != nil }
  }
#endif
