/// What stands behind a `ReplicatedRecord`: a model that nobody declared as a class. It has a cell a
/// field, and everything else, from planting to conflicts, is what any nested model has.
///
/// ```
///   Account ── _profile ──► ReplicatedRecord ──► RecordModel ── cells ──► [Field<String>, Field<Int>]
///                             the handle            └── _$model ──► home, attachment, observers
/// ```
@usableFromInline
final class RecordModel<Content: ReplicatedFields>: ReplicatedModel {
  @usableFromInline let _$model = ModelState()
  @usableFromInline static var _$schema: ModelSchema<RecordModel<Content>> { Content._$fields.schema }

  private let cells: [RecordCell]
  /// Holds what is no field: constants, and what the struct keeps to itself.
  private let base: Content

  init(_ content: Content) {
    base = content
    cells = Content._$fields.all.map { $0.makeCell(for: content) }
  }

  @usableFromInline
  func field<Member>(at offset: Int?, _ type: Member.Type) -> RecordField<Content>.Of<Member>? {
    offset.flatMap { Content._$fields.field(at: $0, type) }
  }

  func cell<Member>(_ field: RecordField<Content>.Of<Member>) -> RecordCellOf<Member> {
    unsafeDowncast(cells[field.id], to: RecordCellOf<Member>.self)
  }

  // MARK: One field

  @usableFromInline
  func read<Member>(_ field: RecordField<Content>.Of<Member>) -> Member {
    _$model.get(cell(field).field, field.id, self)
  }

  func peek<Member>(_ field: RecordField<Content>.Of<Member>) -> Member {
    _$model.peek(cell(field).field)
  }

  @usableFromInline
  func write<Member>(_ member: Member, to field: RecordField<Content>.Of<Member>) {
    field.write(from: peek(field), to: member, in: self)
  }

  /// The field by its path, as Observation knows it.
  subscript<Member>(path: WritableKeyPath<Content, Member>) -> Member {
    field(at: MemoryLayout<Content>.offset(of: path), Member.self).map { read($0) } ?? value(of: .reader)[keyPath: path]
  }

  // MARK: All of them

  func value(of reader: RecordReader) -> Content {
    var content = base
    for field in Content._$fields.all { field.copy(from: self, to: &content, for: reader) }
    return content
  }

  func write(_ new: Content) {
    let old = value(of: .nobody)
    withTransaction {
      for field in Content._$fields.all { field.write(from: old, to: new, in: self) }
    }
  }

  @usableFromInline
  func writePart<Member>(_ member: Member, at path: WritableKeyPath<Content, Member>) {
    var new = value(of: .nobody)
    new[keyPath: path] = member
    write(new)
  }
}

extension RecordModel: @unchecked Sendable where Content: Sendable {
  // Sendable: the fields are guarded by their home, and are parts of a content that may be shared.
}

/// Which reader a record is read for.
enum RecordReader {
  /// The observer under way.
  case reader
  case nobody
}

/// The storage of one field of a record.
class RecordCell {}

final class RecordCellOf<Member>: RecordCell {
  let field: Field<Member>

  init(_ member: Member) {
    field = Field(member)
  }
}
