import Testing

extension Rule {
  /// A sample that does not compile costs its reader an hour.
  static let samplesCompile = Rule("the Swift that a page shows is compiled, in a test or an example") { house in
    let sources = house.files.filter { path, _ in
      path.hasSuffix(".swift") && (path.hasPrefix("Tests/") || path.hasPrefix("Examples/"))
    }.sorted { $0.key < $1.key }.map { Sample.lines(of: $0.value ?? "") }
    return house.samples.compactMap { sample in
      guard !sources.contains(where: { sample.isPart(of: $0) }) else { return nil }
      return Finding(
        path: sample.path, line: sample.line, what: "No test and no example compiles this sample",
        remedy: "Put it between two lines `// ----` of Tests/StarlingTests/PageSamples.swift, as the page shows it")
    }
  }

  /// Pages whose samples are compiled in another way, each with the test that does so.
  fileprivate static let compiledOtherwise = [
    "Documentation/Wrappers.md"  // MistakeTests hands the whole page to the compiler.
  ]
}

/// A block of Swift in a page.
private struct Sample {
  let path: String
  let line: Int
  /// Its lines between blank ones; imports, `@main` and lines that leave something out (`// …`) are not compared.
  let paragraphs: [[Substring]]

  /// The lines of a source, without blank ones and without what stands before and behind the code of each.
  static func lines(of text: String) -> [Substring] {
    text.split(separator: "\n").compactMap { line in
      let trimmed = trimmed(line)
      return trimmed.isEmpty ? nil : trimmed
    }
  }

  /// A page shows as a function what a test has as a static one.
  static func trimmed(_ line: Substring) -> Substring {
    let start = line.drop { $0 == " " }
    return start.hasPrefix("static func ") ? start.dropFirst("static ".count) : start
  }

  func isPart(of source: [Substring]) -> Bool {
    paragraphs.allSatisfy { paragraph in
      source.indices.contains { start in
        source[start] == paragraph[0] && source[start...].prefix(paragraph.count).elementsEqual(paragraph)
      }
    }
  }
}

extension House {
  fileprivate var samples: [Sample] {
    files.filter { path, _ in
      path == "README.md"
        || path.hasPrefix("Documentation/") && path.split(separator: "/").count == 2 && path.hasSuffix(".md")
        || path.hasPrefix("Examples/") && path.hasSuffix("README.md")
    }.filter { !Rule.compiledOtherwise.contains($0.key) }.sorted { $0.key < $1.key }
      .flatMap { path, text in Self.samples(in: text ?? "", path: path) }
  }

  /// The blocks of Swift, save manifests of packages, whose dependencies differ from page to page.
  private static func samples(in page: String, path: String) -> [Sample] {
    var samples: [Sample] = []
    var paragraphs: [[Substring]] = []
    var begin = 0
    var (isCode, isSwift) = (false, false)
    for (index, line) in page.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = Sample.trimmed(line)
      if line.hasPrefix("```") {
        let shown = paragraphs.filter { !$0.isEmpty }
        let isManifest = shown.joined().contains { $0.contains("swift-tools-version") || $0.hasPrefix("platforms: [") }
        if isSwift, !shown.isEmpty, !isManifest { samples.append(Sample(path: path, line: begin, paragraphs: shown)) }
        isCode.toggle()
        isSwift = isCode && line == "```swift"
        (begin, paragraphs) = (index + 1, [[]])
      } else if isSwift, line.isEmpty || line == "// …" {
        paragraphs.append([])
      } else if isSwift, !line.hasPrefix("import "), !line.hasPrefix("@testable import "), line != "@main" {
        paragraphs[paragraphs.count - 1].append(line)
      }
    }
    return samples
  }
}

@Suite struct `The rule of samples` {
  private func findings(_ sample: String, source: String, at page: String = "README.md") -> [Finding] {
    Rule.samplesCompile.check(
      House([page: "# A\n\n```swift\n\(sample)\n```\n", "Tests/ATests/Samples.swift": source]))
  }

  private let source = """
    import A

    enum Samples {
      static func run() {
        let book = Book()
        book.title = "Dune"

        book.copies += 2
      }
    }
    """

  @Test(arguments: [
    "import A\n\nlet book = Book()\nbook.title = \"Dune\"", "func run() {\n  let book = Book()",
    "let book = Book()\n// …\nbook.copies += 2",
  ])
  func `accepts what is compiled`(_ sample: String) {
    #expect(findings(sample, source: source) == [])
  }

  @Test(arguments: ["let book = Novel()", "let book = Book()\nbook.copies += 2", "book.copies += 2\nbook.copies += 2"])
  func `refuses what is not`(_ sample: String) {
    #expect(findings(sample, source: source, at: "Documentation/A.md").map(\.path) == ["Documentation/A.md"])
    #expect(findings(sample, source: source).map(\.line) == [3])
  }

  @Test func `leaves manifests, and what is no Swift`() {
    #expect(findings("// swift-tools-version: 6.2\nlet package = 1", source: source) == [])
    #expect(findings("platforms: [.macOS(\"26.0\")],", source: source) == [])
    #expect(Rule.samplesCompile.check(House(["README.md": "```sh\nmake\n```\n\n```\nlet a = 1\n```"])) == [])
  }
}
