public import StarlingCore

/// A document as it stood at some version. It can be read and compared; nothing writes to it.
///
/// To go on from there, take a fork (`ReplicaEngine.fork`), or restore it.
public struct HistoricDocument: Sendable {
  /// The document's id.
  public let id: DocumentID
  package let document: Document

  package init(id: DocumentID, document: Document) {
    self.id = id
    self.document = document
  }

  /// What is merged in it.
  public var version: VersionVector { document.version }

  /// What two replicas compare to see whether they hold the same.
  ///
  /// - Complexity: O(document).
  public func digest() -> Digest { document.digest() }

  /// What a reader of the slot saw.
  public func visible(_ key: Key, in object: ObjectID) -> Visible { document.visible(key, in: object) }

  /// All entries of the slot, the greatest first.
  public func entries(_ key: Key, in object: ObjectID) -> [Entry] { document.entries(key, in: object) }

  /// What a counter stood at.
  public func count(_ key: Key, in object: ObjectID) -> Int64 { document.count(key, in: object) }

  /// The keys under which something was visible.
  public func keys(in object: ObjectID) -> [Key] { document.keys(in: object) }

  /// Whether something was visible under a key.
  public func contains(_ key: Key, in object: ObjectID) -> Bool { document.contains(key, in: object) }

  /// What looks different in `later`, which need not be later.
  ///
  /// - Complexity: O(slots of both)
  public func difference(to later: HistoricDocument) -> Difference {
    document.difference(to: later.document)
  }
}
