import SwiftDiagnostics
public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@Replicated`: gives a final class its model state, the table of its fields and the conformances.
/// What each property becomes is `ReplicatedFieldMacro`'s.
public struct ReplicatedMacro {}

extension ReplicatedMacro: MemberMacro {
  public static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    let refusals = Refusal.all(in: declaration)
    guard refusals.isEmpty, let model = declaration.as(ClassDeclSyntax.self) else {
      for refusal in refusals { context.diagnose(refusal.diagnostic) }
      return []
    }
    let inside =
      model.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }.flatMap { Refusal.all(in: $0) }
      + Refusal.names(in: model.memberBlock) + Refusal.unsafeStorage(in: model) + Refusal.constants(in: model)
      + Refusal.untypedObservers(in: model)
    for refusal in inside { context.diagnose(refusal.diagnostic) }
    return members(of: model)
  }

  private static func members(of model: ClassDeclSyntax) -> [DeclSyntax] {
    let properties = Property.all(in: model)
    let access = model.modifiers.witnessAccess
    let name = model.name.trimmed
    let fields = properties.map { property in
      property.role == .replicated ? "\"\(property.plainName)\"" : "nil"
    }
    let formerly = properties.enumerated().compactMap { id, property in
      property.declaration.formerNames.isEmpty ? nil : "\(id): \(property.declaration.formerNames.asLiteral)"
    }
    let names =
      "fields: [\(fields.joined(separator: ", "))]"
      + (formerly.isEmpty ? "" : ", formerly: [\(formerly.joined(separator: ", "))]")
    let placeholders = properties.filter { $0.defaultValue == nil }.map { property in
      "\(property.storageName) = StarlingModel.Field(StarlingModel.empty())"
    }
    var members: [DeclSyntax] = [
      "\(raw: access)nonisolated let _$model = StarlingModel.ModelState()",
      """
      \(raw: access)nonisolated static let _$schema = StarlingModel.ModelSchema<\(name)>(
        \(raw: names), make: _$make, keyPaths: _$keyPaths, visit: _$visit)
      """,
      """
      private init(_$restoring: Void) {
      \(raw: placeholders.joined(separator: "\n"))
      }
      """,
      """
      private static func _$make() -> \(name) {
        \(name)(_$restoring: ())
      }
      """,
      """
      private static func _$keyPaths() -> [PartialKeyPath<\(name)>] {
        [\(raw: properties.map { "\\.\($0.name.text)" }.joined(separator: ", "))]
      }
      """,
      visit(properties, of: name),
    ]
    if let first = model.possibleSuperclass {
      // A macro sees a name and cannot tell a class from a protocol; the compiler can.
      members.append(
        """
        /// '\(name)' cannot inherit from a class: hold the object as a property.
        private typealias _$root = \(first) & StarlingModel.ReplicatedModelsInheritFromNoClass
        """)
    }
    if !model.memberBlock.members.contains(where: { $0.decl.is(InitializerDeclSyntax.self) }) {
      // Any initializer, ours too, takes away the one that the language would give.
      members.append("init() {\n}")
    }
    return members
  }

  /// The one place that knows every field with its type.
  private static func visit(_ properties: [Property], of name: TokenSyntax) -> DeclSyntax {
    let cases = properties.enumerated().compactMap { id, property -> String? in
      guard property.role == .replicated else { return nil }
      return """
        case \(id):
          visitor.visit(model.\(property.storageName), \(property.coding(of: "model." + property.storageName)))
        """
    }
    return """
      private static func _$visit(_ model: \(name), _ field: Int, _ visitor: inout StarlingModel.FieldVisitor) {
        switch field {
        \(raw: cases.joined(separator: "\n"))
        default:
          break
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
      Refusal.all(in: declaration).isEmpty
    else { return [] }
    return ["@ReplicatedField(\(raw: id))"]
  }
}

extension ReplicatedMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    guard Refusal.all(in: declaration).isEmpty, !protocols.isEmpty else { return [] }
    // Both are about identity and change, whatever isolation the class has.
    return [
      try ExtensionDeclSyntax(
        "extension \(type.trimmed): nonisolated StarlingModel.ReplicatedModel, nonisolated Observation.Observable {}")
    ]
  }
}
