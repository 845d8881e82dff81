import StarlingBinding
import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

@Suite struct `A task that begins within a transaction` {
  private let pair = Pair()

  @Test(arguments: [false, true])
  func `has its writes committed, though the body wrote nothing`(isAnimated: Bool) async throws {
    let (book, _) = try pair.models(Book.self)
    let (hasEnded, mayGoOn) = AsyncStream<Void>.makeStream()
    let body = {
      Task {
        for await _ in hasEnded { break }
        book.title = "Dune"
      }
    }
    let task = isAnimated ? withAnimation(.easeIn, body) : withTransaction(message: "Catalogue", body)
    mayGoOn.yield()
    await task.value
    book.copies += 1
    #expect(pair.here.handle.takeOutbox().map(\.message) == [nil, nil])
  }

  @Test func `carries nothing of it where an observer began it`() async throws {
    let (book, _) = try pair.models(Book.self)
    let task = Guarded<Task<Animation?, Never>?>(nil)
    let seen = Guarded<Animation?>(nil)
    let observing = observe(isolation: nil) {
      guard book.title == "Dune" else { return }
      seen.withLock { $0 = Transaction.current.animation }
      task.withLock { $0 = Task { Transaction.current.animation } }
    }
    withAnimation(.easeIn) { book.title = "Dune" }
    #expect(seen.withLock { $0 } == .easeIn)
    #expect(await task.withLock { $0 }?.value == .some(nil))
    withExtendedLifetime(observing) {}
  }

  @MainActor @Test func `carries nothing of it where an observer on an actor began it`() async throws {
    let book = try pair.here.space.model(Book.self, named: "front-desk")
    var task: Task<Animation?, Never>?
    var seen: Animation?
    let observing = observe {
      guard book.title == "Dune" else { return }
      seen = Transaction.current.animation
      task = Task { Transaction.current.animation }
    }
    withAnimation(.easeIn) { book.title = "Dune" }
    #expect(await Turns.pass { task != nil })
    #expect(seen == .easeIn)
    #expect(await task?.value == .some(nil))
    #expect(Transaction.current.animation == nil)
    withExtendedLifetime(observing) {}
  }
}
