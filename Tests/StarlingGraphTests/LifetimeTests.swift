import StarlingGraph
import StarlingTestSupport
import Testing

@Suite struct `A model that goes` {
  @Test func `leaves its readers without links`() {
    let before = Census.ofThisThread
    var book: Book? = Book(year: 1)
    weak let gone = book
    let log = Log<Int>()
    let observing = observe { [weak book] in log.add(book?.year ?? -1) }
    #expect(Census.ofThisThread.links == before.links + 1)
    book = nil
    #expect(gone == nil)
    #expect(Census.ofThisThread.links == before.links)
    #expect(Census.ofThisThread.sources == before.sources)
    #expect(log.entries == [1])
    observing.cancel()
    #expect(Census.ofThisThread.homes == before.homes)
    #expect(Census.ofThisThread.readers == before.readers)
  }

  @Test func `is not taken for the next one at its address`() {
    let before = Census.ofThisThread
    let trigger = Book()
    let slot = Slot<Book?>(nil)
    let log = Log<Int>()
    let observing = observe { log.add(trigger.year * 1_000 + (slot.value?.year ?? 0)) }
    for round in 1...50 {
      slot.value = nil
      slot.value = Book(year: round)  // Likely where the last one lay.
      trigger.year = round
      slot.value?.year = 500
      let expected: [Int] = [round * 1_001, round * 1_000 + 500]
      #expect(Array(log.entries.suffix(2)) == expected)
    }
    observing.cancel()
    slot.value = nil
    #expect(Census.ofThisThread.links == before.links)
  }

  @Test func `in the middle of what an observer reads leaves the rest linked`() {
    let books = Slot((0..<10).map { Book(year: $0) })
    let log = Log<Int>()
    let observing = observe { log.add(books.value.reduce(0) { $0 + $1.year }) }
    books.value.remove(at: 5)
    books.value[8].year = 100
    #expect(log.entries == [45, 45 - 5 - 9 + 100])
    observing.cancel()
  }

  @Test func `may go in the observer that it woke`() {
    let before = Census.ofThisThread
    let slot = Slot<Book?>(Book())
    let log = Log<Int>()
    let observing = observe {
      log.add(slot.value?.year ?? -1)
      if slot.value?.year == 1 { slot.value = nil }
    }
    slot.value?.year = 1
    #expect(log.entries == [0, 1])
    observing.cancel()
    #expect(Census.ofThisThread.links == before.links)
    #expect(Census.ofThisThread.sources == before.sources)
    #expect(Census.ofThisThread.readers == before.readers)
  }
}

@Suite struct `An observer that goes` {
  @Test func `releases what it captured`() {
    let book = Book()
    weak var gone: Mortal?
    var observing: ObservationToken?
    do {
      let mortal = Mortal()
      gone = mortal
      observing = observe { _ = (book.year, mortal) }
    }
    #expect(gone != nil)
    observing?.cancel()
    #expect(gone == nil)
    observing = nil
  }

  @Test func `leaves nothing in the graph`() {
    let before = Census.ofThisThread
    do {
      let books = (0..<20).map { Book(year: $0) }
      let sum = Derived { books.reduce(0) { $0 + $1.year } }
      let observing = (0..<20).map { number in
        observe { _ = (books[number].year, books[number].title, sum.read()) }
      }
      books[3].year = 100
      #expect(Census.ofThisThread.links == before.links + 80)
      observing.forEach { $0.cancel() }
      #expect(Census.ofThisThread.links == before.links + 20)  // Those of the derived value.
      #expect(Census.ofThisThread.readers == before.readers + 1)
    }
    let after = Census.ofThisThread
    #expect(after.links == before.links)
    #expect(after.sources == before.sources)
    #expect(after.readers == before.readers)
    #expect(after.homes == before.homes)
  }

  @Test func `while it is queued is freed by the flush`() {
    let before = Census.ofThisThread
    let book = Book()
    weak var gone: Mortal?
    batch {
      let mortal = Mortal()
      gone = mortal
      let observing = observe { _ = (book.year, mortal) }
      book.year = 1
      observing.cancel()
    }
    #expect(gone == nil)
    #expect(Census.ofThisThread.readers == before.readers)
    #expect(Census.ofThisThread.links == before.links)
  }

  @Test func `in what it was woken for keeps what it captured until that has ended`() {
    let before = Census.ofThisThread
    let (book, observer, token) = (Book(), Slot<Observer?>(nil), Slot<ObservationToken?>(nil))
    let log = Log<String>()
    do {
      let mortal = Mortal { log.add("gone") }
      token.value = observe {
        guard book.year == 1 else { return }
        token.value = nil
        withExtendedLifetime(mortal) { log.add("ran") }
      }
    }
    do {
      let mortal = Mortal { log.add("gone") }
      observer.value = Observer(named: "a scope") {
        observer.value = nil
        withExtendedLifetime(mortal) { log.add("told") }
      }
    }
    observer.value?.track { _ = book.title }
    book.year = 1
    book.title = "another"
    #expect(log.entries == ["ran", "gone", "told", "gone"])
    #expect(Census.ofThisThread.readers == before.readers)
  }
}

/// Keeps what it observes with.
private actor Follower {
  private var observing: ObservationToken?
  private(set) var seen: [Int] = []

  func follow(_ book: Book) {
    observing = observe(for: self) { follower in follower.seen.append(book.year) }
  }
}

@Suite struct `An actor that keeps its observer` {
  @Test func `goes once nobody else holds it, and its observer reads no more`() async {
    let book = Book(year: 1)
    weak var gone: Follower?
    do {
      let follower = Follower()
      await follower.follow(book)
      gone = follower
      #expect(await follower.seen == [1])
      book.year = 2
      #expect(await Turns.pass { await follower.seen.count >= 2 })
      #expect(await follower.seen == [1, 2])
    }
    #expect(await Turns.pass { gone == nil })
    book.year = 3
  }

  @Test func `may go while a run waits for it`() async {
    let book = Book(year: 1)
    weak var gone: Follower?
    for round in 0..<100 {
      do {
        let follower = Follower()
        await follower.follow(book)
        gone = follower
        book.year = round
      }
      #expect(await Turns.pass { gone == nil })
    }
  }
}
