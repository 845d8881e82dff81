import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

// MARK: Of a declaration with several names

extension Refusal {
  /// - Parameter what: What each of the names should be declared as.
  static func severalNames(_ declaration: VariableDeclSyntax, each what: String) -> Refusal {
    var refusal = Refusal(
      node: Syntax(declaration.bindings), message: "Each \(what) needs a declaration of its own", id: "severalNames")
    if let item = declaration.parent?.as(MemberBlockItemSyntax.self) {
      let single = declaration.singleBindings.enumerated().map { index, binding in
        var copy = declaration.with(\.bindings, [binding])
        if index > 0 { copy.leadingTrivia = .newline + declaration.indentation }
        return copy.description
      }
      refusal.fixes = [
        (
          "Declare them one by one",
          [.replace(oldNode: Syntax(item), newNode: Syntax(item.with(\.decl, DeclSyntax("\(raw: single.joined())"))))]
        )
      ]
    }
    return refusal
  }
}

extension VariableDeclSyntax {
  fileprivate var singleBindings: [PatternBindingSyntax] {
    // `var a, b: Int` gives both the type that follows.
    var type: TypeSyntax?
    let named = bindings.reversed().map { binding in
      if binding.typeAnnotation != nil || binding.initializer != nil { type = binding.typeAnnotation?.type }
      return Self.singles(of: binding.pattern, type, binding.initializer?.value)
    }
    return named.reversed().flatMap { $0 }
  }

  /// One for each name, with its part of the type and of the value, as far as these are written in parts.
  private static func singles(
    of pattern: PatternSyntax, _ type: TypeSyntax?, _ value: ExprSyntax?
  ) -> [PatternBindingSyntax] {
    if let tuple = pattern.as(TuplePatternSyntax.self) {
      let types = type?.as(TupleTypeSyntax.self)?.elements.map(\.type)
      let values = value?.as(TupleExprSyntax.self)?.elements.map(\.expression)
      return tuple.elements.enumerated().flatMap { index, element in
        let type = types.flatMap { index < $0.count ? $0[index] : nil }
        let part = values.flatMap { index < $0.count ? $0[index] : nil }
        return singles(of: element.pattern, type, part ?? (value == nil ? nil : "<#default#>"))
      }
    }
    guard pattern.is(IdentifierPatternSyntax.self) else { return [] }
    return [
      PatternBindingSyntax(
        pattern: pattern.trimmed,
        typeAnnotation: type.map {
          TypeAnnotationSyntax(colon: .colonToken(trailingTrivia: .space), type: $0.trimmed)
        },
        initializer: value.map {
          InitializerClauseSyntax(
            equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: $0.trimmed)
        })
    ]
  }
}
