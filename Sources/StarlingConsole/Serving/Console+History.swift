import StarlingCore
import StarlingEngine
import StarlingReplica

/// The history of a document as one page reads it: its steps stay where they are while others write.
struct HistorySession {
  let id: Int
  let document: DocumentID
  /// The newest first.
  var steps: [ChangeSummary] = []
  var cursor: HistoryCursor?
  /// What is known as a state alone.
  var beginning = VersionVector()
  /// The version of the document that was compared last.
  var past: [Int: HistoricDocument] = [:]
}

extension Console {
  private static let sessionCountMax = 8
  static let stepCountMax = 5000
  private static let pageCount = 100

  func history(_ id: Int) throws -> HistorySession {
    guard let session = histories.first(where: { $0.id == id }) else {
      throw CommandError("This history was closed; open it again.")
    }
    return session
  }

  /// Begins to read a history, the newest step first.
  func openHistory(of document: DocumentID) async throws -> JSONValue {
    _ = try await watch(document)
    historyCount += 1
    let id = historyCount
    histories.append(HistorySession(id: id, document: document))
    if histories.count > Self.sessionCountMax { histories.removeFirst() }
    return try await moreHistory(id, isFirst: true)
  }

  /// Reads on.
  func moreHistory(_ id: Int, isFirst: Bool = false) async throws -> JSONValue {
    var session = try history(id)
    let start = session.steps.count
    if isFirst || session.cursor != nil && start < Self.stepCountMax {
      let page = try await replica.engine.historyPage(
        of: session.document, from: session.cursor, atMost: Self.pageCount, isDetailed: true)
      session.steps += page.changes
      session.cursor = page.next
      session.beginning = page.beginning
      if let place = histories.firstIndex(where: { $0.id == id }) { histories[place] = session }
    }
    return [
      "session": .integer(Int64(id)), "from": .integer(Int64(start)),
      "steps": .array(session.steps[start...].map(\.json)),
      "more": .bool(session.cursor != nil && session.steps.count < Self.stepCountMax),
      "isWhole": .bool(session.beginning.isEmpty),
    ]
  }

  /// What a step changed, or what has changed since it.
  func difference(_ id: Int, at step: Int, isToPresent: Bool) async throws -> JSONValue {
    let session = try history(id)
    guard session.steps.indices.contains(step) else { throw CommandError("There is no such step.") }
    let then = try await past(session, at: step)
    if isToPresent {
      return HistoryDifference(from: then, to: try await replica.engine.present(of: session.document)).json
    }
    return HistoryDifference(from: try await past(session, at: step + 1), to: then).json
  }

  /// A part of the document as it stood after a step.
  func pastContents(_ id: Int, at step: Int, _ window: TreeWindow) async throws -> JSONValue {
    let session = try history(id)
    guard session.steps.indices.contains(step) else { throw CommandError("There is no such step.") }
    let tree = DocumentTree(try await past(session, at: step).document)
    guard let contents = tree.contents(of: window) else { throw CommandError("It was not there at that time.") }
    return contents.update(from: nil) ?? ["total": 0, "rows": [:], "keys": []]
  }

  /// The document after a step; before the first one that is known where `step` is behind the last.
  private func past(_ session: HistorySession, at step: Int) async throws -> HistoricDocument {
    if let known = session.past[step] { return known }
    var version = session.beginning
    if session.steps.indices.contains(step) {
      version = session.steps[step].version
    } else if let last = session.steps.last {
      // Before the last step that was read: without what it wrote.
      version = VersionVector(
        last.version.entries.map {
          VersionVector.Entry(
            replica: $0.replica, counter: $0.replica == last.writer ? last.first.counter - 1 : $0.counter)
        }.filter { $0.counter > 0 })
    }
    let document = try await replica.engine.document(session.document, at: version)
    if let place = histories.firstIndex(where: { $0.id == session.id }) {
      // Of a large document a few versions are enough to hold.
      if histories[place].past.count >= 3 { histories[place].past = [:] }
      histories[place].past[step] = document
    }
    return document
  }
}
