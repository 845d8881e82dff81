import Foundation
import Starling
import Testing

@Replicated private final class Chapter: Sendable {
  var title = "Untitled"
  var pages = 0
}

@Replicated private final class Volume: Sendable {
  var title = "A sample book"
  var price = 1.5
  var isAvailable = true
  var copies: ReplicatedCounter = 0
  var tags: Set<String> = []
  var ratings: [Int] = []
  var chapters: [Chapter] = []
  var blurb = ReplicatedText()
  var printed = Date(timeIntervalSinceReferenceDate: 0)
  var cover = Data()
  var shelves: [String: Int] = [:]
  var years: [Int: String] = [:]
  var borrowers: [UUID: String] = [:]
  var hashes: [Data: Int] = [:]
  var size = Size()
  var appendix: Chapter?

  struct Size: Codable, Equatable { var width = 1, height = 2 }
}

@Suite(.timeLimit(.minutes(10))) struct `A document as JSON` {
  private func open(_ group: borrowing Group) async throws -> (Replica, Volume) {
    let replica = try await group.open { $0.joinsThisMachine = false }
    return (replica, try replica.model(Volume.self, named: "dune", isolation: nil))
  }

  private static let filled = """
    {"dune":{"appendix":{"pages":7,"title":"Maps"},"blurb":"Spice","chapters":[{"pages":10,"title":"One"},\
    {"title":"Two"},{"title":"Three"}],"copies":3,"cover":"AQI=","isAvailable":false,"price":2.0,\
    "printed":"2001-01-01T00:00:10Z","ratings":[1,2,3],"shelves":{"A":1},"size":{"height":4,"width":3},\
    "tags":["desert","novel"],"title":"Dune","years":{"1965":"first"}}}
    """

  private func fill(_ volume: Volume) {
    volume.title = "Dune"
    volume.price = 2
    volume.isAvailable = false
    volume.copies += 3
    volume.tags = ["novel", "desert"]
    volume.ratings = [1, 2, 3]
    volume.chapters = ["One", "Two", "Three"].map { title in
      let chapter = Chapter()
      chapter.title = title
      return chapter
    }
    volume.chapters[0].pages = 10
    volume.blurb.append("Spice")
    volume.printed = Date(timeIntervalSinceReferenceDate: 10)
    volume.cover = Data([1, 2])
    volume.shelves = ["A": 1]
    volume.years = [1965: "first"]
    volume.size = Volume.Size(width: 3, height: 4)
    let appendix = Chapter()
    appendix.title = "Maps"
    appendix.pages = 7
    volume.appendix = appendix
  }

  @Test func `shows everything that models write`() async throws {
    let group = try Group()
    let (replica, volume) = try await open(group)
    fill(volume)
    #expect(try replica.json.value().description == Self.filled)
    #expect(try JSONValue(parsing: replica.dump()) == JSONValue(parsing: Self.filled))
    try await replica.close()
  }

  @Test func `is not written by what it shows`() async throws {
    let group = try Group()
    let (replica, volume) = try await open(group)
    fill(volume)
    let version = replica.version
    #expect(try replica.json.load(JSONValue(parsing: Self.filled)) == false)
    #expect(replica.version == version)
    try await replica.close()
  }

  @Test func `becomes in another group what it was in one, and programs read it`() async throws {
    let group = try Group()
    let (replica, volume) = try await open(group)
    // The kinds come from what the program wrote before.
    fill(volume)
    volume.title = "Another"
    volume.copies += 7
    volume.chapters[1].title = "Second"
    volume.tags = ["paper"]
    volume.ratings = [3, 4]
    volume.blurb.append(" and sand")
    volume.printed = Date(timeIntervalSinceReferenceDate: 20)
    volume.cover = Data([9])
    volume.size = Volume.Size()
    #expect(try replica.json.load(JSONValue(parsing: Self.filled)))
    #expect(try replica.json.value().description == Self.filled)
    #expect(volume.title == "Dune")
    #expect(volume.copies.value == 3)
    #expect(volume.tags == ["novel", "desert"])
    #expect(volume.ratings == [1, 2, 3])
    #expect(volume.chapters.map(\.title) == ["One", "Two", "Three"])
    #expect(volume.blurb.string == "Spice")
    #expect(volume.printed == Date(timeIntervalSinceReferenceDate: 10))
    #expect(volume.cover == Data([1, 2]))
    #expect(volume.size == Volume.Size(width: 3, height: 4))
    try await replica.close()
  }

  @Test(arguments: [
    ("dune/title", "\"Dune\""), ("/dune/chapters/1/title", "\"Two\""), ("dune/tags/novel", "true"),
    ("dune/copies", "3"), ("dune/years/1965", "\"first\""), ("dune/size/width", "3"), ("dune/ratings/2", "3"),
    ("dune/chapters/0", "{\"pages\":10,\"title\":\"One\"}"),
  ])
  func `is read at a path`(_ path: String, _ json: String) async throws {
    let group = try Group()
    let (replica, volume) = try await open(group)
    fill(volume)
    #expect(try replica.json.value(at: #require(DocumentPath(path))).description == json)
    try await replica.close()
  }

  @Test(arguments: [
    ("dune/titel", "title"), ("dune/chapters/3", "0 to 2"), ("dune/title/x", "single value"), ("emma", "dune"),
    ("dune/blurb/0", "whole"), ("dune/size/depth", "size/depth"), ("dune/tags/poem", "desert"),
  ])
  func `names what is there where a path leads nowhere`(_ path: String, _ hint: String) async throws {
    let group = try Group()
    let (replica, volume) = try await open(group)
    fill(volume)
    let error = try #require(throws: JSONDocumentError.self) {
      try replica.json.value(at: DocumentPath(path)!)
    }
    #expect(error.code == .missing)
    #expect(error.message.contains(hint), "\(error)")
    try await replica.close()
  }

  @Test(arguments: [
    ("a/b", "Nothing is at 'a'. The document is empty. To write 'a/b', set 'a' to {\"b\": …}."),
    ("a/b c/d", "To write 'a/b c/d', set 'a' to {\"b c\": {\"d\": …}}."),
  ])
  func `says of a write into nothing how it can be made`(_ path: String, _ hint: String) async throws {
    let group = try Group()
    let replica = try await group.open { $0.joinsThisMachine = false }
    let error = try #require(throws: JSONDocumentError.self) {
      try replica.json.set(1, at: DocumentPath(path)!)
    }
    #expect(error.code == .missing)
    #expect(error.message.hasSuffix(hint), "\(error)")
    // What it says to do works.
    try replica.json.set(["b": 1], at: DocumentPath("a")!)
    try replica.json.set(2, at: DocumentPath("a/b")!)
    #expect(try replica.json.value().description == "{\"a\":{\"b\":2}}")
    #expect(throws: JSONDocumentError.self) { try replica.json.set(1, at: DocumentPath("a/c/d")!) }
    try await replica.close()
  }

  @Test func `spells keys that are UUIDs as such, and other bytes without slashes`() async throws {
    let group = try Group()
    let (replica, volume) = try await open(group)
    let id = try #require(UUID(uuidString: "6BA7B810-9DAD-11D1-80B4-00C04FD430C8"))
    volume.borrowers[id] = "Ada"
    volume.hashes[Data([0xFF, 0xFE, 0xFF])] = 1
    #expect(
      try replica.json.value().description
        == "{\"dune\":{\"borrowers\":{\"\(id)\":\"Ada\"},\"hashes\":{\"__7_\":1}}}")
    // Base64 as it is written elsewhere leads there too; in a path its slashes are escaped.
    for path in ["dune/borrowers/\(id)", "dune/borrowers/\(id.uuidString.lowercased())"] {
      #expect(try replica.json.value(at: DocumentPath(path)!) == "Ada")
    }
    for path in ["dune/hashes/__7_", "dune/hashes/~1~17~1"] {
      #expect(try replica.json.value(at: DocumentPath(path)!) == 1)
    }
    // A new key is of the form that those there have.
    let other = UUID()
    try replica.json.set("Ben", at: DocumentPath("dune/borrowers/\(other)")!)
    #expect(volume.borrowers[other] == "Ben")
    // What is dumped can be loaded.
    let whole = try replica.json.value()
    volume.borrowers[id] = nil
    volume.borrowers[other] = "Cleo"
    try replica.json.load(whole)
    #expect(volume.borrowers[other] == "Ben")
    #expect(try replica.json.value() == whole)
    try await replica.close()
  }

  @Test(arguments: [
    ("dune/title", "\"Emma\"", "\"Emma\""), ("dune/copies", "10", "10"), ("dune/price", "4", "4.0"),
    ("dune/chapters/1/title", "\"Zwei\"", "\"Zwei\""), ("dune/tags/poem", "true", "true"),
    ("dune/size/width", "9", "9"), ("dune/ratings", "[3,1]", "[3,1]"), ("dune/blurb", "\"Sand\"", "\"Sand\""),
    ("dune/years/1966", "\"second\"", "\"second\""), ("dune/cover", "\"/w==\"", "\"/w==\""),
    ("dune/printed", "\"2020-02-02T00:00:00Z\"", "\"2020-02-02T00:00:00Z\""), ("dune/subtitle", "\"New\"", "\"New\""),
    ("dune/index", "{\"a\":[1,{\"b\":2}]}", "{\"a\":[1,{\"b\":2}]}"), ("dune/index", "{}", "{}"),
    ("dune/ratings", "[]", "[]"), ("dune/appendix", "null", "null"),
    ("emma", "{\"title\":\"Emma\"}", "{\"title\":\"Emma\"}"),
  ])
  func `is written at a path`(_ path: String, _ json: String, _ shown: String) async throws {
    let group = try Group()
    let (replica, volume) = try await open(group)
    fill(volume)
    let path = try #require(DocumentPath(path))
    try replica.json.set(JSONValue(parsing: json), at: path)
    #expect(try replica.json.value(at: path).description == shown)
    // Again is no change.
    let version = replica.version
    try replica.json.set(JSONValue(parsing: json), at: path)
    #expect(replica.version == version)
    try await replica.close()
  }

  @Test(arguments: [
    (JSONForm.list, "[]", "-", "\"a\"", "[\"a\"]"), (.list, "[]", "0", "{\"n\":1}", "[{\"n\":1}]"),
    (.set, "[]", "novel", "true", "[\"novel\"]"), (.dictionary, "{}", "a", "1", "{\"a\":1}"),
    (.map, "{}", "a", "1", "{\"a\":1}"), (.map, "{}", "a", "[]", "{\"a\":[]}"),
  ])
  func `is written below a container that is empty`(
    _ form: JSONForm, _ empty: String, _ part: String, _ json: String, _ shown: String
  ) async throws {
    let group = try Group()
    let replica = try await group.open { $0.joinsThisMachine = false }
    for outer in ["log", "shelf/0/log"] {
      let path = try #require(DocumentPath(outer))
      if outer != "log" { try replica.json.set(JSONValue(parsing: "[{}]"), at: DocumentPath("shelf")!) }
      try replica.json.set(JSONValue(parsing: empty), at: path, as: form)
      try replica.json.set(JSONValue(parsing: json), at: path.appending(part))
      #expect(try replica.json.value(at: path).description == shown)
    }
    // Emptied, it takes what is loaded into one of its places too.
    try replica.json.load(JSONValue(parsing: empty), at: DocumentPath("log")!)
    #expect(try replica.json.value(at: DocumentPath("log")!).description == empty)
    try replica.json.load(JSONValue(parsing: json), at: DocumentPath("log")!.appending(part))
    #expect(try replica.json.value(at: DocumentPath("log")!).description == shown)
    try await replica.close()
  }

  @Test func `drops no write below what just became empty`() async throws {
    let group = try Group()
    let replica = try await group.open { $0.joinsThisMachine = false }
    let log = try #require(DocumentPath("a/log"))
    try replica.json.load(JSONValue(parsing: "{\"a\":{\"log\":[]}}"))
    for number: Int64 in 1...2 { try replica.json.set(.integer(number), at: log.appending("-")) }
    try replica.json.remove(at: log.appending("0"))
    try replica.json.remove(at: log.appending("0"))
    try replica.json.set(.integer(3), at: log.appending("-"))
    #expect(try replica.json.value(at: log).description == "[3]")
    try await replica.close()
  }

  @Test func `has elements appended and removed by path`() async throws {
    let group = try Group()
    let (replica, volume) = try await open(group)
    fill(volume)
    try replica.json.set(JSONValue(parsing: "{\"title\":\"Four\"}"), at: DocumentPath("dune/chapters/-")!)
    try replica.json.set(.integer(4), at: DocumentPath("dune/ratings/3")!)
    #expect(volume.chapters.map(\.title) == ["One", "Two", "Three", "Four"])
    #expect(volume.ratings == [1, 2, 3, 4])
    try replica.json.remove(at: DocumentPath("dune/chapters/0")!)
    try replica.json.remove(at: DocumentPath("dune/tags/novel")!)
    try replica.json.remove(at: DocumentPath("dune/title")!)
    #expect(volume.chapters.map(\.title) == ["Two", "Three", "Four"])
    #expect(volume.tags == ["desert"])
    #expect(volume.title == "A sample book")
    try await replica.close()
  }

  @Test(arguments: [
    ("dune/title", "5"), ("dune/copies", "\"many\""), ("dune/copies", "1.5"), ("dune/chapters", "{}"),
    ("dune/tags", "[1.5]"), ("dune/blurb", "7"), ("dune/printed", "\"soon\""), ("dune/cover", "\"?\""),
    ("dune/isAvailable", "1"), ("dune/ratings/0", "\"good\""), ("dune/tags/novel", "3"), ("dune", "[1]"),
  ])
  func `keeps its kinds unless told otherwise`(_ path: String, _ json: String) async throws {
    let group = try Group()
    let (replica, volume) = try await open(group)
    fill(volume)
    let version = replica.version
    let error = try #require(throws: JSONDocumentError.self) {
      try replica.json.set(JSONValue(parsing: json), at: DocumentPath(path)!)
    }
    #expect(error.code == .kind, "\(error)")
    #expect(replica.version == version)
    #expect(try replica.json.value().description == Self.filled)
    try await replica.close()
  }

  @Test(arguments: [
    (JSONForm.string, "\"x\"", "\"x\""), (.double, "3", "3.0"), (.integer, "3", "3"), (.counter, "3", "3"),
    (.counter, "0", "0"),
    (.date, "\"2020-02-02T00:00:00Z\"", "\"2020-02-02T00:00:00Z\""), (.bytes, "\"AQ==\"", "\"AQ==\""),
    (.json, "{\"b\":[1]}", "{\"b\":[1]}"), (.text, "\"typed\"", "\"typed\""), (.text, "\"\"", "\"\""),
    (.set, "[\"b\",\"a\",1]", "[\"a\",\"b\",1]"), (.list, "[2,1]", "[2,1]"), (.map, "{\"a\":1}", "{\"a\":1}"),
    (.dictionary, "{\"a\":1}", "{\"a\":1}"), (.bool, "true", "true"), (.set, "[]", "[]"),
  ])
  func `takes every form, in the place of whatever was there`(
    _ form: JSONForm, _ json: String, _ shown: String
  ) async throws {
    let group = try Group()
    let (replica, volume) = try await open(group)
    fill(volume)
    for path in ["dune/title", "dune/copies", "dune/chapters", "dune/blurb", "dune/tags", "dune/new", "dune/appendix"] {
      let path = try #require(DocumentPath(path))
      try replica.json.set(JSONValue(parsing: json), at: path, as: form)
      #expect(try replica.json.value(at: path).description == shown, "\(path)")
    }
    try await replica.close()
  }

  @Test func `merged keeps what is not named and removes what is null`() async throws {
    let group = try Group()
    let (replica, volume) = try await open(group)
    fill(volume)
    try replica.json.load(
      JSONValue(parsing: "{\"dune\":{\"title\":\"Emma\",\"appendix\":null},\"new\":{\"a\":1}}"), isMerging: true)
    #expect(volume.title == "Emma")
    #expect(volume.appendix == nil)
    #expect(volume.copies.value == 3)
    #expect(try replica.json.value(at: DocumentPath("new")!).description == "{\"a\":1}")
    try await replica.close()
  }

  /// All lists of up to four of four elements, into all others: what stays keeps its identity, and the order is right.
  @Test func `turns any list into any other and keeps the identity of what stays`() async throws {
    let group = try Group()
    let (replica, volume) = try await open(group)
    let letters = ["a", "b", "c", "d"]
    var lists: [[String]] = [[]]
    var longest: [[String]] = [[]]
    for _ in letters {
      longest = longest.flatMap { list in letters.filter { !list.contains($0) }.map { list + [$0] } }
      lists += longest
    }
    volume.title = "Dune"
    let path = try #require(DocumentPath("dune/chapters"))
    func load(_ titles: [String]) throws {
      try replica.json.load(.array(titles.map { .object([.init("title", .string($0))]) }), at: path)
    }
    for former in lists {
      for latter in lists where former.count > 2 || latter.count > 2 {
        try load(former)
        let before = Dictionary(uniqueKeysWithValues: volume.chapters.map { ($0.title, ObjectIdentifier($0)) })
        let chapters = volume.chapters
        try load(latter)
        #expect(volume.chapters.map(\.title) == latter, "\(former) to \(latter)")
        for chapter in volume.chapters {
          if let identity = before[chapter.title] {
            #expect(ObjectIdentifier(chapter) == identity, "\(former) to \(latter)")
          }
        }
        withExtendedLifetime(chapters) {}
      }
    }
    try await replica.close()
  }
}
