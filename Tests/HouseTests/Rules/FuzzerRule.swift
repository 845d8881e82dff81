import Testing

extension Rule {
  /// Nobody builds that package but who fuzzes, so that nothing else shows what it lacks.
  static let fuzzerNamesItsModules = Rule("the fuzzer's package names what its modules import") { house in
    let path = "Fuzzing/Package.swift"
    guard let text = house.files[path] ?? nil else { return [] }
    let ours = Set(house.plan.targets.map(\.name))
    return targets(in: text).flatMap { name, declaration -> [Finding] in
      let imports = house.swiftFiles.filter { $0.target?.name == name }.flatMap(\.imports).map(\.module)
      return Set(imports).intersection(ours).subtracting([name]).sorted().compactMap { module -> Finding? in
        guard !declaration.contains("\"\(module)\"") else { return nil }
        return Finding(
          path: path, line: 1, what: "\(name) imports \(module), and the package does not say so",
          remedy: "Add \"\(module)\" to what \(name) depends on there")
      }
    }
  }

  /// What is declared in a manifest, by its name: the text from one declaration to the next.
  private static func targets(in manifest: String) -> [(name: String, declaration: Substring)] {
    let starts = manifest.ranges(of: /(?:module\(|\.(?:target|executableTarget|systemLibrary)\(\s*name:)\s*"/)
    return starts.enumerated().map { place, start in
      let end = place + 1 < starts.count ? starts[place + 1].lowerBound : manifest.endIndex
      let declaration = manifest[start.upperBound..<end]
      return (String(declaration.prefix { $0 != "\"" }), declaration)
    }
  }
}

@Suite struct `The rule of the fuzzer's package` {
  private func house(_ modules: String) -> House {
    House([
      "Package.swift": """
      let package = Package(targets: [
        .target(name: "Low"), .target(name: "Middle"), .target(name: "High", dependencies: ["Low", "Middle"]),
      ])
      """,
      "Sources/High/High.swift": "import Foundation\nimport Low\npublic import Middle",
      "Fuzzing/Package.swift": "let package = Package(targets: [\n\(modules)\n])",
    ])
  }

  @Test func `refuses a module that is imported and not named`() {
    let lacking = house(#"module("Low"), module("High", ["Low"]), module("Middle")"#)
    #expect(
      Rule.fuzzerNamesItsModules.check(lacking).map(\.what) == [
        "High imports Middle, and the package does not say so"
      ])
    let whole = house(#".target( name: "Low"), module("High", ["Low", "Middle"])"#)
    #expect(Rule.fuzzerNamesItsModules.check(whole).isEmpty)
  }
}
