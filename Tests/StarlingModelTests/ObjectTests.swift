import StarlingModelTestSupport
import Synchronization
import StarlingEngine
import StarlingModel
import StarlingGuard
import Testing

@Suite struct `A nested model` {
  let pair = Pair()

  @Test func `that is declared has one identity on every replica`() throws {
    let (here, there) = try pair.models(Library.self)
    let name = Watch { there.address.name }
    here.address.name = "Ada"
    pair.exchange()
    #expect(there.address.name == "Ada")
    #expect(name.seen == ["Nobody", "Ada"])
  }

  @Test func `that is assigned carries its values along`() throws {
    let (here, there) = try pair.models(Library.self)
    let owner = Watch { there.owner?.name }
    let author = Author()
    author.name = "Grace"
    here.owner = author
    pair.exchange()
    #expect(owner.seen == [nil, "Grace"])
    author.name = "Grace H."
    pair.exchange()
    #expect(owner.seen == [nil, "Grace", "Grace H."])
    #expect(here.owner === author)
    there.owner?.name = "Hopper"
    pair.exchange()
    #expect(author.name == "Hopper")
  }

  @Test func `that was removed keeps its values and drops its writes`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Library.self)
    here.owner = Author()
    pair.exchange()
    let owner = try #require(there.owner)
    here.owner = nil
    pair.exchange()
    #expect(there.owner == nil)
    owner.name = "Nobody hears this"
    #expect(pair.there.handle.takeOutbox().isEmpty)
    #expect(owner.name == "Nobody")
    #expect(incidents.contains { if case .writeToRemoved(_, property: "Author.name") = $0 { true } else { false } })
    #expect(incidents.contains { "\($0)" == "a write to Author.name was dropped, for its object has been removed" })
  }

  @Test func `that its class declares is refused in another place`() throws {
    let incidents = Incidents()
    let (here, _) = try pair.models(Library.self)
    here.address.name = "Ada"
    _ = pair.here.handle.takeOutbox()
    here.authors["x"] = here.address
    #expect(here.authors["x"] == nil)
    #expect(pair.here.handle.takeOutbox().isEmpty)
    #expect(incidents.contains { "\($0)".contains("ReplicatedReference<Author>") })
  }

  @Test func `that takes the place of a declared one brings its values`() throws {
    let (here, there) = try pair.models(Library.self)
    here.address.name = "Ada"
    let old = here.address
    let new = Author()
    new.name = "Grace"
    here.address = new
    pair.exchange()
    #expect(there.address.name == "Grace")
    new.name = "Hopper"
    pair.exchange()
    #expect(there.address.name == "Hopper")
    let incidents = Incidents()
    old.name = "gone"
    #expect(incidents.contains { if case .writeToRemoved = $0 { true } else { false } })
  }

  @Test func `is pointed at by a reference until it is gone`() throws {
    let (here, there) = try pair.models(Library.self)
    let author = Author()
    author.name = "Ada"
    here.authors["ada"] = author
    here.favourite = ReplicatedReference(author)
    pair.exchange()
    let favourite = Watch { there.favourite.target?.name }
    #expect(favourite.seen == ["Ada"])
    here.authors["ada"] = nil
    pair.exchange()
    #expect(favourite.seen == ["Ada", nil])
    #expect(here.favourite.target == nil)
  }

  @Test func `that was made by its key is reached and written through a reference first`() throws {
    let (here, there) = try pair.models(Library.self)
    let author = here.authors.model(for: "ada")
    author.name = "Ada"
    here.favourite = ReplicatedReference(author)
    pair.exchange()
    let target = try #require(there.favourite.target)
    #expect(target.name == "Ada")
    target.name = "Ada L."
    pair.exchange()
    #expect(author.name == "Ada L.")
    #expect(there.authors["ada"] === target)
    here.authors["ada"] = nil
    pair.exchange()
    #expect(there.favourite.target == nil)
    #expect(there.authors.isEmpty)
  }
}

@Suite struct `A dictionary of models` {
  let pair = Pair()

  @Test func `gives one object to all who make it by its key`() throws {
    let (here, there) = try pair.models(Library.self)
    here.authors.model(for: "ada").name = "Ada"
    let grace = there.authors.model(for: "ada")
    pair.exchange()
    #expect(grace.name == "Ada")
    #expect(here.authors.model(for: "ada") === here.authors.model(for: "ada"))
    #expect(here.authors.keys == ["ada"])
    #expect(there.authors.count == 1)
  }

  @Test func `wakes the readers of one key, of the count and of the keys apart`() throws {
    let (here, there) = try pair.models(Library.self)
    let ada = Watch { there.authors["ada"]?.name }
    let bob = Watch { there.authors["bob"]?.name }
    let count = Watch { there.authors.count }
    here.authors.model(for: "ada").name = "Ada"
    pair.exchange()
    #expect(ada.seen == [nil, "Ada"])
    #expect(bob.runs == 1)
    #expect(count.seen == [0, 1])
    here.authors.model(for: "ada").name = "Ada L."
    pair.exchange()
    #expect(ada.seen == [nil, "Ada", "Ada L."])
    #expect(count.runs == 2)
  }

  @Test func `makes no instance for a change that nobody reads`() throws {
    let (here, there) = try pair.models(Drawer.self)
    here.cards.model(for: "ada").name = "Ada"
    let made = Card.made.load(ordering: .relaxed)
    pair.exchange()
    #expect(there.cards.count == 1)
    #expect(Card.made.load(ordering: .relaxed) == made)
    #expect(there.cards["ada"]?.name == "Ada")
    #expect(Card.made.load(ordering: .relaxed) == made + 1)
  }

  @Test func `carries its entries into the document`() throws {
    let (here, there) = try pair.models(Branches.self)
    let library = Library()
    library.authors["x"] = Author()
    library.authors["x"]?.name = "Emma"
    library.authors.model(for: "y").name = "Jane"
    library.address.name = "Main Street"
    here.main = library
    pair.exchange()
    #expect(there.main?.authors["x"]?.name == "Emma")
    #expect(there.main?.authors["y"]?.name == "Jane")
    #expect(there.main?.address.name == "Main Street")
    library.authors["x"]?.name = "Austen"
    pair.exchange()
    #expect(there.main?.authors["x"]?.name == "Austen")
  }
}

@Suite struct `A replicated set` {
  let pair = Pair()

  @Test func `wakes the readers of one member and of the count apart`() throws {
    let (here, there) = try pair.models(Book.self)
    let a = Watch { there.keywords.contains("a") }
    let b = Watch { there.keywords.contains("b") }
    let count = Watch { there.keywords.count }
    here.keywords.insert("a")
    pair.exchange()
    #expect(a.seen == [false, true])
    #expect(b.runs == 1)
    #expect(count.seen == [0, 1])
    here.keywords = ["b", "c"]
    pair.exchange()
    #expect(Array(there.keywords) == ["b", "c"])
    #expect(a.seen == [false, true, false])
    #expect(count.seen == [0, 1, 2])
  }
}

@Suite struct `An instance` {
  @Test func `is one for its name while somebody holds it, and goes with its last holder`() throws {
    let pair = Pair()
    var book: Book? = try pair.here.space.model(Book.self, named: "front-desk", isolation: nil)
    let again = try pair.here.space.model(Book.self, named: "front-desk", isolation: nil)
    #expect(book === again)
    let other = Pair()
    book = try other.here.space.model(Book.self, named: "front-desk", isolation: nil)
    weak let gone = book
    book?.title = "Dune"
    book = nil
    #expect(gone == nil)
    let back = try other.here.space.model(Book.self, named: "front-desk", isolation: nil)
    #expect(back.title == "Dune")
  }

  @Test func `of another class under one name is refused`() throws {
    let pair = Pair()
    let book = try pair.here.space.model(Book.self, named: "front-desk", isolation: nil)
    #expect(throws: ModelError.self) { try pair.here.space.model(Author.self, named: "front-desk", isolation: nil) }
    withExtendedLifetime(book) {}
  }

  @Test func `on its own is an observable like any other`() {
    let book = Book()
    let title = Watch { book.title }
    book.title = "Dune"
    book.title = "Dune"
    book.copies += 2
    book.keywords.insert("x")
    #expect(title.seen == ["A sample book", "Dune"])
    #expect(book.copies == 2)
    #expect(book.keywords.contains("x"))
  }

  @Test func `is made by the user's own initializer`() {
    let letter = Letter(subject: "Hello")
    #expect(letter.subject == "Hello")
    #expect(letter.words == 6)
    #expect(letter.to == "first!")
  }

  @Test func `is made by an initializer that assigns some of its properties, once or more`() throws {
    let light = Parcel(isHeavy: false)
    #expect(light.weight == 2)
    #expect(light.marks == ["y"])
    #expect((light.default, light.label, light.note, light.size) == (3, "x", "", 7))
    #expect(Parcel(isHeavy: true).weight == 11)
    #expect(Parcel(size: 8).size == 8)
    #expect(Parcel(size: 8).note == "none")
    let opened = try Pair().models(Parcel.self).0
    #expect(opened.weight == 1)
    #expect((opened.default, opened.label, opened.note, opened.size) == (0, nil, "", 7))
  }

  @Test func `takes each default once, also where its initializer assigns the property`() {
    let first = Voucher(adding: 0).number
    #expect(Voucher(adding: 10).number == first + 11)
    #expect(Voucher(adding: 0).number == first + 2)
  }
}

/// Collects incidents while it lives. Suites that use it may run side by side, so it only asks what is there.
final class Incidents: Sendable {
  private static let all = Guarded<[ModelIncident]>([])
  private let start: Int

  init() {
    ModelDiagnostics.handler = { incident in Incidents.all.withLock { $0.append(incident) } }
    start = Incidents.all.withLock { $0.count }
  }

  func contains(_ predicate: (ModelIncident) -> Bool) -> Bool {
    Incidents.all.withLock { $0[start...].contains(where: predicate) }
  }
}
