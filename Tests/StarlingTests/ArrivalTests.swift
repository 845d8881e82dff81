import Foundation
import Starling
import Testing

@Replicated private final class Page: Sendable {
  var title = "Untitled"
}

@Replicated private final class Leaflet: Sendable {
  var title = "A sample"
  var copies: ReplicatedCounter = 0
  var tags: Set<String> = []
  var pages: [Page] = []
  var blurb = ReplicatedText()
}

@Suite(.timeLimit(.minutes(10))) struct `What others write` {
  /// Two members, what the second hears of the first, and the first's leaflet.
  private struct Pair {
    let writer: Replica
    let reader: Replica
    let leaflet: Leaflet
    var arrivals: AsyncThrowingStream<JSONArrival, any Error>.Iterator

    init(_ group: borrowing Group) async throws {
      writer = try await group.open()
      reader = try await group.open()
      leaflet = try writer.model(Leaflet.self, named: "leaflet", isolation: nil)
      leaflet.title = "First"
      try await writer.flush(until: .received(1))
      arrivals = try reader.json.arrivals().makeAsyncIterator()
    }

    mutating func next() async throws -> JSONArrival {
      let arrival = try await arrivals.next(isolation: #isolation)
      return try #require(arrival)
    }

    func close() async throws {
      try await writer.close()
      try await reader.close()
    }
  }

  @Test func `is told with its path, from what to what, and its writer`() async throws {
    let group = try Group()
    var pair = try await Pair(group)
    pair.leaflet.title = "Second"
    let rename = try await pair.next()
    #expect(rename.path.description == "leaflet/title")
    #expect(rename.what == .changed(from: "First", to: "Second"))
    #expect(rename.writers == [pair.writer.writer])
    #expect(rename.conflictCount == 0)
    pair.leaflet.copies += 2
    #expect(try await pair.next().what == .changed(from: nil, to: 2))
    pair.leaflet.tags.insert("novel")
    let tag = try await pair.next()
    #expect(tag.path.description == "leaflet/tags" || tag.path.description == "leaflet/tags/novel", "\(tag)")
    try await pair.close()
  }

  @Test func `of lists and texts is told by index and as a whole`() async throws {
    let group = try Group()
    var pair = try await Pair(group)
    pair.leaflet.blurb.append("Spice")
    var arrivals = [try await pair.next()]
    while arrivals.last?.path.description != "leaflet/blurb" { arrivals.append(try await pair.next()) }
    #expect(
      arrivals.last?.what == .changed(from: nil, to: "Spice") || arrivals.last?.what == .changed(from: "", to: "Spice"))
    pair.leaflet.blurb.append("!")
    #expect(try await pair.next().what == .changed(from: "Spice", to: "Spice!"))
    try pair.writer.json.set([["title": "One"], ["title": "Two"]], at: DocumentPath("leaflet/pages")!)
    arrivals = [try await pair.next()]
    // The list comes whole, or element by element.
    if arrivals[0].path.description != "leaflet/pages" { arrivals.append(try await pair.next()) }
    try pair.writer.json.set([["title": "Two"], ["title": "One"]], at: DocumentPath("leaflet/pages")!)
    let move = try await pair.next()
    #expect(move.path.description == "leaflet/pages")
    #expect(move.what == .moved(from: 0, to: 1) || move.what == .moved(from: 1, to: 0))
    try pair.writer.json.set("Three", at: DocumentPath("leaflet/pages/1/title")!)
    #expect(try await pair.next().path.description == "leaflet/pages/1/title")
    try pair.writer.json.remove(at: DocumentPath("leaflet/pages/0")!)
    let removal = try await pair.next()
    #expect(removal.path.description == "leaflet/pages/0")
    #expect(removal.what == .changed(from: ["title": "Two"], to: nil))
    try await pair.close()
  }

  @Test func `against what was written here is a conflict, and both are readable`() async throws {
    let group = try Group()
    var pair = try await Pair(group)
    await pair.reader.setOnline(false)
    let path = DocumentPath("leaflet/title")!
    try pair.reader.json.set("Here", at: path)
    pair.leaflet.title = "There"
    await pair.reader.setOnline(true)
    let arrival = try await pair.next()
    #expect(arrival.path == path)
    #expect(arrival.conflictCount == 1)
    let conflict = try #require(pair.reader.json.conflicts().first)
    #expect(conflict.path == path)
    #expect(Set(conflict.sides.map(\.value.description)) == ["\"Here\"", "\"There\""])
    #expect(try pair.reader.json.value(at: path) == conflict.sides[0].value)
    // To write what is visible settles it; what reads alike and is loaded does not.
    #expect(try pair.reader.json.load(pair.reader.json.value()) == false)
    #expect(try pair.reader.json.conflicts(below: DocumentPath("leaflet")!).count == 1)
    try pair.reader.json.set(conflict.sides[0].value, at: path)
    #expect(try pair.reader.json.conflicts().isEmpty)
    try await pair.close()
  }
}
