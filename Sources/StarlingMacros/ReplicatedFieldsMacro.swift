import SwiftDiagnostics
public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@ReplicatedFields`: gives a struct the table of its stored properties.
public struct ReplicatedFieldsMacro {}

extension ReplicatedFieldsMacro: ExtensionMacro {
  public static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingExtensionsOf type: some TypeSyntaxProtocol, conformingTo protocols: [TypeSyntax],
    in context: some MacroExpansionContext
  ) throws -> [ExtensionDeclSyntax] {
    let refusals = Refusal.all(inFieldsOf: declaration)
    for refusal in refusals { context.diagnose(refusal.diagnostic) }
    guard refusals.isEmpty, let record = declaration.as(StructDeclSyntax.self) else { return [] }
    let type = type.trimmed
    let lines = record.fields.map { name, formerNames in
      let formerly = formerNames.isEmpty ? "" : ", formerly: \(formerNames.asLiteral)"
      return
        "StarlingModel._Replicated.recordField(\"\(name.plainName)\", \\\(type).\(name.text)\(formerly)) { StarlingModel._Replicated.coding($0) }"
    }
    return [
      try ExtensionDeclSyntax(
        """
        extension \(type): nonisolated StarlingModel.ReplicatedFields {
          \(raw: record.modifiers.witnessAccess)nonisolated static let _$fields = StarlingModel._Replicated.RecordFields<\(type)>(
        \(raw: lines.joined(separator: ",\n"))
          )
        }
        """)
    ]
  }
}

extension StructDeclSyntax {
  /// The stored properties that vary, in the order of their declarations.
  fileprivate var fields: [(name: TokenSyntax, formerNames: [String])] {
    memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }
      .filter { Property.isCandidate($0) }
      .flatMap { declaration in declaration.storedNames.map { ($0, declaration.formerNames) } }
  }
}

extension TokenSyntax {
  /// The name without the backticks that a keyword needs.
  var plainName: String { text.filter { $0 != "`" } }
}

extension DeclModifierListSyntax {
  /// The access level that the witnesses of a public protocol need, with a space after it.
  var witnessAccess: String {
    for modifier in self {
      switch modifier.name.tokenKind {
      case .keyword(.public), .keyword(.open): return "public "
      case .keyword(.package): return "package "
      case .keyword(.private), .keyword(.fileprivate): return "fileprivate "
      default: continue
      }
    }
    return ""
  }
}
