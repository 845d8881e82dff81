import SwiftDiagnostics
public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@Replicated`: gives a final class its model state, the table of its fields and the conformances.
/// What each property becomes is `ReplicatedFieldMacro`'s.
public struct ReplicatedMacro {
  public static var formatMode: FormatMode { .disabled }
}

extension ReplicatedMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let refusals = Refusal.all(in: declaration, within: context)
    guard refusals.isEmpty, let model = declaration.as(ClassDeclSyntax.self) else {
      for refusal in refusals { context.diagnose(refusal.diagnostic) }
      return []
    }
    let variables = model.memberBlock.members.variables
    let inside =
      variables.flatMap { Refusal.all(in: $0) } + Refusal.names(in: model.memberBlock)
      + Refusal.unsafeStorage(in: model) + Refusal.constants(in: model) + Refusal.untypedObservers(in: model)
      + Refusal.isolated(in: model) + Refusal.codable(model)
    for refusal in inside { context.diagnose(refusal.diagnostic) }
    return members(of: model)
  }

  private static func members(of model: ClassDeclSyntax) -> [DeclSyntax] {
    let fields = Fields(of: model)
    let access = model.modifiers.witnessAccess
    let name = model.name.text
    // Only the schema calls the others, and the module asks for it by the protocol: deprecated themselves, they may
    // name what is deprecated.
    let isDeprecated = variables(of: model).contains { !$0.availabilities.isEmpty }
    let deprecated = isDeprecated ? "@available(*, deprecated)\n" : ""
    var members = [
      "\(access)nonisolated let _$model = StarlingModel._Replicated.ModelState()",
      """
      \(deprecated)\(access)nonisolated static let _$schema = StarlingModel._Replicated.ModelSchema<\(name)>(
        \(names(of: fields)), make: _$make, keyPaths: _$keyPaths, visit: _$visit)
      """,
    ]
    members += makers(of: model, fields, deprecated)
    members += [
      """
      \(deprecated)private static func _$keyPaths() -> [PartialKeyPath<\(name)>] {
        \(keyPaths(of: fields, in: name).indented(by: 1))
      }
      """,
      visit(fields, of: name, deprecated),
    ]
    if let first = model.possibleSuperclass {
      // A macro sees a name and cannot tell a class from a protocol; the compiler can.
      members.append(
        """
        /// '\(name)' cannot inherit from a class: hold the object as a property.
        private typealias _$root = \(first) & StarlingModel.ReplicatedModelsInheritFromNoClass
        """)
    }
    return members.map { DeclSyntax(text: $0) }
  }

  /// What makes an instance with nothing but defaults.
  private static func makers(of model: ClassDeclSyntax, _ fields: Fields, _ deprecated: String) -> [String] {
    func make(_ instance: String) -> String {
      """
      \(deprecated)private static func _$make() -> \(model.name.text) {
        \(instance)
      }
      """
    }
    guard !model.memberBlock.members.designatedInitializers.isEmpty else {
      // Nothing but defaults is what the initializer leaves that the language would give, and that is cheaper to
      // compile than one of ours beside it, which would take the language's away.
      return [make("\(model.name.text)()"), "init() {}"]
    }
    let placeholders = fields.lines { _, property in
      property.defaultValue == nil
        ? "\(property.storageName) = StarlingModel._Replicated.Field(StarlingModel._Replicated.empty())" : nil
    }
    let body = placeholders.isEmpty ? "{}" : "{\n  \(placeholders.joined(separator: "\n").indented(by: 1))\n}"
    return [
      "\(deprecated)private init(_$restoring: Void) \(body)",
      make("\(model.name.text)(_$restoring: ())"),
    ]
  }

  private static func variables(of model: ClassDeclSyntax) -> [VariableDeclSyntax] {
    model.memberBlock.members.variables.filter { Property.isCandidate($0) }
  }

  /// The names of the fields in the document, and those that they had.
  private static func names(of fields: Fields) -> String {
    func literal(_ property: Property) -> String { property.role == .replicated ? "\"\(property.plainName)\"" : "nil" }
    if fields.isConditional {
      let names = fields.lines { id, property in "names[\(id)] = \(literal(property))" }
      let formerly = fields.lines { id, property in
        property.declaration.formerNames.isEmpty
          ? nil : "formerly[\(id)] = \(property.declaration.formerNames.asLiteral)"
      }
      return closure("fields", "names", "[String?](repeating: nil, count: \(fields.count))", names)
        + (formerly.isEmpty ? "" : ", " + closure("formerly", "formerly", "[Int: [String]]()", formerly))
    }
    let properties = fields.properties
    let formerly = properties.compactMap { id, property in
      property.declaration.formerNames.isEmpty ? nil : "\(id): \(property.declaration.formerNames.asLiteral)"
    }
    return "fields: [\(properties.map { literal($0.property) }.joined(separator: ", "))]"
      + (formerly.isEmpty ? "" : ", formerly: [\(formerly.joined(separator: ", "))]")
  }

  private static func closure(_ label: String, _ name: String, _ start: String, _ lines: [String]) -> String {
    "\(label): {\nvar \(name) = \(start)\n\(lines.joined(separator: "\n"))\nreturn \(name)\n}()"
  }

  /// A field that this configuration does not have holds the place of another that nobody asks for.
  private static func keyPaths(of fields: Fields, in name: String) -> String {
    guard fields.isConditional else {
      return "[\(fields.properties.map { "\\.\($0.property.name.text)" }.joined(separator: ", "))]"
    }
    let paths = fields.lines { id, property in "paths[\(id)] = \\.\(property.name.text)" }
    return """
      var paths = [PartialKeyPath<\(name)>](repeating: \\._$model, count: \(fields.count))
      \(paths.joined(separator: "\n"))
      return paths
      """
  }

  /// The one place that knows every field with its type.
  private static func visit(_ fields: Fields, of name: String, _ deprecated: String) -> String {
    let cases = fields.lines { id, property in
      guard property.role == .replicated else { return nil }
      return """
        case \(id):
          \(Calls(of: property).visit("model." + property.storageName))
        """
    }
    return """
      \(deprecated)private static func _$visit(_ model: \(name), _ field: Int, _ visitor: inout StarlingModel._Replicated.FieldVisitor) {
        switch field {
        \((cases + ["default:\n  break"]).joined(separator: "\n").indented(by: 1))
        }
      }
      """
  }
}

extension ReplicatedMacro: MemberAttributeMacro {
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    guard let variable = member.as(VariableDeclSyntax.self), let id = Property.id(of: variable, in: declaration),
      Refusal.all(in: declaration, within: context).isEmpty
    else { return [] }
    return [AttributeSyntax(fieldOf: id, isAssigned: isAssignedEarly(variable, in: declaration.memberBlock.members))]
  }
}

extension ReplicatedMacro {
  /// Whether an initializer may assign the property while others have no value yet. Where all have defaults there is no
  /// such moment: an assignment calls the setter. An accessor for initializers would then only store the default once
  /// more in each new instance, and cost the compiler more than all other accessors.
  private static func isAssignedEarly(_ variable: VariableDeclSyntax, in members: MemberBlockItemListSyntax) -> Bool {
    let initializers = members.designatedInitializers
    guard !initializers.isEmpty, members.variables.contains(where: \.lacksDefault) else { return false }
    let name = variable.storedNames.first?.plainName ?? ""
    return initializers.contains { $0.mayAssign(name) }
  }
}

extension ReplicatedMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    // The compiler stops short where a refused class has a subclass and lacks the conformances that it is to have.
    let refusals = Refusal.all(in: declaration, within: context)
    guard refusals.allSatisfy({ $0.id == "notFinal" }), !protocols.isEmpty else { return [] }
    // Both are about identity and change, whatever isolation the class has.
    return [
      try ExtensionDeclSyntax(
        "extension \(type.trimmed): nonisolated StarlingModel.ReplicatedModel, nonisolated Observation.Observable {}")
    ]
  }
}
