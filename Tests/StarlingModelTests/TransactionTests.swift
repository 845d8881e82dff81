import StarlingBinding
import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

@Suite struct `A transaction over models` {
  private let pair = Pair()

  private func book(in replica: Pair.Replica) throws -> Book {
    try replica.space.model(Book.self, named: "front-desk", isolation: nil)
  }

  @Test func `is not joined by a task that began in it`() async throws {
    let (book, _) = try pair.models(Book.self)
    let (hasEnded, mayGoOn) = AsyncStream<Void>.makeStream()
    let task = withTransaction(Transaction(animation: .easeIn), message: "Catalogue") {
      book.title = "Dune"
      return Task {
        for await _ in hasEnded { break }
        book.copies += 1
        withTransaction(message: "Buy") { book.copies += 1 }
        return Transaction.current.animation
      }
    }
    mayGoOn.yield()
    #expect(await task.value == nil)
    #expect(pair.here.handle.takeOutbox().map(\.message) == ["Catalogue", nil, "Buy"])
  }

  @Test func `is not joined by another thread that writes while it is open`() throws {
    let (book, _) = try pair.models(Book.self)
    let handle = pair.here.handle
    let end = withTransaction(message: "Catalogue") {
      book.title = "Dune"
      let end = onThread { book.copies += 1 }
      #expect(eventually { handle.waitingWriterCount == 1 })
      book.isAvailable = false
      return end
    }
    end.wait()
    #expect(handle.takeOutbox().map(\.message) == ["Catalogue", nil])
    #expect(book.copies == 1)
  }

  @Test func `wakes its observers, and a task that began in it wakes its own`() async throws {
    let (book, _) = try pair.models(Book.self)
    let watch = Watch { book.copies.value }
    let task = withTransaction {
      book.copies += 1
      return Task { book.copies += 1 }
    }
    await task.value
    #expect(book.copies == 2)
    #expect(watch.seen.last == 2)
  }

  @Test func `over two documents and another the other way round both end, and one is reported`() throws {
    let incidents = Incidents()
    let (first, second) = (Pair.Replica(1), Pair.Replica(2))
    let books = try [first, second].map(book)
    let areOpen = [Signal(), Signal()]
    let ends = [0, 1].map { number in
      onThread {
        withTransaction {
          books[number].copies += 1
          areOpen[1 - number].raise()
          areOpen[number].wait()
          books[1 - number].copies += 1
        }
      }
    }
    for end in ends { end.wait() }
    for book in books { #expect(book.copies == 2) }
    #expect(
      incidents.contains { if case .joinedTransaction(let write) = $0 { write.reason == .deadlock } else { false } })
    for replica in [first, second] { #expect(!replica.handle.takeOutbox().isEmpty) }
  }

  @Test func `of any of many threads is whole, and none is lost`() throws {
    // A thread that waited for long joined a transaction, and a busy machine has a thread wait for long.
    let writer = Pair.Replica(1, transactionTimeout: .seconds(3600))
    let (here, there) = try (book(in: writer), book(in: pair.there))
    let (threads, rounds) = (6, 100)
    let ends = (0..<threads).map { number in
      onThread {
        for _ in 0..<rounds {
          withTransaction(message: "\(number)") {
            here.copies += 1
            here.loans["\(number)", default: 0] += 1
            here.copies += 1
          }
          here.copies += 1
        }
      }
    }
    for end in ends { end.wait() }
    let changes = writer.handle.takeOutbox()
    #expect(changes.count == 2 * threads * rounds)
    #expect(changes.filter { $0.message != nil }.allSatisfy { $0.operations.count >= 3 })
    #expect(here.copies.value == 3 * threads * rounds)
    pair.there.handle.merge(changes)
    #expect(there.copies.value == 3 * threads * rounds)
    for number in 0..<threads { #expect(there.loans["\(number)"] == rounds) }
  }
}
