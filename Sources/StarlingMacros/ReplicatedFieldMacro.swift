public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@ReplicatedField(id)`, which `@Replicated` puts on each stored property: the storage beside it,
/// and accessors that call the model state.
public struct ReplicatedFieldMacro {
  public static var formatMode: FormatMode { .disabled }
}

extension ReplicatedFieldMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self), let property = Property(variable) else { return [] }
    let modifiers = property.availability + (property.isNonisolated ? "nonisolated private" : "private")
    let observers = [property.willSetObserver, property.didSetObserver].compactMap { $0 }
    return (storage(of: property, modifiers) + observers.map { method(for: $0, of: property, modifiers) })
      .map { DeclSyntax(text: $0) }
  }

  private static func storage(of property: Property, _ modifiers: String) -> [String] {
    let storage = property.storageName
    if property.role == .weak, let type = property.type {
      return [
        "\(modifiers) weak var \(storage): \(type)",
        "\(modifiers) let \(property.writesName) = StarlingModel._Replicated.Field(0)",
      ]
    }
    switch (property.type, property.defaultArgument) {
    case (let type?, let value?):
      return ["\(modifiers) let \(storage) = StarlingModel._Replicated.Field<\(type)>(\(value))"]
    case (nil, let value?): return ["\(modifiers) let \(storage) = StarlingModel._Replicated.Field(\(value))"]
    case (let type?, nil): return ["\(modifiers) let \(storage): StarlingModel._Replicated.Field<\(type)>"]
    case (nil, nil): return []
    }
  }

  /// The user's observer as a method: there an assignment to the property is not one within its own setter.
  private static func method(for observer: Property.Observer, of property: Property, _ modifiers: String) -> String {
    let parameter = observer.parameter.flatMap { name in property.knownType.map { "_ \(name): \($0)" } } ?? ""
    return """
      \(modifiers) func \(observer.name)(\(parameter)) {
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
      let arguments = node.arguments?.as(LabeledExprListSyntax.self),
      let id = arguments.first?.expression.trimmedDescription
    else { return [] }
    if property.role == .weak { return [AccessorDeclSyntax(text: weakAccessors(of: property, id))] }
    let initialize = arguments.count > 1 || property.defaultValue == nil ? initialize(property) + "\n" : ""
    return [AccessorDeclSyntax(text: initialize + accessors(of: property, id))]
  }

  private static func accessors(of property: Property, _ id: String) -> String {
    let storage = property.storageName
    let calls = Calls(of: property)
    // Observers see what a plain property's see: the old value before, the new one after.
    if property.willSet != nil || property.didSet != nil {
      return """
        get {
          \(calls.get(storage, id))
        }
        \(observed(property, id, [calls.set(storage, id)], old: "_$model.peek(\(storage))"))
        """
    }
    return """
      get {
        \(calls.get(storage, id))
      }
      set {
        \(calls.set(storage, id))
      }
      _modify {
        var edit = _$model.edit(\(storage))
        defer {
          \(calls.finish(storage, id))
        }
        yield &edit.value
      }
      """
  }

  /// An assignment in the user's initializer: it makes the storage where there is no default, and
  /// writes into it otherwise, whether or not the other properties are set by then.
  private static func initialize(_ property: Property) -> String {
    let storage = property.storageName
    if property.defaultValue == nil {
      return """
        @storageRestrictions(initializes: \(storage))
        init(initialValue) {
          \(storage) = StarlingModel._Replicated.Field(initialValue)
        }
        """
    }
    return """
      @storageRestrictions(accesses: \(storage), _$model)
      init(initialValue) {
        \(storage).initialize(initialValue, _$model)
      }
      """
  }

  private static func weakAccessors(of property: Property, _ id: String) -> String {
    let (storage, writes) = (property.storageName, property.writesName)
    let write = [
      "\(storage) = newValue",
      "_$model.set(\(writes), \(id), self, _$model.peek(\(writes)) &+ 1, StarlingModel._Replicated.local(\(writes)))",
    ]
    return """
      @storageRestrictions(initializes: \(storage))
      init(initialValue) {
        \(storage) = initialValue
      }
      get {
        _$model.get(\(storage), countedBy: \(writes), \(id), self)
      }
      \(observed(property, id, write, old: storage))
      """
  }

  /// The setter with the user's `willSet` and `didSet` around the write.
  private static func observed(_ property: Property, _ id: String, _ write: [String], old: String) -> String {
    var lines: [String] = []
    if let willSet = property.willSetObserver { lines.append(call(willSet, id, passing: "newValue")) }
    let didSet = property.didSetObserver
    if didSet?.parameter != nil { lines.append("let oldValue = \(old)") }
    lines += write
    if let didSet { lines.append(call(didSet, id, passing: "oldValue")) }
    return """
      set {
        \(lines.joined(separator: "\n").indented(by: 1))
      }
      """
  }

  private static func call(_ observer: Property.Observer, _ id: String, passing value: String) -> String {
    """
    _$model.observing(\(id)) {
      \(observer.name)(\(observer.parameter == nil ? "" : value))
    }
    """
  }
}
