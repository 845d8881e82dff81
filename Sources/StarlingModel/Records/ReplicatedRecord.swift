/// A struct that is merged, sent and observed field by field.
///
/// ```swift
/// @ReplicatedFields struct User { var name = ""; var age = 0 }
///
/// @Replicated final class Account: Sendable {
///   var profile = ReplicatedRecord(User())
/// }
///
/// account.profile.name = "Ada"     // sends the name, wakes the readers of the name
/// ```
///
/// In the document it is a map under the property's name with a slot for each field. As a Swift value
/// it is a handle that stays with its property: reading `account.profile` depends on nothing, and
/// assigning another record moves that record's fields over, as one change.
///
/// What can be written and read apart is one stored field of the struct. A part of a field
/// (`account.profile.position.x`) is read and written with its field; a computed member and `value`
/// are read with the whole.
@dynamicMemberLookup
public struct ReplicatedRecord<Content: ReplicatedFields>: ReplicatedHandle {
  @usableFromInline let model: RecordModel<Content>

  /// - Parameter value: What the fields hold until the document says otherwise. As the default of a
  ///   property it is never sent.
  public init(_ value: Content) {
    model = RecordModel(value)
  }

  init(_ model: RecordModel<Content>) {
    self.model = model
  }

  /// All fields at once. Reading depends on every field; writing writes the fields that differ, as one
  /// change.
  ///
  /// - Complexity: O(fields)
  public var value: Content {
    get { model.value(of: .reader) }
    nonmutating set { model.write(newValue) }
  }

  // Inlined, so that the offset of a literal key path becomes a constant and the path is never made.
  /// The field at `path`. Reading it depends on that field alone, and writing it sends that field alone.
  @inlinable
  public subscript<Member>(dynamicMember path: WritableKeyPath<Content, Member>) -> Member {
    get {
      if let field = model.field(at: MemoryLayout<Content>.offset(of: path), Member.self) { return model.read(field) }
      return value[keyPath: path]
    }
    nonmutating set {
      if let field = model.field(at: MemoryLayout<Content>.offset(of: path), Member.self) {
        model.write(newValue, to: field)
      } else {
        model.writePart(newValue, at: path)
      }
    }
  }

  /// A computed member, or a constant: depends on the whole.
  public subscript<Member>(dynamicMember path: KeyPath<Content, Member>) -> Member {
    value[keyPath: path]
  }

  /// The values that stand beside each other in one field because they were written concurrently, the
  /// visible one first; empty where there is no conflict, and for what is not a field. Writing the
  /// field, also with the visible value, resolves it.
  ///
  /// - Complexity: O(*n* log *n*) in the values.
  public func conflicts<Member>(of field: WritableKeyPath<Content, Member>) -> [Conflict<Member>] {
    model.field(at: MemoryLayout<Content>.offset(of: field), Member.self).map { model.conflicts(ofField: $0.id) } ?? []
  }
}

// The fields are guarded, and handed out only where they may be shared.
extension ReplicatedRecord: Sendable where Content: Sendable {}

extension ReplicatedRecord: CustomStringConvertible {
  public var description: String { "\(value)" }
}
