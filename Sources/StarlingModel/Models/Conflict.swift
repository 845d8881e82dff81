public import StarlingCore
import StarlingEngine

/// One of several values that were written concurrently to one property.
public struct Conflict<Content> {
  /// What it wrote.
  public var value: Content
  /// The replica that wrote it.
  public var author: ReplicaID
  /// When, by the writer's clock.
  public var stamp: Stamp
}

extension Conflict: Sendable where Content: Sendable {}
extension Conflict: Equatable where Content: Equatable {}

extension ReplicatedModel {
  /// The values of a property that were written concurrently, the visible one first; empty if there is no
  /// conflict. Writing the property, also with the visible value, settles it. For an optional model they are
  /// the models that were put there.
  ///
  /// Readers run when the conflict changes, even if the visible value does not.
  ///
  /// - Complexity: O(*n* log *n*) in the values.
  public func conflicts<Content>(of property: KeyPath<Self, Content>) -> [Conflict<Content>] {
    Self._$schema.field(of: property).map { conflicts(ofField: $0) } ?? []
  }

  func conflicts<Content>(ofField id: Int) -> [Conflict<Content>] {
    let schema = Self._$schema
    guard let names = schema.names[id], let attachment = _$model.attachment else { return [] }
    _$model.conflicts.track(id, in: _$model)
    let entries = attachment.entries(of: names)
    guard entries.count > 1 else { return [] }
    let sorted = entries.sorted { $1 < $0 }
    var visitor = FieldVisitor(.values(sorted, attachment.place(names.key(for: .slot))), of: _$model)
    schema.visit(self, id, &visitor)
    guard let values = visitor.content as? [Content?] else { return [] }
    return zip(sorted, values).compactMap { entry, value in
      value.map { Conflict(value: $0, author: entry.dot.replica, stamp: entry.stamp) }
    }
  }
}

extension Attachment {
  /// The entries of a field, as one sees them who reads on the instance's isolation.
  fileprivate func entries(of names: FieldNames) -> [Entry] {
    space.handle.readViews { document, views in
      guard let view = views[delivery.reader],
        ([names.key] + names.former).allSatisfy({ view.shows($0, in: object) })
      else { return names.entries(in: object, of: document) }
      return names.entries(in: object, of: view.document)
    }
  }
}
