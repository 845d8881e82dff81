import StarlingGraph
import StarlingGuard
import Testing

/// A dictionary whose keys, and whose count, are sources of their own.
private final class Scores: Sendable {
  let home = Home()
  private let storage = Guarded([String: Int]())
  private let keys = KeyedSources<String>()
  private let size = Source()

  subscript(key: String) -> Int? {
    get {
      keys.track(key, in: home)
      return storage.withLock { $0[key] }
    }
    set {
      let isStructural = storage.withLock { storage in
        let before = storage.count
        storage[key] = newValue
        return storage.count != before
      }
      batch {
        keys.touch(key, in: home)
        if isStructural { size.touch(in: home) }
      }
    }
  }

  var count: Int {
    size.track(in: home)
    return storage.withLock { $0.count }
  }

  func removeAll() {
    storage.withLock { $0.removeAll() }
    batch {
      keys.touchAll(in: home)
      size.touch(in: home)
    }
  }

  /// The same under one lock.
  func raise(_ names: [String]) {
    home.hold { held in
      for name in names {
        storage.withLock { $0[name, default: 0] += 1 }
        held.touch(name, of: keys)
      }
      held.touch(size)
    }
  }
}

@Suite struct `A source for each key` {
  @Test func `wakes the readers of that key alone`() {
    let scores = Scores()
    let log = Log<String>()
    let observing = ["ann", "bob"].map { name in observe { log.add("\(name) \(scores[name] ?? 0)") } }
    scores["ann"] = 3
    scores["cy"] = 1
    #expect(log.entries == ["ann 0", "bob 0", "ann 3"])
    observing.forEach { $0.cancel() }
  }

  @Test func `is apart from the count`() {
    let scores = Scores()
    let counts = Log<Int>()
    let observing = observe { counts.add(scores.count) }
    scores["ann"] = 1
    scores["ann"] = 2
    scores["bob"] = 1
    scores["bob"] = nil
    #expect(counts.entries == [0, 1, 2, 1])
    observing.cancel()
  }

  @Test func `wakes once for all of them`() {
    let scores = Scores()
    let log = Log<Int>()
    let observing = observe { log.add((0..<100).reduce(0) { $0 + (scores["\($1)"] ?? 0) }) }
    scores.raise((0..<100).map { "\($0)" })
    #expect(log.entries == [0, 100])
    scores.removeAll()
    #expect(log.entries == [0, 100, 0])
    observing.cancel()
  }

  @Test func `goes with its last reader`() {
    let before = Census.ofThisThread
    let scores = Scores()
    let first = observe { for key in 0..<50 { _ = scores["\(key)"] } }
    let second = observe { for key in 25..<75 { _ = scores["\(key)"] } }
    #expect(Census.ofThisThread.sources == before.sources + 75)
    first.cancel()
    #expect(Census.ofThisThread.sources == before.sources + 50)
    second.cancel()
    #expect(Census.ofThisThread.sources == before.sources)
  }

  @Test func `comes again after it went`() {
    let scores = Scores()
    observe { _ = scores["ann"] }.cancel()
    let log = Log<Int>()
    let observing = observe { log.add(scores["ann"] ?? 0) }
    scores["ann"] = 1
    #expect(log.entries == [0, 1])
    observing.cancel()
  }

  @Test func `goes with its table, and leaves readers in peace`() {
    let before = Census.ofThisThread
    let book = Book()
    var scores: Scores? = Scores()
    let log = Log<Int>()
    let observing = observe { [weak scores] in log.add((scores?["ann"] ?? 0) + book.year) }
    scores?["ann"] = 5
    scores = nil
    #expect(Census.ofThisThread.sources == before.sources + 1)
    book.year = 1
    #expect(log.entries == [0, 5, 1])
    observing.cancel()
    #expect(Census.ofThisThread.links == before.links)
    #expect(Census.ofThisThread.readers == before.readers)
  }

  @Test func `read by nobody is never made`() {
    let before = Census.ofThisThread
    let scores = Scores()
    for key in 0..<100 { scores["\(key)"] = scores["\(key)"] ?? 0 + key }
    #expect(Census.ofThisThread.sources == before.sources)
  }
}
