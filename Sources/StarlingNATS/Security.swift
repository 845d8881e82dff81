#if NATS
  public import StarlingEngine

  extension NATSLink {
    /// With it, a link has a key: it takes sessions with members that prove one which `admits` lets in, and with nobody
    /// else, and seals all that it says to them. The servers of the cluster carry what they cannot read.
    ///
    /// Keys are those of X25519, as CURVE has them (RFC 26 of ZeroMQ).
    public struct Security: Sendable {
      let keys: SealingKeyPair
      let admits: @Sendable (_ key: [UInt8]) -> Admission

      /// - Parameters:
      ///   - secretKey: 32 bytes.
      ///   - admits: Whether a public key of 32 bytes is let in now. Asked on the link's queue: whenever a member shows
      ///     a key, and once a heartbeat for every member that showed one. A session whose key is let in no more ends.
      /// - Throws: `LinkError(.endpoint)` for bytes that are no secret key.
      public init(secretKey: [UInt8], admits: @escaping @Sendable (_ key: [UInt8]) -> Admission) throws(LinkError) {
        do {
          keys = try SealingKeyPair(secret: secretKey)
        } catch {
          throw LinkError(.endpoint, "A secret key has 32 bytes, and these are none.")
        }
        self.admits = admits
      }

      /// What other members know this one by, 32 bytes.
      public var publicKey: [UInt8] { keys.publicKey }
    }

    /// What was decided about a key.
    public struct Admission: Sendable, Hashable {
      /// What a key may receive.
      public enum Access: Sendable, Hashable {
        /// Everything, and passes it on: what is published is sealed once for all of these.
        case relays
        /// Everything: what is published is sealed for each of these.
        case everything
        /// Answers alone: not all that is published is for this key.
        case directOnly
        /// Nothing: it is not let in.
        case refused
      }

      /// What the engine is told of whoever proves the key.
      public var identity: PeerIdentity
      /// What the key may receive.
      public var access: Access
      /// Whether its owner is found as one that may be dialled.
      public var isRelay: Bool

      /// Makes the decision about one key.
      ///
      /// - Parameter isRelay: Of a key that receives everything in the way of relays it holds without saying so.
      public init(_ access: Access, as identity: PeerIdentity, isRelay: Bool = false) {
        self.identity = identity
        self.access = access
        self.isRelay = isRelay || access == .relays
      }

      var isLetIn: Bool { access != .refused }

      /// The identity, with where the member is dialled in place of an address.
      func identity(at endpoint: String) -> PeerIdentity {
        if case .key(let key, address: nil) = identity { .key(key, address: endpoint) } else { identity }
      }
    }
  }
#endif
