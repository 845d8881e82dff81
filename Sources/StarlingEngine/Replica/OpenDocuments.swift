import StarlingCore
import StarlingSession

/// What an engine keeps for its open documents, by their numbers.
///
/// ```
///   add ──► open ── remove ──► closed ── no transaction is open there any more ──► empty
/// ```
struct OpenDocuments {
  /// By the places of their numbers.
  private var documents: [OpenDocument?] = []
  /// Handles of closed documents that are not empty yet, for a transaction is open there.
  private var emptying: [DocumentHandle] = []
  /// Documents that a cut is kept of.
  private var withCut: Set<DocumentNumber> = []

  /// Nil for one that was closed or forgotten.
  subscript(number: DocumentNumber) -> OpenDocument? {
    documents[number.place].flatMap { $0.number == number ? $0 : nil }
  }

  mutating func add(_ document: OpenDocument) {
    while documents.count <= document.number.place { documents.append(nil) }
    documents[document.number.place] = document
  }

  /// Drops a document, which reads as empty from now on.
  mutating func remove(_ number: DocumentNumber) {
    guard let document = self[number] else { return }
    documents[number.place] = nil
    document.progressWatchers.finish()
    if !document.handle.forget() { emptying.append(document.handle) }
  }

  /// Empties dropped documents in which a transaction was open.
  mutating func emptyDropped() { emptying.removeAll { $0.forget() } }

  // MARK: States for peers

  mutating func keep(_ cut: StateCut, as number: Int, of document: OpenDocument, now: Duration) {
    document.cuts.made(cut, as: number, now: now)
    withCut.insert(document.number)
  }

  /// Releases states that nobody is sent any more.
  mutating func reviewCuts(now: Duration) {
    withCut = withCut.filter { number in
      guard let document = self[number] else { return false }
      document.cuts.review(now: now)
      return !document.cuts.isEmpty
    }
  }

  // MARK: Ending

  /// Nobody is told of progress any more.
  func finishWatching() {
    for case let document? in documents { document.progressWatchers.finish() }
  }
}
