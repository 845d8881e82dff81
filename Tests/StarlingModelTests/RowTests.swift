import Observation
import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import Testing

/// Rows 59 to 66: what depends on what. Each holds whoever writes.
@Suite struct `The observable model` {
  let pair = Pair()

  @Test(arguments: Writer.all) func `row 59: is tracked property by property`(writer: Writer) async throws {
    let models = try pair.models(Book.self)
    let title = Watch { models.0.title }
    try await pair.write(models, writer) { $0.isAvailable = false }
    #expect(title.runs == 1)
    try await pair.write(models, writer) { $0.title = "Dune" }
    #expect(title.seen == ["A sample book", "Dune"])
  }

  @Test(arguments: Writer.all)
  func `row 60: is not depended upon by a read outside the observer`(writer: Writer) async throws {
    let models = try pair.models(Book.self)
    let watch = Watch { untracked { models.0.title } }
    _ = models.0.title
    try await pair.write(models, writer) { $0.title = "Dune" }
    #expect(watch.runs == 1)
  }

  @Test(arguments: Writer.all)
  func `row 61: is depended upon by the branch that was taken`(writer: Writer) async throws {
    let models = try pair.models(Book.self)
    let watch = Watch { models.0.isAvailable ? models.0.title : "" }
    try await pair.write(models, writer) { $0.isAvailable = false }
    try await pair.write(models, writer) { $0.title = "Dune" }
    #expect(watch.seen == ["A sample book", ""])
    try await pair.write(models, writer) { $0.isAvailable = true }
    try await pair.write(models, writer) { $0.title = "Emma" }
    #expect(watch.seen == ["A sample book", "", "Dune", "Emma"])
  }

  @Test(arguments: Writer.all)
  func `row 62: is tracked through a nested model, also one that is replaced`(writer: Writer) async throws {
    let models = try pair.models(Library.self)
    let watch = Watch { models.0.owner?.name }
    try await pair.write(models, writer) { $0.owner = Author() }
    try await pair.write(models, writer) { $0.owner?.name = "Ada" }
    try await pair.write(models, writer) { library in
      let author = Author()
      author.name = "Grace"
      library.owner = author
    }
    #expect(watch.seen == [nil, "Nobody", "Ada", "Grace"])
  }

  @Test(arguments: Writer.all)
  func `row 63: is tracked one row of an array or a dictionary at a time`(writer: Writer) async throws {
    let novels = try pair.models(Novel.self)
    novels.0.add("a", "b", "c")
    pair.exchange()
    let rows = novels.0.chapters.map { chapter in Watch { chapter.title } }
    try await pair.write(novels, writer) { $0.chapters[1].title = "B" }
    #expect(rows.map(\.runs) == [1, 2, 1])

    let libraries = try pair.models(Library.self, named: "city")
    let a = Watch { libraries.0.authors["a"]?.name }
    let b = Watch { libraries.0.authors["b"]?.name }
    try await pair.write(libraries, writer, named: "city") { $0.authors.model(for: "a").name = "Ada" }
    #expect(a.seen.last == "Ada")
    #expect(b.runs == 1)
  }

  @Test(arguments: Writer.all) func `row 64: serves several narrow readers`(writer: Writer) async throws {
    let models = try pair.models(Book.self)
    let title = Watch { models.0.title }
    let weight = Watch { models.0.weight }
    try await pair.write(models, writer) { $0.weight = 2 }
    #expect((title.runs, weight.runs) == (1, 2))
  }

  @MainActor @Test func `row 65: lives on the main actor without being Sendable by hand`() throws {
    let screen = try pair.here.space.model(Screen.self, named: "screen")
    screen.title = "Away"
    screen.count += 2
    #expect(screen.title == "Away")
    #expect(pair.here.handle.takeOutbox().count == 2)
  }

  @MainActor @Test func `row 65: holds an owner weakly and tells its readers`() {
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

  @MainActor @Test func `row 66: leaves ignored properties alone, and keeps local ones here`() throws {
    let screen = Screen()
    let watch = Mainly { screen.log.count }
    screen.width = 7
    #expect(watch.runs == 1)

    let (book, there) = try pair.models(Book.self)
    #expect(book.note == "left alone")
    let isExpanded = Watch { book.isExpanded }
    book.isExpanded = true
    pair.exchange()
    #expect(isExpanded.seen == [false, true])
    #expect(!there.isExpanded)
  }

  @MainActor @Test func `row 67: leaves wrapped properties to their wrappers`() {
    let screen = Screen()
    screen.size = 5
    #expect(screen.size == 10)
    #expect(screen.$size == "wrapped")
    #expect(screen.cache == "made when asked")
  }

  @MainActor @Test func `row 68: composes with any wrapper, one that takes arguments and one that reads a store`()
    throws
  {
    let settings = try pair.here.space.model(Settings.self, named: "settings")
    let watch = Mainly { settings.theme }
    settings.theme = "dark"
    settings.fontSize = 99
    settings.last = "here"
    #expect(watch.seen == ["light", "dark"])
    #expect(settings.fontSize == 32)
    #expect(Stored<String>.values["last"] as? String == "here")
    #expect(pair.here.handle.takeOutbox().count == 1)
  }
}

/// Rows 70 to 76: what wakes nobody although it is written.
@Suite struct `A write that changes nothing seen` {
  let pair = Pair()

  @Test(arguments: Writer.all)
  func `row 70: of an equal value wakes nobody, in place, whole or merged`(writer: Writer) async throws {
    let models = try pair.models(Book.self)
    let here = models.0
    let watch = Watch { (here.title, here.tags, here.isAvailable) }
    try await pair.write(models, writer) { book in
      book.title = "A sample book"
      book.title += ""
      book.tags.formUnion([])
      book.isAvailable = true
    }
    #expect(watch.runs == 1)
    try await pair.write(models, writer) { $0.title = "Dune" }
    #expect(watch.runs == 2)
    // Two operations, whose sum is nothing new.
    try await pair.write(models, .anotherReplica) { book in
      book.title = "Emma"
      book.title = "Dune"
    }
    #expect(watch.runs == 2)
  }

  @Test(arguments: Writer.all)
  func `row 71: is known without Equatable, by what would be sent`(writer: Writer) async throws {
    let models = try pair.models(Plain.self)
    let watch = Watch { models.0.point.x }
    _ = (pair.here.handle.takeOutbox(), pair.there.handle.takeOutbox())
    try await pair.write(models, writer) { $0.point = Plain.Point(x: 0, y: 0) }
    #expect(watch.runs == 1)
    #expect(pair.here.handle.takeOutbox().isEmpty)
    try await pair.write(models, writer) { $0.point.x = 1 }
    #expect(watch.runs == 2)
  }

  @Test(arguments: Writer.all)
  func `row 72: is known of a collection without Equatable element by element`(writer: Writer) async throws {
    let models = try pair.models(Plain.self)
    try await pair.write(models, writer) { $0.points = ["a": Plain.Point(x: 1, y: 1)] }
    let watch = Watch { models.0.points.count }
    try await pair.write(models, writer) { $0.points = ["a": Plain.Point(x: 1, y: 1)] }
    #expect(watch.runs == 1)
    try await pair.write(models, writer) { $0.points["b"] = Plain.Point(x: 1, y: 1) }
    #expect(watch.seen == [1, 2])
  }

  @Test(arguments: Writer.all)
  func `row 73: is nothing a thousand times over, and sends nothing`(writer: Writer) async throws {
    let models = try pair.models(Book.self)
    let watch = Watch { models.0.weight }
    try await pair.write(models, writer) { $0.weight = .nan }
    pair.exchange()
    for _ in 0..<1000 { models.0.weight = .nan }
    for _ in 0..<1000 { models.1.weight = .nan }
    #expect(watch.runs == 2)
    #expect(pair.here.handle.takeOutbox().isEmpty)
    #expect(pair.there.handle.takeOutbox().isEmpty)
  }

  @Test(arguments: Writer.all)
  func `row 74: in a derived property wakes its reader only where the result differs`(writer: Writer) async throws {
    let models = try pair.models(Roster.self)
    let current = Watch { models.0.currentName }
    try await pair.write(models, writer) { roster in
      withTransaction {
        roster.add("Ada", "Grace")
        roster.currentIndex = 1
      }
    }
    #expect(current.seen == ["", "Grace"])
    try await pair.write(models, writer) { $0.users[0].name = "Augusta" }
    try await pair.write(models, writer) { $0.users[1].email = "grace@navy" }
    #expect(current.runs == 2)
    try await pair.write(models, writer) { $0.users[1].name = "Hopper" }
    #expect(current.seen == ["", "Grace", "Hopper"])
  }

  @Test(arguments: Writer.all)
  func `row 75: is in another field of a struct that is a record`(writer: Writer) async throws {
    let models = try pair.models(Account.self)
    let name = Watch { models.0.profile.name }
    try await pair.write(models, writer) { $0.profile.nickname = "countess" }
    #expect(name.runs == 1)
    try await pair.write(models, writer) { $0.profile.name = "Ada" }
    #expect(name.seen == ["Nobody", "Ada"])
  }

  @Test(arguments: Writer.all)
  func `row 76: is in another row of an array`(writer: Writer) async throws {
    let models = try pair.models(Album.self)
    models.0.songs.append(contentsOf: (0..<10).map { "song \($0)" })
    pair.exchange()
    let fifth = Watch { models.0.songs[5] }
    let count = Watch { models.0.songs.count }
    try await pair.write(models, writer) { $0.songs[7] = "changed" }
    #expect((fifth.runs, count.runs) == (1, 1))
    try await pair.write(models, writer) { $0.songs[5] = "changed" }
    #expect((fifth.runs, count.runs) == (2, 1))
  }
}

/// Rows 77 to 82.
@Suite struct `What users do against such waste` {
  let pair = Pair()

  @MainActor @Test func `row 77: runs on local writes, equal ones too`() throws {
    let screen = try pair.here.space.model(Screen.self, named: "screen")
    screen.width = 2
    screen.width = 2
    #expect(screen.log == ["will 2", "did 1 2", "will 2", "did 2 2"])
    screen.limited = 50
    #expect(screen.limited == 10)
  }

  @Test func `row 77: keeps a cache in a property's observer, whose readers it spares`() throws {
    let (here, _) = try pair.models(Cached.self)
    let watch = Watch { here.currentUser }
    here.users = ["Ada", "Grace"]
    here.currentIndex = 1
    #expect(watch.seen == ["", "Ada", "Grace"])
    here.users[0] = "Augusta"
    #expect(watch.runs == 3)
  }

  @Test(arguments: Writer.all)
  func `row 78: gives each row a model of its own`(writer: Writer) async throws {
    let models = try pair.models(Roster.self)
    try await pair.write(models, writer) { $0.add("Ada", "Grace") }
    pair.exchange()
    let rows = models.0.users.map { user in Watch { user.name + user.email } }
    try await pair.write(models, writer) { $0.users[1].email = "grace@navy" }
    #expect(rows.map(\.runs) == [1, 2])
  }

  @Test(arguments: Writer.all)
  func `row 79: counts what is available, and not what else is edited`(writer: Writer) async throws {
    let models = try pair.models(Catalogue.self)
    try await pair.write(models, writer) { $0.books = (0..<3).map { _ in Volume() } }
    pair.exchange()
    let computed = models.0.computations.count
    let count = Watch { models.0.availableBooksCount }
    try await pair.write(models, writer) { $0.books[0].title = "Dune" }
    #expect(count.runs == 1)
    #expect(models.0.computations.count == computed + 1)
    try await pair.write(models, writer) { $0.books[0].isAvailable = false }
    #expect(count.seen == [3, 2])
    try await pair.write(models, writer) { $0.books.remove(at: 2) }
    #expect(count.seen == [3, 2, 1])
    // Nobody's observer, and still computed once.
    let before = models.0.computations.count
    for _ in 0..<10 { #expect(models.0.availableBooksCount == 1) }
    #expect(models.0.computations.count == before)
  }

  @MainActor @Test func `row 161: is no mark on a wrapped property, which replicates nothing without one`() throws {
    let settings = try pair.here.space.model(Settings.self, named: "settings")
    let watch = Mainly { settings.theme }
    settings.fontSize = 99
    settings.last = "here"
    #expect(settings.fontSize == 32)
    #expect(pair.here.handle.takeOutbox().isEmpty)
    settings.theme = "dark"
    #expect(pair.here.handle.takeOutbox().count == 1)
    #expect(watch.seen == ["light", "dark"])
  }

  @Test(arguments: Writer.all)
  func `row 162: is no Equatable on what is written often`(writer: Writer) async throws {
    let models = try pair.models(Plain.self)
    let watch = Watch { (models.0.point.x, models.0.points.count) }
    try await pair.write(models, writer) { $0.point = Plain.Point(x: 1, y: 2) }
    pair.exchange()
    for _ in 0..<1000 { try await pair.write(models, writer) { $0.point = Plain.Point(x: 1, y: 2) } }
    #expect(watch.seen.map(\.0) == [0, 1])
    #expect(pair.here.handle.takeOutbox().isEmpty)
    #expect(pair.there.handle.takeOutbox().isEmpty)
  }

  @Test func `row 80: is told by a reference that is replaced by an equal one`() {
    let holder = Holder()
    let watch = Watch { holder.badge.number }
    holder.badge = Badge()
    #expect(watch.runs == 2)
    let same = holder.badge
    holder.badge = same
    #expect(watch.runs == 2)
  }

  @Test func `row 81: is cut off and named where an observer writes what it reads`() throws {
    let reports = Guarded<[GraphDiagnostic]>([])
    let (here, _) = try pair.models(Endless.self)
    let watch = GraphDiagnostics.$collector.withValue(.init { report in reports.withLock { $0.append(report) } }) {
      Watch {
        here.laps = here.laps + 1
        return 0
      }
    }
    // The first run, and a hundred in the flush.
    #expect(watch.runs == 101)
    guard case .cycle(_, runs: 100, writes: ["Endless.laps"])? = reports.withLock({ $0 }).first else {
      Issue.record("No cycle was reported that names the property.")
      return
    }
    here.laps = -1
    #expect(watch.runs > 101)
  }
}

/// Counts the runs of an observer on the main actor, for writes in its own job.
@MainActor final class Mainly<Content: Sendable> {
  private(set) var seen: [Content] = []
  private var observer: Observer?
  private let read: () -> Content

  init(_ read: @escaping () -> Content) {
    self.read = read
    observer = Observer(named: "\(Self.self)") { [weak self] in MainActor.assumeIsolated { self?.run() } }
    run()
  }

  private func run() {
    guard let observer else { return }
    observer.track { seen.append(read()) }
  }

  var runs: Int { seen.count }
}
