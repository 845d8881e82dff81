import StarlingEngine
import StarlingGraph
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
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
    #expect(await Turns.pass { gone.desk == nil })
    #expect(gone.desk == nil)
    // And another one takes its place.
    let next = Desk()
    try await next.open(pair.here.space)
    #expect(await next.title == "A sample book")
  }

  @Test func `leaves a model behind that goes on hearing of changes`() async throws {
    let (gone, kept) = try await open()
    #expect(await Turns.pass { gone.desk == nil })
    #expect(gone.desk == nil)
    let book = try #require(kept)
    let there = try pair.there.space.model(Book.self, named: "desk", isolation: nil)
    there.title = "Dune"
    pair.exchange()
    #expect(book.title == "Dune")
  }

  @Test func `and keeps an observer that captures it stays until it ends that`() async throws {
    weak var gone: Follower?
    do {
      let follower = Follower()
      try await follower.follow(pair.here.space, capturing: true)
      gone = follower
      #expect(await follower.seen == ["A sample book"])
    }
    // Time enough to go, if it went.
    for _ in 0..<100_000 where gone != nil { await Task.yield() }
    #expect(gone != nil)
    await gone?.end()
    #expect(await Turns.pass { gone == nil })
    #expect(gone == nil)
  }

  @Test func `and keeps an observer that is handed it goes, and the observer with it`() async throws {
    let there = try pair.there.space.model(Book.self, named: "desk", isolation: nil)
    weak var gone: Follower?
    do {
      let follower = Follower()
      try await follower.follow(pair.here.space, capturing: false)
      gone = follower
      there.title = "Dune"
      pair.exchange()
      #expect(await Turns.pass { await follower.seen.count >= 2 })
      #expect(await follower.seen == ["A sample book", "Dune"])
    }
    #expect(await Turns.pass { gone == nil })
    #expect(gone == nil)
    there.title = "Emma"
    pair.exchange()
  }
}

/// Follows a model that it opened on itself.
private actor Follower {
  private var book: Book?
  private var observing: ObservationToken?
  private(set) var seen: [String] = []

  func follow(_ space: ModelSpace, capturing: Bool) throws {
    let book = try space.model(Book.self, named: "desk")
    self.book = book
    observing = capturing ? observe { self.note() } : observe(for: self) { $0.note() }
  }

  private func note() {
    if let book { seen.append(book.title) }
  }

  func end() { observing?.cancel() }
}
