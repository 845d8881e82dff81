public import StarlingCore

/// What one peer is to this replica: who it is, and what it may do here (Protocol/conversation.md, "Access").
///
/// ```
///   what the link proved ─┐
///   the allowlist's entry ─┼──► Trust ──► looked at before any byte of the peer's is decoded
///   the time ──────────────┘
/// ```
///
/// Every connection has one for as long as it stands. It is always given by somebody who knows: a connection, if
/// nothing is known has `nobody`, which may do nothing.
public struct Trust: Sendable, Hashable {
  public enum Role: String, Sendable, Hashable, CaseIterable, Codable {
    /// Reads; what it writes is not taken.
    case reads
    /// Reads, and writes under replica ids of its own.
    case writes
    /// Passes on what others wrote, and is trusted with whole states: a daemon.
    case relays

    public var mayWrite: Bool { self != .reads }
  }

  /// What a peer is known as.
  public enum Subject: Sendable, Hashable {
    case sameUser
    case sameMachine
    case sameCluster
    /// The owner of a key, by the allowlist's name for it. Another key under the same name is the same owner.
    case named(String)
    case nobody
  }

  public var subject: Subject
  public var role: Role
  public var documents: [DocumentPattern]
  /// Milliseconds since 1970-01-01 UTC; nil for what does not expire.
  public var expires: UInt64?

  private init(_ subject: Subject, role: Role, documents: [DocumentPattern], expires: UInt64? = nil) {
    self.subject = subject
    self.role = role
    self.documents = documents
    self.expires = expires
  }

  /// An entry of an allowlist.
  public init(name: String, role: Role, documents: [DocumentPattern], expires: UInt64? = nil) {
    self.init(.named(name), role: role, documents: documents, expires: expires)
  }

  public static let sameUser = Trust(.sameUser, role: .relays, documents: [.everything])
  public static let sameMachine = Trust(.sameMachine, role: .relays, documents: [.everything])
  public static let sameCluster = Trust(.sameCluster, role: .relays, documents: [.everything])
  public static let nobody = Trust(.nobody, role: .reads, documents: [])

  /// Makes the trust in a peer.
  ///
  /// - Parameters:
  ///   - identity: what the link proved.
  ///   - entry: what the allowlist says of the key, where the identity is one; nil where it says nothing.
  ///   - now: milliseconds since 1970-01-01 UTC.
  public init(in identity: PeerIdentity, entry: Trust?, now: UInt64) {
    self =
      switch identity {
      case .sameUser: .sameUser
      case .sameMachine: .sameMachine
      case .sameCluster: .sameCluster
      case .key: entry.flatMap { $0.hasExpired(at: now) ? nil : $0 } ?? .nobody
      case .unknown: .nobody
      }
  }

  /// For people.
  public var name: String {
    switch subject {
    case .sameUser: "a process of this user"
    case .sameMachine: "a process of this machine"
    case .sameCluster: "a member of the cluster"
    case .named(let name): name
    case .nobody: "nobody"
    }
  }

  /// The allowlist's name for it; nil for those who are trusted for where they are.
  public var listedName: String? {
    if case .named(let name) = subject { name } else { nil }
  }

  private var isNobody: Bool { if case .nobody = subject { true } else { false } }

  // MARK: What it permits

  /// Whether it may do anything at all.
  public var isSomebody: Bool { !isNobody && !documents.isEmpty }

  public var mayWrite: Bool { isSomebody && role.mayWrite }

  /// Whether it may pass on what others wrote, and say where others are.
  public var mayRelay: Bool { isSomebody && role == .relays }

  public func covers(_ document: DocumentID) -> Bool {
    !isNobody && documents.contains { $0.matches(document) }
  }

  /// Whether it may receive whatever is published.
  public var readsEverything: Bool { !isNobody && documents.contains(.everything) }

  /// Whether nothing but its expiry is different.
  func permitsTheSame(as other: Trust) -> Bool {
    subject == other.subject && role == other.role && documents == other.documents
  }

  public func hasExpired(at now: UInt64) -> Bool { expires.map { $0 <= now } ?? false }
}
