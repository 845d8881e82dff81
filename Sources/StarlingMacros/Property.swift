import SwiftSyntax
import SwiftSyntaxBuilder

/// A stored property as `@Replicated` sees it: its name, what the source says of its type and
/// default, and what the macro makes of it.
struct Property {
  enum Role {
    /// Observed and replicated under its name.
    case replicated
    /// Observed, never replicated (`@Local`).
    case local
    /// Observed, never replicated, held weakly.
    case weak
  }

  var role: Role
  var name: TokenSyntax
  /// As written; nil where the default says it.
  var type: TypeSyntax?
  /// As written, or the `nil` that an optional implies.
  var defaultValue: ExprSyntax?
  var willSet: AccessorDeclSyntax?
  var didSet: AccessorDeclSyntax?
  var declaration: VariableDeclSyntax

  /// The name without the backticks that a keyword needs.
  var plainName: String { name.plainName }
  var storageName: String { "_" + plainName }
  /// Counts the writes of a weak property, so that its readers are woken.
  var writesName: String { plainName + "_writes" }
  var isNonisolated: Bool { declaration.modifiers.contains { $0.name.tokenKind == .keyword(.nonisolated) } }

  /// Nil for what the macro leaves alone: computed, static, `let`, ignored and wrapped properties,
  /// and for what `Refusal` refuses.
  init?(_ declaration: VariableDeclSyntax) {
    guard Property.isTaken(declaration), let binding = declaration.bindings.first,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    self.declaration = declaration
    name = pattern.identifier.trimmed
    type = binding.typeAnnotation?.type.trimmed
    defaultValue = binding.initializer?.value.trimmed
    if defaultValue == nil, type?.is(OptionalTypeSyntax.self) == true {
      defaultValue = ExprSyntax(NilLiteralExprSyntax())
    }
    role =
      if declaration.hasModifier(.weak) { .weak } else if declaration.hasAttribute("Local") { .local } else {
        .replicated
      }
    if case .accessors(let accessors)? = binding.accessorBlock?.accessors {
      willSet = accessors.first { $0.accessorSpecifier.tokenKind == .keyword(.willSet) }?.trimmed
      didSet = accessors.first { $0.accessorSpecifier.tokenKind == .keyword(.didSet) }?.trimmed
    }
  }

  /// Whether the property is stored, variable, of the instance, and neither ignored nor wrapped.
  static func isCandidate(_ declaration: VariableDeclSyntax) -> Bool {
    guard declaration.bindingSpecifier.tokenKind == .keyword(.var),
      !declaration.hasModifier(.static), !declaration.hasModifier(.class), !declaration.hasModifier(.lazy),
      !declaration.hasAttribute("ReplicatedIgnored"), !declaration.isWrapped
    else { return false }
    return declaration.bindings.contains(where: \.isStored)
  }
}

extension Property {
  /// One of the user's observers, as the method that it becomes.
  struct Observer {
    var name: String
    /// The parameter, if the body reads it.
    var parameter: String?
    var body: CodeBlockItemListSyntax
  }

  var willSetObserver: Observer? { observer(willSet, "willSet", parameter: "newValue") }
  var didSetObserver: Observer? { observer(didSet, "didSet", parameter: "oldValue") }

  private func observer(_ accessor: AccessorDeclSyntax?, _ word: String, parameter: String) -> Observer? {
    guard let accessor, let body = accessor.body else { return nil }
    let parameter = accessor.parameters?.name.text ?? parameter
    let isRead = body.tokens(viewMode: .sourceAccurate).contains { $0.tokenKind == .identifier(parameter) }
    return Observer(
      name: "\(plainName)_\(word)", parameter: isRead ? parameter : nil, body: body.statements.trimmed)
  }

  /// The type as written, or the one that a literal default has; nil where the source does not say.
  var knownType: String? {
    if let type { return type.trimmedDescription }
    return switch defaultValue?.kind {
    case .stringLiteralExpr: "String"
    case .booleanLiteralExpr: "Bool"
    case .integerLiteralExpr: "Int"
    case .floatLiteralExpr: "Double"
    default: nil
    }
  }

  /// Whether a declaration gets a field, and so an id.
  static func isTaken(_ declaration: VariableDeclSyntax) -> Bool {
    isPlain(declaration) || isCandidate(declaration) && Refusal.all(in: declaration).isEmpty
  }

  /// Whether a declaration is of the commonest forms, `var title = ""` and `var note: String?`, which nothing refuses.
  private static func isPlain(_ declaration: VariableDeclSyntax) -> Bool {
    guard declaration.attributes.isEmpty, declaration.modifiers.isEmpty, declaration.bindings.count == 1,
      declaration.bindingSpecifier.tokenKind == .keyword(.var), let binding = declaration.bindings.first,
      binding.accessorBlock == nil, binding.pattern.kind == .identifierPattern
    else { return false }
    guard let type = binding.typeAnnotation?.type else { return binding.initializer != nil }
    let named = type.as(OptionalTypeSyntax.self)?.wrappedType ?? (binding.initializer == nil ? nil : type)
    return named.map { $0.as(IdentifierTypeSyntax.self)?.genericArgumentClause == nil && $0.kind == .identifierType }
      ?? false
  }

  /// The id of a property: how many stand before it. Asked of each property in turn, so that it must not take all of
  /// them apart each time.
  static func id(of declaration: VariableDeclSyntax, in group: some DeclGroupSyntax) -> Int? {
    guard isTaken(declaration), let name = declaration.storedNames.first?.plainName else { return nil }
    var seen: Set<String> = []
    for other in group.memberBlock.members.variables where isTaken(other) {
      guard let otherName = other.storedNames.first?.plainName else { continue }
      if otherName == name { return seen.count }
      seen.insert(otherName)
    }
    return nil
  }

  /// The default as the argument of a call, where an `if` or `switch` may not stand by itself.
  var defaultArgument: String? {
    guard let defaultValue else { return nil }
    if defaultValue.is(IfExprSyntax.self) || defaultValue.is(SwitchExprSyntax.self) { return "{ \(defaultValue) }()" }
    return defaultValue.description
  }

  /// The `@available` attributes, for what stands beside the property and names what it names; each with a space.
  var availability: String { declaration.availabilities.map { "\($0.trimmedDescription) " }.joined() }
}

extension TypeSyntax {
  /// Whether a variable of the type is nil where the source does not say.
  var hasImpliedDefault: Bool {
    self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
  }
}

extension PatternBindingSyntax {
  /// Whether the binding has storage: no accessors, or observers only.
  var isStored: Bool {
    switch accessorBlock?.accessors {
    case nil: true
    case .getter: false
    case .accessors(let accessors):
      accessors.allSatisfy { [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
    }
  }
}

extension VariableDeclSyntax {
  /// Whether each initializer of the class must give the property a value. A wrapper may have one of its own; a macro
  /// does not see it.
  var lacksDefault: Bool {
    guard ![.static, .class, .lazy].contains(where: hasModifier) else { return false }
    return bindings.contains { binding in
      binding.isStored && binding.initializer == nil
        && !(bindingSpecifier.tokenKind == .keyword(.var) && binding.typeAnnotation?.type.hasImpliedDefault == true)
    }
  }

  func hasModifier(_ keyword: Keyword) -> Bool {
    modifiers.contains { $0.name.tokenKind == .keyword(keyword) }
  }

  func hasAttribute(_ name: String) -> Bool {
    attributeNames.contains(name)
  }

  /// Attributes by their last name component, so that `@StarlingModel.Local` counts as `@Local`.
  var attributeNames: [String] { attributes.names }

  /// Whether an attribute stands here that is neither the language's nor ours: a property wrapper
  /// or somebody else's macro, whose storage is not ours to take.
  var isWrapped: Bool {
    attributeNames.contains { name in
      name.first?.isUppercase == true
        ? !name.hasSuffix("Actor") && !["Local", "Renamed", "ReplicatedField", "ReplicatedIgnored"].contains(name)
        : name.first != "_" && !Self.languageAttributes.contains(name)
    }
  }
}

extension VariableDeclSyntax {
  /// What the language itself puts on properties; any other word is a wrapper's.
  private static let languageAttributes: Set<String> = [
    "available", "backDeployed", "export", "frozen", "implementation", "inlinable", "inline", "nonobjc", "objc",
    "preconcurrency", "safe", "unsafe", "usableFromInline", "warn_unqualified_access",
  ]
}

extension AttributeListSyntax {
  var names: [String] {
    compactMap { element in
      guard case .attribute(let attribute) = element else { return nil }
      if let member = attribute.attributeName.as(MemberTypeSyntax.self) { return member.name.text }
      return attribute.attributeName.as(IdentifierTypeSyntax.self)?.name.text
    }
  }
}
