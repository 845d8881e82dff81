public import StarlingCore

/// What a peer that proved who it is may do.
public struct PeerAccess: Sendable, Hashable {
  public enum Role: String, Sendable, Hashable, CaseIterable, Codable {
    /// Reads; what it writes is not taken.
    case reads
    /// Reads, and writes under replica ids of its own.
    case writes
    /// Passes on what others wrote, and is trusted with whole states: a daemon.
    case relays

    public var mayWrite: Bool { self != .reads }
  }

  /// For people.
  public var name: String
  public var role: Role
  public var documents: [DocumentPattern]

  public init(name: String, role: Role, documents: [DocumentPattern]) {
    self.name = name
    self.role = role
    self.documents = documents
  }

  static let nothing = PeerAccess(name: "nobody", role: .reads, documents: [])

  public func covers(_ document: DocumentID) -> Bool { documents.contains { $0.matches(document) } }

  /// Whether it may receive whatever is published.
  public var readsEverything: Bool { documents.contains(.everything) }
}

/// Names documents: one by its name, or those whose names begin alike ("notes-*"), or all ("*").
public struct DocumentPattern: Sendable, Hashable, LosslessStringConvertible {
  public static let everything = DocumentPattern(prefix: "", isExact: false)

  private let prefix: String
  private let isExact: Bool

  private init(prefix: String, isExact: Bool) {
    self.prefix = prefix
    self.isExact = isExact
  }

  /// Nil for an empty one, and for one with an asterisk that is not its end.
  public init?(_ text: String) {
    let prefix = text.hasSuffix("*") ? String(text.dropLast()) : text
    guard !text.isEmpty, !prefix.contains("*") else { return nil }
    self.init(prefix: prefix, isExact: !text.hasSuffix("*"))
  }

  public var description: String { isExact ? prefix : prefix + "*" }

  public func matches(_ document: DocumentID) -> Bool {
    isExact ? document.name == prefix : document.name.utf8.starts(with: prefix.utf8)
  }
}
