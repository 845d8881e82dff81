import Foundation
import Testing

extension Rule {
  /// A comment that cites what nobody can open explains nothing: pages by name, their sections by title.
  static let citationsHold = Rule("a page that is named can be opened, at the section that is named") { house in
    var seen: Set<Finding> = []
    return house.citations.compactMap { citation in
      guard let page = house.page(citation.page, citedFrom: citation.path) else {
        return citation.finding("\(citation.page) is named, but is not in this repository", "Write the page")
      }
      let headings = house.headings(of: page)
      let missing =
        citation.sections.first { section in !headings.contains { $0.hasSuffix(section) } }
        ?? citation.anchor.flatMap { anchor in headings.map(House.anchor).contains(anchor) ? nil : "#" + anchor }
      return missing.map { citation.finding("\(page) has no section \($0)", "Name one that it has") }
    }.filter { seen.insert($0).inserted }
  }
}

/// A page by its path, with titles of sections in a comment (page, "Title") and an anchor in another page.
private struct Citation {
  let path: String
  let line: Int
  let page: String
  let anchor: String?
  let sections: [String]

  func finding(_ what: String, _ remedy: String) -> Finding {
    Finding(path: path, line: line, what: what, remedy: remedy + ", or say here what it would say")
  }

  /// - Parameter next: The line of the comment after this one, where titles may go on.
  static func all(in line: String, continuedBy next: String = "", path: String, number: Int) -> [Citation] {
    let continuation = next.drop { $0 == "/" || $0 == " " }
    let text = continuation.isEmpty ? line : "\(line) \(continuation)"
    let end = text.index(text.startIndex, offsetBy: line.count)
    // Addresses of other sites and patterns such as *.md are no citations.
    let form = /([A-Za-z0-9_.\/+-]+\.md)(?:#([A-Za-z0-9_-]+))?((?:, "[^"]+")*)/
    return text.matches(of: form).compactMap { match in
      let before = text[..<match.range.lowerBound]
      guard !before.hasSuffix(":"), !before.hasSuffix("*"), match.1 != ".md", match.range.lowerBound < end else {
        return nil
      }
      return Citation(
        path: path, line: number, page: String(match.1), anchor: match.2.map { String($0) },
        sections: match.3.split(separator: "\"").map { String($0) }.filter { $0 != ", " })
    }
  }
}

extension House {
  fileprivate var citations: [Citation] {
    let inComments = swiftFiles.flatMap { file in
      file.comments.map { line, text in
        (path: file.path, line: line, text: text, next: file.comments[line + 1] ?? "")
      }
    }
    let inPages = files.filter { $0.key.hasSuffix(".md") }.flatMap { path, text in
      (text ?? "").split(separator: "\n", omittingEmptySubsequences: false).enumerated().map { index, line in
        (path: path, line: index + 1, text: String(line), next: "")
      }
    }
    return (inComments + inPages).filter { $0.text.contains(".md") }
      .sorted { ($0.path, $0.line) < ($1.path, $1.line) }
      .flatMap { Citation.all(in: $0.text, continuedBy: $0.next, path: $0.path, number: $0.line) }
  }

  /// Where the page stands: as named from the root, from the folder of the file that names it, or by a bare name that
  /// only one page has.
  fileprivate func page(_ name: String, citedFrom path: String) -> String? {
    let folder = path.split(separator: "/").dropLast()
    let candidates = [name, (folder.map { String($0) } + [name]).joined(separator: "/")].map(Self.normalized)
    if let found = candidates.first(where: { files.keys.contains($0) }) { return found }
    let namesakes = files.keys.filter { $0.hasSuffix("/" + name) }
    return !name.contains("/") && namesakes.count == 1 ? namesakes.first : nil
  }

  fileprivate func headings(of page: String) -> [String] {
    ((files[page] ?? nil) ?? "").split(separator: "\n").filter { $0.hasPrefix("#") }.map { line in
      line.drop { $0 == "#" }.trimmingCharacters(in: .whitespaces)
    }
  }

  /// The anchor that a heading gets where pages are shown.
  fileprivate static func anchor(of heading: String) -> String {
    heading.lowercased().filter { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" || $0 == "_" }
      .replacing(" ", with: "-")
  }

  /// The path without its steps back: `Protocol/vectors` for `Documentation/../Protocol/vectors`.
  private static func normalized(_ path: String) -> String {
    path.split(separator: "/").reduce(into: [Substring]()) { parts, part in
      switch part {
      case ".": break
      case ".." where !parts.isEmpty: parts.removeLast()
      default: parts.append(part)
      }
    }.joined(separator: "/")
  }
}

@Suite struct `The rule of citations` {
  private func findings(_ text: String, at path: String = "Sources/A/A.swift") -> [Finding] {
    Rule.citationsHold.check(
      House([
        "Protocol/merge.md": "# Merging\n\n## 3. Stamps\n\n[bytes](wire-format.md#live-streams), [why](../Why/why.md)",
        "Protocol/wire-format.md": "## Live streams", "Why/why.md": "<https://example.org/elsewhere.md>",
        path: text,
      ]))
  }

  @Test(arguments: ["// See PLAN.md.", "/// (notes/plan.md §3)", "let a = 1  // Protocol/gone.md, \"Batches\""])
  func `refuses a page that is not there`(_ code: String) {
    #expect(findings(code).map(\.line) == [1])
  }

  @Test(arguments: ["// Protocol/merge.md, \"Clears\"", "// merge.md, \"Stamps\", \"Clears\""])
  func `refuses a section that is not there`(_ code: String) {
    #expect(findings(code).map(\.what) == ["Protocol/merge.md has no section Clears"])
  }

  @Test(arguments: ["// (Protocol/merge.md,\n// \"Clears\")", "/// See merge.md, \"Clears\n/// of texts\"."])
  func `refuses a section that is not there, over the end of a line`(_ code: String) {
    #expect(findings(code).map(\.line) == [1])
  }

  @Test(arguments: [
    "// (Protocol/merge.md,\n// \"Stamps\")", "// Protocol/wire-format.md, \"Live\n// streams\".", "// a\n// merge.md",
    "// Protocol/merge.md.", "// (merge.md, \"Stamps\")", "let page = \"gone.md\"", "// Protocol/*.md",
    "// Protocol/wire-format.md, \"Live streams\", has it",
  ])
  func `accepts what is there`(_ code: String) {
    #expect(findings(code) == [])
  }

  @Test(arguments: ["\n[plan](plan.md)", "\n[why](Why/why.md#because)"])
  func `refuses a link to nowhere in a page`(_ text: String) {
    #expect(findings(text, at: "README.md").map(\.line) == [2])
  }
}
