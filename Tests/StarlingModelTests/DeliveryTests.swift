import StarlingGuard
import Dispatch
import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Synchronization
import Testing

@MainActor @Suite struct `On the main actor` {
  let pair = Pair()

  @Test func `a merge becomes visible in a job of its own, never between two lines`() async throws {
    let here = try pair.here.space.model(Screen.self, named: "screen")
    let there = try pair.there.space.model(Screen.self, named: "screen")
    here.title = "Dune"
    here.count += 1
    pair.exchange()
    #expect(there.title == "Home")
    #expect(there.count == 0)
    await there.becomes { $0.title == "Dune" }
    #expect(there.count == 1)
  }

  @Test func `a write made before the delivery stands against what it replaced`() async throws {
    let here = try pair.here.space.model(Screen.self, named: "screen")
    let there = try pair.there.space.model(Screen.self, named: "screen")
    here.title = "Dune"
    here.count += 5
    pair.exchange()
    there.title = "Emma"
    there.count += 1
    #expect(there.title == "Emma")
    #expect(there.count == 1)
    await there.becomes { $0.count == 6 }
    #expect(there.title == "Emma")
    pair.exchange()
    await here.becomes { $0.title == "Emma" }
    #expect(here.count == 6)
  }

  @Test func `a model cannot be opened a second time elsewhere`() async throws {
    let book = try pair.here.space.model(Book.self, named: "book")
    let space = pair.here.space
    await #expect(throws: ModelError.self) { try await Elsewhere().open(space) }
    let same = try space.model(Book.self, named: "book", isolation: nil)
    #expect(same === book)
  }

  @Test func `an observer runs after the delivery, once for all of it`() async throws {
    let here = try pair.here.space.model(Screen.self, named: "screen")
    let there = try pair.there.space.model(Screen.self, named: "screen")
    let log = Screen.Entries()
    let observing = observe { log.value.append("\(there.title) \(there.count)") }
    withTransaction {
      here.title = "Dune"
      here.count += 1
    }
    pair.exchange()
    await there.becomes { _ in log.value.count > 1 }
    #expect(log.value == ["Home 0", "Dune 1"])
    observing.cancel()
  }

  private actor Elsewhere {
    func open(_ space: ModelSpace) throws -> String { try space.model(Book.self, named: "book").title }
  }
}

extension Screen {
  /// Waits for a delivery; each suspension lets the waiting jobs run.
  func becomes(_ isDone: (Screen) -> Bool) async {
    #expect(await Turns.pass { isDone(self) })
  }
}

@Suite struct `On no isolation` {
  @Test func `many properties that wait are shown as they are last, with their conflicts`() throws {
    let pair = Pair()
    let names = (0..<20).map { "book-\($0)" }
    let here = try names.map { try pair.here.space.model(Book.self, named: $0, isolation: nil) }
    let there = try names.map { try pair.there.space.model(Book.self, named: $0, isolation: nil) }
    let titles = there.map { book in Watch { book.title } }
    let conflicts = there.map { book in Watch { book.conflicts(of: \.pages).count } }
    pair.there.space.withConsistentRead {
      for book in there { book.pages = 1 }
      for round in 0..<2 {
        for book in here {
          book.title = "round \(round)"
          if round == 0 { book.pages = 2 }
        }
        pair.exchange()
      }
      #expect(titles.allSatisfy { $0.seen == ["A sample book"] })
    }
    #expect(titles.allSatisfy { $0.seen == ["A sample book", "round 1"] })
    #expect(conflicts.allSatisfy { $0.seen.last == 2 })
  }

  @Test func `what arrives while models are held becomes visible afterwards`() throws {
    let pair = Pair()
    let (here, there) = try pair.models(Book.self)
    here.title = "Dune"
    pair.there.space.withConsistentRead {
      pair.exchange()
      #expect(there.title == "A sample book")
    }
    #expect(there.title == "Dune")
  }

  @Test func `models that are held agree with each other, whatever another thread merges`() throws {
    let pair = Pair()
    let (here, there) = try pair.models(Book.self)
    DispatchQueue.concurrentPerform(iterations: 2) { thread in
      for round in 0..<300 {
        if thread == 0 {
          withTransaction {
            here.title = "\(round)"
            here.subtitle = "\(round)"
          }
          pair.exchange()
        } else {
          pair.there.space.withConsistentRead {
            let title = there.title
            for _ in 0..<20 { #expect(there.title == title && (there.subtitle ?? "A sample book") == title) }
          }
        }
      }
    }
    #expect(there.title == "299")
  }

  @Test func `eight threads lose no increment, no member and no wake`() throws {
    let pair = Pair()
    let (here, there) = try pair.models(Book.self)
    let count = Watch { there.copies }
    DispatchQueue.concurrentPerform(iterations: 8) { thread in
      for round in 0..<200 {
        here.copies += 1
        here.tags.insert("\(thread)-\(round % 10)")
        here.keywords.insert("\(thread)-\(round % 10)")
        here.title = "\(thread) \(round)"
        if round % 20 == 0 { pair.exchangeExclusively() }
      }
    }
    pair.exchangeExclusively()
    #expect(here.copies == 1600)
    #expect(there.copies == 1600)
    #expect(count.seen.last == 1600)
    #expect(here.tags.count == 80)
    #expect(there.tags == here.tags)
    #expect(here.keywords.count == 80)
    #expect(Array(there.keywords) == Array(here.keywords))
    #expect(there.title == here.title)
    #expect(pair.here.handle.digest() == pair.there.handle.digest())
  }

  @Test func `eight threads lose no increment of a model on its own`() {
    let book = Book()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<500 { book.copies += 1 }
    }
    #expect(book.copies == 4000)
  }
}

extension Pair {
  /// An engine merges from one executor; here whoever holds this.
  func exchangeExclusively() {
    link.withLock { _ in exchange() }
  }
}

@Suite struct `A transaction` {
  let pair = Pair()

  @Test func `is one change and one flush`() throws {
    let (here, there) = try pair.models(Book.self)
    let mine = Watch { (here.title, here.copies) }
    let theirs = Watch { (there.title, there.copies) }
    withTransaction(message: "new edition") {
      here.title = "Dune"
      here.copies += 1
      here.copies += 1
      withTransaction { here.title = "Dune II" }
      #expect(mine.runs == 1)
    }
    #expect(mine.runs == 2)
    let changes = pair.here.handle.takeOutbox()
    #expect(changes.count == 1)
    #expect(changes.first?.message == "new edition")
    pair.there.handle.merge(changes)
    #expect(theirs.runs == 2)
    #expect(theirs.seen.last! == ("Dune II", 2))
  }

  @Test func `that throws takes back what it wrote`() throws {
    struct Refused: Error {}
    let (here, _) = try pair.models(Book.self)
    #expect(throws: Refused.self) {
      try withTransaction { () throws in
        here.title = "Dune"
        throw Refused()
      }
    }
    #expect(pair.here.handle.takeOutbox().isEmpty)
    here.title = "Emma"
    #expect(pair.here.handle.takeOutbox().count == 1)
  }
}
