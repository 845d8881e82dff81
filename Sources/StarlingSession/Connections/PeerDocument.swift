public import StarlingCore
package import StarlingWire

/// Where a document of a peer's stood when the peer last spoke of it.
public struct PeerDocument: Sendable, Hashable {
  public var id: DocumentID
  public var writerCount: Int
  public var operationCount: UInt64
  /// What it held at that version, where it said so.
  public var digest: Digest?
  /// How much has come of the state that it is being sent, where it is.
  public var arriving: DocumentProgress.Arrival?
  /// Alike for equal versions, within one run of this process. Versions may be as long as a peer likes; this is not.
  public var versionMark: Int

  package init(_ have: Message.Have) {
    id = have.document
    writerCount = have.version.entries.count
    operationCount = have.version.operationCount
    digest = have.digest
    arriving = have.arriving.map { DocumentProgress.Arrival($0) }
    versionMark = Self.mark(of: have.version)
  }

  /// What a peer that stands at `version` has for its `versionMark`.
  public static func mark(of version: VersionVector) -> Int { version.hashValue }
}
