import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

// MARK: Of a conformance that the compiler would write

extension Refusal {
  /// The compiler writes `Codable` for stored properties, and those of a model are computed.
  static func codable(_ model: ClassDeclSyntax) -> [Refusal] {
    let conformance = model.inheritanceClause?.inheritedTypes.first { type in
      guard let name = type.type.as(IdentifierTypeSyntax.self)?.name.text else { return false }
      return ["Codable", "Decodable", "Encodable"].contains(name)
    }
    guard let conformance else { return [] }
    let name = conformance.type.trimmedDescription
    let members = model.memberBlock.members
    var missing: [String] = []
    if name != "Encodable", !members.contains(where: { $0.decl.as(InitializerDeclSyntax.self)?.isDecoding == true }) {
      missing.append("init(from:)")
    }
    if name != "Decodable", !members.contains(where: { $0.decl.as(FunctionDeclSyntax.self)?.isEncoding == true }) {
      missing.append("encode(to:)")
    }
    if missing.isEmpty { return [] }
    var refusal = Refusal(
      node: Syntax(conformance),
      message:
        "The compiler cannot write \(missing.map { "'\($0)'" }.joined(separator: " and ")) of a model: write it here, "
        + "or declare '\(name)' on the extension that has it",
      id: "codable")
    var fixed = model
    fixed.memberBlock.members.append(contentsOf: skeletons(of: missing, in: model))
    refusal.fixes = [
      (
        "Write \(missing.map { "'\($0)'" }.joined(separator: " and "))",
        [.replace(oldNode: Syntax(model), newNode: Syntax(fixed))]
      )
    ]
    return [refusal]
  }

  private static func skeletons(of missing: [String], in model: ClassDeclSyntax) -> [MemberBlockItemSyntax] {
    let properties = Fields(of: model).properties.map(\.property).filter { $0.role == .replicated }
    var declarations: [String] = []
    let hasKeys = model.memberBlock.members.contains { $0.decl.as(EnumDeclSyntax.self)?.name.text == "CodingKeys" }
    if !hasKeys, !properties.isEmpty {
      let names = properties.map(\.name.text).joined(separator: ", ")
      declarations.append("  private enum CodingKeys: CodingKey { case \(names) }")
    }
    let access = model.modifiers.contains { [.keyword(.public), .keyword(.open)].contains($0.name.tokenKind) }
    let word = access ? "public " : ""
    if missing.contains("init(from:)") {
      let lines = properties.map {
        "    \($0.name.text) = try values.decode(\($0.knownType ?? "<#type#>").self, forKey: .\($0.name.text))"
      }
      declarations.append(
        (["  \(word)init(from decoder: any Decoder) throws {"]
          + (lines.isEmpty ? [] : ["    let values = try decoder.container(keyedBy: CodingKeys.self)"])
          + lines + ["  }"]).joined(separator: "\n"))
    }
    if missing.contains("encode(to:)") {
      let lines = properties.map { "    try values.encode(\($0.name.text), forKey: .\($0.name.text))" }
      declarations.append(
        (["  \(word)func encode(to encoder: any Encoder) throws {"]
          + (lines.isEmpty ? [] : ["    var values = encoder.container(keyedBy: CodingKeys.self)"])
          + lines + ["  }"]).joined(separator: "\n"))
    }
    return declarations.map { MemberBlockItemSyntax(decl: DeclSyntax("\n\(raw: $0)")) }
  }
}

extension InitializerDeclSyntax {
  fileprivate var isDecoding: Bool { signature.parameterClause.parameters.map(\.firstName.text) == ["from"] }
}

extension FunctionDeclSyntax {
  fileprivate var isEncoding: Bool {
    name.text == "encode" && signature.parameterClause.parameters.map(\.firstName.text) == ["to"]
  }
}
