import Testing

extension Rule {
  /// A user who reports a fault copies what `--version` prints.
  static let versionsAgree = Rule("every program says the version of the changelog") { house in
    let changelog = (house.files["CHANGELOG.md"] ?? nil) ?? ""
    // `## 0.2.0 - 2026-11-25`
    let headings = changelog.split(separator: "\n").filter { $0.hasPrefix("## ") && $0.contains(" - ") }
    guard let version = headings.first?.split(separator: " ").dropFirst().first else { return [] }
    return programs.flatMap { path, beginning -> [Finding] in
      let lines = ((house.files[path] ?? nil) ?? "").split(separator: "\n", omittingEmptySubsequences: false)
      return lines.enumerated().compactMap { index, line in
        guard let start = line.firstRange(of: beginning)?.upperBound else { return nil }
        let said = line[start...].prefix { $0.isNumber || $0 == "." }
        guard !said.isEmpty, said != version else { return nil }
        return Finding(
          path: path, line: index + 1, what: "The version is \(said) here, and \(version) in CHANGELOG.md",
          remedy: "Write \(version)")
      }
    }
  }

  /// Where each program says its version, and what stands before it.
  private static let programs = [
    ("Sources/starlingd/Daemon.swift", "\"starlingd "),
    ("Sources/StarlingCommand/StarlingCommand.swift", "\"starling "),
    ("Sources/SyncDemo/SyncDemoCommand.swift", "\"sync-demo "), ("Examples/Python/pyproject.toml", "version = \""),
    ("Examples/Python/src/starling_peer/__init__.py", "__version__ = \""),
    ("Examples/Python/src/starling_peer/peer.py", "starling-peer (Python) "),
  ]
}

@Suite struct `The rule of versions` {
  private func findings(_ program: String) -> [Int] {
    Rule.versionsAgree.check(
      House([
        "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n## 1.2.0 - 2026-01-01\n\n## 1.1.0 - 2025-01-01\n",
        "Sources/starlingd/Daemon.swift": program,
      ])
    ).map(\.line)
  }

  @Test func `refuses another version than the changelog's latest`() {
    #expect(findings("\n    version: \"starlingd 1.1.0\")") == [2])
    #expect(findings("    version: \"starlingd 1.2.0\")").isEmpty)
  }
}
