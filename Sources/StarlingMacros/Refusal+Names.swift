import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

// MARK: Of former names

extension Refusal {
  /// Why `@Renamed` cannot stand where it does: the keys of a document must tell its properties apart.
  static func names(in block: MemberBlockSyntax) -> [Refusal] {
    let declarations = block.members.variables
    if declarations.allSatisfy(\.renames.isEmpty) { return [] }
    // The properties of one name in the clauses of an `#if` are one.
    var owners: [String: Int] = [:]
    var conditional: Set<[String]> = []
    for declaration in declarations {
      let owner = declaration.storedNames.first?.plainName ?? ""
      func count(_ name: String, _ what: String) {
        if declaration.isConditional, !conditional.insert([owner, name, what]).inserted { return }
        owners[name, default: 0] += 1
      }
      if Property.isCandidate(declaration) { for name in declaration.storedNames { count(name.plainName, "name") } }
      for name in declaration.formerNames { count(name, "former") }
    }
    return declarations.flatMap { declaration in
      declaration.renames.compactMap { refusal(of: $0, on: declaration) { owners[$0, default: 0] > 1 } }
    }
  }

  private static func refusal(
    of rename: AttributeSyntax, on declaration: VariableDeclSyntax, isTaken: (String) -> Bool
  ) -> Refusal? {
    let name = declaration.storedNames.first?.plainName ?? "this"
    let message: String
    var fixes: [(message: String, changes: [FixIt.Change])] = []
    if !Property.isCandidate(declaration) || declaration.hasAttribute("Local") {
      message = "'\(name)' is not replicated, so it has no former name in the document"
    } else if declaration.storedNames.count > 1 {
      message = "Each renamed property needs a declaration of its own"
    } else if let former = rename.formerName {
      guard isTaken(former) else { return nil }
      message =
        former == name
        ? "'\(name)' is the name that it has now"
        : "'\(former)' is also a name of another property, and nothing would tell their values apart"
    } else {
      message = "The former name of '\(name)' must be a string literal"
      if let argument = rename.arguments?.as(LabeledExprListSyntax.self)?.first?.expression {
        let literal: ExprSyntax = "\"<#former name#>\""
        fixes = [("Write the name", [.replace(oldNode: Syntax(argument), newNode: Syntax(literal))])]
      }
    }
    var fixed = declaration
    fixed.attributes = declaration.attributes.filter { $0.id != rename.id }
    fixed.leadingTrivia = declaration.leadingTrivia
    fixes.append(("Remove '@Renamed'", [.replace(oldNode: Syntax(declaration), newNode: Syntax(fixed))]))
    return Refusal(node: Syntax(rename), message: message, id: "renamed", fixes: fixes)
  }
}

extension VariableDeclSyntax {
  /// What `@Renamed` says, as written: the oldest first.
  var formerNames: [String] { renames.compactMap(\.formerName) }

  var storedNames: [TokenSyntax] {
    bindings.filter(\.isStored).compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmed }
  }

  fileprivate var isConditional: Bool { parent?.parent?.parent?.is(IfConfigClauseSyntax.self) == true }

  fileprivate var renames: [AttributeSyntax] {
    attributes.compactMap { element in
      guard case .attribute(let attribute) = element, AttributeListSyntax([element]).names == ["Renamed"] else {
        return nil
      }
      return attribute
    }
  }
}

extension AttributeSyntax {
  fileprivate var formerName: String? {
    let literal = arguments?.as(LabeledExprListSyntax.self)?.first?.expression.as(StringLiteralExprSyntax.self)
    guard let segments = literal?.segments, segments.count == 1, case .stringSegment(let text)? = segments.first else {
      return nil
    }
    return text.content.text
  }
}

extension [String] {
  /// As an array literal.
  var asLiteral: String { "[" + map { "\"\($0)\"" }.joined(separator: ", ") + "]" }
}
