public import SwiftSyntax
public import SwiftSyntaxMacros

/// `@Local` and `@ReplicatedIgnored`: words that `@Replicated` reads; by themselves they add nothing.
public struct MarkerMacro: PeerMacro {
  public static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    []
  }
}
