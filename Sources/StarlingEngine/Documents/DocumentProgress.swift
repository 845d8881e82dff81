public import StarlingCore
public import StarlingSession

/// The watchers of one document's progress.
struct ProgressWatchers {
  private var watchers: [AsyncStream<DocumentProgress>.Continuation] = []
  private var latest: DocumentProgress?

  var count: Int { watchers.count }

  /// So many notices wait for a reader that is slower than they arrive.
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
  /// How far `document` has come, now and whenever that is something else: with each part of a state or of changes that
  /// a peer answers with, and while others write, some hundred times a second at most. Of whoever is slower the oldest
  /// notices are dropped. Ends when the replica is closed; at once where the document is not open.
  public func progressNotices(of document: DocumentID) -> AsyncStream<DocumentProgress> {
    let (notices, watcher) = AsyncStream<DocumentProgress>.makeStream(
      bufferingPolicy: .bufferingNewest(ProgressWatchers.noticeCountMax))
    if phase == .running, let open = self.document(document) {
      watcher.yield(replication.progress(of: open.number))
      open.progressWatchers.add(watcher)
      replication.noteWatched(true, open.number)
    } else {
      watcher.finish()
    }
    return notices
  }

  func tellProgress(of open: OpenDocument) {
    open.progressWatchers.tell(replication.progress(of: open.number))
    if open.progressWatchers.count == 0 { replication.noteWatched(false, open.number) }
  }

  /// For tests: how many are told.
  package func progressWatcherCount(of document: DocumentID) -> Int {
    self.document(document)?.progressWatchers.count ?? 0
  }

  /// How far `document` has come; nil where it is not open.
  ///
  /// - Complexity: O(peers · length of their versions)
  public func progress(of document: DocumentID) -> DocumentProgress? {
    replication.documents.number(of: document).map { replication.progress(of: $0) }
  }
}
