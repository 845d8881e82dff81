import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingModel
import StarlingGuard
import Testing

@MainActor @Suite struct `The observable model` {
  let pair = Pair()

  @Test nonisolated func `row 59: is tracked property by property`() throws {
    let (here, there) = try pair.models(Book.self)
    let title = Watch { there.title }
    here.isAvailable = false
    pair.exchange()
    #expect(title.runs == 1)
    here.title = "Dune"
    pair.exchange()
    #expect(title.runs == 2)
  }

  @Test nonisolated func `row 60: is not depended upon by a read outside the observer`() throws {
    let (here, _) = try pair.models(Book.self)
    let watch = Watch { untracked { here.title } }
    _ = here.title
    here.title = "Dune"
    #expect(watch.runs == 1)
  }

  @Test nonisolated func `row 61: is depended upon by the branch that was taken`() throws {
    let (here, _) = try pair.models(Book.self)
    let watch = Watch { here.isAvailable ? here.title : "" }
    here.isAvailable = false
    here.title = "Dune"
    #expect(watch.seen == ["A sample book", ""])
    here.isAvailable = true
    here.title = "Emma"
    #expect(watch.seen == ["A sample book", "", "Dune", "Emma"])
  }

  @Test nonisolated func `row 62: is tracked through a nested model, also one that is replaced`() throws {
    let (here, _) = try pair.models(Library.self)
    let watch = Watch { here.address.name }
    here.address.name = "Ada"
    let author = Author()
    author.name = "Grace"
    here.address = author
    #expect(watch.seen == ["Nobody", "Ada", "Grace"])
  }

  @Test nonisolated func `row 63: is tracked one row of a dictionary at a time`() throws {
    let (here, _) = try pair.models(Library.self)
    let a = Watch { here.authors["a"]?.name }
    let b = Watch { here.authors["b"]?.name }
    here.authors.model(for: "a").name = "Ada"
    #expect(a.seen == [nil, "Nobody", "Ada"])
    #expect(b.runs == 1)
  }

  @Test nonisolated func `row 64: serves several narrow readers`() throws {
    let (here, _) = try pair.models(Book.self)
    let title = Watch { here.title }
    let weight = Watch { here.weight }
    here.weight = 2
    #expect((title.runs, weight.runs) == (1, 2))
  }

  @Test func `row 65: lives on the main actor without being Sendable by hand`() throws {
    let screen = try pair.here.space.model(Screen.self, named: "screen")
    screen.title = "Away"
    screen.count += 2
    #expect(screen.title == "Away")
    #expect(pair.here.handle.takeOutbox().count == 2)
  }

  @Test func `row 66: leaves ignored properties alone`() throws {
    let screen = Screen()
    #expect(screen.log.isEmpty)
    let book = Book()
    #expect(book.note == "left alone")
  }

  @Test func `row 67: leaves wrapped properties to their wrappers`() throws {
    let screen = Screen()
    screen.size = 5
    #expect(screen.size == 10)
    #expect(screen.$size == "wrapped")
    #expect(screen.cache == "made when asked")
  }

  @Test func `row 65: holds an owner weakly and tells who reads it`() {
    let screen = Screen()
    let heard = Guarded(0)
    var owner: Screen.Entries? = Screen.Entries()
    withObservationTracking {
      _ = screen.owner
    } onChange: {
      heard.withLock { $0 += 1 }
    }
    screen.owner = owner
    #expect(heard.withLock { $0 } == 1)
    #expect(screen.owner === owner)
    owner = nil
    #expect(screen.owner == nil)
  }

  @Test nonisolated func `row 70: wakes nobody by an equal write, in place or whole`() throws {
    let (here, there) = try pair.models(Book.self)
    let watch = Watch { (here.title, here.tags, here.isAvailable) }
    here.title = "A sample book"
    here.title += ""
    here.tags.formUnion([])
    here.isAvailable = true
    #expect(watch.runs == 1)
    here.title = "Dune"
    pair.exchange()
    there.title = "Emma"
    there.title = "Dune"
    pair.exchange()
    #expect(watch.runs == 2)
  }

  @Test nonisolated func `row 71: compares values without Equatable by what would be sent`() throws {
    let (here, _) = try pair.models(Plain.self)
    let watch = Watch { here.point.x }
    here.point = Plain.Point(x: 0, y: 0)
    #expect(watch.runs == 1)
    #expect(pair.here.handle.takeOutbox().isEmpty)
    here.point.x = 1
    #expect(watch.runs == 2)
  }

  @Test nonisolated func `row 72: compares the elements of a collection without Equatable one by one`() throws {
    let (here, _) = try pair.models(Plain.self)
    here.points = ["a": Plain.Point(x: 1, y: 1)]
    _ = pair.here.handle.takeOutbox()
    let watch = Watch { here.points.count }
    here.points = ["a": Plain.Point(x: 1, y: 1)]
    #expect(watch.runs == 1)
    #expect(pair.here.handle.takeOutbox().isEmpty)
  }

  @Test nonisolated func `row 73: takes a thousand equal writes for nothing`() throws {
    let (here, _) = try pair.models(Book.self)
    let watch = Watch { here.weight }
    here.weight = .nan
    _ = pair.here.handle.takeOutbox()
    for _ in 0..<1000 { here.weight = .nan }
    #expect(watch.runs == 2)
    #expect(pair.here.handle.takeOutbox().isEmpty)
  }

  @Test nonisolated func `row 74: wakes the reader of a derived value only when the result changed`() throws {
    let (here, there) = try pair.models(Book.self)
    let isLong = Derived { there.title.count > 10 }
    let watch = Watch { isLong.read() }
    here.title = "A longer title"
    pair.exchange()
    #expect(watch.runs == 1)
    here.title = "Short"
    pair.exchange()
    #expect(watch.seen == [true, false])
  }

  @Test func `row 77: runs the user's observers on local writes, equal ones too`() throws {
    let screen = try pair.here.space.model(Screen.self, named: "screen")
    screen.width = 2
    screen.width = 2
    #expect(screen.log == ["will 2", "did 1 2", "will 2", "did 2 2"])
    screen.limited = 50
    #expect(screen.limited == 10)
  }
}
