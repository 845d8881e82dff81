/// What `Package.swift` says of the targets, read as text: the order in the file is the order of the layers.
struct ModulePlan {
  struct Target {
    enum Kind: String { case systemLibrary, target, macro, executableTarget, testTarget, plugin }

    var kind: Kind
    var name: String
    var dependencies: [Dependency]
    /// Where its sources are, from the root.
    var folder: String
    var hasHouseSettings: Bool
    var line: Int

    /// As an import names it.
    var moduleName: String { name.replacing("-", with: "_") }

    /// The modules that its dependencies let it import.
    var modules: Set<String> { Set(dependencies.flatMap(\.modules)) }
  }

  struct Dependency: Hashable {
    /// The name of a target of this package or of another package's product.
    var name: String
    var isProduct: Bool
    /// The trait without which it is not there.
    var trait: String?

    /// A product gives the module of its own name, with few exceptions.
    var modules: [String] {
      switch name {
      case "Metrics": ["Metrics", "CoreMetrics"]
      case "SwiftCompilerPlugin": ["SwiftCompilerPlugin", "SwiftCompilerPluginMessageHandling"]
      default: [name]
      }
    }
  }

  private(set) var targets: [Target] = []
  private var constants: [String: [Dependency]] = [:]

  init(_ manifest: String) {
    var reader = Reader(tokens: SwiftLexer(manifest).tokens)
    while let token = reader.next() {
      if token.text == "let", token.kind == .word, let name = reader.next()?.text {
        constants[name] = reader.constantDependencies()
      } else if let kind = Target.Kind(rawValue: token.text), token.kind == .word, reader.isAfterDot {
        let arguments = reader.arguments()
        // `.target(name: "X")` inside a list of dependencies is read with that list, not here.
        guard let name = arguments["name"]?.first(where: { $0.kind == .literal })?.text else { continue }
        targets.append(
          Target(
            kind: kind, name: name, dependencies: dependencies(in: arguments["dependencies"] ?? []),
            folder: arguments["path"]?.first { $0.kind == .literal }?.text
              ?? (kind == .testTarget ? "Tests/" : "Sources/") + name,
            hasHouseSettings: arguments["swiftSettings"]?.contains { $0.text == "house" } ?? false,
            line: token.line))
      }
    }
  }

  func index(of name: String) -> Int? {
    targets.firstIndex { $0.name == name }
  }

  func target(named name: String) -> Target? {
    targets.first { $0.name == name }
  }

  func target(holding path: String) -> Target? {
    targets.first { path.hasPrefix($0.folder + "/") }
  }

  private func dependencies(in tokens: [SwiftLexer.Token]) -> [Dependency] {
    var reader = Reader(tokens: tokens)
    var found: [Dependency] = []
    while let token = reader.next() {
      switch (token.kind, token.text) {
      case (.literal, let name): found.append(Dependency(name: name, isProduct: false))
      case (.word, "product") where reader.isAfterDot, (.word, "target") where reader.isAfterDot,
        (.word, "byName") where reader.isAfterDot:
        if let dependency = Dependency(reader.arguments(), isProduct: token.text == "product") {
          found.append(dependency)
        }
      case (.word, let name): found += constants[name] ?? []
      default: break
      }
    }
    return found
  }

  /// A walk over the manifest's tokens.
  private struct Reader {
    let tokens: [SwiftLexer.Token]
    private var place = 0

    init(tokens: [SwiftLexer.Token]) {
      self.tokens = tokens
    }

    mutating func next() -> SwiftLexer.Token? {
      guard place < tokens.count else { return nil }
      defer { place += 1 }
      return tokens[place]
    }

    /// Whether a dot stands before the token that `next` gave last.
    var isAfterDot: Bool { place >= 2 && tokens[place - 2].text == "." }

    /// The arguments of the call whose parenthesis comes next, by label, as tokens; moves past it.
    mutating func arguments() -> [String: [SwiftLexer.Token]] {
      guard place < tokens.count, tokens[place].text == "(" else { return [:] }
      var found: [String: [SwiftLexer.Token]] = [:]
      var label = ""
      var depth = 0
      repeat {
        let token = tokens[place]
        let isMark = token.kind == .mark
        if isMark, "([".contains(token.text) { depth += 1 }
        if isMark, ")]".contains(token.text) { depth -= 1 }
        if depth == 1, token.kind == .word, place + 1 < tokens.count, tokens[place + 1].text == ":" {
          label = token.text
        } else if depth > 0 {
          found[label, default: []].append(token)
        }
        place += 1
      } while depth > 0 && place < tokens.count
      return found
    }

    /// What a constant stands for: the products and targets named before the next declaration begins, whatever
    /// platform or trait they are for.
    mutating func constantDependencies() -> [Dependency] {
      var found: [Dependency] = []
      while place < tokens.count, tokens[place].text != "let", tokens[place].text != "Package" {
        let kind = tokens[place].text
        if ["product", "target"].contains(kind), place > 0, tokens[place - 1].text == "." {
          place += 1
          if let dependency = Dependency(arguments(), isProduct: kind == "product") { found.append(dependency) }
        } else {
          place += 1
        }
      }
      return found
    }
  }
}

extension ModulePlan.Dependency {
  /// `(name: "CNATS", condition: .when(traits: ["NATS"]))`; nil without a name.
  fileprivate init?(_ arguments: [String: [SwiftLexer.Token]], isProduct: Bool) {
    guard let name = arguments["name"]?.first(where: { $0.kind == .literal })?.text else { return nil }
    let condition = arguments["condition"] ?? []
    let trait = condition.drop { $0.text != "traits" }.first { $0.kind == .literal }?.text
    self.init(name: name, isProduct: isProduct, trait: trait)
  }
}
