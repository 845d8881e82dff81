import StarlingCore
import StarlingGraph

/// What `@Replicated` makes a class: an observable object whose properties are slots of a CRDT map.
/// Conform by the macro, never by hand.
public protocol ReplicatedModel: AnyObject, Observable {
  /// What stands behind the object's properties, for the accessors that the macro writes.
  nonisolated var _$model: _Replicated.ModelState { get }
  /// What the class's objects have in common, for the module that opens them.
  nonisolated static var _$schema: _Replicated.ModelSchema<Self> { get }
}

extension _Replicated {
  /// What the models of one class have in common: the names and types of their fields, and how to
  /// make an instance.
  ///
  /// The functions have the isolation of the class; they are called where an instance is made or
  /// written, which is there.
  public final class ModelSchema<Model: ReplicatedModel>: AnyModelSchema, @unchecked Sendable {
    // Sendable: constants, and functions that run where the class is isolated.
    private let make: () -> Model
    /// Of the class; nil where any thread may use it.
    package let isolation: (any Actor)?
    private let makeKeyPaths: () -> [PartialKeyPath<Model>]
    private let visitField: (Model, Int, inout FieldVisitor) -> Void
    private let prototype_ = Once<Model>()
    private let varyingDefault_ = Once<String?>()

    /// - Parameters:
    ///   - name: what a person knows the class as.
    ///   - fields: the name of each field, in the order of their ids; nil for one that stays here.
    ///   - formerly: the names that fields had before, by id, the oldest first.
    ///   - make: an instance with nothing but defaults.
    ///   - keyPaths: The key path of each property, in the order of `fields`.
    ///   - visit: Hands a property of an instance to a visitor.
    public init(
      called name: String = "\(Model.self)", fields: [String?], formerly: [Int: [String]] = [:],
      make: @escaping @isolated(any) @Sendable () -> Model,
      keyPaths: @escaping @isolated(any) @Sendable () -> [PartialKeyPath<Model>],
      visit: @escaping @isolated(any) @Sendable (Model, Int, inout FieldVisitor) -> Void
    ) {
      isolation = make.isolation
      // The isolation is checked where it is known dynamically, in `instance`; forming key paths and
      // visiting fields touches nothing but the object that the caller already has.
      self.make = unsafeBitCast(make, to: (() -> Model).self)
      makeKeyPaths = unsafeBitCast(keyPaths, to: (() -> [PartialKeyPath<Model>]).self)
      visitField = unsafeBitCast(visit, to: ((Model, Int, inout FieldVisitor) -> Void).self)
      super.init(typeName: name, names: fields, formerly: formerly)
    }

    func instance() -> Model {
      if let isolation, !isolation.isCurrent {
        fatalError(
          "A '\(Model.self)' belongs to \(type(of: isolation)) and was opened or made elsewhere, where nothing of it may be "
            + "used. Do it in code that is isolated to \(type(of: isolation)).")
      }
      return make()
    }

    /// The first property whose default is another with each instance, in this class or in one that it holds; nil where
    /// there is none.
    var varyingDefault: String? { varyingDefault_.value { prototype.varyingDefault(beside: instance()) } }

    /// An instance that nobody writes: what it holds are the defaults.
    var prototype: Model { prototype_.value { instance() } }

    override func makePaths() -> [AnyKeyPath] { makeKeyPaths() }

    /// What a person knows the field as: "Book.title". What stays here has no name in the document.
    package func label(of field: Int) -> String {
      if case .name(let name)? = names[field]?.key { return "\(typeName).\(name)" }
      let number = names[...field].count { $0 == nil }
      return "\(typeName)'s local property \(number)"
    }

    func visit(_ model: Model, _ field: Int, _ visitor: inout FieldVisitor) {
      visitField(model, field, &visitor)
    }

    override func visit(any model: AnyObject, _ field: Int, _ visitor: inout FieldVisitor) {
      visitField(unsafeDowncast(model, to: Model.self), field, &visitor)
    }

    override func state(of model: AnyObject) -> ModelState { unsafeDowncast(model, to: Model.self)._$model }

    override var isHere: Bool { isolation?.isCurrent ?? true }

    override func open(named name: String, in space: ModelSpace) throws(ModelError) -> any ReplicatedModel {
      try space.model(Model.self, named: name, isolation: nil)
    }

    override func tell(_ model: AnyObject, that field: Int) {
      let model = unsafeDowncast(model, to: Model.self)
      model._$model.tellObservation(model, field)
    }
  }

  /// A schema whose class is not known statically.
  public class AnyModelSchema: @unchecked Sendable {
    // Sendable: constants; the subclass says why the rest is.
    /// The names of each field in the document; nil for one that stays here.
    let names: [FieldNames?]
    /// The fields by all their keys.
    private let fields: [(key: Key, id: Int)]
    private let fieldsByKey: HandleIndex
    private let salt = makeSalt()

    /// What a person knows the class as.
    let typeName: String

    fileprivate init(typeName: String, names: [String?], formerly: [Int: [String]]) {
      self.typeName = typeName
      self.names = names.enumerated().map { id, name in
        name.map { FieldNames(key: .name($0), former: (formerly[id] ?? []).map { .name($0) }) }
      }
      // The macros refuse a name that two fields have.
      let pairs = self.names.enumerated().flatMap { id, names in
        names.map { names in ([names.key] + names.former).map { ($0, id) } } ?? []
      }
      fields = pairs.map { (key: $0, id: $1) }
      var index = HandleIndex()
      for (place, (key, _)) in pairs.enumerated() {
        let hash = spread(key, salt: salt)
        if index.find(hash: hash, where: { pairs[$0].0 == key }) != nil { continue }
        index.insert(place, hash: hash) { [salt] in spread(pairs[$0].0, salt: salt) }
      }
      fieldsByKey = index
    }

    /// The field that bears the key, now or formerly.
    func field(at key: Key) -> Int? {
      fieldsByKey.find(hash: spread(key, salt: salt)) { fields[$0].key == key }.map { fields[$0].id }
    }

    /// Whether what stands under a former name of the field is shown as well.
    func hasOtherNames(_ field: Int) -> Bool { !isStandard(field) && hasFormerNames(field) }

    private func hasFormerNames(_ field: Int) -> Bool { names[field]?.former.isEmpty == false }

    private let paths_ = SetOnce<Paths>()

    @usableFromInline final class Paths: @unchecked Sendable {
      // Sendable: never written after it was made, and the key paths, of properties alone, hold nothing that could be.
      /// Held here.
      @usableFromInline let byField: [Unmanaged<AnyKeyPath>]

      init(_ byField: [AnyKeyPath]) { self.byField = byField.map { .passRetained($0) } }
      deinit { for path in byField { path.release() } }

      /// Runs `body` on the key path of a field, which is not retained for it.
      @inlinable @inline(__always) func with(_ field: Int, _ body: (AnyKeyPath) -> Void) {
        byField[field]._withUnsafeGuaranteedRef(body)
      }
    }

    func makePaths() -> [AnyKeyPath] { preconditionFailure("abstract") }

    /// The key path of each field. Made when somebody first asks: most models are never read in a scope of the standard
    /// library.
    final var paths: Paths { paths_.load() ?? paths_.setIfNil(Paths(makePaths())) }

    /// The field of a property of the class.
    package final func field(of path: AnyKeyPath) -> Int? {
      paths.byField.firstIndex { $0._withUnsafeGuaranteedRef { $0 == path } }
    }

    func visit(any model: AnyObject, _ field: Int, _ visitor: inout FieldVisitor) { preconditionFailure("abstract") }
    func tell(_ model: AnyObject, that field: Int) { preconditionFailure("abstract") }
    /// What stands behind an instance.
    func state(of model: AnyObject) -> ModelState { preconditionFailure("abstract") }
    /// Whether the caller may use instances of the class.
    var isHere: Bool { preconditionFailure("abstract") }
    /// The model of that name, on no isolation.
    func open(named name: String, in space: ModelSpace) throws(ModelError) -> any ReplicatedModel {
      preconditionFailure("abstract")
    }

    /// What a person knows the property under a key as: "Task.prio".
    func label(at key: Key) -> String {
      if case .name(let name) = key { return "\(typeName).\(name)" }
      return "\(typeName), under \(key)"
    }

    /// The fields that replicate.
    var replicated: [Int] { names.indices.filter { names[$0] != nil } }

    /// What a field's type says of it, and so of the field in every instance.
    private struct FieldKind {
      var shape: FieldShape
      /// Whether it shows one standard value, which stands under one name.
      var isStandard: Bool
    }

    private let kinds = Once<[FieldKind]>()

    /// - Parameter model: an instance, to be asked the first time.
    private func kinds(in model: AnyObject) -> [FieldKind] {
      kinds.value {
        names.indices.map { field in
          var visitor = FieldVisitor(.shape)
          visit(any: model, field, &visitor)
          let hasOneName = names[field] != nil && !hasFormerNames(field)
          return FieldKind(shape: visitor.shape, isStandard: visitor.isStandard && hasOneName)
        }
      }
    }

    func shape(of field: Int, in model: AnyObject) -> FieldShape { kinds(in: model)[field].shape }

    /// Whether a field shows one standard value, which stands under one name; no as long as no instance was asked.
    func isStandard(_ field: Int) -> Bool { kinds.withMade { $0[field].isStandard } ?? false }
  }
}
