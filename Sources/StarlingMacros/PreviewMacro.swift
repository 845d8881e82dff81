public import SwiftSyntax
public import SwiftSyntaxMacros

/// `#Preview`: views for an editor, which leave no code.
public struct PreviewMacro: DeclarationMacro {
  public static func expansion(
    of node: some FreestandingMacroExpansionSyntax, in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    []
  }
}
