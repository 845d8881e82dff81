public import StarlingCore
import StarlingWire

/// The documents of a group that are forgotten for good (Protocol/conversation.md, "Forgetting").
///
/// A set that only grows, so that it is the same in whatever order its parts are heard, and a document never comes back from
/// a peer that was away. It is bounded: each name is kept by every replica for as long as that lives.
public struct ForgottenDocuments: Sendable, Equatable {
  public static let countMax = Message.forgottenCountMax

  private var names: Set<DocumentID>

  public init(_ documents: some Sequence<DocumentID> = []) { names = Set(documents) }

  public func contains(_ document: DocumentID) -> Bool { names.contains(document) }
  public var isEmpty: Bool { names.isEmpty }
  public var isFull: Bool { names.count >= Self.countMax }

  /// - Returns: false for one that is known, and where there is room for no more.
  public mutating func insert(_ document: DocumentID) -> Bool {
    guard !isFull else { return false }
    return names.insert(document).inserted
  }

  public mutating func remove(_ document: DocumentID) { names.remove(document) }

  /// Those that `isPermitted`, ascending by the bytes of their names, as a message lists them.
  public func list(where isPermitted: (DocumentID) -> Bool = { _ in true }) -> [DocumentID] {
    names.filter(isPermitted).sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}
