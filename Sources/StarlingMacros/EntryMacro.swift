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
      context?.diagnose(
        Diagnostic(node: declaration, message: EntryRefusal("@Entry declares one stored 'var' with a name")))
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
      context?.diagnose(Diagnostic(node: binding, message: EntryRefusal("@Entry needs a default value: write '= …'")))
      return nil
    }
  }
}

private struct EntryRefusal: DiagnosticMessage {
  let message: String
  let diagnosticID = MessageID(domain: "Starling", id: "entry")
  let severity = DiagnosticSeverity.error

  init(_ message: String) {
    self.message = message
  }
}
