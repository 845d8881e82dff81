public import StarlingCore
import StarlingSession
import StarlingWire

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

    init(_ arrival: Message.Arrival) {
      byteCount = min(arrival.byteCount, arrival.wholeByteCount)
      wholeByteCount = arrival.wholeByteCount
    }
  }

  /// Operations that are merged here.
  public var operationCount: UInt64
  /// The same, and those beside them of which a peer that is followed has said that it holds them.
  public var knownOperationCount: UInt64
  /// The state that is on its way, if one is.
  public var arriving: Arrival?
  /// Whether every peer that is followed has answered, and none is known to be ahead.
  public var isCaughtUp: Bool
}

extension ReplicaEngine {
  /// How far `document` has come; nil where it is not open.
  ///
  /// - Complexity: O(peers · length of their versions)
  public func progress(of document: DocumentID) -> DocumentProgress? {
    guard let hosted = documents[document] else { return nil }
    let version = hosted.handle.version
    var known = hosted.session.versionOfPeers
    known.merge(version)
    return DocumentProgress(
      operationCount: version.operationCount, knownOperationCount: known.operationCount,
      arriving: hosted.session.arriving.map { DocumentProgress.Arrival($0) }, isCaughtUp: hosted.session.isCaughtUp)
  }
}

extension Version {
  /// Counters are below 2^63, and nobody is kept from claiming many such.
  var operationCount: UInt64 {
    entries.reduce(0) { $0 > .max - $1.counter ? .max : $0 + $1.counter }
  }
}
