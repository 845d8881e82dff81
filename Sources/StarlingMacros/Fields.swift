import SwiftSyntax

/// The stored properties of a class as they stand in it, with their ids.
///
/// A property within `#if` has an id in every configuration. Those that have one name, in several clauses, share it:
/// the compiler takes one of them, and the macro does not know which.
struct Fields {
  indirect enum Member {
    case property(id: Int, Property)
    /// The clauses of an `#if`: each with the words that begin it.
    case conditional([(head: String, members: [Member])])
  }

  private(set) var members: [Member] = []
  private(set) var count = 0
  private var ids: [String: Int] = [:]

  init(of group: some DeclGroupSyntax) {
    members = take(group.memberBlock.members)
  }

  private mutating func take(_ items: MemberBlockItemListSyntax) -> [Member] {
    var taken: [Member] = []
    for item in items {
      if let variable = item.decl.as(VariableDeclSyntax.self) {
        guard let property = Property(variable) else { continue }
        let id = ids[property.plainName] ?? count
        if id == count {
          ids[property.plainName] = id
          count += 1
        }
        taken.append(.property(id: id, property))
      } else if let block = item.decl.as(IfConfigDeclSyntax.self) {
        let clauses = block.clauses.map { (head: $0.head, members: take($0.members)) }
        if clauses.contains(where: { !$0.members.isEmpty }) { taken.append(.conditional(clauses)) }
      }
    }
    return taken
  }

  var isConditional: Bool {
    members.contains { if case .conditional = $0 { true } else { false } }
  }

  /// Every property, in the order of the source.
  var properties: [(id: Int, property: Property)] { Self.properties(in: members) }

  private static func properties(in members: [Member]) -> [(id: Int, property: Property)] {
    members.flatMap { member -> [(id: Int, property: Property)] in
      switch member {
      case .property(let id, let property): [(id, property)]
      case .conditional(let clauses): clauses.flatMap { properties(in: $0.members) }
      }
    }
  }

  /// What `line` makes of each property, within the `#if` that it stands in.
  func lines(_ line: (Int, Property) -> String?) -> [String] { Self.lines(members, line) }

  private static func lines(_ members: [Member], _ line: (Int, Property) -> String?) -> [String] {
    members.flatMap { member -> [String] in
      switch member {
      case .property(let id, let property): return line(id, property).map { [$0] } ?? []
      case .conditional(let clauses):
        let parts = clauses.map { lines($0.members, line) }
        guard parts.contains(where: { !$0.isEmpty }) else { return [] }
        return zip(clauses, parts).flatMap { [$0.head] + $1 } + ["#endif"]
      }
    }
  }
}

extension MemberBlockItemListSyntax {
  /// The variables and constants, those within `#if` too.
  var variables: [VariableDeclSyntax] {
    flatMap { item -> [VariableDeclSyntax] in
      if let variable = item.decl.as(VariableDeclSyntax.self) { return [variable] }
      return item.decl.as(IfConfigDeclSyntax.self)?.clauses.flatMap { $0.members.variables } ?? []
    }
  }

  /// How the class says that it is made: a convenience initializer calls another one, which the language gives.
  var designatedInitializers: [InitializerDeclSyntax] {
    flatMap { item -> [InitializerDeclSyntax] in
      if let initializer = item.decl.as(InitializerDeclSyntax.self) {
        return initializer.modifiers.contains { $0.name.tokenKind == .keyword(.convenience) } ? [] : [initializer]
      }
      return item.decl.as(IfConfigDeclSyntax.self)?.clauses.flatMap { $0.members.designatedInitializers } ?? []
    }
  }
}

extension InitializerDeclSyntax {
  /// Whether the name stands in the body, which may then assign the property.
  func mayAssign(_ plainName: String) -> Bool {
    guard let body else { return true }
    return body.tokens(viewMode: .sourceAccurate).contains { $0.text == plainName || $0.plainName == plainName }
  }
}

extension IfConfigClauseSyntax {
  fileprivate var head: String {
    condition.map { "\(poundKeyword.text) \($0.trimmedDescription)" } ?? poundKeyword.text
  }

  fileprivate var members: MemberBlockItemListSyntax {
    if case .decls(let members)? = elements { members } else { [] }
  }
}
