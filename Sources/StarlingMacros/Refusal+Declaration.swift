import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

// MARK: Of the declaration that the macro is attached to

extension Refusal {
  /// Why `group` cannot be a replicated model at all; empty for a final class without a superclass.
  static func all(in group: some DeclGroupSyntax, within context: some MacroExpansionContext) -> [Refusal] {
    guard let model = group.as(ClassDeclSyntax.self) else { return [notAClass(group)] }
    return [notFinal(model), subclass(model), generic(model), place(of: model, context.lexicalContext)]
      .compactMap { $0 }
  }

  /// The table of a class's properties is a static constant, which no generic type has, and its conformances stand
  /// in an extension, which no function has.
  private static func place(of model: ClassDeclSyntax, _ outer: [Syntax]) -> Refusal? {
    let name = model.name.text
    for node in outer where node.as(ClassDeclSyntax.self)?.name.text != name {
      if let group = node.asProtocol((any WithGenericParametersSyntax).self), group.genericParameterClause != nil,
        node.asProtocol((any DeclGroupSyntax).self) != nil
      {
        return Refusal(
          node: Syntax(model.name),
          message:
            "'\(name)' stands in a generic type, which has no place for the table of its properties; "
            + "declare it outside",
          id: "genericModel")
      }
      if node.is(FunctionDeclSyntax.self) || node.is(ClosureExprSyntax.self) || node.is(InitializerDeclSyntax.self)
        || node.is(AccessorDeclSyntax.self)
      {
        return Refusal(
          node: Syntax(model.name),
          message:
            "'\(name)' stands in a function, where a class can have no extension; declare it outside",
          id: "localModel")
      }
    }
    return nil
  }

  private static func generic(_ model: ClassDeclSyntax) -> Refusal? {
    guard let parameters = model.genericParameterClause else { return nil }
    let plain = model.with(\.genericParameterClause, nil).with(
      \.name, model.name.with(\.trailingTrivia, parameters.trailingTrivia))
    return Refusal(
      node: Syntax(parameters),
      message: "'\(model.name.text)' is generic, and a generic class has no place for the table of its properties",
      id: "genericModel",
      fixes: [("Remove the generic parameters", [.replace(oldNode: Syntax(model), newNode: Syntax(plain))])])
  }

  private static func notAClass(_ group: some DeclGroupSyntax) -> Refusal {
    var keyword = TokenSyntax.keyword(.class)
    var what = "declaration"
    if let type = group.as(StructDeclSyntax.self) {
      (keyword, what) = (type.structKeyword, "struct")
    } else if let type = group.as(ActorDeclSyntax.self) {
      (keyword, what) = (type.actorKeyword, "actor")
    } else if let type = group.as(EnumDeclSyntax.self) {
      (keyword, what) = (type.enumKeyword, "enum")
    }
    var refusal = Refusal(
      node: Syntax(keyword),
      message:
        "'@Replicated' needs a final class, not \(what == "struct" ? "a" : "an") \(what): replicas share an object by its identity",
      id: "notAClass")
    if what == "enum" {
      if let attribute = group.attributes.first(where: { $0.isReplicated }) {
        let rest = group.attributes.filter { $0.id != attribute.id }
        refusal.fixes = [
          (
            "Remove '@Replicated'; a raw value enum replicates as a property",
            [.replace(oldNode: Syntax(group.attributes), newNode: Syntax(rest))]
          )
        ]
      }
    } else {
      let final = TokenSyntax.identifier("final class").with(\.leadingTrivia, keyword.leadingTrivia).with(
        \.trailingTrivia, keyword.trailingTrivia)
      refusal.fixes = [("Make it a final class", [.replace(oldNode: Syntax(keyword), newNode: Syntax(final))])]
    }
    return refusal
  }

  private static func notFinal(_ model: ClassDeclSyntax) -> Refusal? {
    guard !model.modifiers.contains(where: { $0.name.tokenKind == .keyword(.final) }) else { return nil }
    let fixed: FixIt.Change
    if let open = model.modifiers.first(where: { $0.name.tokenKind == .keyword(.open) }) {
      fixed = .replace(
        oldNode: Syntax(open.name),
        newNode: Syntax(
          TokenSyntax.identifier("public final").with(\.leadingTrivia, open.name.leadingTrivia).with(
            \.trailingTrivia, open.name.trailingTrivia)))
    } else {
      fixed = .replace(
        oldNode: Syntax(model.classKeyword),
        newNode: Syntax(
          TokenSyntax.identifier("final class").with(\.leadingTrivia, model.classKeyword.leadingTrivia).with(
            \.trailingTrivia, model.classKeyword.trailingTrivia)))
    }
    return Refusal(
      node: Syntax(model.classKeyword),
      message: "'\(model.name.text)' must be final: a subclass would add state that its replicas do not know",
      id: "notFinal", fixes: [("Make it final", [fixed])])
  }

  /// A macro sees names only, so a superclass shows itself by what its subclass must write.
  private static func subclass(_ model: ClassDeclSyntax) -> Refusal? {
    // A superclass stands first.
    guard let clause = model.inheritanceClause, let first = clause.inheritedTypes.first,
      first.type.as(IdentifierTypeSyntax.self)?.name.text != "Sendable"
    else { return nil }
    let overrides = model.memberBlock.members.contains { member in
      member.decl.asProtocol((any WithModifiersSyntax).self)?.modifiers.contains {
        $0.name.tokenKind == .keyword(.override)
      } == true
    }
    let callsSuper = model.memberBlock.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .keyword(.super) }
    guard overrides || callsSuper else { return nil }
    let rest = clause.inheritedTypes.dropFirst()
    let change: FixIt.Change =
      rest.isEmpty
      ? .replace(
        oldNode: Syntax(model),
        newNode: Syntax(
          model.with(\.inheritanceClause, nil).with(\.name, model.name.with(\.trailingTrivia, .space))))
      : .replace(
        oldNode: Syntax(clause.inheritedTypes), newNode: Syntax(InheritedTypeListSyntax(Array(rest))))
    return Refusal(
      node: Syntax(first),
      message:
        "'\(model.name.text)' cannot inherit from '\(first.type.trimmed)': a replicated model is a class of its own",
      id: "subclass", fixes: [("Remove the superclass and hold it as a property", [change])])
  }

  /// Storage that the compiler cannot prove free of races in a class that any thread may use.
  static func unsafeStorage(in model: ClassDeclSyntax) -> [Refusal] {
    guard model.isKnownToBeNonisolated else { return [] }
    return model.memberBlock.members.variables.compactMap { declaration in
      guard declaration.bindingSpecifier.tokenKind == .keyword(.var), !declaration.hasModifier(.static),
        let name = declaration.bindings.first?.pattern.as(IdentifierPatternSyntax.self)?.identifier.text,
        declaration.bindings.contains(where: \.isStored)
      else { return nil }
      let what: String
      if declaration.hasModifier(.lazy) {
        what = "lazy"
      } else if declaration.hasModifier(.weak) {
        what = "weak"
      } else if let wrapper = declaration.wrapperName {
        what = "wrapped by '@\(wrapper)'"
      } else {
        return nil
      }
      return Refusal(
        node: Syntax(declaration),
        message: "'\(name)' is \(what), which is safe only in a class isolated to an actor, such as '@MainActor'",
        id: "unsafeStorage", fixes: [("Isolate '\(model.name.text)' to the main actor", [isolate(model)])])
    }
  }

  static func isolate(_ model: ClassDeclSyntax, by actor: String = "MainActor") -> FixIt.Change {
    var fixed = model
    fixed.attributes.append(.attribute("@\(raw: actor) ").with(\.leadingTrivia, []))
    return .replace(oldNode: Syntax(model), newNode: Syntax(fixed))
  }
}

extension ClassDeclSyntax {
  /// Whether the source itself says that any thread may use the class: it claims `Sendable`, and no
  /// attribute can be a global actor's.
  fileprivate var isKnownToBeNonisolated: Bool {
    let isActorBound = attributes.names.contains {
      $0.first?.isUppercase == true && !["Replicated", "Observable"].contains($0)
    }
    let saysSendable = inheritanceClause?.inheritedTypes.contains { $0.type.trimmedDescription == "Sendable" } == true
    let saysNonisolated = modifiers.contains { $0.name.tokenKind == .keyword(.nonisolated) }
    return !isActorBound && (saysSendable || saysNonisolated)
  }
}

extension ClassDeclSyntax {
  /// What the class is declared to inherit from first, where it may be a class: a superclass stands first, and the
  /// protocols of the standard library that models conform to are none.
  var possibleSuperclass: TypeSyntax? {
    guard let first = inheritanceClause?.inheritedTypes.first?.type, !first.is(AttributedTypeSyntax.self) else {
      return nil
    }
    if let name = first.as(IdentifierTypeSyntax.self), Self.knownProtocols.contains(name.name.text) { return nil }
    return first.trimmed
  }

  private static let knownProtocols: Set<String> = [
    "Sendable", "SendableMetatype", "Equatable", "Hashable", "Comparable", "Identifiable", "Codable", "Encodable",
    "Decodable", "CustomStringConvertible", "CustomDebugStringConvertible", "Observable", "AnyObject",
  ]
}

extension VariableDeclSyntax {
  /// The first attribute that looks like a property wrapper's.
  fileprivate var wrapperName: String? {
    guard !hasAttribute("ReplicatedIgnored") else { return nil }
    return isWrapped ? attributeNames.first { $0.first?.isUppercase == true } : nil
  }
}

extension AttributeListSyntax.Element {
  fileprivate var isReplicated: Bool {
    AttributeListSyntax([self]).names.first == "Replicated"
  }
}

extension Refusal {
  /// An observer that reads the other value becomes a method with a parameter, which needs a type.
  static func untypedObservers(in model: ClassDeclSyntax) -> [Refusal] {
    Fields(of: model).properties.compactMap { _, property in
      let observer = [property.willSetObserver, property.didSetObserver].compactMap { $0 }.first { $0.parameter != nil }
      guard let observer, property.knownType == nil, let binding = property.declaration.bindings.first,
        let parameter = observer.parameter
      else { return nil }
      let typed = binding.with(\.pattern, binding.pattern.trimmed).with(
        \.typeAnnotation,
        TypeAnnotationSyntax(
          colon: .colonToken(trailingTrivia: .space), type: TypeSyntax("<#type#>"), trailingTrivia: .space))
      return Refusal(
        node: Syntax(binding.pattern),
        message: "'\(property.plainName)' needs its type written, for its observer reads '\(parameter)'",
        id: "missingType", fixes: [("Write the type", [.replace(oldNode: Syntax(binding), newNode: Syntax(typed))])])
    }
  }

  /// A constant without a default: nobody could give it a value where the object comes from another replica.
  static func constants(in model: ClassDeclSyntax) -> [Refusal] {
    model.memberBlock.members.variables.compactMap { declaration in
      guard !declaration.hasModifier(.static), !declaration.isWrapped,
        declaration.bindingSpecifier.tokenKind == .keyword(.let) || declaration.hasAttribute("ReplicatedIgnored"),
        let binding = declaration.bindings.first(where: { binding in
          binding.initializer == nil && binding.isStored
            && !(declaration.bindingSpecifier.tokenKind == .keyword(.var)
              && binding.typeAnnotation?.type.is(OptionalTypeSyntax.self) == true)
        }), let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
      else { return nil }
      let isLet = declaration.bindingSpecifier.tokenKind == .keyword(.let)
      var refusal = Refusal(
        node: Syntax(binding),
        message:
          "'\(name)' needs a default: it is not replicated, and an object that comes from another replica has no other value for it",
        id: "missingDefault")
      if isLet {
        refusal.fixes = [
          (
            "Replicate it with 'var'",
            [
              .replace(
                oldNode: Syntax(declaration.bindingSpecifier),
                newNode: Syntax(
                  TokenSyntax.keyword(.var).with(\.leadingTrivia, declaration.bindingSpecifier.leadingTrivia).with(
                    \.trailingTrivia, declaration.bindingSpecifier.trailingTrivia)))
            ]
          )
        ]
      } else if let type = binding.typeAnnotation?.type {
        let fixed = binding.with(\.typeAnnotation!.type, type.trimmed).with(
          \.initializer,
          InitializerClauseSyntax(
            equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: ExprSyntax("<#default#>")))
        refusal.fixes = [("Give it a default", [.replace(oldNode: Syntax(binding), newNode: Syntax(fixed))])]
      }
      return refusal
    }
  }
}
