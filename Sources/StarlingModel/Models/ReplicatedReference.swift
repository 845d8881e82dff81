import StarlingCore
import StarlingEngine
import StarlingGraph

/// Points at a model that lives elsewhere in the same document. It reads as nil once its target is gone.
///
/// ```swift
/// var favourite: ReplicatedReference<Book> = nil
/// shelf.favourite = ReplicatedReference(book)
/// shelf.favourite.target?.title
/// ```
public struct ReplicatedReference<Model: ReplicatedModel> {
  fileprivate enum Storage {
    case none
    case model(Model)
    case object(ObjectID, Attachment)
  }

  private let storage: Storage

  /// - Parameter model: A model that stands in a document when the reference is written into one.
  public init(_ model: Model?) {
    storage = model.map { .model($0) } ?? .none
  }

  init(_ object: ObjectID, at place: Place) {
    storage = .object(object, place.attachment)
  }

  var isNil: Bool {
    if case .none = storage { true } else { false }
  }

  /// Where the target stands; nil for none and for a model that is in no document.
  var location: (space: ModelSpace, object: ObjectID)? {
    switch storage {
    case .none: nil
    case .model(let model): model._$model.attachment.map { ($0.space, $0.object) }
    case .object(let object, let attachment): (attachment.space, object)
    }
  }

  /// The model referred to; nil if there is none or it has been removed.
  public var target: Model? {
    switch storage {
    case .none: return nil
    case .model(let model):
      guard let attachment = model._$model.attachment else { return model }
      attachment.space.lives.track(attachment.object)
      return attachment.isGone ? nil : model
    case .object(let object, let attachment):
      attachment.space.lives.track(object)
      // An instance that lives is there until its removal has been delivered.
      if case .model(let target)? = attachment.space.resident(object), let model = target.model as? Model {
        return target.isGone ? nil : model
      }
      guard attachment.space.isLive(object, on: attachment.delivery) else { return nil }
      return attachment.space.open(
        Model.self, object, Lineage(base: object), attachment.delivery)
    }
  }
}

/// A reference to a model of whichever class.
protocol AnyReplicatedReference {
  var referredObject: ObjectID? { get }
}

extension ReplicatedReference: AnyReplicatedReference {
  var referredObject: ObjectID? { location?.object }
}

extension ReplicatedReference: Sendable where Model: Sendable {}
extension ReplicatedReference.Storage: Sendable where Model: Sendable {}

extension ReplicatedReference: ExpressibleByNilLiteral {
  public init(nilLiteral: ()) {
    storage = .none
  }
}

extension ReplicatedReference: Equatable {
  /// Whether both point at one object, or at nothing.
  public static func == (left: ReplicatedReference, right: ReplicatedReference) -> Bool {
    switch (left.location, right.location) {
    case (let left?, let right?): left.space === right.space && left.object == right.object
    case (nil, nil): left.detached === right.detached
    default: false
    }
  }

  private var detached: Model? {
    if case .model(let model) = storage { model } else { nil }
  }
}
