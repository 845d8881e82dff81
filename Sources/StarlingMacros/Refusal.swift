import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

/// Something `@Replicated` cannot take: where it stands, why, and what to write instead.
struct Refusal {
  var node: Syntax
  var message: String
  var id: String
  var fixes: [(message: String, changes: [FixIt.Change])] = []

  var diagnostic: Diagnostic {
    Diagnostic(
      node: node, message: Message(message: message, id: id),
      fixIts: fixes.map { fix in
        FixIt(message: Remedy(message: fix.message, id: id), changes: fix.changes)
      })
  }

  private struct Message: DiagnosticMessage {
    var message: String
    var id: String
    var diagnosticID: MessageID { MessageID(domain: "StarlingMacros", id: id) }
    var severity: DiagnosticSeverity { .error }
  }

  private struct Remedy: FixItMessage {
    var message: String
    var id: String
    var fixItID: MessageID { MessageID(domain: "StarlingMacros", id: id) }
  }
}

// MARK: Of a property

extension Refusal {
  static func all(in declaration: VariableDeclSyntax) -> [Refusal] {
    guard Property.isCandidate(declaration) else { return [] }
    if declaration.bindings.count > 1
      || !declaration.bindings.allSatisfy({ $0.pattern.is(IdentifierPatternSyntax.self) })
    {
      return [severalNames(declaration, each: "replicated property")]
    }
    guard let binding = declaration.bindings.first,
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.text
    else { return [] }
    return [
      unowned(declaration, binding, name), implicitlyUnwrapped(binding, name), array(declaration, binding, name),
      missingDefault(declaration, binding, name), unavailable(declaration, name),
    ].compactMap { $0 }
  }

  private static func unowned(
    _ declaration: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ name: String
  ) -> Refusal? {
    guard let modifier = declaration.modifiers.first(where: { $0.name.tokenKind == .keyword(.unowned) }) else {
      return nil
    }
    let weak = DeclModifierSyntax(
      name: .keyword(.weak, leadingTrivia: modifier.leadingTrivia, trailingTrivia: modifier.trailingTrivia))
    var fixed = declaration
    fixed.modifiers = DeclModifierListSyntax(
      declaration.modifiers.map { $0.id == modifier.id ? weak : $0 })
    if let type = binding.typeAnnotation?.type, !type.is(OptionalTypeSyntax.self) {
      fixed.bindings = [
        binding.with(\.typeAnnotation!.type, TypeSyntax(OptionalTypeSyntax(wrappedType: type.trimmed)))
      ]
    }
    return Refusal(
      node: Syntax(modifier),
      message: "'\(name)' cannot be unowned: the object it names may be removed by another replica",
      id: "unowned",
      fixes: [("Hold it weakly", [.replace(oldNode: Syntax(declaration), newNode: Syntax(fixed))])])
  }

  private static func implicitlyUnwrapped(_ binding: PatternBindingSyntax, _ name: String) -> Refusal? {
    guard let type = binding.typeAnnotation?.type.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) else { return nil }
    let optional = OptionalTypeSyntax(wrappedType: type.wrappedType)
    return Refusal(
      node: Syntax(type), message: "'\(name)' cannot be implicitly unwrapped: another replica may set it to nil",
      id: "implicitlyUnwrapped",
      fixes: [
        (
          "Make it optional",
          [.replace(oldNode: Syntax(type), newNode: Syntax(optional.with(\.trailingTrivia, type.trailingTrivia)))]
        )
      ])
  }

  /// Elements are told apart and sent by their type, which `Any` and its like hide.
  private static func array(
    _ declaration: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ name: String
  ) -> Refusal? {
    guard !declaration.hasAttribute("Local"), var type = binding.typeAnnotation?.type else { return nil }
    if let optional = type.as(OptionalTypeSyntax.self) { type = optional.wrappedType }
    if let generic = type.as(IdentifierTypeSyntax.self), generic.name.text == "ContiguousArray",
      case .type(let element)? = generic.genericArgumentClause?.arguments.first?.argument
    {
      let array = ArrayTypeSyntax(element: element.trimmed)
      return Refusal(
        node: Syntax(type), message: "'\(name)' cannot be a ContiguousArray; arrays replicate element by element",
        id: "contiguousArray",
        fixes: [
          (
            "Use an array",
            [
              .replace(
                oldNode: Syntax(type), newNode: Syntax(array.with(\.trailingTrivia, type.trailingTrivia)))
            ]
          )
        ])
    }
    guard let element = element(of: type), element.hidesItsValues else { return nil }
    return Refusal(
      node: Syntax(element),
      message: "'\(name)' cannot replicate: elements of type '\(element.trimmed)' do not say what they are made of",
      id: "hiddenElements",
      fixes: [("Keep it on this replica with '@Local'", [attach("Local", to: declaration)])])
  }

  private static func element(of type: TypeSyntax) -> TypeSyntax? {
    if let array = type.as(ArrayTypeSyntax.self) { return array.element }
    guard let generic = type.as(IdentifierTypeSyntax.self), ["Array", "ReplicatedArray"].contains(generic.name.text),
      case .type(let element)? = generic.genericArgumentClause?.arguments.first?.argument
    else { return nil }
    return element
  }

  /// A replica that meets an object before it has heard of a property shows the default. The types
  /// in this list have an obvious empty value; any other needs its author's.
  private static func missingDefault(
    _ declaration: VariableDeclSyntax, _ binding: PatternBindingSyntax, _ name: String
  ) -> Refusal? {
    guard binding.initializer == nil, let type = binding.typeAnnotation?.type, !type.is(OptionalTypeSyntax.self),
      !type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self), !type.is(DictionaryTypeSyntax.self),
      !type.is(ArrayTypeSyntax.self),
      !declaration.hasModifier(.weak), !declaration.hasModifier(.unowned)
    else { return nil }
    if let text = type.as(IdentifierTypeSyntax.self)?.name.text, hasEmptyValue.contains(text) { return nil }
    let fixed = binding.with(\.typeAnnotation!.type, type.trimmed).with(
      \.initializer,
      InitializerClauseSyntax(
        equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: ExprSyntax("<#default#>")))
    return Refusal(
      node: Syntax(type),
      message: "'\(name)' needs a default: a replica shows it until it hears of another value",
      id: "missingDefault",
      fixes: [("Give it a default", [.replace(oldNode: Syntax(binding), newNode: Syntax(fixed))])])
  }

  static let hasEmptyValue: Set<String> = [
    "Bool", "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64", "Double", "Float",
    "String", "Data", "Date", "UUID", "Array", "Set", "Dictionary", "Optional", "ReplicatedArray", "ReplicatedCounter",
    "ReplicatedDictionary", "ReplicatedReference", "ReplicatedSet", "ReplicatedText",
  ]

  static func attach(_ attribute: String, to declaration: VariableDeclSyntax) -> FixIt.Change {
    var fixed = declaration
    fixed.leadingTrivia = []
    fixed.attributes.insert(
      .attribute("@\(raw: attribute) ").with(\.leadingTrivia, declaration.leadingTrivia),
      at: fixed.attributes.startIndex)
    return .replace(oldNode: Syntax(declaration), newNode: Syntax(fixed))
  }
}

extension TypeSyntax {
  /// Whether values of the type can be anything, or nothing that could be sent: `Any`, `any P`, functions, tuples.
  fileprivate var hidesItsValues: Bool {
    if self.is(FunctionTypeSyntax.self) || self.is(TupleTypeSyntax.self) { return true }
    if let some = self.as(SomeOrAnyTypeSyntax.self) { return some.someOrAnySpecifier.tokenKind == .keyword(.any) }
    return ["Any", "AnyHashable", "AnyObject"].contains(self.as(IdentifierTypeSyntax.self)?.name.text)
  }
}

extension VariableDeclSyntax {
  /// The spaces before the declaration on its own line.
  var indentation: Trivia {
    Trivia(pieces: leadingTrivia.pieces.reversed().prefix { if case .spaces = $0 { true } else { false } })
  }
}
