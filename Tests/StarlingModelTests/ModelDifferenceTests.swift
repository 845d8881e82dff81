import Foundation
import StarlingCore
import StarlingEngine
import StarlingModel
import StarlingModelTestSupport
import Testing

@Replicated final class Cupboard: Sendable {
  var rows: ReplicatedArray<Row> = []
  var favourites: [String: ReplicatedReference<Chapter>] = [:]

  @Replicated final class Row: Sendable {
    var chapters: ReplicatedArray<Chapter> = []
  }
}

@Replicated final class Chain: Sendable {
  var number = 0
  var next: Chain?
}

/// What is done to a ledger, and what is told of it.
private struct Step: Sendable, CustomStringConvertible {
  var description: String
  var write: @Sendable (Ledger) -> Void
  var lines: [String]

  init(_ description: String, _ lines: [String], _ write: @escaping @Sendable (Ledger) -> Void) {
    (self.description, self.lines, self.write) = (description, lines, write)
  }

  static let all: [Step] = [
    Step("a property", [#".title: "First" → "Second""#]) { $0.title = "Second" },
    Step("a struct", [".size: Size(width: 4, height: 2) → Size(width: 9, height: 2)"]) { $0.size.width = 9 },
    Step("a counter", [".total: 5 → 3 (-2)"]) { $0.total -= 2 },
    Step("a set", [#".tags: added "b""#, #".tags: removed "a""#]) { $0.tags = ["b"] },
    Step("a dictionary", [#".prices["a"]: 1 → 2"#, #".prices["b"]: added 3"#]) { $0.prices = ["a": 2, "b": 3] },
    Step("an entry that goes", [#".prices["a"]: removed 1"#]) { $0.prices = [:] },
    Step("an array", [#".lines[2]: added "b""#]) { $0.lines.append("b") },
    Step("an element", [#".lines[1]: "a" → "b""#]) { $0.lines[1] = "b" },
    Step("elements that change places", [".lines[0]: moved from [1]"]) { $0.lines.swapAt(0, 1) },
    Step("a nested model", [#".owner.name: "Ada" → "Bea""#]) { $0.owner.name = "Bea" },
    Step("a model that goes", [#".editor: removed Author(name: "Ben")"#]) { $0.editor = nil },
    Step("a model in place of another", [".editor: added Author()", #".editor: removed Author(name: "Ben")"#]) {
      $0.editor = Author()
    },
    Step("a property of an element", [#".chapters[1].title: "two" → "zwei""#]) { $0.chapters[1].title = "zwei" },
    Step("a model that comes", [#".chapters[0]: added Chapter(title: "zero", pages: 3)"#]) { ledger in
      let chapter = Chapter()
      (chapter.title, chapter.pages) = ("zero", 3)
      ledger.chapters.insert(chapter, at: 0)
    },
    Step("an element that goes", [#".chapters[0]: removed Chapter(title: "one")"#]) { $0.chapters.removeFirst() },
    Step(
      "an element that goes, and one that is written",
      [#".chapters[0].title: "two" → "zwei""#, #".chapters[0]: removed Chapter(title: "one")"#]
    ) {
      $0.chapters.removeFirst()
      $0.chapters[0].title = "zwei"
    },
    Step("a replicated array", [#".songs[0]: "one" → "uno""#, #".songs[2]: added "three""#]) {
      $0.songs[0] = "uno"
      $0.songs.append("three")
    },
    Step("models that change places", [".rows[0]: moved from [1]"]) { $0.rows.move(fromOffsets: [0], toOffset: 2) },
    Step("a property of a row", [".rows[1].pages: 0 → 4"]) { $0.rows[1].pages = 4 },
    Step(
      "a model that moves and is written",
      [".rows[2]: moved from Ledger “ledger”.chapters[0]", #".rows[2].title: "one" → "moved""#]
    ) { ledger in
      withTransaction { ledger.rows.append(ledger.chapters.remove(at: 0)) }
      ledger.rows[2].title = "moved"
    },
    Step("a replicated set", [#".keywords: added "three""#, #".keywords: removed "one""#]) {
      $0.keywords.insert("three")
      $0.keywords.remove("one")
    },
    Step("a replicated dictionary", [#".loans["one"]: 3 → 4"#, #".loans["two"]: removed 3"#]) {
      $0.loans["one"] = 4
      $0.loans["two"] = nil
    },
    Step("models by key", [#".byName["one"].title: "by name" → "1""#, #".byName["two"]: added Chapter(title: "2")"#]) {
      $0.byName.model(for: "one").title = "1"
      $0.byName.model(for: "two").title = "2"
    },
    Step("a model by key that goes", [#".byName["one"]: removed Chapter(title: "by name")"#]) {
      $0.byName["one"] = nil
    },
    Step("a text", [#".blurb: inserted "!" at 4"#]) { $0.blurb.insert("!", at: 4) },
    Step("a text that is cut", [#".blurb: removed "Read " at 0"#]) { $0.blurb.string = "me, please" },
    Step("a reference", [".first: Ledger “ledger”.rows[0] → Ledger “ledger”.rows[1]"]) {
      $0.first = ReplicatedReference($0.rows[1])
    },
    Step("a record", [#".trip.name: "Home" → "Sea""#, #".trip.stops[1]: added "b""#]) {
      $0.trip.name = "Sea"
      $0.trip.stops.append("b")
    },
    Step("nothing that is seen", []) {
      $0.title = "other"
      $0.title = "First"
    },
  ]
}

@Suite struct `What differs between two versions` {
  let pair = Pair()

  private func ledger() throws -> Ledger {
    try pair.here.space.model(Ledger.self, named: "ledger", isolation: nil)
  }

  private let named = [NamedModel(Ledger.self, named: "ledger")]

  @Test(arguments: Step.all)
  private func `is told by model, property, element and values, of`(_ step: Step) throws {
    let ledger = try ledger()
    ledger.fill()
    let past = try pair.here.past()
    step.write(ledger)
    let differences = try past.differences(to: try pair.here.past(), in: named)
    #expect(Set(differences.models.map { "\($0)" }) == Set(step.lines.map { "Ledger “ledger”\($0)" }))
    #expect(differences.models.count == step.lines.count)
    #expect(differences.rest.isEmpty)
    // And nothing is planted on the way.
    #expect(try past.differences(to: past, in: named).isEmpty)
  }

  @Test func `counts from the defaults where nobody had written`() throws {
    let past = try pair.here.past()
    let ledger = try ledger()
    ledger.lines.append("a")
    ledger.blurb.append(", please")
    ledger.owner.name = "Ada"
    ledger.total += 1
    ledger.trip.name = "Home"
    let there = try pair.here.past()
    #expect(
      try past.differences(to: there, in: named).models.map { "\($0)" } == [
        "Ledger “ledger”.blurb: inserted \", please\" at 7", "Ledger “ledger”.lines[1]: added \"a\"",
        "Ledger “ledger”.total: 0 → 1 (+1)", "Ledger “ledger”.owner.name: \"Nobody\" → \"Ada\"",
        "Ledger “ledger”.trip.name: \"\" → \"Home\"",
      ])
    // The other way round it is told as well.
    #expect(
      try there.differences(to: past, in: named).models.map(\.change.description).sorted() == [
        "\"Ada\" → \"Nobody\"", "\"Home\" → \"\"", "1 → 0 (-1)", "removed \", please\" at 7", "removed \"a\"",
      ])
  }

  @Test func `says where models stand, by class, name and way`() throws {
    let ledger = try ledger()
    ledger.fill()
    let past = try pair.here.past()
    ledger.rows[1].title = "zwei"
    ledger.total += 1
    let models = try past.differences(to: try pair.here.past(), in: named).models
    let row = try #require(models.last)
    #expect(row.model.type == "Chapter" && row.model.rootType == "Ledger" && row.model.rootName == "ledger")
    #expect(row.model.path == "rows[1]" && row.property == "title" && row.element == nil)
    #expect(row.change == .changed(from: ShownValue(text: "\"two\""), to: ShownValue(text: "\"zwei\"")))
    #expect(models.first?.change == .counted(from: 5, to: 6) && models.first?.model.path == "")
  }

  @Test func `is told by keys where no model is named`() throws {
    let past = try pair.here.past()
    try ledger().title = "First"
    try pair.here.space.model(Author.self, named: "ada", isolation: nil).name = "Ada"
    let there = try pair.here.past()
    let differences = try past.differences(to: there, in: named)
    #expect(differences.models.map { "\($0)" } == ["Ledger “ledger”.title: \"untitled\" → \"First\""])
    #expect(Set(differences.rest.entries.map(\.key)) == [.name("ada"), .name("name")])
    #expect(try past.differences(to: there, in: []).models.isEmpty)
  }

  @Test func `is a move, also out of what went and into what came`() throws {
    let shelf = try pair.here.space.model(Cupboard.self, named: "cupboard", isolation: nil)
    for name in ["a", "b"] {
      let (row, chapter) = (Cupboard.Row(), Chapter())
      chapter.title = name
      row.chapters.append(chapter)
      shelf.rows.append(row)
    }
    let past = try pair.here.past()
    withTransaction {
      let row = Cupboard.Row()
      shelf.rows.append(row)
      row.chapters.append(shelf.rows[0].chapters.remove(at: 0))
      row.chapters.append(shelf.rows[1].chapters.remove(at: 0))
      shelf.rows.remove(at: 0)
    }
    shelf.rows[1].chapters[0].pages = 7
    let there = try pair.here.past()
    let named = [NamedModel(Cupboard.self, named: "cupboard")]
    #expect(
      Set(try past.differences(to: there, in: named).models.map { "\($0)" }) == [
        "Cupboard “cupboard”.rows[0]: removed Row()", "Cupboard “cupboard”.rows[1]: added Row()",
        "Cupboard “cupboard”.rows[1].chapters[0]: moved from Cupboard “cupboard”.rows[0].chapters[0]",
        "Cupboard “cupboard”.rows[1].chapters[1]: moved from Cupboard “cupboard”.rows[1].chapters[0]",
        "Cupboard “cupboard”.rows[1].chapters[0].pages: 0 → 7",
      ])
    #expect(
      Set(try there.differences(to: past, in: named).models.map { "\($0)" }) == [
        "Cupboard “cupboard”.rows[0]: added Row()", "Cupboard “cupboard”.rows[1]: removed Row()",
        "Cupboard “cupboard”.rows[0].chapters[0]: moved from Cupboard “cupboard”.rows[1].chapters[0]",
        "Cupboard “cupboard”.rows[1].chapters[0]: moved from Cupboard “cupboard”.rows[1].chapters[1]",
        "Cupboard “cupboard”.rows[0].chapters[0].pages: 7 → 0",
      ])
  }

  @Test func `of references is another target, and not where that stands`() throws {
    let shelf = try pair.here.space.model(Cupboard.self, named: "cupboard", isolation: nil)
    let other = try pair.here.space.model(Cupboard.self, named: "other", isolation: nil)
    for cupboard in [shelf, other] {
      cupboard.rows.append(Cupboard.Row())
      for _ in 0..<3 { cupboard.rows[0].chapters.append(Chapter()) }
    }
    let chapters = Array(shelf.rows[0].chapters)
    for (name, chapter) in zip(["a", "b", "c"], chapters) { shelf.favourites[name] = ReplicatedReference(chapter) }
    let past = try pair.here.past()
    shelf.rows[0].chapters.remove(at: 0)
    shelf.favourites["b"] = ReplicatedReference(other.rows[0].chapters[0])
    let named = [NamedModel(Cupboard.self, named: "cupboard")]
    let way = "Cupboard “cupboard”"
    #expect(
      try past.differences(to: try pair.here.past(), in: named).models.map { "\($0)" } == [
        "\(way).favourites[\"b\"]: \(way).rows[0].chapters[1] → a model in none of those named",
        "\(way).rows[0].chapters[0]: removed Chapter()",
      ])
    let between = try pair.here.past()
    shelf.favourites["b"] = ReplicatedReference(other.rows[0].chapters[1])
    let models = try between.differences(to: try pair.here.past(), in: named).models
    #expect(models.map(\.place.description) == ["\(way).favourites[\"b\"]"])
  }

  @Test func `is told by keys where a value is of another type than the property`() throws {
    let ledger = try ledger()
    ledger.title = "First"
    let past = try pair.here.past()
    pair.here.handle.write { document, patch in
      document.set(.integer(7), for: "title", in: .derived(parent: .root, key: "ledger", kind: .map), patch: &patch)
    }
    let there = try pair.here.past()
    let incidents = Incidents()
    let differences = try past.differences(to: there, in: named)
    #expect(differences.models.map { "\($0)" } == ["Ledger “ledger”.title: \"First\" → \"untitled\""])
    // It is told here, and needs no report besides.
    #expect(
      !incidents.contains { if case .unreadable(let value) = $0 { value.property == "Ledger.title" } else { false } })
    #expect(differences.rest.entries.map(\.key) == ["title"])
  }

  @Test func `of bytes is told, though they look alike`() throws {
    let book = try pair.here.space.model(Book.self, named: "book", isolation: nil)
    book.cover = Data([1])
    let past = try pair.here.past()
    book.cover = Data([2])
    book.title = book.title
    let models = try past.differences(to: try pair.here.past(), in: [NamedModel(Book.self, named: "book")]).models
    #expect(models.map { "\($0)" } == ["Book “book”.cover: 1 bytes → 1 bytes"])
  }

  @Test func `is found in models however deep they stand`() throws {
    let chain = try pair.here.space.model(Chain.self, named: "chain", isolation: nil)
    var last = chain
    for _ in 0..<2_000 {
      last.next = Chain()
      last = last.next!
    }
    let past = try pair.here.past()
    last.number = 1
    let models = try past.differences(to: try pair.here.past(), in: [NamedModel(Chain.self, named: "chain")]).models
    #expect(models.count == 1 && models[0].model.path.utf8.count == 2_000 * 5 - 1)
  }

  @Test func `is found in the models that are open by name`() throws {
    let ledger = try ledger()
    let past = try pair.here.past()
    ledger.title = "First"
    #expect(pair.here.space.named.map(\.name) == ["ledger"])
    #expect(try past.differences(to: try pair.here.past(), in: pair.here.space.named).models.count == 1)
  }

  @MainActor @Test func `of the main actor is told on it, and elsewhere refused`() async throws {
    let panel = try pair.here.space.model(Panel.self, named: "panel")
    panel.rows.append(Panel.Row())
    let past = try pair.here.past()
    panel.rows[0].name = "named"
    let there = try pair.here.past()
    let models = try past.differences(to: there, in: pair.here.space.named).models
    #expect(models.map { "\($0)" } == ["Panel “panel”.rows[0].name: \"unnamed\" → \"named\""])
    let space = pair.here.space
    await Task.detached {
      #expect(space.named.isEmpty)
      let error = #expect(throws: ModelError.self) {
        _ = try past.differences(to: there, in: [NamedModel(Panel.self, named: "panel")])
      }
      #expect(error?.code == .otherIsolation)
    }.value
  }
}
