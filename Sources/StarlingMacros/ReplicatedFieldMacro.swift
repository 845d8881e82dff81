public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@ReplicatedField(id)`, which `@Replicated` puts on each stored property: the storage beside it,
/// and accessors that call the model state.
public struct ReplicatedFieldMacro {}

extension ReplicatedFieldMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self), let property = Property(variable) else { return [] }
    let modifiers = property.availability + (property.isNonisolated ? "nonisolated private" : "private")
    let observers = [property.willSetObserver, property.didSetObserver].compactMap { $0 }
    return storage(of: property, modifiers) + observers.map { method(for: $0, of: property, modifiers) }
  }

  private static func storage(of property: Property, _ modifiers: String) -> [DeclSyntax] {
    let storage = property.storageName
    if property.role == .weak, let type = property.type {
      return [
        "\(raw: modifiers) weak var \(raw: storage): \(type)",
        "\(raw: modifiers) let \(raw: property.writesName) = StarlingModel.Field(0)",
      ]
    }
    switch (property.type, property.defaultArgument) {
    case (let type?, let value?):
      return ["\(raw: modifiers) let \(raw: storage) = StarlingModel.Field<\(type)>(\(raw: value))"]
    case (nil, let value?):
      return ["\(raw: modifiers) let \(raw: storage) = StarlingModel.Field(\(raw: value))"]
    case (let type?, nil):
      return ["\(raw: modifiers) let \(raw: storage): StarlingModel.Field<\(type)>"]
    case (nil, nil):
      return []
    }
  }

  /// The user's observer as a method: there an assignment to the property is not one within its own setter.
  private static func method(for observer: Property.Observer, of property: Property, _ modifiers: String) -> DeclSyntax
  {
    let parameter = observer.parameter.flatMap { name in property.knownType.map { "_ \(name): \($0)" } } ?? ""
    return """
      \(raw: modifiers) func \(raw: observer.name)(\(raw: parameter)) {
      \(observer.body)
      }
      """
  }
}

extension ReplicatedFieldMacro: AccessorMacro {
  public static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self), let property = Property(variable),
      let id = node.arguments?.as(LabeledExprListSyntax.self)?.first?.expression
    else { return [] }
    if property.role == .weak { return weakAccessors(property, id) }
    let storage = property.storageName
    let coding = property.coding(of: storage)
    let write: CodeBlockItemSyntax = "_$model.set(\(raw: storage), \(id), self, newValue, \(raw: coding))"
    let get: AccessorDeclSyntax = """
      get {
        _$model.get(\(raw: storage), \(id), self)
      }
      """
    // Observers see what a plain property's see: the old value before, the new one after.
    if property.willSet != nil || property.didSet != nil {
      return [
        initialize(property), get, observed(property, id, write, old: "_$model.peek(\(raw: storage))"),
      ]
    }
    return [
      initialize(property), get,
      """
      set {
        \(write)
      }
      """,
      """
      _modify {
        var edit = _$model.edit(\(raw: storage))
        defer {
          _$model.finish(edit, \(raw: storage), \(id), self, \(raw: coding))
        }
        yield &edit.value
      }
      """,
    ]
  }

  /// An assignment in the user's initializer: it makes the storage where there is no default, and
  /// writes into it otherwise, whether or not the other properties are set by then.
  private static func initialize(_ property: Property) -> AccessorDeclSyntax {
    let storage = property.storageName
    if property.defaultValue == nil {
      return """
        @storageRestrictions(initializes: \(raw: storage))
        init(initialValue) {
          \(raw: storage) = StarlingModel.Field(initialValue)
        }
        """
    }
    return """
      @storageRestrictions(accesses: \(raw: storage), _$model)
      init(initialValue) {
        \(raw: storage).initialize(initialValue, _$model)
      }
      """
  }

  private static func weakAccessors(_ property: Property, _ id: ExprSyntax) -> [AccessorDeclSyntax] {
    let (storage, writes) = (property.storageName, property.writesName)
    let write: CodeBlockItemSyntax = "\(raw: storage) = newValue"
    let tell: CodeBlockItemSyntax =
      "_$model.set(\(raw: writes), \(id), self, _$model.peek(\(raw: writes)) &+ 1, StarlingModel.local(\(raw: writes)))"
    let get: AccessorDeclSyntax = """
      get {
        _$model.get(\(raw: storage), countedBy: \(raw: writes), \(id), self)
      }
      """
    let initialize: AccessorDeclSyntax = """
      @storageRestrictions(initializes: \(raw: storage))
      init(initialValue) {
        \(raw: storage) = initialValue
      }
      """
    return [initialize, get, observed(property, id, "\(write)\n\(tell)", old: ExprSyntax("\(raw: storage)"))]
  }

  /// The setter with the user's `willSet` and `didSet` around the write.
  private static func observed(
    _ property: Property, _ id: ExprSyntax, _ write: CodeBlockItemSyntax, old: ExprSyntax
  ) -> AccessorDeclSyntax {
    var lines: [String] = []
    if let willSet = property.willSetObserver {
      lines.append(call(willSet, id, passing: "newValue"))
    }
    let didSet = property.didSetObserver
    if didSet?.parameter != nil { lines.append("let oldValue = \(old)") }
    lines.append(write.description)
    if let didSet { lines.append(call(didSet, id, passing: "oldValue")) }
    return """
      set {
      \(raw: lines.joined(separator: "\n"))
      }
      """
  }

  private static func call(_ observer: Property.Observer, _ id: ExprSyntax, passing value: String) -> String {
    """
    _$model.observing(\(id)) {
      \(observer.name)(\(observer.parameter == nil ? "" : value))
    }
    """
  }
}
