import Foundation
import Logging
import Starling
import StarlingEngine
import Testing

// The samples of pages, so that they compile. Tests/HouseTests/Rules/SampleRule.swift holds each page to what stands
// between two lines of dashes here, or in another test or example.

/// Documentation/Start.md, before there is a second machine; the whole is Examples/Groceries.
private enum StartSample {
  @Replicated final class ShoppingList: Sendable {
    var text = ""

    func add(_ name: String) { text += name }
    func buy(_ name: String) { text = text.replacing(name, with: "") }
  }

  // ----
  struct Groceries {
    static func main() async throws {
      let replica = try await Replica.open("groceries")
      let list = try replica.model(ShoppingList.self, named: "home")
      await replica.synchronize()  // fetches what the other processes have

      let words = CommandLine.arguments.dropFirst()
      let name = words.dropFirst().joined(separator: " ")
      switch words.first {
      case "add": list.add(name)
      case "buy": list.buy(name)
      default:
        for await text in ObservedValues({ list.text }) { print(text, terminator: "\n\n") }
      }
      try await replica.flush(until: .received(1))  // waits until another process has it
      try await replica.close()
    }
  }
  // ----
}

/// Documentation/Model.md.
enum ModelSample {
  @Replicated final class Chapter: Sendable {
    var title = ""
  }

  @Replicated final class Author: Sendable {
    var name = ""
  }

  @Replicated final class Part: Sendable {
    var chapters: [Chapter] = []
  }

  @ReplicatedFields struct Size: Sendable {
    var width = 0
    var height = 0
  }

  struct TooMany: Error {}

  // ----
  @Replicated final class Book: Sendable {
    var title = "Untitled"
    var copies: ReplicatedCounter = 0
    var tags: Set<String> = []
    var prices: [String: Int] = [:]
    var chapters: [Chapter] = []
    var blurb = ReplicatedText()
    var author: Author? = nil
    var size = ReplicatedRecord(Size())
    var sequel: ReplicatedReference<Book> = nil
    @Local var isExpanded = false
  }
  // ----

  static func settle(_ book: Book) {
    // ----
    let titles = book.conflicts(of: \.title)  // the visible one first; empty where there is no conflict
    for title in titles { print(title.value, "by", title.author) }
    if let chosen = titles.last { book.title = chosen.value }  // writing settles it
    // ----
  }

  static func count(_ book: Book) {
    // ----
    book.copies += 2
    book.copies -= 1
    print(book.copies.value)
    // ----
  }

  static func publish(_ book: Book) throws {
    // ----
    try withTransaction(message: "New edition") {
      book.title = "Dune, second edition"
      book.copies += 100
      guard book.copies.value <= 1_000 else { throw TooMany() }
    }
    // ----
  }

  static func move(_ book: Book, _ part: Part) {
    // ----
    let chapter = Chapter()
    chapter.title = "One"
    book.chapters.append(chapter)  // from here on it replicates

    withTransaction { part.chapters.append(book.chapters.remove(at: 0)) }  // a move: still the same chapter
    book.chapters.removeAll { $0.title.isEmpty }  // removed for everybody
    // ----
  }

  static func write(_ book: Book) {
    // ----
    book.blurb.append("Once upon a time")
    book.blurb.insert(" there was", at: 9)
    book.blurb.mark(0..<4, "bold", true)
    let cursor = book.blurb.cursor(at: 4)  // stays with its neighbours while others type
    print(book.blurb.offset(of: cursor) ?? 0)
    // ----
  }

  static func open(_ replica: Replica) async throws -> Book? {
    // ----
    guard let name = DocumentID("drafts") else { return nil }
    let drafts = ModelSpace(try await replica.engine.open(name))
    let book = try drafts.model(Book.self, named: "front-desk", isolation: nil)
    // ----
    return book
  }
}

@Suite struct `The page about models` {
  typealias Book = ModelSample.Book

  @Test func `shows a transaction that is taken back where its body throws`() throws {
    let book = Book()
    try ModelSample.publish(book)
    book.copies += 1_000
    #expect(throws: ModelSample.TooMany.self) { try ModelSample.publish(book) }
    #expect(book.title == "Dune, second edition")
  }

  @Test func `shows counting, moving and writing`() async throws {
    let group = try Group()
    let replica = try await group.open { $0.joinsThisMachine = false }
    let book = try replica.model(Book.self, named: "front-desk", isolation: nil)
    let part = try replica.model(ModelSample.Part.self, named: "part", isolation: nil)
    ModelSample.count(book)
    #expect(book.copies == 1)
    ModelSample.move(book, part)
    #expect(book.chapters.isEmpty)
    #expect(part.chapters.map(\.title) == ["One"])
    ModelSample.write(book)
    #expect(book.blurb.string == "Once upon there was a time")
    ModelSample.settle(book)
    #expect(book.title == "Untitled")
    let draft = try #require(try await ModelSample.open(replica))
    draft.title = "Draft"
    #expect(book.title == "Untitled")
    try await replica.close()
  }
}

/// Documentation/Observe.md.
private enum ObserveSample {
  static func follow(_ book: ModelSample.Book) async {
    // ----
    for await title in ObservedValues({ book.title }) {  // a sequence of values, for tasks
      print(title)
    }
    // ----
  }

  static func watch(_ book: ModelSample.Book) {
    // ----
    let observer = observe { print(book.title, book.copies.value) }  // runs now, and again after each change
    book.title = "Dune"
    observer.cancel()  // or drop it: an observer that nobody holds ends
    // ----
  }

  static func meet(_ replica: Replica) {
    // ----
    replica.presence[.field] = .title
    for other in replica.presence.others(.field) { print("\(other.id) is in \(other.content)") }
    // ----
  }

  // ----
  @MainActor final class Desk {
    let book: Book
    private(set) var lines: [String] = []

    init(_ book: Book) {
      self.book = book
    }

    func follow() async {
      for await title in ObservedValues({ [book] in book.title }) { lines.append(title) }
    }
  }
  // ----
}

// ----
enum FormField: String { case title, blurb }

extension PresenceKey<FormField> {
  static let field = PresenceKey("field")
}
// ----

extension ModelSample.Book {
  // ----
  var summary: String { derived { "\($0.title), \($0.copies.value) copies" } }
  // ----
}

/// Documentation/Securing.md.
private enum SecuringSample {
  static func open(_ serverKey: String) async throws -> Replica {
    // ----
    var options = Replica.Options()
    options.connect = ["tcp://\(serverKey)@server.example.org:7400"]
    options.keys = KeyDirectory("/etc/library/keys")
    let replica = try await Replica.open("library", options: options)
    // ----
    return replica
  }
}

/// Documentation/TestingYourApp.md.
@Suite struct `The page about tests` {
  @Test func `shows a model alone`() {
    // ----
    let book = Book()
    book.copies += 2
    #expect(book.copies == 2)
    // ----
  }

  @Test func `shows one replica in memory`() async throws {
    let group = try Group()
    let directory = group.path
    // ----
    var options = Replica.Options()
    options.joinsThisMachine = false
    options.socketDirectory = directory  // a directory of this test, with mode 700
    options.logger.logLevel = .critical
    let replica = try await Replica.open("test", options: options)
    let book = try replica.model(Book.self, named: "front-desk", isolation: nil)
    // ----
    book.title = "Dune"
    #expect(book.title == "Dune")
    try await replica.close()
  }

  private func report() {
    // ----
    ModelDiagnostics.handler = { incident in Issue.record("\(incident)") }
    // ----
  }
}
