import Observation
import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Synchronization
import Testing

/// A value that counts how often one is read of the document.
struct Weighed: ReplicatedValue, Equatable {
  static let readCount = Atomic(0)
  static var empty: Weighed { Weighed(weight: 0) }

  var weight: Int64
  var replicated: Value { .integer(weight) }

  init(weight: Int64) { self.weight = weight }

  init?(replicated value: Value) {
    guard case .integer(let weight) = value else { return nil }
    Weighed.readCount.add(1, ordering: .relaxed)
    self.weight = weight
  }
}

@Replicated final class Depot: Sendable {
  var goods: ReplicatedDictionary<String, Weighed> = [:]
}

/// Holds what an earlier `Depot` held otherwise.
@Replicated final class OldDepot: Sendable {
  var goods: ReplicatedDictionary<String, String> = [:]
}

/// Somebody reads it before it is in its document.
@Replicated final class ReadDepot: Sendable {
  var goods: ReplicatedDictionary<String, Int> = ["default": 7]
  @ReplicatedIgnored let seen = Guarded([[Int?]]())
  @ReplicatedIgnored let observing = Guarded<ObservationToken?>(nil)

  init() {
    let observing = observe(isolation: nil) { [weak self] in
      guard let self else { return }
      let read = [goods["a"], goods["absent"], goods["default"], goods.count]
      seen.withLock { $0.append(read) }
    }
    self.observing.withLock { $0 = observing }
  }
}

@Replicated final class Yard: Sendable {
  var depot = ReadDepot()
}

/// A dictionary or set of a model that is opened after others have written it: `there` knows of no key before it reads
/// it.
@Suite(.serialized) struct `What nobody has read of a dictionary` {
  let pair = Pair()

  /// - Returns: The same model on both sides, opened on the other one only now.
  private func books(_ loans: [String: Int] = ["a": 1, "b": 2, "c": 3]) throws -> (here: Book, there: Book) {
    let here = try pair.here.space.model(Book.self, named: "front-desk", isolation: nil)
    withTransaction {
      for (key, value) in loans { here.loans[key] = value }
      here.keywords.formUnion(["x", "y"])
    }
    pair.exchange()
    return (here, try pair.there.space.model(Book.self, named: "front-desk", isolation: nil))
  }

  @Test func `is not read, and what is read is read once`() throws {
    let here = try pair.here.space.model(Depot.self, named: "store", isolation: nil)
    withTransaction { for number in 0..<10 { here.goods["\(number)"] = Weighed(weight: Int64(number)) } }
    pair.exchange()
    func readCount(_ body: () throws -> Bool) rethrows -> Int {
      let before = Weighed.readCount.load(ordering: .relaxed)
      let holds = try body()
      #expect(holds)
      return Weighed.readCount.load(ordering: .relaxed) - before
    }
    let space = pair.there.space
    var opened: Depot?
    let openingCount = try readCount {
      opened = try space.model(Depot.self, named: "store", isolation: nil)
      return true
    }
    let there = try #require(opened)
    let counts = [
      openingCount,
      readCount { there.goods["3"]?.weight == 3 },
      readCount { there.goods["3"]?.weight == 3 },
      readCount { !there.goods.contains("none") },
      readCount {
        there.goods["4"] = Weighed(weight: 40)
        return true
      },
      readCount { there.goods.count == 10 },
      readCount { there.goods.map(\.value.weight) == [0, 1, 2, 3, 40, 5, 6, 7, 8, 9] },
    ]
    #expect(counts == [0, 1, 0, 0, 1, 8, 0])
  }

  @Test func `is not read when it changes`() throws {
    let here = try pair.here.space.model(Depot.self, named: "store", isolation: nil)
    here.goods["a"] = Weighed(weight: 1)
    pair.exchange()
    let there = try pair.there.space.model(Depot.self, named: "store", isolation: nil)
    here.goods["a"] = Weighed(weight: 2)
    let before = Weighed.readCount.load(ordering: .relaxed)
    pair.exchange()
    #expect(Weighed.readCount.load(ordering: .relaxed) == before)
    #expect(there.goods["a"]?.weight == 2)
  }

  @Test func `stays in the stored snapshot that the document was opened from`() throws {
    var document = Document()
    do {
      let here = try pair.here.space.model(Book.self, named: "front-desk", isolation: nil)
      withTransaction { for number in 0..<3000 { here.loans["\(number)"] = number } }
      document = try #require(pair.here.handle.copy())
    }
    let handle = DocumentHandle(
      id: DocumentID("stored")!, replica: ReplicaID(rawValue: 9), document: try reopened(document)
    ) { 1_700_000_000_000 }
    let blocks = handle.copy()?.storedBlockCount
    #expect(try #require(blocks) > 40)
    let book = try ModelSpace(handle).model(Book.self, named: "front-desk", isolation: nil)
    #expect(book.loans["777"] == 777)
    #expect(handle.copy()?.storedBlockCount == blocks)
    #expect(book.loans.count == 3000)
    #expect(book.loans.keys.count == 3000)
    #expect(book.loans.map(\.value).reduce(0, +) == 3000 * 2999 / 2)
    #expect(handle.copy()?.storedBlockCount == blocks)
  }

  @Test(arguments: Writer.all) func `wakes nobody, and what was read wakes its readers`(writer: Writer) async throws {
    let (here, there) = try books()
    let a = Watch { there.loans["a"] }
    let absent = Watch { there.loans.contains("d") }
    let x = Watch { there.keywords.contains("x") }
    func write(_ change: @escaping (Book) -> Void) async throws {
      try await pair.write((there, here), writer, change)
      pair.exchange()
    }
    try await write { $0.loans["b"] = 20 }
    try await write { $0.loans["c"] = nil }
    try await write { $0.keywords.remove("y") }
    #expect([a.runs, absent.runs, x.runs] == [1, 1, 1])
    try await write { $0.loans["a"] = 10 }
    #expect(a.seen == [1, 10])
    try await write { $0.loans["d"] = 4 }
    #expect(absent.seen == [false, true])
    try await write { $0.loans["d"] = nil }
    #expect(absent.seen == [false, true, false])
    try await write { $0.keywords.remove("x") }
    #expect(x.seen == [true, false])
    #expect(a.runs == 2)
    // The rest is read now.
    let count = Watch { there.loans.count }
    let keys = Watch { there.loans.keys }
    try await write { $0.loans["b"] = 21 }
    #expect([count.runs, keys.runs] == [1, 1])
    try await write { $0.loans["c"] = 3 }
    #expect(count.seen == [2, 3])
    #expect(keys.seen.last == ["a", "b", "c"])
  }

  @Test func `wakes no reader of Observation either`() throws {
    let (here, there) = try books()
    let heard = Guarded(0)
    withObservationTracking {
      _ = there.loans["a"]
    } onChange: {
      heard.withLock { $0 += 1 }
    }
    here.loans["b"] = 20
    pair.exchange()
    #expect(heard.withLock { $0 } == 0)
    here.loans["a"] = 10
    pair.exchange()
    #expect(heard.withLock { $0 } == 1)
  }

  @Test func `shows what it showed until a merge is delivered`() throws {
    let (here, there) = try books(["a": 1, "b": 2, "c": 3, "d": 4])
    pair.there.space.withConsistentRead {
      withTransaction {
        here.loans["a"] = 10
        here.loans["b"] = nil
        here.loans["e"] = 5
        here.keywords = ["x", "z"]
      }
      pair.exchange()
      here.loans["a"] = 100
      pair.exchange()
      #expect(there.loans["a"] == 1)
      #expect(there.loans["e"] == nil)
      #expect(there.loans.map(\.value) == [1, 2, 3, 4])
      #expect(Array(there.keywords) == ["x", "y"])
    }
    #expect(Dictionary(uniqueKeysWithValues: Array(there.loans)) == ["a": 100, "c": 3, "d": 4, "e": 5])
    #expect(Array(there.keywords) == ["x", "z"])
  }

  @Test func `wakes its readers from before a merge was delivered`() throws {
    let (here, there) = try books()
    var watches: [Watch<Int?>] = []
    pair.there.space.withConsistentRead {
      here.loans["a"] = 10
      here.loans["b"] = nil
      pair.exchange()
      watches = ["a", "b", "c"].map { key in Watch { there.loans[key] } }
    }
    #expect(watches.map(\.seen) == [[1, 10], [2, nil], [3]])
  }

  @Test func `is written again without an operation where it holds the value`() throws {
    let (_, there) = try books()
    there.loans["a"] = 1
    there.loans["none"] = nil
    there.keywords.insert("x")
    there.keywords.remove("none")
    #expect(pair.there.handle.takeOutbox().isEmpty)
    there.loans["a"] = nil
    there.loans["b"] = 20
    #expect(pair.there.handle.takeOutbox().count == 2)
    #expect(there.loans.keys == ["b", "c"])
  }

  @Test func `is as it was after a transaction that wrote it was taken back`() throws {
    struct Refused: Error {}
    let (_, there) = try books()
    #expect(throws: Refused.self) {
      try withTransaction {
        there.loans["a"] = 10
        there.loans["b"] = nil
        there.loans["d"] = 4
        #expect(there.loans.count == 3)
        throw Refused()
      }
    }
    #expect(Array(there.loans).map(\.value) == [1, 2, 3])
    #expect(throws: Refused.self) {
      try withTransaction {
        there.keywords.remove("x")
        throw Refused()
      }
    }
    #expect(Array(there.keywords) == ["x", "y"])
  }

  @Test func `of another type is reported once it is read, and counts for nothing`() throws {
    let here = try pair.here.space.model(OldDepot.self, named: "store", isolation: nil)
    withTransaction { for key in ["a", "b", "c"] { here.goods[key] = "text" } }
    pair.exchange()
    let there = try pair.there.space.model(Depot.self, named: "store", isolation: nil)
    #expect(pair.there.space.unreadableValues.isEmpty)
    #expect(there.goods["a"] == nil)
    #expect(pair.there.space.unreadableValues.map(\.key) == [.name("a")])
    let count = Watch { there.goods.count }
    #expect(there.goods.keys.isEmpty && count.seen == [0])
    #expect(pair.there.space.unreadableValues.count == 3)
    // Somebody writes it: now it can be read.
    there.goods["b"] = Weighed(weight: 2)
    #expect(there.goods.keys == ["b"] && count.seen == [0, 1])
  }

  @Test func `is read where somebody read the dictionary before it was in the document`() throws {
    let writer = try pair.here.space.model(Yard.self, named: "yard", isolation: nil).depot
    withTransaction {
      writer.goods["a"] = 1
      writer.goods["b"] = 2
    }
    pair.exchange()
    let there = try pair.there.space.model(Yard.self, named: "yard", isolation: nil).depot
    #expect(there.seen.withLock { $0.first } == [nil, nil, 7, 1])
    #expect(there.seen.withLock { $0.last } == [1, nil, nil, 2])
  }

  @Test func `of a model that can be removed is kept`() throws {
    let (here, there) = try pair.models(Shed.self)
    here.owner = Depot()
    here.owner?.goods["a"] = Weighed(weight: 1)
    pair.exchange()
    let store = try #require(there.owner)
    here.owner = nil
    pair.exchange()
    #expect(there.owner == nil)
    #expect(store.goods["a"]?.weight == 1)
  }

  @Test func `is of one moment while nothing is delivered, whoever merges during it`() async throws {
    let here = try pair.here.space.model(Book.self, named: "front-desk", isolation: nil)
    withTransaction { for number in 0..<50 { here.loans["\(number)"] = 0 } }
    pair.exchange()
    let written = Task.detached { [pair] in
      for round in 1...200 {
        withTransaction { for number in 0..<50 { here.loans["\(number)"] = round } }
        pair.exchange()
      }
    }
    let space = pair.there.space
    for _ in 0..<100 {
      // Another instance each time, with nothing read.
      let values = try space.withConsistentRead {
        let there = try space.model(Book.self, named: "front-desk", isolation: nil)
        return [3, 7, 31].map { there.loans["\($0)"] }
      }
      #expect(Set(values).count == 1)
    }
    await written.value
    let there = try space.model(Book.self, named: "front-desk", isolation: nil)
    #expect(there.loans.allSatisfy { $0.value == 200 })
  }
}

@Replicated final class Shed: Sendable {
  var owner: Depot?
}

@MainActor @Suite struct `Unread keys in one job of an actor` {
  @Test func `show the moment of what was read`() async throws {
    let pair = Pair()
    let here = try pair.here.space.model(Sheet.self, named: "sheet")
    here.byName["one"] = Sheet.Row("one")
    here.byName["two"] = Sheet.Row("two")
    here.title = "first"
    pair.exchange()
    let there = try pair.there.space.model(Sheet.self, named: "sheet")
    here.byName["one"] = Sheet.Row("other")
    here.byName["two"] = nil
    here.byName["three"] = Sheet.Row("three")
    here.title = "second"
    pair.exchange()
    #expect(there.title == "first")
    #expect(there.byName["one"]?.name == "one")
    there.byName["four"] = Sheet.Row("four")
    #expect(there.byName["three"] == nil)
    #expect(there.byName.keys == ["four", "one", "two"])
    #expect(await Turns.pass { there.title != "first" })
    #expect(there.byName.map(\.value.name) == ["four", "other", "three"])
  }
}
