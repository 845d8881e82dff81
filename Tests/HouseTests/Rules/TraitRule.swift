import Testing

extension Rule {
  /// The check builds with every trait on, so what breaks without one would break for users alone.
  static let traitsAreOptional = Rule("a room that a trait guards is empty without it") { house in
    house.swiftFiles.compactMap { file in
      guard let trait = file.target?.dependencies.compactMap(\.trait).first, !file.isAllInside(trait) else {
        return nil
      }
      return Finding(
        path: file.path, line: 1,
        what: "\(file.target?.name ?? "") needs the trait \(trait), and this file is built without it",
        remedy: "Put all of the file between #if \(trait) and #endif")
    }
  }
}

extension SwiftFile {
  fileprivate func isAllInside(_ trait: String) -> Bool {
    tokens.prefix(3).map(\.text) == ["#", "if", trait] && tokens.suffix(2).map(\.text) == ["#", "endif"]
      && lines(of: "#if").count == lines(of: "#endif").count && lines(of: "#else").isEmpty
  }
}

@Suite struct `The rule of traits` {
  private func house(_ code: String) -> House {
    House([
      "Package.swift": """
      let nats: Target.Dependency = .target(name: "CNATS", condition: .when(traits: ["NATS"]))
      let package = Package(targets: [
        .systemLibrary(name: "CNATS"), .target(name: "Link", dependencies: [nats]), .target(name: "Other"),
      ])
      """,
      "Sources/Link/Link.swift": code, "Sources/Other/Other.swift": "let a = 1",
    ])
  }

  @Test(arguments: [
    "let a = 1", "let a = 1\n#if NATS\n#endif", "#if OTHER\n#endif", "#if NATS\n#else\nlet a = 1\n#endif",
  ])
  func `refuses what is built without the trait`(_ code: String) {
    #expect(Rule.traitsAreOptional.check(house(code)).map(\.path) == ["Sources/Link/Link.swift"])
  }

  @Test func `accepts what the trait guards, and sees that the room may import what it needs`() {
    let house = house("// A link.\n#if NATS\nimport CNATS\n#endif\n")
    #expect(Rule.traitsAreOptional.check(house).isEmpty)
    #expect(Rule.importsAreDeclared.check(house).isEmpty)
    #expect(Rule.modulesAreInOrder.check(house).isEmpty)
  }
}
