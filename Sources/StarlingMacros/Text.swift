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
  /// An attribute with one number for its argument.
  init(_ name: String, _ number: Int) {
    self.init(
      attributeName: IdentifierTypeSyntax(name: .identifier(name)), leftParen: .leftParenToken(),
      arguments: .argumentList([
        LabeledExprSyntax(expression: IntegerLiteralExprSyntax(literal: .integerLiteral(String(number))))
      ]), rightParen: .rightParenToken())
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
