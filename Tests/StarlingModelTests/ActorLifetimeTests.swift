import StarlingEngine
import StarlingModel
import StarlingModelTestSupport
import Testing

/// Holds a model that it opened on itself, as actors do.
private actor Desk {
  private var book: Book?

  func open(_ space: ModelSpace) throws {
    book = try space.model(Book.self, named: "desk")
  }

  var title: String? { book?.title }

  /// For somebody who keeps the model longer than the actor.
  func handOver() -> Book? { book }
}

@Suite struct `An actor that opened a model on itself` {
  let pair = Pair()

  /// Opens one, and lets go of the actor.
  private func open() async throws -> (gone: WeakDesk, book: Book?) {
    let desk = Desk()
    try await desk.open(pair.here.space)
    #expect(await desk.title == "A sample book")
    return (WeakDesk(desk), await desk.handOver())
  }

  private struct WeakDesk: Sendable {
    weak let desk: Desk?

    init(_ desk: Desk) {
      self.desk = desk
    }
  }

  @Test func `is not held by it, nor by the space`() async throws {
    let gone = try await open().gone
    await Turns.pass(until: { gone.desk == nil })
    #expect(gone.desk == nil)
    // And another one takes its place.
    let next = Desk()
    try await next.open(pair.here.space)
    #expect(await next.title == "A sample book")
  }

  @Test func `leaves a model behind that goes on hearing of changes`() async throws {
    let (gone, kept) = try await open()
    await Turns.pass(until: { gone.desk == nil })
    #expect(gone.desk == nil)
    let book = try #require(kept)
    let there = try pair.there.space.model(Book.self, named: "desk", isolation: nil)
    there.title = "Dune"
    pair.exchange()
    #expect(book.title == "Dune")
  }
}
