public import StarlingCore
import StarlingEngine

/// One of several values that were written concurrently to one property.
public struct Conflict<Content> {
  public var value: Content
  /// The replica that wrote it.
  public var author: ReplicaID
  /// When, by the writer's clock.
  public var stamp: Stamp
}

extension Conflict: Sendable where Content: Sendable {}
extension Conflict: Equatable where Content: Equatable {}

extension ReplicatedModel {
  /// The values that stand beside each other in a property because they were written concurrently,
  /// the visible one first; empty where there is no conflict. Writing the property, also with the
  /// visible value, resolves it.
  ///
  /// Readers wake when the conflict changes, even if the visible value does not.
  ///
  /// - Complexity: O(*n* log *n*) in the values.
  public func conflicts<Content>(of property: KeyPath<Self, Content>) -> [Conflict<Content>] {
    Self._$schema.paths.byField.firstIndex(of: property).map { conflicts(ofField: $0) } ?? []
  }

  func conflicts<Content>(ofField id: Int) -> [Conflict<Content>] {
    let schema = Self._$schema
    guard let names = schema.names[id], let attachment = _$model.attachment else { return [] }
    _$model.conflicts.track(id, in: _$model)
    let entries = attachment.space.handle.read { names.entries(in: attachment.object, of: $0) }
    guard entries.count > 1 else { return [] }
    let sorted = entries.sorted { $1 < $0 }
    var visitor = FieldVisitor(.values(sorted.map(\.value), attachment.place(names.key(for: .slot))), of: _$model)
    schema.visit(self, id, &visitor)
    guard let values = visitor.content as? [Content?] else { return [] }
    return zip(sorted, values).compactMap { entry, value in
      value.map { Conflict(value: $0, author: entry.dot.replica, stamp: entry.stamp) }
    }
  }
}
