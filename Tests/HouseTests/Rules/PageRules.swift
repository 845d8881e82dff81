import Foundation
import Testing

extension Rule {
  /// A comment that cites a page nobody can open explains nothing.
  static let pagesExist = Rule("a page that is named can be opened") { house in
    house.namings.compactMap { path, line, page in
      let folder = path.split(separator: "/").dropLast().joined(separator: "/")
      let candidates = [page, folder.isEmpty ? page : folder + "/" + page]
      guard !candidates.contains(where: { house.files.keys.contains(House.normalized($0)) }) else { return nil }
      // A page may be called by its bare name where there is only one such.
      guard page.contains("/") || !house.files.keys.contains(where: { $0.hasSuffix("/" + page) }) else { return nil }
      return Finding(
        path: path, line: line, what: "\(page) is named, but is not in this repository",
        remedy: "Write the page, or say here what it would say")
    }
  }

  static let nobodysMachine = Rule("nothing speaks of one machine, or of how the work was organised") { house in
    house.files.sorted { $0.key < $1.key }.flatMap { path, text -> [Finding] in
      // This file must spell out what it refuses.
      guard let text, !path.hasSuffix("HouseTests/Rules/PageRules.swift") else { return [] }
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

extension House {
  /// Every mention of a Markdown page in a Swift comment or in another page.
  fileprivate var namings: [(path: String, line: Int, page: String)] {
    let inComments = swiftFiles.flatMap { file in
      file.comments.map { (path: file.path, line: $0.key, text: $0.value) }
    }
    let inPages = files.filter { $0.key.hasSuffix(".md") }.flatMap { path, text in
      (text ?? "").split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
        (path: path, line: index + 1, text: String(line))
      }
    }
    return (inComments + inPages).filter { $0.text.contains(".md") }.flatMap { path, line, text in
      Self.pages(in: text).map { (path, line, $0) }
    }.sorted { ($0.path, $0.line) < ($1.path, $1.line) }
  }

  /// Relative paths that end in `.md`; addresses of other sites are none.
  static func pages(in text: String) -> [String] {
    text.split { " \t()[]`'\"<>,;".contains($0) }.compactMap { word in
      guard let end = word.range(of: ".md"), !word.contains("://"), !word.contains("*") else { return nil }
      let rest = word[end.upperBound...]
      guard rest.isEmpty || "#.:?!".contains(rest.first ?? " "), end.lowerBound > word.startIndex else { return nil }
      return String(word[..<end.upperBound])
    }
  }

  /// The path without its steps back: `Protocol/vectors` for `Documentation/../Protocol/vectors`.
  static func normalized(_ path: String) -> String {
    path.split(separator: "/").reduce(into: [Substring]()) { parts, part in
      switch part {
      case ".": break
      case ".." where !parts.isEmpty: parts.removeLast()
      default: parts.append(part)
      }
    }.joined(separator: "/")
  }
}

@Suite struct `The rules of what is written` {
  private let files: [String: String] = [
    "Protocol/merge.md": "See [the bytes](wire-format.md#batches) and [why](../Documentation/why.md).",
    "Protocol/wire-format.md": "", "Documentation/why.md": "<https://example.org/elsewhere.md>",
  ]

  private func findings(_ rule: Rule, adding text: String, at path: String = "Sources/A/A.swift") -> [Finding] {
    rule.check(House(files.merging([path: text]) { $1 }.mapValues { $0 as String? }))
  }

  @Test(arguments: ["// See PLAN.md.", "/// (notes/plan.md §3)", "let a = 1  // Protocol/gone.md, \"Batches\""])
  func `refuse a page that is not there`(_ code: String) {
    #expect(findings(.pagesExist, adding: code).map(\.line) == [1])
  }

  @Test(arguments: [
    "// Protocol/merge.md §3.", "// merge.md, \"Stamps\"", "let page = \"gone.md\"", "// Protocol/*.md",
  ])
  func `accept a page that is there`(_ code: String) {
    #expect(findings(.pagesExist, adding: code) == [])
  }

  @Test func `refuse a link to nowhere in a page`() {
    #expect(findings(.pagesExist, adding: "\n[plan](plan.md)", at: "README.md").map(\.line) == [2])
  }

  @Test(arguments: ["cd /work/main", "/Users/me/starling", "// see shared/notes", "fixes issue #12"])
  func `refuse one machine's words`(_ text: String) {
    #expect(findings(.nobodysMachine, adding: text, at: "Scripts/check").count == 1)
  }
}
