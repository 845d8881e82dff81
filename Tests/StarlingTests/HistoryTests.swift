import Foundation
import Starling
import Testing

/// The samples of Documentation/History.md, so that they compile. The lines between the rules are the page's.
private enum HistorySample {
  static func run(_ replica: Replica, _ book: Book, _ version: VersionVector) async throws -> (
    past: PastDocument, before: String, differences: DocumentDifferences
  ) {
    // ----
    for try await change in replica.history() {  // the newest first, read a page at a time
      print(change.writer, change.milliseconds, change.message ?? "", change.operationCount)
    }
    let past = try await replica.document(at: version)  // as it stood then: models that never change
    let before = try past.model(Book.self, named: "front-desk").title  // of the live one: past.model(for: book)
    let differences = try await replica.differences(from: version)  // in the models that are open by name
    for difference in differences.models { print(difference) }  // Book “front-desk”.title: "Dune" → "Children of Dune"
    try await replica.restore(to: version, message: "Back to the first edition")  // one change, for everybody

    let undo = replica.models.undoManager()  // from here on, while the process runs; one's own steps
    withTransaction(message: "Rename") { book.title = "Children of Dune" }
    try undo.undo()  // leaves alone what others wrote since

    let draft = try await replica.fork()  // an independent copy
    try draft.model(Book.self, named: "front-desk").title = "Dune Messiah"
    try await replica.merge(draft)
    // ----
    return (past, before, differences)
  }
}

/// The one about differences.
private enum DifferenceSample {
  static func run(_ replica: Replica, _ book: Book, _ version: VersionVector, _ latest: VersionVector) async throws
    -> [String]
  {
    var lines: [String] = []
    // ----
    let past = try await replica.document(at: version)
    let then = try past.model(Book.self, named: "front-desk")  // an instance of its own, which never changes
    let same = try past.model(for: book)  // by the live model, or by a reference to it; nil if it was not there
    if then.copies < book.copies { print("\(then.title) sold \(book.copies.value - then.copies.value) since") }

    let differences = try await replica.differences(
      from: version, to: latest, in: [NamedModel(Book.self, named: "front-desk")])
    for difference in differences.models {
      switch difference.change {
      case .changed(let old, let new): lines.append("\(difference.property) was \(old) and is \(new)")
      case .counted(let old, let new): lines.append("\(difference.property) went from \(old) to \(new)")
      default: lines.append("\(difference)")
      }
    }
    if !differences.rest.isEmpty { print("and something in models that nobody named") }
    // ----
    #expect(same === then)
    return lines
  }
}

@Suite struct `The history of a replica` {
  @Test func `is read, compared, restored and forked as its page shows`() async throws {
    let group = try Group()
    let replica = try await group.open("ada")
    let book = try replica.model(Book.self, named: "front-desk")
    book.title = "Dune"
    let version = replica.version
    withTransaction(message: "A sequel") {
      book.title = "Children of Dune"
      book.copies += 2
    }
    let (past, before, differences) = try await HistorySample.run(replica, book, version)
    #expect(past.version == version)
    #expect(before == "Dune")
    #expect(
      differences.models.map { "\($0)" } == [
        "Book “front-desk”.copies: 0 → 2 (+2)", "Book “front-desk”.title: \"Dune\" → \"Children of Dune\"",
      ])
    #expect(differences.rest.isEmpty)
    #expect(try await replica.difference(from: version, to: past.version).isEmpty)
    #expect(book.title == "Dune Messiah")
    #expect(book.copies == 0)
    let page = try await replica.historyPage(isDetailed: true)
    #expect(
      page.changes.map(\.message) == [nil, nil, "Rename", "Back to the first edition", "A sequel", nil])
    #expect(page.changes[0].writer != replica.writer)
    #expect(page.changes[4].touched?.count == 2)
    // One look at the document tells the ways to the slots of all changes.
    let places = try replica.json.places()
    let touched = try #require(page.changes[4].touched)
    #expect(Set(touched.map { places.path(to: $0)?.pointer }) == ["/front-desk/title", "/front-desk/copies"])
    try await replica.close()
  }

  @Test func `shows in models what stood at each version, and goes on from one in a fork`() async throws {
    let group = try Group()
    let replica = try await group.open("ada")
    let book = try replica.model(Book.self, named: "front-desk")
    var versions: [VersionVector] = []
    for number in 1...3 {
      book.title = "Edition \(number)"
      book.copies += 1
      versions.append(replica.version)
    }
    let digest = replica.digest
    for (place, version) in versions.enumerated() {
      let past = try await replica.document(at: version)
      let then = try past.model(Book.self, named: "front-desk")
      #expect(then.title == "Edition \(place + 1)" && then.copies == ReplicatedCounter(Int64(place + 1)))
      then.title = "refused"
      #expect(then.title == "Edition \(place + 1)")
      #expect(try past.model(for: book) === then)
    }
    #expect(replica.version == versions[2] && replica.digest == digest && book.title == "Edition 3")
    let fork = try await replica.fork(of: replica.document(at: versions[0]))
    #expect(try fork.model(Book.self, named: "front-desk").title == "Edition 1")
    try await replica.close()
  }

  @Test func `tells what differs between any two versions as the page shows`() async throws {
    let group = try Group()
    let replica = try await group.open("ada")
    let book = try replica.model(Book.self, named: "front-desk")
    book.title = "Dune"
    let version = replica.version
    book.title = "Children of Dune"
    book.copies += 2
    book.tags.insert("sequel")
    let latest = replica.version
    book.title = "Dune Messiah"
    #expect(
      try await DifferenceSample.run(replica, book, version, latest) == [
        "copies went from 0 to 2", "Book “front-desk”.tags: added \"sequel\"",
        "title was \"Dune\" and is \"Children of Dune\"",
      ])
    #expect(try await !replica.difference(from: version, to: latest).isEmpty)
    try await replica.close()
  }

  @Test func `is the state alone where that is asked for`() async throws {
    let group = try Group()
    let replica = try await group.open("ada") { $0.history = .stateOnly(byteCountMin: 0) }
    let book = try replica.model(Book.self, named: "front-desk")
    let first = replica.version
    for number in 0..<100 {
      book.title = "\(number)"
      try await replica.flush()
    }
    #expect(try await !replica.historyPage().beginning.isEmpty)
    let error = await #expect(throws: HistoryError.self) { _ = try await replica.document(at: first) }
    #expect(error?.code == .forgotten)
    try await replica.close()
  }
}
