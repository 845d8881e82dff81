public import StarlingCore
public import StarlingEngine

/// A document as it stood at one version, read through models (`Replica.document(at:)`).
///
/// ```swift
/// let past = try await replica.document(at: version)
/// let book = try past.model(Book.self, named: "front-desk")     // another object than the replica's
/// book.title                                                    // what stood then
/// ```
///
/// Its models, and all that is reached through them, never change. A write to one is dropped and reported
/// (`ModelIncident.writeToPast`). They stay in memory, and the document with them, for as long as somebody holds
/// this or one of them.
public final class PastDocument: Sendable {
  /// The document itself, by keys; `Replica.fork(of:)` goes on from it.
  public let historic: HistoricDocument
  package let space: ModelSpace

  /// Opens models of a past document of the engine.
  public init(_ historic: HistoricDocument) {
    self.historic = historic
    space = ModelSpace(past: historic)
  }

  /// What was merged then.
  public var version: VersionVector { historic.version }

  /// The model of this name as it stood then; with its defaults where nobody had written it yet. The same object for
  /// as long as it is held.
  ///
  /// - Throws: `ModelError` where the name is open as another class, or the class belongs to an actor that the caller
  ///   is not on.
  public func model<Model: ReplicatedModel & Sendable>(
    _ type: Model.Type, named name: String
  ) throws(ModelError) -> Model {
    // Nothing ever arrives, so nobody needs to be told where it becomes visible.
    try space.model(type, named: name, isolation: nil)
  }

  /// What the model was then, whether it is one of the present, of a fork, or of another past; nil where it did not
  /// stand in the document.
  ///
  /// - Throws: as `model(_:named:)`.
  public func model<Model: ReplicatedModel & Sendable>(for model: Model) throws(ModelError) -> Model? {
    guard let attachment = model._$model.attachment else { return nil }
    let lineage = attachment.lineage
    return try open(attachment.object, lineage, of: attachment.space) { lineage.stands(in: $0) }
  }

  /// What the model that is referred to was then; nil where it did not stand in the document.
  ///
  /// - Throws: as `model(_:named:)`.
  public func model<Model: ReplicatedModel & Sendable>(
    for reference: ReplicatedReference<Model>
  ) throws(ModelError) -> Model? {
    guard let (other, object) = reference.location else { return nil }
    return try open(object, Lineage(base: object), of: other) { $0.isLive(object) }
  }

  private func open<Model: ReplicatedModel>(
    _ object: ObjectID, _ lineage: Lineage, of other: ModelSpace, ifStood stood: (borrowing Document) -> Bool
  ) throws(ModelError) -> Model? {
    try space.checkHome(of: Model.self) { "model(for:)" }
    guard other.handle.id == historic.id, space.handle.read(stood) else { return nil }
    return space.open(Model.self, object, lineage, space.delivery(on: nil))
  }
}

extension ModelSpace {
  /// Over a document that never changes: its models refuse writes.
  ///
  /// - Parameter reportsUnreadable: whether values that cannot be read are reported, as for models that are shown.
  convenience init(past historic: HistoricDocument, reportsUnreadable: Bool = true) {
    // No operation is ever named after the replica, nor stamped.
    let handle = DocumentHandle(
      id: historic.id, replica: ReplicaID(rawValue: 0), document: historic.document, now: { 0 })
    self.init(handle, isPast: true, reportsUnreadable: reportsUnreadable)
  }
}

extension Lineage {
  /// Whether the object is there. What a class declares, and a model with a name, are as long as what they stand in; a
  /// model of a dictionary is once its key is.
  fileprivate func stands(in document: borrowing Document) -> Bool {
    guard isLive(in: document) else { return false }
    var (holder, isDictionary) = (base, false)
    for step in steps {
      if isDictionary, document.visible(step.key, in: holder) == .absent { return false }
      holder = .derived(parent: holder, key: step.key, kind: step.kind)
      isDictionary = step.kind == .dictionary
    }
    return true
  }
}

extension Attachment {
  /// Whether a write to the property under `key` is refused, as nothing of the past is written; it is reported.
  func refusesWrite(under key: Key) -> Bool {
    guard space.isPast else { return false }
    ModelIncident.report(.writeToPast(property: schema.label(at: key)))
    return true
  }
}
