/// What `@ReplicatedFields` makes a struct: its stored properties can be told apart, so that a
/// `ReplicatedRecord` of it replicates each by itself. Conform by the macro, never by hand.
///
/// Names come from the source, not from `Mirror`: a mirror shows labels but no way to write what it
/// shows, spells wrapped and lazy properties its own way, costs an allocation a field, and finds out at
/// run time what can be said at the declaration.
public protocol ReplicatedFields: SendableMetatype {
  /// The struct's stored properties, for `ReplicatedRecord`.
  static var _$fields: _Replicated.RecordFields<Self> { get }
}

extension _Replicated {
  /// The fields of one struct: one table a type, made at its first use.
  ///
  /// ```
  ///   User    offset 0 ┌──────┐      id  name    offset  type     coding
  ///                    │ name │ ◄──── 0  "name"      0   String   value
  ///          offset 16 ├──────┤
  ///                    │ age  │ ◄──── 1  "age"      16   Int      value
  ///                    └──────┘
  /// ```
  public final class RecordFields<Content: ReplicatedFields>: @unchecked Sendable {
    // Sendable: constants; key paths to stored properties capture nothing.
    let all: [RecordField<Content>]
    let schema: ModelSchema<RecordModel<Content>>

    /// - Parameter fields: in the order of their declarations, with names that differ.
    public init(_ fields: RecordField<Content>...) {
      for (id, field) in fields.enumerated() { field.id = id }
      all = fields
      schema = ModelSchema(
        called: "\(Content.self)", fields: fields.map(\.name),
        formerly: Dictionary(
          uniqueKeysWithValues: fields.filter { !$0.formerNames.isEmpty }.map { ($0.id, $0.formerNames) }),
        make: { preconditionFailure("a record of \(Content.self) is made with the value that its property declares") },
        keyPaths: { fields.map(\.recordPath) },
        visit: { model, id, visitor in fields[id].visit(model, &visitor) })
    }

    /// The field that lies at `offset`; nil for what is none: a part of one, or the struct itself.
    ///
    /// Offset and type name a field: of two that share an offset, one has the other as its part, or is empty.
    @usableFromInline
    func field<Member>(at offset: Int, _ type: Member.Type) -> RecordField<Content>.Of<Member>? {
      let type = ObjectIdentifier(type)
      return all.first { $0.offset == offset && $0.type == type }.map {
        unsafeDowncast($0, to: RecordField<Content>.Of<Member>.self)
      }
    }
  }

  /// One stored property of a struct that replicates field by field.
  public class RecordField<Content: ReplicatedFields>: @unchecked Sendable {
    // Sendable: constants; `id` and `formerNames` are set before anybody else sees the table.
    let name: String
    fileprivate(set) var formerNames: [String] = []
    let offset: Int
    let type: ObjectIdentifier
    fileprivate(set) var id = 0

    fileprivate init<Member>(_ name: String, _ path: KeyPath<Content, Member>) {
      guard let offset = MemoryLayout<Content>.offset(of: path) else {
        preconditionFailure("'\(name)' of \(Content.self) is not a stored property")
      }
      self.name = name
      self.offset = offset
      type = ObjectIdentifier(Member.self)
    }

    /// The field as a property of the record, for Observation.
    var recordPath: PartialKeyPath<RecordModel<Content>> { preconditionFailure("abstract") }
    func makeCell(for content: Content) -> RecordCell { preconditionFailure("abstract") }
    func visit(_ model: RecordModel<Content>, _ visitor: inout FieldVisitor) { preconditionFailure("abstract") }
    /// Puts what the record holds into `content`.
    func copy(from model: RecordModel<Content>, to content: inout Content, for reader: RecordReader) {
      preconditionFailure("abstract")
    }
    /// Writes what `new` holds where it differs from what `old` holds.
    func write(from old: Content, to new: Content, in model: RecordModel<Content>) { preconditionFailure("abstract") }

    /// A field whose type is known, as the accessors know it.
    public class Of<Member>: RecordField<Content>, @unchecked Sendable {
      // Sendable: constants.
      fileprivate let path: WritableKeyPath<Content, Member>

      fileprivate init(_ name: String, at path: WritableKeyPath<Content, Member>) {
        self.path = path
        super.init(name, path)
      }

      func write(from old: Member, to new: Member, in model: RecordModel<Content>) { preconditionFailure("abstract") }

      override var recordPath: PartialKeyPath<RecordModel<Content>> { \RecordModel<Content>.[path] }

      override func makeCell(for content: Content) -> RecordCell { RecordCellOf(content[keyPath: path]) }

      override func copy(from model: RecordModel<Content>, to content: inout Content, for reader: RecordReader) {
        content[keyPath: path] =
          switch reader {
          case .reader: model.read(self)
          case .nobody: model.peek(self)
          }
      }

      override func write(from old: Content, to new: Content, in model: RecordModel<Content>) {
        write(from: old[keyPath: path], to: new[keyPath: path], in: model)
      }
    }
  }
}

/// A field whose coding is known.
private final class CodedField<T: ReplicatedFields, C: PlainCoding>: RecordField<T>.Of<C.Content>, @unchecked Sendable {
  // Sendable: constants; codings hold no state.
  private let coding: (borrowing Field<C.Content>) -> C

  init(_ name: String, _ path: WritableKeyPath<T, C.Content>, _ coding: @escaping (borrowing Field<C.Content>) -> C) {
    self.coding = coding
    super.init(name, at: path)
  }

  override func visit(_ model: RecordModel<T>, _ visitor: inout FieldVisitor) {
    let cell = model.cell(self)
    visitor.visit(cell.field, coding(cell.field))
  }

  override func write(from old: C.Content, to new: C.Content, in model: RecordModel<T>) {
    let cell = model.cell(self)
    model._$model.write(cell.field, id, model, from: old, to: new, coding(cell.field))
  }
}

extension _Replicated {
  /// Called by the macro's expansion, once a stored property.
  ///
  /// - Parameters:
  ///   - name: What the field is called in the document.
  ///   - path: Where the struct stores it.
  ///   - formerly: the names it had before, the oldest first.
  ///   - coding: picks the coding by the property's type, as for a property of a model.
  public static func recordField<Content: ReplicatedFields, Coding: PlainCoding>(
    _ name: String, _ path: WritableKeyPath<Content, Coding.Content>, formerly: [String] = [],
    coding: @escaping (borrowing Field<Coding.Content>) -> Coding
  ) -> RecordField<Content> {
    let field = CodedField(name, path, coding)
    field.formerNames = formerly
    return field
  }
}
