import Foundation
import StarlingCore
import StarlingEngine
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

@Suite struct `A transaction that throws` {
  private struct Refused: Error {}
  private let pair = Pair()

  @Test func `takes back what it wrote, of every kind`() throws {
    let (book, there) = try pair.models(Book.self)
    book.title = "Dune"
    book.tags = ["a"]
    book.prices = ["de": 1]
    book.copies += 2
    book.keywords.insert("sand")
    book.loans["ann"] = 1
    pair.exchange()
    let digest = pair.here.handle.digest()
    let version = pair.here.handle.version
    let watch = Watch { book.title }
    #expect(throws: Refused.self) {
      try withTransaction(message: "Catalogue") {
        book.title = "Emma"
        book.tags = ["b"]
        book.prices["en"] = 2
        book.prices["de"] = nil
        book.copies += 3
        book.keywords.insert("spice")
        book.keywords.remove("sand")
        book.loans["ann"] = nil
        book.loans["bob"] = 3
        #expect(book.title == "Emma")
        throw Refused()
      }
    }
    #expect(book.title == "Dune")
    #expect(book.tags == ["a"] && book.prices == ["de": 1] && book.copies == 2)
    #expect(Set(book.keywords) == ["sand"] && book.loans["ann"] == 1 && book.loans["bob"] == nil)
    #expect(watch.seen.allSatisfy { $0 == "Dune" })
    #expect(pair.here.handle.takeOutbox().isEmpty)
    #expect(pair.here.handle.digest() == digest)
    #expect(pair.here.handle.version == version)
    book.title = "Persuasion"
    pair.exchange()
    #expect(there.title == "Persuasion")
    #expect(pair.here.handle.digest() == pair.there.handle.digest())
  }

  @Test func `takes back properties that nothing had been written to, which are written after it`() throws {
    let (book, there) = try pair.models(Book.self)
    for number in 1...3 {
      #expect(throws: Refused.self) {
        try withTransaction {
          book.weight = Double(number)
          book.title = "Emma"
          book.pages = 3
          throw Refused()
        }
      }
      #expect(book.weight == 1.5 && book.pages == UInt64(number - 1))
      book.title = "Dune \(number)"
      book.pages = UInt64(number)
      pair.exchange()
      #expect(there.title == "Dune \(number)" && there.pages == UInt64(number) && there.weight == 1.5)
    }
    #expect(pair.here.handle.digest() == pair.there.handle.digest())
  }

  @Test func `takes back what it did to lists, texts and models`() throws {
    let (here, there) = try pair.models(Pages.self)
    here.lines.append("one")
    here.lines.append("two")
    here.numbers = [1, 2, 3]
    here.text.append("Hello")
    here.author = Author()
    here.author?.name = "Ada"
    pair.exchange()
    let ada = try #require(here.author)
    #expect(throws: Refused.self) {
      try withTransaction {
        here.lines.insert("zero", at: 0)
        here.lines.remove(at: 2)
        here.lines[1] = "uno"
        here.numbers.append(4)
        here.numbers.remove(at: 0)
        here.text.append(", world")
        here.author = Author()
        here.author?.name = "Grace"
        throw Refused()
      }
    }
    #expect(Array(here.lines) == ["one", "two"])
    #expect(here.numbers == [1, 2, 3])
    #expect(here.text.string == "Hello")
    #expect(here.author === ada)
    ada.name = "Mary"
    here.lines.append("three")
    here.numbers.append(4)
    here.text.append("!")
    pair.exchange()
    #expect(there.author?.name == "Mary")
    #expect(Array(there.lines) == ["one", "two", "three"])
    #expect(there.numbers == [1, 2, 3, 4])
    #expect(there.text.string == "Hello!")
    #expect(pair.here.handle.digest() == pair.there.handle.digest())
  }

  @Test func `within another takes back its own writes alone`() throws {
    let (book, there) = try pair.models(Book.self)
    withTransaction(message: "Outer") {
      book.title = "Dune"
      try? withTransaction(message: "Inner") {
        book.title = "Emma"
        book.copies += 1
        throw Refused()
      }
      #expect(book.title == "Dune")
      book.pages = 7
    }
    let changes = pair.here.handle.takeOutbox()
    #expect(changes.map(\.message) == ["Outer"])
    pair.there.handle.merge(changes)
    #expect(there.title == "Dune" && there.copies == 0 && there.pages == 7)
  }

  @Test func `takes back what those within it kept`() throws {
    let (book, there) = try pair.models(Book.self)
    let (pages, _) = try pair.models(Pages.self, named: "pages")
    (book.title, book.pages) = ("Dune", 412)
    pages.text.append("Hello")
    pair.exchange()
    #expect(throws: Refused.self) {
      try withTransaction {
        book.title = "Emma"
        withTransaction {
          book.pages = 7
          pages.text.append(", world")
        }
        throw Refused()
      }
    }
    #expect(book.title == "Dune" && book.pages == 412 && pages.text.string == "Hello")
    #expect(pair.here.handle.takeOutbox().isEmpty)
    book.pages += 1
    pair.exchange()
    #expect(there.title == "Dune" && there.pages == 413)
  }

  /// What is removed next to what was removed last goes on in the same operation.
  @Test func `within another takes back its part of an operation`() throws {
    let (here, there) = try pair.models(Pages.self)
    here.text.append("Hello, dear world")
    withTransaction {
      here.text.remove(5..<6)
      try? withTransaction {
        here.text.remove(5..<10)
        throw Refused()
      }
      #expect(here.text.string == "Hello dear world")
      here.text.append("!")
    }
    #expect(here.text.string == "Hello dear world!")
    pair.exchange()
    #expect(there.text.string == here.text.string)
  }

  @Test func `keeps what was merged during it`() throws {
    let (book, there) = try pair.models(Book.self)
    book.title = "Dune"
    pair.exchange()
    there.title = "Emma"
    there.tags = ["classic"]
    let changes = pair.there.handle.takeOutbox()
    #expect(throws: Refused.self) {
      try withTransaction {
        book.title = "Persuasion"
        book.copies += 1
        pair.here.handle.merge(changes)
        throw Refused()
      }
    }
    #expect(book.title == "Emma" && book.tags == ["classic"] && book.copies == 0)
    #expect(pair.here.handle.digest() == pair.there.handle.digest())
  }

  @Test func `is no step to undo`() throws {
    let undo = pair.here.space.undoManager()
    let (book, _) = try pair.models(Book.self)
    book.title = "Dune"
    try? withTransaction {
      book.title = "Emma"
      throw Refused()
    }
    try undo.undo()
    #expect(book.title == "A sample book")
  }
}

@Suite struct `A transaction that is refused in part` {
  private let pair = Pair()

  @Test func `is refused whole, and throws that`() throws {
    let (book, there) = try pair.models(Book.self)
    let error = #expect(throws: OversizedWrite.self) {
      try withTransaction { () throws in
        book.title = "Dune"
        book.cover = Data(count: 20 << 20)
        book.copies += 1
      }
    }
    #expect(error?.part == .value)
    #expect(book.title == "A sample book" && book.cover.isEmpty && book.copies == 0)
    #expect(pair.here.handle.takeOutbox().isEmpty)
    book.pages = 3
    pair.exchange()
    #expect(there.pages == 3 && there.title == "A sample book")
  }

  @Test func `is refused whole where nothing can be thrown, and says so`() throws {
    let incidents = Incidents()
    let (book, _) = try pair.models(Book.self)
    withTransaction {
      book.title = "Dune"
      book.cover = Data(count: 20 << 20)
    }
    #expect(book.title == "A sample book" && book.cover.isEmpty)
    #expect(incidents.contains { if case .oversized(let write) = $0 { write.part == .value } else { false } })
  }
}

@Replicated final class Pages: Sendable {
  var lines: ReplicatedArray<String> = []
  var numbers: [Int] = []
  var text = ReplicatedText()
  var author: Author?
}
