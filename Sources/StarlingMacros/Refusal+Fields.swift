import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

// MARK: Of a struct whose fields replicate one by one

extension Refusal {
  /// Why `@ReplicatedFields` cannot take the declaration.
  static func all(inFieldsOf group: some DeclGroupSyntax) -> [Refusal] {
    guard let record = group.as(StructDeclSyntax.self) else { return [notAStruct(group)] }
    if let parameters = record.genericParameterClause { return [generic(record, parameters)] }
    return record.memberBlock.members.compactMap { $0.decl.as(VariableDeclSyntax.self) }.compactMap { field($0) }
      + names(in: record.memberBlock)
  }

  private static func notAStruct(_ group: some DeclGroupSyntax) -> Refusal {
    var refusal = Refusal(
      node: Syntax(group.introducer),
      message: "'@ReplicatedFields' needs a struct, whose stored properties are its fields", id: "notAStruct")
    guard let attribute = group.attributes.first(where: { AttributeListSyntax([$0]).names == ["ReplicatedFields"] })
    else { return refusal }
    if group.is(ClassDeclSyntax.self) {
      let name = AttributeSyntax(attributeName: IdentifierTypeSyntax(name: "Replicated"))
      refusal.fixes = [
        (
          "Use '@Replicated', which replicates a class property by property",
          [
            .replace(
              oldNode: Syntax(attribute),
              newNode: Syntax(
                name.with(\.leadingTrivia, attribute.leadingTrivia).with(\.trailingTrivia, attribute.trailingTrivia)))
          ]
        )
      ]
    } else {
      let rest = group.attributes.filter { $0.id != attribute.id }
      refusal.fixes = [
        (
          "Remove '@ReplicatedFields'; the value replicates whole",
          [.replace(oldNode: Syntax(group.attributes), newNode: Syntax(rest))]
        )
      ]
    }
    return refusal
  }

  private static func generic(_ record: StructDeclSyntax, _ parameters: GenericParameterClauseSyntax) -> Refusal {
    let rest = record.attributes.filter { AttributeListSyntax([$0]).names != ["ReplicatedFields"] }
    return Refusal(
      node: Syntax(parameters),
      message: "'\(record.name.text)' is generic, and a generic type has no place for the table of its fields",
      id: "genericFields",
      fixes: [
        (
          "Remove '@ReplicatedFields'; the value replicates whole",
          [.replace(oldNode: Syntax(record.attributes), newNode: Syntax(rest))]
        )
      ])
  }

  private static func field(_ declaration: VariableDeclSyntax) -> Refusal? {
    guard !declaration.hasModifier(.static), !declaration.hasAttribute("ReplicatedIgnored"),
      let binding = declaration.bindings.first(where: \.isStored)
    else { return nil }
    guard declaration.bindings.allSatisfy({ $0.pattern.is(IdentifierPatternSyntax.self) }) else {
      return severalNames(declaration, each: "field")
    }
    guard let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainName else { return nil }
    if declaration.bindingSpecifier.tokenKind == .keyword(.let) {
      return binding.initializer == nil ? constant(declaration, name) : nil
    }
    if declaration.isWrapped { return wrapped(declaration, name) }
    if let lazy = declaration.modifiers.first(where: { $0.name.tokenKind == .keyword(.lazy) }) {
      return self.lazy(declaration, lazy, name)
    }
    return declaration.bindings.lazy.compactMap { observed($0) }.first
  }

  private static func constant(_ declaration: VariableDeclSyntax, _ name: String) -> Refusal {
    let variable = TokenSyntax.keyword(.var).with(\.leadingTrivia, declaration.bindingSpecifier.leadingTrivia).with(
      \.trailingTrivia, declaration.bindingSpecifier.trailingTrivia)
    return Refusal(
      node: Syntax(declaration.bindingSpecifier),
      message: "'\(name)' cannot be a constant: a field takes on what other replicas write", id: "constantField",
      fixes: [
        (
          "Replicate it with 'var'",
          [.replace(oldNode: Syntax(declaration.bindingSpecifier), newNode: Syntax(variable))]
        )
      ])
  }

  private static func wrapped(_ declaration: VariableDeclSyntax, _ name: String) -> Refusal {
    let wrapper = declaration.attributeNames.first { $0.first?.isUppercase == true } ?? ""
    return Refusal(
      node: Syntax(declaration.attributes),
      message: "'\(name)' is wrapped by '@\(wrapper)', whose storage is not a field of its own",
      id: "wrappedField",
      fixes: [("Keep it out of the record with '@ReplicatedIgnored'", [attach("ReplicatedIgnored", to: declaration)])])
  }

  private static func lazy(
    _ declaration: VariableDeclSyntax, _ modifier: DeclModifierSyntax, _ name: String
  ) -> Refusal {
    var fixed = declaration
    fixed.modifiers = declaration.modifiers.filter { $0.id != modifier.id }
    fixed.leadingTrivia = declaration.leadingTrivia
    return Refusal(
      node: Syntax(modifier), message: "'\(name)' cannot be lazy: a field has a value from the start", id: "lazyField",
      fixes: [("Remove 'lazy'", [.replace(oldNode: Syntax(declaration), newNode: Syntax(fixed))])])
  }

  private static func observed(_ binding: PatternBindingSyntax) -> Refusal? {
    guard binding.isStored, let block = binding.accessorBlock,
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainName
    else { return nil }
    var fixed = binding.with(\.accessorBlock, nil)
    fixed.trailingTrivia = block.trailingTrivia
    return Refusal(
      node: Syntax(block),
      message: "'\(name)' cannot have observers: what other replicas write would pass them by", id: "observedField",
      fixes: [("Remove the observers", [.replace(oldNode: Syntax(binding), newNode: Syntax(fixed))])])
  }
}
