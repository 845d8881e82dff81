import Foundation
import Testing

extension Rule {
  static let nobodysMachine = Rule("nothing speaks of one machine, or of how the work was organised") { house in
    house.files.sorted { $0.key < $1.key }.flatMap { path, text -> [Finding] in
      // This file must spell out what it refuses.
      guard let text, !path.hasSuffix("HouseTests/Rules/StrangerRule.swift") else { return [] }
      let bytes = Data(text.utf8)
      let strangers = strangers.filter { bytes.range(of: Data($0.utf8)) != nil }
      guard !strangers.isEmpty else { return [] }
      return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
        strangers.filter { line.contains($0) }.map { word in
          Finding(
            path: path, line: index + 1, what: "\"\(word)\" means nothing to whoever clones this",
            remedy: "Say it in terms of the repository")
        }
      }
    }
  }

  private static let strangers = [
    "/home/", "/Users/", "/work/", "/root/", "shared/", "session 1", "session 2", "issue #", "Issue #", "ticket #",
    "artifactory", "as an AI", "language model",
  ]
}

@Suite struct `The rule of strangers` {
  @Test(arguments: ["cd /work/main", "/Users/me/starling", "// see shared/notes", "fixes issue #12"])
  func `refuses one machine's words`(_ text: String) {
    #expect(Rule.nobodysMachine.check(House(["Scripts/check": "\n" + text])).map(\.line) == [2])
  }

  @Test(arguments: ["a session of ten minutes", "the work of one thread", "state that is shared by two"])
  func `accepts the words themselves`(_ text: String) {
    #expect(Rule.nobodysMachine.check(House(["README.md": text])).isEmpty)
  }
}
