import Foundation
import Starling
import Testing

/// The sample of README.md, so that it compiles. The lines between the rules are the README's.
private enum ReadmeSample {
  // ----
  @Replicated final class Book: Sendable {
    var title = "A sample book"
    var copies: ReplicatedCounter = 0  // concurrent increments add up
    var tags: Set<String> = []  // an add wins over a concurrent remove
  }
  // ----

  static func run() async throws {
    // ----
    let replica = try await Replica.open("library")  // joins the other processes on this machine; no daemon needed
    let book = try replica.model(Book.self, named: "front-desk")

    book.title = "Dune"
    book.copies += 2

    for await title in ObservedValues({ book.title }) {  // woken by `title` alone, by local and remote writes
      print(title)
    }
    // ----
  }
}

@Suite struct `The README` {
  @Test func `shows the sample that compiles here`() throws {
    let here = URL(filePath: #filePath)
    let readme = try String(
      contentsOf: here.deletingLastPathComponent().appending(path: "../../README.md"), encoding: .utf8)
    let shown = try #require(readme.split(separator: "```swift\n").dropFirst().first?.split(separator: "```").first)
    let source = try String(contentsOf: here, encoding: .utf8).split(separator: "// ----")
    #expect(source.count >= 5)
    let compiled = "import Starling\n" + source[1] + source[3]
    #expect(Self.lines(of: String(shown)) == Self.lines(of: compiled))
  }

  private static func lines(of text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }
}
