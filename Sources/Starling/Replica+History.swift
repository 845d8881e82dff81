public import StarlingCore
public import StarlingEngine
public import StarlingModel

// The history of the group's main document.
extension Replica {
  /// Each change with its writer and its time, the newest change first by default. It is read from the log a page at a
  /// time, and reaches back as far as the log does (`Options.history`).
  ///
  /// ```swift
  /// for try await change in replica.history() {
  ///   print(change.milliseconds, change.writer, change.message ?? "")
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - order: The newest or the oldest change first.
  ///   - isDetailed: whether each change names the slots that it touched.
  public func history(_ order: HistoryOrder = .newestFirst, isDetailed: Bool = false) -> DocumentHistory {
    engine.history(of: models.handle.id, order, isDetailed: isDetailed)
  }

  /// One page of the history, for a program that shows it page by page.
  ///
  /// - Parameters:
  ///   - order: The newest or the oldest change first.
  ///   - cursor: where the previous page ended; nil for the first page.
  ///   - countMax: at most this many changes.
  ///   - isDetailed: Whether each change names the slots that it touched.
  public func historyPage(
    _ order: HistoryOrder = .newestFirst, from cursor: HistoryCursor? = nil, atMost countMax: Int = 100,
    isDetailed: Bool = false
  ) async throws -> HistoryPage {
    try await engine.historyPage(
      of: models.handle.id, order, from: cursor, atMost: countMax, isDetailed: isDetailed)
  }

  /// The document at `version`, as a change of the history names it: models that show what they held then, and never
  /// change.
  ///
  /// ```swift
  /// let past = try await replica.document(at: change.version)
  /// let book = try past.model(Book.self, named: "front-desk")
  /// ```
  ///
  /// - Throws: `HistoryError` if the log does not reach back to it, or it is not known here; `LogError`.
  public func document(at version: VersionVector) async throws -> PastDocument {
    PastDocument(try await engine.document(models.handle.id, at: version))
  }

  /// What visibly differs between `from` and `to`, by default the present, in the program's own terms: by model,
  /// property and element, with both values.
  ///
  /// ```swift
  /// for difference in try await replica.differences(from: version).models {
  ///   print(difference)             // Book “front-desk”.title: "Dune" → "Children of Dune"
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - from: The earlier version.
  ///   - to: The later version; nil for the present.
  ///   - models: in which differences are looked for, besides the models that are open by name and may be used where
  ///     the caller is. What belongs to no such model is told by keys (`DocumentDifferences.rest`).
  ///   - isolation: Leave it out: it names the actor on which the caller runs.
  /// - Throws: as `document(at:)`; `ModelError` where one of `models` belongs to an actor that the caller is not on.
  public func differences(
    from: VersionVector, to: VersionVector? = nil, in models: [NamedModel] = [],
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> DocumentDifferences {
    let id = self.models.handle.id
    let former = PastDocument(try await engine.document(id, at: from))
    let historic = if let to { try await engine.document(id, at: to) } else { try await engine.present(of: id) }
    let names = Set(models.map(\.name))
    return try former.differences(
      to: PastDocument(historic), in: models + self.models.named.filter { !names.contains($0.name) })
  }

  /// The same by keys, as the document holds them: what visibly differs between `from` and `to`, by default the
  /// present.
  ///
  /// - Throws: as `document(at:)`.
  public func difference(from: VersionVector, to: VersionVector? = nil) async throws -> Difference {
    let id = models.handle.id
    let former = try await engine.document(id, at: from)
    let later = if let to { try await engine.document(id, at: to) } else { try await engine.present(of: id) }
    return former.difference(to: later)
  }

  /// Makes the document show what it did at `version`, for all members, by one change that writes what differs.
  /// Models that were removed come back as new ones with the same content.
  ///
  /// - Parameters:
  ///   - version: As a change of the history names it.
  ///   - message: kept in the change, for those who read the history.
  /// - Throws: as `document(at:)`; `OversizedWrite` where more differs than one change may hold.
  public func restore(to version: VersionVector, message: String? = nil) async throws {
    try await engine.restore(models.handle.id, to: version, message: message)
  }

  /// An independent copy in memory, of the present or of a past version. No other member sees writes to its models
  /// until it is merged.
  ///
  /// - Throws: `HistoryError` while a transaction is open.
  public func fork(of past: PastDocument? = nil) async throws -> Fork {
    guard let past else { return Fork(try await engine.fork(models.handle.id)) }
    return Fork(await engine.fork(past.historic))
  }

  /// Merges what was written in a fork, for all members. May be repeated.
  ///
  /// - Throws: `HistoryError` if the fork was made from changes that have not arrived here, or while a transaction is
  ///   open and something came since the fork was made.
  public func merge(_ fork: Fork) async throws {
    try await engine.merge(fork.document)
  }
}

/// An independent copy of a document, with models of its own (`Replica.fork`).
public final class Fork: Sendable {
  /// The copy itself.
  public let document: ForkedDocument
  /// Opens the models of the copy.
  public let models: ModelSpace

  init(_ document: ForkedDocument) {
    self.document = document
    models = ModelSpace(document.handle)
  }

  /// The model of that name in the copy; another object than the replica's.
  ///
  /// - Throws: as `Replica.model`.
  public func model<Model: ReplicatedModel & Sendable>(
    _ type: Model.Type, named name: String, isolation: isolated (any Actor)? = #isolation
  ) throws -> Model {
    try models.model(type, named: name, isolation: isolation)
  }
}
