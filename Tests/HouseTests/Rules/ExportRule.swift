import Testing

extension Rule {
  /// The compiler keeps one import of a declaration for a module, whichever file comes first: a second one that does not
  /// export it may hide it from those who import the module.
  static let exportsStandAlone = Rule("declarations are imported one by one where they are exported, and nowhere else")
  {
    house in
    house.swiftFiles.filter { $0.path.hasPrefix("Sources/") && !$0.path.hasSuffix("/Exports.swift") }.flatMap { file in
      let single = Set(
        (["import struct", "import enum", "import class", "import protocol"] as [Phrase]).flatMap(file.lines))
      return file.imports.filter { $0.module.hasPrefix("Starling") && single.contains($0.line) }.map { module, line in
        Finding(
          path: file.path, line: line, what: "A single declaration of \(module) is imported",
          remedy: "Import the module; an import like this one may undo the one of Exports.swift")
      }
    }
  }
}

@Suite struct `The rule of exports` {
  private func findings(_ code: String, in file: String) -> [Int] {
    Rule.exportsStandAlone.check(House(["Sources/Module/\(file)": code])).map(\.line)
  }

  @Test func `refuses a second import of a single declaration`() {
    #expect(findings("import Foundation\npublic import struct StarlingEngine.Past\n", in: "Past.swift") == [2])
    #expect(findings("import enum StarlingEngine.Goal\n", in: "Past.swift") == [1])
  }

  @Test func `accepts it where it is exported, whole modules, and others' declarations`() {
    #expect(findings("@_exported public import struct StarlingEngine.Past\n", in: "Exports.swift").isEmpty)
    #expect(findings("public import StarlingEngine\nimport class FlyingFox.HTTPServer\n", in: "Past.swift").isEmpty)
  }
}
