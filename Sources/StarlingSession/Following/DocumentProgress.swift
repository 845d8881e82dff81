public import StarlingCore
package import StarlingWire

/// How far a document has come towards what the members hold.
///
/// ```
///   joined ─► a state comes, byte by byte ─► it is merged: operations ─► the changes since ─► caught up
/// ```
public struct DocumentProgress: Sendable, Hashable {
  /// How much of a state has come. It merges in one step, when all of it has.
  public struct Arrival: Sendable, Hashable {
    public var byteCount: UInt64
    /// The bytes of all of it.
    public var wholeByteCount: UInt64

    package init(_ arrival: Message.Arrival) {
      byteCount = min(arrival.byteCount, arrival.wholeByteCount)
      wholeByteCount = arrival.wholeByteCount
    }
  }

  /// Operations that are merged here.
  public var operationCount: UInt64
  /// The same, and those that a followed peer has said it holds.
  public var knownOperationCount: UInt64
  /// The state that is on its way, if one is.
  public var arriving: Arrival?
  /// Whether every peer that is followed has answered, and none is known to be ahead.
  public var isCaughtUp: Bool
}

extension DocumentSession {
  /// How far the document has come that stands at `version`.
  ///
  /// - Complexity: O(peers · length of their versions)
  public func progress(at version: VersionVector) -> DocumentProgress {
    var known = versionOfPeers
    known.merge(version)
    return DocumentProgress(
      operationCount: version.operationCount, knownOperationCount: known.operationCount,
      arriving: arriving.map { DocumentProgress.Arrival($0) }, isCaughtUp: isCaughtUp)
  }
}
