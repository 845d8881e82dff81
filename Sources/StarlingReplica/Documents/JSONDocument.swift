public import StarlingCore
import StarlingEngine

/// A document as JSON: for tools, tests and people who do not have its models.
///
/// ```swift
/// let library = replica.json
/// try library.set("Dune", at: DocumentPath("front-desk/title")!)
/// print(try library.value().lines)
/// ```
///
/// What is written keeps to what is there: a counter stays one and is incremented, a list is edited and its elements
/// keep their identity, a text is edited, a date is written as a date. Where nothing is there, an object becomes a
/// model's map, an array a list, everything else a plain value, unless a form says otherwise.
public struct JSONDocument: Sendable {
  /// The document that is read and written.
  public let id: DocumentID
  package let handle: DocumentHandle
  /// Of the replica, which goes on for as long as this is held.
  private let lifetime: EngineLifetime?

  package init(_ handle: DocumentHandle) {
    id = handle.id
    self.handle = handle
    lifetime = handle.lifetime
  }

  /// What is merged in it here.
  public var version: VersionVector { handle.version }

  // MARK: Reading

  /// What stands at the path; of a conflict what is visible.
  ///
  /// - Throws: `JSONDocumentError(.missing)`, naming what there is instead.
  /// - Complexity: O(*n* log *n*) in what stands there.
  public func value(at path: DocumentPath = .root) throws(JSONDocumentError) -> JSONValue {
    try tree().value(at: path)
  }

  /// The slots at the path and below it at which values conflict, in their order.
  ///
  /// - Complexity: O(*n* log *n*) in what stands there.
  public func conflicts(below path: DocumentPath = .root) throws(JSONDocumentError) -> [JSONConflict] {
    let tree = try tree()
    _ = try tree.value(at: path)
    return try tree.conflicts(below: path)
  }

  /// The ways to the slots that changes touched, as the document stands now.
  ///
  /// - Complexity: O(*n*), so that it is better asked once for many slots.
  public func places() throws(JSONDocumentError) -> DocumentPlaces { DocumentPlaces(try tree()) }

  // MARK: Writing

  /// Puts a value at the path, as one change; where values conflict there, it takes the place of all of them.
  ///
  /// - Parameters:
  ///   - json: The value to write.
  ///   - path: Where to write it.
  ///   - form: what it is to be; nil for what stands there.
  ///   - message: kept in the change, for those who read the history.
  /// - Throws: `JSONDocumentError`; then nothing is written.
  public func set(
    _ json: JSONValue, at path: DocumentPath, as form: JSONForm? = nil, message: String? = nil
  ) throws(JSONDocumentError) {
    let former = handle.version
    try write(at: path, isMerging: false, message) { writer throws(JSONDocumentError) in
      try writer.set(json, at: path, as: form)
    }
    if handle.version == former { try tree().checkIsThere(json, at: path) }
  }

  /// Takes away what stands at the path.
  ///
  /// - Throws: `JSONDocumentError`; then nothing is written.
  public func remove(at path: DocumentPath, message: String? = nil) throws(JSONDocumentError) {
    try write(at: path, isMerging: false, message) { writer throws(JSONDocumentError) in try writer.remove(at: path) }
  }

  /// Makes what stands at the path read like `json`, as one change that writes what differs and nothing else.
  ///
  /// - Parameters:
  ///   - json: What the place is to hold afterwards.
  ///   - path: Where.
  ///   - isMerging: whether members that `json` does not name stay, and those that are null there go (RFC 7396).
  ///   - message: Kept in the change, for those who read the history.
  /// - Returns: whether anything differed.
  /// - Throws: `JSONDocumentError`; then nothing is written.
  @discardableResult
  public func load(
    _ json: JSONValue, at path: DocumentPath = .root, isMerging: Bool = false, message: String? = nil
  ) throws(JSONDocumentError) -> Bool {
    let former = handle.version
    try write(at: path, isMerging: isMerging, message) { writer throws(JSONDocumentError) in
      if !path.parts.isEmpty, try writer.reads(json, at: path) { return }
      try writer.set(json, at: path)
    }
    return handle.version != former
  }

  /// Writes to a copy, which takes the document's place where all of it went well.
  func write(
    at path: DocumentPath, isMerging: Bool, _ message: String?,
    _ body: (inout DocumentWriter) throws(JSONDocumentError) -> Void
  ) throws(JSONDocumentError) {
    if handle.isForgotten {
      throw JSONDocumentError(
        .forgotten, at: path, "'\(id)' was forgotten in this group, for good; nothing can be written to it.")
    }
    var failure: JSONDocumentError?
    do {
      try handle.rewrite(message: message) { document, patch in
        var writer = DocumentWriter(document, isMerging: isMerging)
        do throws(JSONDocumentError) {
          try body(&writer)
          document = writer.tree.document
          patch = writer.patch
        } catch {
          failure = error
        }
      }
    } catch {
      throw JSONDocumentError(
        .tooLarge, at: path,
        "It is more than one change may hold, so nothing was written. Write it in parts. (\(error))")
    }
    if let failure { throw failure }
  }

  func tree() throws(JSONDocumentError) -> DocumentTree {
    guard let document = handle.copyInTurn() else {
      throw JSONDocumentError(
        .transactionOpen, at: .root, "A transaction of '\(id)' is open, whose half nobody may see.")
    }
    return DocumentTree(document)
  }
}

/// Values that were written to one slot, each without knowledge of the others.
public struct JSONConflict: Sendable, Equatable {
  /// One of the values, and who wrote it.
  public struct Side: Sendable, Equatable {
    /// The value.
    public var value: JSONValue
    /// The replica id under which the value was written.
    public var writer: ReplicaID
    /// When, by the writer's clock, in milliseconds since 1970-01-01 UTC.
    public var milliseconds: UInt64
    /// Which write it was.
    package var dot: Dot
  }

  /// Where in the document the values stand.
  public var path: DocumentPath
  /// What readers see, first, and what stands beside it.
  public var sides: [Side]
  /// The slot itself, and what kind of container it is in.
  package var slot: DocumentTree.Slot
  package var kind: Kind
}

extension BareReplica {
  /// The main document as JSON.
  public var json: JSONDocument { JSONDocument(document) }

  /// Another document of the group as JSON; opens it.
  ///
  /// - Throws: `LogError` where what the log holds of it cannot be read.
  public func json(of document: DocumentID) async throws -> JSONDocument {
    JSONDocument(try await engine.open(document))
  }
}
