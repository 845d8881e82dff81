import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

// MARK: Of attributes on a property

extension Refusal {
  /// The language stores no property on some platforms only, and a model's is stored everywhere.
  static func unavailable(_ declaration: VariableDeclSyntax, _ name: String) -> Refusal? {
    guard let attribute = declaration.availabilities.first(where: { !$0.onlyDeprecates }) else { return nil }
    return Refusal(
      node: Syntax(attribute),
      message: "'\(name)' is stored on every platform and in every version: '@available' may only deprecate it",
      id: "unavailable", fixes: [("Remove '@available'", [declaration.removing(attribute)])])
  }

  /// A model has one isolation: its properties are read and written together.
  static func isolated(in model: ClassDeclSyntax) -> [Refusal] {
    let classNames = Set(model.attributes.names)
    return model.memberBlock.members.variables.compactMap { declaration in
      guard declaration.bindingSpecifier.tokenKind == .keyword(.var), !declaration.hasModifier(.static),
        declaration.bindings.contains(where: \.isStored), !declaration.hasAttribute("ReplicatedIgnored"),
        let name = declaration.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
      else { return nil }
      for case .attribute(let attribute) in declaration.attributes {
        let words = attribute.attributeName.trimmedDescription
        guard let last = AttributeListSyntax([.attribute(attribute)]).names.first else { continue }
        if classNames.contains(last) {
          // One that the macro knows for an actor's changes nothing; another would be taken for a wrapper.
          if last.hasSuffix("Actor") { continue }
          return Refusal(
            node: Syntax(attribute), message: "'\(name)' has the isolation of '\(model.name.text)' already",
            id: "isolatedProperty", fixes: [("Remove '@\(words)'", [declaration.removing(attribute)])])
        }
        guard last.hasSuffix("Actor") else { continue }
        return Refusal(
          node: Syntax(attribute),
          message: "'\(name)' cannot be isolated alone: the properties of a model have one isolation",
          id: "isolatedProperty",
          fixes: [("Isolate '\(model.name.text)' by '@\(words)'", [isolate(model, by: words)])])
      }
      return nil
    }
  }
}

extension VariableDeclSyntax {
  var availabilities: [AttributeSyntax] {
    attributes.compactMap { element in
      guard case .attribute(let attribute) = element, AttributeListSyntax([element]).names == ["available"] else {
        return nil
      }
      return attribute
    }
  }

  fileprivate func removing(_ attribute: AttributeSyntax) -> FixIt.Change {
    var fixed = self
    fixed.attributes = attributes.filter { $0.id != attribute.id }
    fixed.leadingTrivia = leadingTrivia
    return .replace(oldNode: Syntax(self), newNode: Syntax(fixed))
  }
}

extension AttributeSyntax {
  /// Whether an `@available` leaves the declaration there for everybody.
  fileprivate var onlyDeprecates: Bool {
    guard case .availability(let arguments)? = self.arguments else { return true }
    return arguments.allSatisfy { argument in
      switch argument.argument {
      case .token(let token): token.text != "unavailable"
      case .availabilityVersionRestriction: false
      case .availabilityLabeledArgument(let labeled): !["introduced", "obsoleted"].contains(labeled.label.text)
      }
    }
  }
}
