#if NATS
  import StarlingEngine
  import StarlingGuard

  @testable import StarlingNATS

  /// A member's key, and which keys it lets in now.
  final class Keyring: Sendable {
    let keys: SealingKeyPair
    /// Guarded by itself; read on the link's queue.
    private let admitted = Guarded<[[UInt8]: NATSLink.Admission.Access]>([:])

    init() throws {
      keys = try .random()
    }

    /// As events name the key.
    var name: String { Self.name(of: keys.publicKey) }

    private static func name(of key: [UInt8]) -> String {
      key.map { String($0, radix: 16) }.joined(separator: ".")
    }

    /// Lets a key in, or no more.
    func letIn(_ other: Keyring, as access: NATSLink.Admission.Access) {
      admitted.withLock { $0[other.keys.publicKey] = access }
    }

    func security() throws -> NATSLink.Security {
      try NATSLink.Security(secretKey: keys.secret) { [self] key in
        NATSLink.Admission(admitted.withLock { $0[key] } ?? .refused, as: .key(Self.name(of: key)))
      }
    }
  }

  extension Pair {
    /// Two parties that know each other's keys.
    ///
    /// - Parameter access: what the binder lets the dialler receive.
    static func sealed(
      _ server: Server, topics: [String] = [], limits: NATSLink.Limits = .brisk,
      as access: NATSLink.Admission.Access = .relays
    ) async throws -> (pair: Pair, binder: Keyring, dialler: Keyring) {
      let (binder, dialler) = (try Keyring(), try Keyring())
      binder.letIn(dialler, as: access)
      dialler.letIn(binder, as: .relays)
      let pair = try await Pair(
        server, topics: topics, limits: limits, keys: (try binder.security(), try dialler.security()))
      return (pair, binder, dialler)
    }
  }
#endif
