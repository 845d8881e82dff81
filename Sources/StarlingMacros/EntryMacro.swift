import SwiftDiagnostics
public import SwiftSyntax
import SwiftSyntaxBuilder
public import SwiftSyntaxMacros

/// `@Entry`: a value of the environment, of transactions, containers or the focus. The key beside it holds the
/// default, which is made once; the accessors ask by the key.
public struct EntryMacro {}

extension EntryMacro: AccessorMacro {
  public static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    guard let entry = Entry(declaration, in: context) else { return [] }
    return [
      """
      get {
        self[Self.\(raw: entry.keyName)]
      }
      """,
      """
      set {
        self[Self.\(raw: entry.keyName)] = newValue
      }
      """,
    ]
  }
}

extension EntryMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    // What is wrong is said once, where the accessors are made.
    guard let entry = Entry(declaration, in: nil) else { return [] }
    let type = entry.type.map { "<\($0)>" } ?? ""
    return ["private static let \(raw: entry.keyName) = StarlingView.EntryKey\(raw: type)(\(entry.value))"]
  }
}

/// The property that `@Entry` is on.
private struct Entry {
  let keyName: String
  let type: String?
  let value: ExprSyntax

  init?(_ declaration: some DeclSyntaxProtocol, in context: (any MacroExpansionContext)?) {
    guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      let binding = variable.bindings.first, let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier,
      variable.bindingSpecifier.tokenKind == .keyword(.var), binding.accessorBlock == nil
    else {
      context?.diagnose(Refusal.notAnEntry(declaration).diagnostic)
      return nil
    }
    keyName = "_entry_" + name.text.filter { $0 != "`" }
    let type = binding.typeAnnotation?.type
    self.type = type?.trimmedDescription
    if let value = binding.initializer?.value {
      self.value = value
    } else if let type, type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
      value = "nil"
    } else {
      context?.diagnose(Refusal.entryWithoutDefault(binding).diagnostic)
      return nil
    }
  }
}

extension Refusal {
  fileprivate static func notAnEntry(_ declaration: some DeclSyntaxProtocol) -> Refusal {
    var refusal = Refusal(
      node: Syntax(declaration), message: "@Entry declares one stored 'var' with a name", id: "notAnEntry")
    if var fixed = declaration.asProtocol((any WithAttributesSyntax).self) {
      fixed.attributes = fixed.attributes.filter { AttributeListSyntax([$0]).names != ["Entry"] }
      fixed.leadingTrivia = declaration.leadingTrivia
      refusal.fixes = [("Remove '@Entry'", [.replace(oldNode: Syntax(declaration), newNode: Syntax(fixed))])]
    }
    return refusal
  }

  fileprivate static func entryWithoutDefault(_ binding: PatternBindingSyntax) -> Refusal {
    var fixed = binding.trimmed
    fixed.initializer = InitializerClauseSyntax(
      equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: ExprSyntax("<#default#>"))
    return Refusal(
      node: Syntax(binding), message: "@Entry needs a default value: write '= …'", id: "entryWithoutDefault",
      fixes: [("Give it a default", [.replace(oldNode: Syntax(binding), newNode: Syntax(fixed))])])
  }
}
