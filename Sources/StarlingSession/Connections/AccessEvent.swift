public import StarlingCore

/// A peer that was let in or refused, or something that a peer tried and may not do: what an audit log keeps.
public struct AccessEvent: Sendable, Hashable, CustomStringConvertible {
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Was let in with a key.
    case admitted
    /// Came with a key that is not let in.
    case notAdmitted
    /// Answers where we dial, with a key that the allowlist does not name: it is hung up on.
    case untrusted
    /// Was here with a key that is let in no more, and was cut off.
    case revoked
    /// Could not prove a key, or had none where one is asked for.
    case unproved
    /// Broke off, or said nothing, before it had introduced itself.
    case unfinished
    /// Was one too many, or asked for more than one connection may have.
    case excess
    /// May do something else from now on: the allowlist has changed.
    case changed
    /// Tried to read, or to write, a document that its key does not permit.
    case readRefused
    case writeRefused
    /// Wrote under a replica id that is somebody else's.
    case writerRefused
    /// Wrote under a replica id that is leased to another store.
    case leaseRefused
    /// Sent a whole state, which relays alone may.
    case stateRefused
    /// Gave one operation's name to two operations.
    case equivocated
    /// Passed a budget of its key.
    case overBudget
    /// Wrote under a replica id for the first time, which is its key's from now on.
    case writerBound
    /// Wrote under a replica id at one daemon that another had bound to somebody else before.
    case writerContested

    /// Whether something was permitted by it, not refused.
    public var isGrant: Bool { [.admitted, .changed, .writerBound].contains(self) }
  }

  public var kind: Kind
  /// The public key, where one was shown. Before it was let in, nothing proves that it is its owner who shows it.
  public var user: String?
  /// Where it came from, without the port; nil where the link cannot say.
  public var address: String?
  /// The key's name and role, where it has any.
  public var name: String?
  public var role: Trust.Role?
  public var document: DocumentID?
  public var replica: ReplicaID?
  /// For people.
  public var explanation: String

  public init(
    _ kind: Kind, user: String? = nil, address: String? = nil, name: String? = nil, role: Trust.Role? = nil,
    document: DocumentID? = nil, replica: ReplicaID? = nil, explanation: String
  ) {
    self.kind = kind
    self.user = user
    self.address = address
    self.name = name
    self.role = role
    self.document = document
    self.replica = replica
    self.explanation = explanation
  }

  /// In one line of bounded length.
  public var description: String { words.printable(byteCountMax: 2048) }

  private var words: String {
    let key = user.map { "key \($0)" } ?? "somebody without a key"
    let who = name.map { "\($0) (\(key))" } ?? key
    return who + (address.map { " at \($0)" } ?? "") + ": \(explanation)"
  }
}

extension AccessEvent {
  /// What a peer of that trust did.
  init(
    _ kind: Kind, _ explanation: String, _ trust: Trust, _ identity: PeerIdentity, _ document: DocumentID? = nil,
    _ replica: ReplicaID? = nil
  ) {
    self.init(
      kind, user: identity.key, address: identity.address, name: trust.name, role: trust.role, document: document,
      replica: replica, explanation: explanation)
  }
}
