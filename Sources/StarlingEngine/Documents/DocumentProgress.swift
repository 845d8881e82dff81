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

/// Who is told of the progress of one document as it is made.
struct ProgressWatchers {
  private var watchers: [AsyncStream<DocumentProgress>.Continuation] = []
  private var latest: DocumentProgress?

  var count: Int { watchers.count }

  /// So many notices wait for who is slower than they come.
  static let noticeCountMax = 256

  mutating func add(_ watcher: AsyncStream<DocumentProgress>.Continuation) { watchers.append(watcher) }

  /// Tells all, if it is not what they were told last.
  mutating func tell(_ progress: DocumentProgress) {
    guard progress != latest else { return }
    latest = progress
    watchers.removeAll { watcher in
      if case .terminated = watcher.yield(progress) { true } else { false }
    }
  }

  mutating func finish() {
    for watcher in watchers { watcher.finish() }
    watchers = []
  }
}

extension ReplicaEngine {
  /// How far `document` has come, now and whenever that is something else: with each part of a state or of changes that a
  /// peer answers with, and while others write, some hundred times a second at most. Of whoever is slower the oldest
  /// notices are dropped. Ends when the replica is closed; at once where the document is not open.
  public func progressNotices(of document: DocumentID) -> AsyncStream<DocumentProgress> {
    let (notices, watcher) = AsyncStream<DocumentProgress>.makeStream(
      bufferingPolicy: .bufferingNewest(ProgressWatchers.noticeCountMax))
    if phase == .running, let hosted = documents[document], let progress = progress(of: document) {
      watcher.yield(progress)
      hosted.progressWatchers.add(watcher)
      rouse(hosted)
    } else {
      watcher.finish()
    }
    return notices
  }

  func tellProgress(of hosted: HostedDocument) {
    guard hosted.progressWatchers.count > 0, let progress = progress(of: hosted.id) else { return }
    hosted.progressWatchers.tell(progress)
  }

  /// For tests: how many are told.
  package func progressWatcherCount(of document: DocumentID) -> Int { documents[document]?.progressWatchers.count ?? 0 }

  /// Called when the engine runs no more.
  func endProgress() {
    for hosted in documentsInOrder { hosted.progressWatchers.finish() }
  }

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
