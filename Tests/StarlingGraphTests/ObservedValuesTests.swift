import StarlingGraph
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A sequence of values` {
  @Test func `yields the first value and then the newest after each change`() async {
    let book = Book(title: "Dune")
    var titles = ObservedValues({ book.title }).makeAsyncIterator()
    #expect(await titles.next() == "Dune")
    book.title = "Emma"
    #expect(await titles.next() == "Emma")
    book.title = "unread"
    book.title = "Walden"
    #expect(await titles.next() == "Walden")
  }

  @Test func `reads nothing before it is asked, and once for each value`() async {
    let book = Book()
    let runs = Log<Int>()
    let sequence = ObservedValues {
      runs.add(book.year)
      return book.year
    }
    var years = sequence.makeAsyncIterator()
    book.year = 1
    #expect(runs.count == 0)
    #expect(await years.next() == 1)
    book.title = "not read"
    book.year = 2
    book.year = 3
    #expect(runs.entries == [1])
    #expect(await years.next() == 3)
    #expect(runs.entries == [1, 3])
  }

  @Test func `follows only what its last run read`() async {
    let book = Book(title: "Dune", year: 1)
    let runs = Log<Int>()
    var shown = ObservedValues {
      runs.add(1)
      return book.year > 0 ? book.title : "–"
    }.makeAsyncIterator()
    #expect(await shown.next() == "Dune")
    book.year = 0
    #expect(await shown.next() == "–")
    book.title = "unread"
    book.year = 2
    #expect(await shown.next() == "unread")
    #expect(runs.count == 3)
  }

  @Test func `yields once for a batch, after all of it`() async {
    let book = Book()
    let runs = Log<String>()
    var shown = ObservedValues {
      runs.add(book.title)
      return book.title + "\(book.year)"
    }.makeAsyncIterator()
    #expect(await shown.next() == "0")
    batch {
      book.year = 1
      book.title = "Dune"
      book.year = 2
    }
    #expect(await shown.next() == "Dune2")
    #expect(runs.count == 2)
  }

  @Test func `has no value for a derived one that came out the same`() async {
    let book = Book(year: 1)
    let isOld = Derived { book.year < 2_000 }
    var states = ObservedValues({ isOld.read() }).makeAsyncIterator()
    #expect(await states.next() == true)
    book.year = 2
    book.year = 2_001
    #expect(await states.next() == false)
  }

  @Test func `ends where it says so, and reads no more`() async {
    let book = Book()
    let runs = Log<Int>()
    var years = ObservedValues<Int, Never>.untilFinished {
      runs.add(book.year)
      return book.year < 2 ? .next(book.year) : .finish
    }.makeAsyncIterator()
    #expect(await years.next() == 0)
    book.year = 1
    #expect(await years.next() == 1)
    book.year = 2
    #expect(await years.next() == nil)
    book.year = 0
    #expect(await years.next() == nil)
    #expect(runs.entries == [0, 1, 2])
    #expect(book.home.referenceCount == 1 + 1)  // The record of `_year`, which its cell keeps.
  }

  @Test func `ends with the error that its reading throws`() async throws {
    struct Refusal: Error {}
    let book = Book()
    var years = ObservedValues { () throws(Refusal) in
      if book.year == 1 { throw Refusal() }
      return book.year
    }.makeAsyncIterator()
    #expect(try await years.next() == 0)
    book.year = 1
    await #expect(throws: Refusal.self) { try await years.next() }
    book.year = 2
    #expect(try await years.next() == nil)
  }

  @MainActor @Test func `reads on the actor where it was made`() async {
    let book = Book()
    let years = ObservedValues {
      MainActor.assertIsolated()
      return book.year
    }
    let seen = await Task.detached {
      var seen: [Int] = []
      for await year in years {
        seen.append(year)
        if year == 2 { break }
        book.year += 1
      }
      return seen
    }.value
    #expect(seen == [0, 1, 2])
  }
}

@Suite(.timeLimit(.minutes(2))) struct `A sequence of values misses no write of another thread` {
  /// Where in the reading of two properties the write is made.
  private enum Place: CaseIterable {
    case beforeBoth, between, afterBoth, afterReading
  }

  private struct Write: Hashable {
    /// From 1.
    var run: Int
    var place: Place
    var isOfFirst: Bool

    static let all = (1...2).flatMap { run in
      Place.allCases.flatMap { place in [true, false].map { Write(run: run, place: place, isOfFirst: $0) } }
    }
  }

  /// Two properties, written by another thread at places of the runs that read them.
  private final class World: Sendable {
    let first = Book()
    let second = Book()
    private let writes: [Write]
    private let run = Slot(0)

    init(_ writes: [Write]) {
      self.writes = writes
    }

    private func reach(_ place: Place) {
      let run = run.value
      for write in writes where write.run == run && write.place == place {
        let book = write.isOfFirst ? first : second
        onThread { book.year += 1 }.pass()
      }
    }

    func read() -> [Int] {
      run.value += 1
      reach(.beforeBoth)
      let one = first.year
      reach(.between)
      let other = second.year
      reach(.afterBoth)
      return [one, other]
    }

    func passOn() { reach(.afterReading) }

    var present: [Int] { [first.year, second.year] }
  }

  @Test func `wherever two of them fall`() async {
    var count = 0
    for one in Write.all {
      for other in Write.all {
        let world = World([one, other])
        var seen = 0
        for await value in ObservedValues({ world.read() }) {
          seen += 1
          world.passOn()
          if value == world.present { break }
        }
        #expect(seen <= 3, "\(one), \(other)")
        #expect(!Task.isCancelled, "\(one), \(other)")
        if Task.isCancelled { return }
        count += 1
      }
    }
    #expect(count == 16 * 16)
  }

  @MainActor @Test func `while it waits for one`() async {
    let book = Book()
    let seen = Log<Int>()
    let iteration = Task {
      for await year in ObservedValues({ book.year }) {
        seen.add(year)
        if year == 3 { break }
      }
    }
    // Each turn of the actor brings the iteration to where it waits.
    for year in 1...3 {
      await turn()
      onThread { book.year = year }.pass()
    }
    await iteration.value
    #expect(seen.entries.last == 3)
    #expect(seen.entries.first == 0)
  }

  @Test func `that writes all the time, though it may leave values out`() async {
    let book = Book()
    let last = 20_000
    let writer = onThread { for year in 1...last { book.year = year } }
    var years: [Int] = []
    for await year in ObservedValues({ book.year }) {
      years.append(year)
      if year == last { break }
    }
    writer.pass()
    #expect(years.last == last)
    #expect(zip(years, years.dropFirst()).allSatisfy { $0 <= $1 })
  }

  @MainActor private func turn() async {
    for _ in 0..<3 { await Task { @MainActor in }.value }
  }
}

@Suite(.timeLimit(.minutes(2))) struct `The iteration of a sequence of values` {
  @MainActor @Test func `ends when its task is cancelled while it waits`() async {
    let book = Book()
    let seen = Log<Int>()
    let iteration = Task {
      for await year in ObservedValues({ book.year }) { seen.add(year) }
    }
    for _ in 0..<3 { await Task { @MainActor in }.value }
    iteration.cancel()
    await iteration.value
    book.year = 1
    #expect(seen.entries == [0])
    #expect(book.home.referenceCount == 1 + 1)  // The record of `_year`, which its cell keeps.
  }

  @Test func `yields nothing in a task that is cancelled already, also where a value is due`() async {
    let book = Book()
    let runs = Log<Int>()
    let values = ObservedValues {
      runs.add(book.year)
      return book.year
    }
    await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      var years = values.makeAsyncIterator()
      #expect(await years.next() == nil)
      #expect(await years.next() == nil)
    }.value
    await Task {
      var years = values.makeAsyncIterator()
      #expect(await years.next() == 0)
      book.year = 1
      withUnsafeCurrentTask { $0?.cancel() }
      #expect(await years.next() == nil)
    }.value
    #expect(runs.entries == [0])
  }

  @Test func `observes no more once its loop is left, and keeps nothing`() async {
    let book = Book()
    weak var gone: Mortal?
    do {
      let mortal = Mortal()
      gone = mortal
      for await year in ObservedValues({ [mortal] in withExtendedLifetime(mortal) { book.year } }) where year == 0 {
        #expect(book.home.referenceCount == 1 + 1 + 1)  // And the link of the reader.
        break
      }
    }
    #expect(gone == nil)
    #expect(book.home.referenceCount == 1 + 1)
  }

  @Test func `is its own, beside others of the same sequence`() async {
    let book = Book()
    let values = ObservedValues { book.year }
    var (one, other) = (values.makeAsyncIterator(), values.makeAsyncIterator())
    #expect(await one.next() == 0)
    book.year = 1
    #expect(await other.next() == 1)
    #expect(await one.next() == 1)
    book.year = 2
    #expect(await other.next() == 2)
    #expect(await one.next() == 2)
  }
}
