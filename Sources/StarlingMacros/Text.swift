import SwiftSyntax

// A macro may answer with nodes or with text, and the compiler parses the answer in any case. Text that is parsed into
// nodes first, and formatted again, is most of what an expansion costs, and an application pays it at every build. So
// these nodes hold text as it is; who makes them lays it out, and switches formatting off (`formatMode`).

extension DeclSyntax {
  /// A declaration, unparsed.
  init(text: String) { self.init(MissingDeclSyntax(placeholder: .identifier(text))) }
}

extension AccessorDeclSyntax {
  /// Any number of accessors, unparsed.
  init(text: String) { self.init(accessorSpecifier: .identifier(text)) }
}

extension AttributeSyntax {
  /// `@ReplicatedField(id)`.
  init(fieldOf id: Int, isAssigned: Bool) {
    var arguments: LabeledExprListSyntax = [
      LabeledExprSyntax(expression: IntegerLiteralExprSyntax(literal: .integerLiteral(String(id))))
    ]
    if isAssigned {
      arguments[arguments.startIndex].trailingComma = .commaToken(trailingTrivia: .space)
      arguments.append(
        LabeledExprSyntax(
          label: .identifier("isAssigned"), colon: .colonToken(trailingTrivia: .space),
          expression: BooleanLiteralExprSyntax(literal: .keyword(.true))))
    }
    self.init(
      attributeName: IdentifierTypeSyntax(name: .identifier("ReplicatedField")), leftParen: .leftParenToken(),
      arguments: .argumentList(arguments), rightParen: .rightParenToken())
  }
}

extension String {
  /// Every line but the first, two columns further in for each level.
  func indented(by levels: Int) -> String {
    let indentation = String(repeating: "  ", count: levels)
    return split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { $0 == 0 || $1.isEmpty ? String($1) : indentation + $1 }.joined(separator: "\n")
  }
}
