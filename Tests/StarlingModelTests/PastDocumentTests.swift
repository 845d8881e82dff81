import StarlingEngine
import StarlingGraph
import StarlingModel
import StarlingModelTestSupport
import Testing

/// Has a property of every kind.
@Replicated final class Ledger: Sendable {
  var title = "untitled"
  var total: ReplicatedCounter = 0
  var tags: Set<String> = []
  var prices: [String: Int] = [:]
  var lines = ["standard"]
  var size = Size()
  var owner = Author()
  var editor: Author?
  var chapters: [Chapter] = []
  var songs: ReplicatedArray<String> = []
  var rows: ReplicatedArray<Chapter> = []
  var keywords: ReplicatedSet<String> = []
  var loans: ReplicatedDictionary<String, Int> = [:]
  var byName: ReplicatedDictionary<String, Chapter> = [:]
  var blurb: ReplicatedText = "Read me"
  var first: ReplicatedReference<Chapter> = nil
  var trip = ReplicatedRecord(Trip())
}

/// Of one test alone, which asks that nothing is reported of it.
@Replicated final class Receipt: Sendable {
  var title = ""
  var total: ReplicatedCounter = 0
  var lines: [String] = []
  var owner = Author()
  var songs: ReplicatedArray<String> = []
  var loans: ReplicatedDictionary<String, Int> = [:]
  var byName: ReplicatedDictionary<String, Author> = [:]
  @Local var isExpanded = false
}

@MainActor @Replicated final class Panel {
  var title = "closed"
  var rows: ReplicatedArray<Row> = []

  @MainActor @Replicated final class Row {
    var name = "unnamed"
  }
}

/// A write to each property, by the property's name.
private let writes: [(property: String, write: @Sendable (Ledger) -> Void)] = [
  ("Ledger.title", { $0.title += "!" }),
  ("Ledger.total", { $0.total += 1 }),
  ("Ledger.tags", { $0.tags.insert("new") }),
  ("Ledger.prices", { $0.prices["new"] = 9 }),
  ("Ledger.lines", { $0.lines.append("new") }),
  ("Ledger.size", { $0.size.width += 1 }),
  ("Author.name", { $0.owner.name += "!" }),
  ("Ledger.owner", { $0.owner = Author() }),
  ("Ledger.editor", { $0.editor = $0.editor == nil ? Author() : nil }),
  ("Ledger.chapters", { $0.chapters.append(Chapter()) }),
  ("Ledger.chapters", { $0.chapters.removeAll() }),
  ("Chapter.title", { $0.chapters.first?.title += "!" }),
  ("Ledger.songs", { $0.songs.append("new") }),
  ("Ledger.songs", { $0.songs.removeAll() }),
  ("Ledger.rows", { $0.rows.append(Chapter()) }),
  ("Ledger.rows", { $0.rows.move(fromOffsets: [0], toOffset: 2) }),
  ("Chapter.pages", { $0.rows[0].pages += 1 }),
  ("Ledger.keywords", { $0.keywords.insert("new") }),
  ("Ledger.keywords", { $0.keywords = ["other"] }),
  ("Ledger.loans", { $0.loans["new"] = 1 }),
  ("Ledger.byName", { $0.byName["new"] = Chapter() }),
  ("Ledger.byName", { $0.byName.removeAll() }),
  ("Ledger.blurb", { $0.blurb.append("!") }),
  ("Ledger.blurb", { $0.blurb = "other" }),
  ("Ledger.blurb", { $0.blurb.mark(0..<4, "bold", true) }),
  ("Ledger.first", { $0.first = $0.first.target == nil ? ReplicatedReference($0.rows[0]) : nil }),
  ("Trip.name", { $0.trip.name += "!" }),
  ("Trip.stops", { $0.trip.stops.append("new") }),
]

extension Ledger {
  func fill() {
    withTransaction {
      title = "First"
      total = 5
      tags = ["a"]
      prices = ["a": 1]
      lines.append("a")
      size.width = 4
      owner.name = "Ada"
      editor = Author()
      editor?.name = "Ben"
      for name in ["one", "two"] {
        let (chapter, row) = (Chapter(), Chapter())
        (chapter.title, row.title) = (name, name)
        chapters.append(chapter)
        rows.append(row)
        songs.append(name)
        keywords.insert(name)
        loans[name] = name.count
      }
      byName.model(for: "one").title = "by name"
      blurb.append(", please")
      trip.name = "Home"
      trip.stops = ["a"]
    }
    first = ReplicatedReference(rows[0])
  }

  /// Everything that it shows.
  fileprivate var shown: [String] {
    [
      title, "\(total)", "\(tags.sorted())", "\(prices)", "\(lines)", "\(size)", owner.name, editor?.name ?? "none",
      "\(chapters.map(\.title))", "\(Array(songs))", "\(rows.map { "\($0.title) \($0.pages)" })",
      "\(Array(keywords))", "\(loans.map { "\($0.key) \($0.value)" })",
      "\(byName.map { "\($0.key) \($0.value.title)" })",
      blurb.string, first.target?.title ?? "none", "\(trip.value)",
    ]
  }
}

extension Pair.Replica {
  /// The document as it stands.
  func past() throws -> PastDocument {
    PastDocument(HistoricDocument(id: handle.id, document: try #require(handle.copy())))
  }
}

@Suite struct `A model of the past` {
  let pair = Pair()

  @Test func `shows what stood then in properties of every kind, whatever is written since`() throws {
    let ledger = try pair.here.space.model(Ledger.self, named: "ledger", isolation: nil)
    ledger.fill()
    let shown = ledger.shown
    let past = try pair.here.past()
    let then = try past.model(Ledger.self, named: "ledger")
    #expect(then !== ledger)
    #expect(then.shown == shown)
    for (_, write) in writes { write(ledger) }
    #expect(ledger.shown != shown)
    #expect(then.shown == shown)
    let reopened = try past.model(Ledger.self, named: "ledger")
    #expect(reopened === then)
    #expect(try past.model(for: ledger) === then)
  }

  @Test func `refuses each write, says so by the property's name, and replicates nothing`() throws {
    let ledger = try pair.here.space.model(Ledger.self, named: "ledger", isolation: nil)
    ledger.fill()
    let shown = ledger.shown
    let digest = pair.here.handle.digest()
    let past = try pair.here.past()
    let then = try past.model(Ledger.self, named: "ledger")
    for (property, write) in writes {
      let incidents = Incidents()
      write(then)
      #expect(incidents.contains { $0 == .writeToPast(property: property) }, "\(property)")
      #expect(then.shown == shown, "\(property)")
    }
    withTransaction { for (_, write) in writes { write(then) } }
    #expect(then.shown == shown)
    #expect(past.historic.digest() == digest)
    #expect(pair.here.handle.digest() == digest)
    #expect(ledger.shown == shown)
    let incident = ModelIncident.writeToPast(property: "Ledger.title")
    #expect("\(incident)".contains("Ledger.title") && "\(incident)".contains("restore(to:)"))
  }

  @Test func `takes an equal write as none, and its own properties as any model does`() throws {
    let receipt = try pair.here.space.model(Receipt.self, named: "receipt", isolation: nil)
    receipt.title = "First"
    receipt.songs.append("one")
    receipt.loans["one"] = 1
    let then = try pair.here.past().model(Receipt.self, named: "receipt")
    let incidents = Incidents()
    (then.title, then.total, then.lines, then.owner) = (then.title, then.total, then.lines, then.owner)
    (then.loans["one"], then.songs[0], then.loans["two"]) = (then.loans["one"], then.songs[0], nil)
    then.isExpanded = true
    #expect(then.isExpanded)
    #expect(then.byName.model(for: "none").name == "Nobody")
    #expect(
      !incidents.contains { if case .writeToPast(let property) = $0 { property.hasPrefix("Receipt.") } else { false } })
  }

  @Test func `shows defaults where nobody had written, and plants nothing`() throws {
    let ledger = try pair.here.space.model(Ledger.self, named: "ledger", isolation: nil)
    let empty = pair.here.handle.digest()
    let past = try pair.here.past()
    let then = try past.model(Ledger.self, named: "ledger")
    #expect(then.shown == ledger.shown)
    #expect(then.byName.model(for: "one").title == "Untitled")
    #expect(then.byName["one"] == nil && then.byName.count == 0)
    #expect(try past.model(Author.self, named: "nobody").name == "Nobody")
    #expect(past.historic.digest() == empty)
    #expect(pair.here.handle.digest() == empty && pair.here.handle.takeOutbox().isEmpty)
  }

  @Test func `is found by the live model, or by a reference, if it stood then`() throws {
    let ledger = try pair.here.space.model(Ledger.self, named: "ledger", isolation: nil)
    ledger.fill()
    let (chapter, row) = (ledger.chapters[0], ledger.rows[1])
    let past = try pair.here.past()
    chapter.title = "renamed"
    let later = Chapter()
    ledger.rows.append(later)
    #expect(try past.model(for: chapter)?.title == "one")
    #expect(try past.model(for: ReplicatedReference(row))?.title == "two")
    #expect(try past.model(for: ledger.owner)?.name == "Ada")
    #expect(try past.model(for: ledger.first)?.title == "one")
    #expect(try past.model(for: later) == nil)
    #expect(try past.model(for: ledger.byName.model(for: "later")) == nil)
    #expect(try past.model(for: ledger.byName.model(for: "one"))?.title == "by name")
    #expect(try past.model(for: ReplicatedReference(later)) == nil)
    #expect(try past.model(for: ReplicatedReference<Chapter>(nil)) == nil)
    #expect(try past.model(for: Chapter()) == nil)
    // It is found as well once it has gone from the present.
    let reference = ReplicatedReference(row)
    ledger.rows.removeAll()
    #expect(reference.target == nil)
    #expect(try past.model(for: reference)?.title == "two")
    #expect(try past.model(for: row)?.title == "two")
  }

  @Test func `is in no live document: it can be put nowhere, and nothing refers to it`() throws {
    let ledger = try pair.here.space.model(Ledger.self, named: "ledger", isolation: nil)
    ledger.fill()
    let then = try pair.here.past().model(Ledger.self, named: "ledger")
    let (shown, digest) = (ledger.shown, pair.here.handle.digest())
    ledger.rows.append(then.rows[0])
    ledger.editor = then.editor
    ledger.first = ReplicatedReference(then.rows[1])
    #expect(ledger.shown == shown)
    #expect(pair.here.handle.digest() == digest)
  }

  @MainActor @Test func `of the main actor is opened on it, and elsewhere refused`() async throws {
    let panel = try pair.here.space.model(Panel.self, named: "panel")
    panel.title = "open"
    panel.rows.append(Panel.Row())
    let past = try pair.here.past()
    panel.title = "shut"
    panel.rows[0].name = "named"
    let then = try past.model(Panel.self, named: "panel")
    #expect(then.title == "open" && then.rows.map(\.name) == ["unnamed"])
    #expect(try past.model(for: panel.rows[0])?.name == "unnamed")
    await Task.detached {
      let error = #expect(throws: ModelError.self) { _ = try past.model(Panel.self, named: "panel") }
      #expect(error?.code == .otherIsolation)
      let other = #expect(throws: ModelError.self) { _ = try past.model(for: panel) }
      #expect(other?.code == .otherIsolation)
    }.value
  }

  @Test func `of no actor is opened on any`() async throws {
    actor Reader {
      var ledger: Ledger?

      func open(_ past: PastDocument) throws -> [String] {
        ledger = try past.model(Ledger.self, named: "ledger")
        return ledger?.shown ?? []
      }
    }
    let ledger = try pair.here.space.model(Ledger.self, named: "ledger", isolation: nil)
    ledger.fill()
    let (past, shown) = (try pair.here.past(), ledger.shown)
    ledger.title = "other"
    for reader in [Reader(), Reader()] { #expect(try await reader.open(past) == shown) }
    let onMain = try await MainActor.run { try past.model(Ledger.self, named: "ledger").shown }
    #expect(onMain == shown)
  }

  @Test func `goes, with its document, when the last model goes`() throws {
    let ledger = try pair.here.space.model(Ledger.self, named: "ledger", isolation: nil)
    ledger.fill()
    var past: PastDocument? = try pair.here.past()
    weak let document = past?.space
    var then = try past?.model(Ledger.self, named: "ledger")
    weak let model = then
    var row = then?.rows[1]
    past = nil
    #expect(then?.rows.count == 2)
    then = nil
    #expect(model == nil)
    #expect(document != nil && row?.title == "two")
    row = nil
    #expect(document == nil)
  }
}
