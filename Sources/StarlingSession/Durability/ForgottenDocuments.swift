public import StarlingCore
import StarlingWire

/// The documents of a group that are forgotten for good (Protocol/conversation.md, "Forgetting").
///
/// A set that only grows, so that it is the same in whatever order its parts are heard, and a document never comes back
/// from a peer that was away. It is bounded: each name is kept by every replica for as long as that lives.
///
/// ```
///   insert ──► to be stored ── takeToStore ──► being stored ── stored ──► told to peers
///                   └───────────── putBack, the log refused ──┘
/// ```
public struct ForgottenDocuments: Sendable, Equatable {
  public static let countMax = Message.forgottenCountMax

  private var names: Set<DocumentID>
  /// Those that the log is to be told of, the first next, and the one that it is being told of.
  private var toStore: [DocumentID] = []
  private var storing: DocumentID?

  public init(_ documents: some Sequence<DocumentID> = []) { names = Set(documents) }

  public func contains(_ document: DocumentID) -> Bool { names.contains(document) }
  public var isEmpty: Bool { names.isEmpty }
  public var isFull: Bool { names.count >= Self.countMax }

  /// One that the log is to be told of.
  ///
  /// - Returns: false for one that is known, and where there is no capacity for more.
  public mutating func insert(_ document: DocumentID) -> Bool {
    guard !isFull, names.insert(document).inserted else { return false }
    toStore.append(document)
    return true
  }

  // MARK: The log

  /// Whether the log is to be told of another.
  public var isToStore: Bool { !toStore.isEmpty }

  /// Whether the log has it: no peer is told before.
  public func isStored(_ document: DocumentID) -> Bool {
    names.contains(document) && storing != document && !toStore.contains(document)
  }

  public mutating func takeToStore() -> DocumentID? {
    guard !toStore.isEmpty else { return nil }
    storing = toStore.removeFirst()
    return storing
  }

  /// The log refused the one that was taken; it is told again once it works.
  public mutating func putBack() {
    if let storing { toStore.insert(storing, at: 0) }
    storing = nil
  }

  /// The log has the one that was taken.
  public mutating func stored() { storing = nil }

  // MARK: Telling

  /// Those that `isPermitted`, ascending by the bytes of their names, as a message lists them.
  public func list(where isPermitted: (DocumentID) -> Bool = { _ in true }) -> [DocumentID] {
    names.filter(isPermitted).sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }
}
