import StarlingTestSupport
import StarlingGraph
import Testing

@Suite struct `A write` {
  @Test func `wakes the readers of that property alone`() {
    let book = Book()
    let titles = Log<String>()
    let years = Log<Int>()
    let observing = [observe { titles.add(book.title) }, observe { years.add(book.year) }]
    book.title = "Dune"
    #expect(titles.entries == ["", "Dune"])
    #expect(years.entries == [0])
    observing.forEach { $0.cancel() }
  }

  @Test func `wakes the one observer in ten thousand that is concerned`() {
    let books = (0..<10_000).map { Book(year: $0) }
    let runs = Log<Int>()
    let observing = books.map { book in observe { runs.add(book.year) } }
    #expect(runs.count == 10_000)
    books[7_312].year = -1
    #expect(runs.count == 10_001)
    #expect(runs.entries.last == -1)
    observing.forEach { $0.cancel() }
  }

  @Test func `wakes every one of a cell's readers once`() {
    let book = Book()
    let runs = Log<Int>()
    let observing = (0..<100).map { number in
      observe {
        _ = book.year
        runs.add(number)
      }
    }
    book.year = 1
    #expect(runs.entries == Array(0..<100) + runs.entries[100...])
    #expect(Set(runs.entries[100...]) == Set(0..<100))
    #expect(runs.count == 200)
    observing.forEach { $0.cancel() }
  }

  @Test func `of an equal value wakes nobody where the caller says what is equal`() {
    let book = Book(year: 1965)
    let runs = Log<Int>()
    let observing = observe { runs.add(book.year) }
    #expect(!book.change(year: 1965))
    #expect(book.change(year: 1966))
    #expect(runs.entries == [1965, 1966])
    observing.cancel()
  }

  @Test func `hands back the value before`() {
    let book = Book(title: "Dune")
    #expect(book.exchange(title: "Emma") == "Dune")
    #expect(book.peekedTitle == "Emma")
  }
}

@Suite struct `An observer` {
  @Test func `runs at once`() {
    let runs = Log<Int>()
    observe { runs.add(1) }.cancel()
    #expect(runs.entries == [1])
  }

  @Test func `follows only what its last run read`() {
    let book = Book(title: "Dune", year: 1)
    let log = Log<String>()
    let observing = observe { log.add(book.year > 0 ? book.title : "–") }
    book.title = "Emma"
    book.year = 0
    #expect(log.entries == ["Dune", "Emma", "–"])
    book.title = "unread"
    #expect(log.count == 3)
    book.year = 2
    book.title = "Walden"
    #expect(log.entries == ["Dune", "Emma", "–", "unread", "Walden"])
    observing.cancel()
  }

  @Test func `that reads the same again makes no link`() {
    let books = (0..<50).map { Book(year: $0) }
    let observing = observe { for book in books { _ = book.year } }
    let before = Census.ofThisThread
    for round in 0..<20 { books[round].year = -round }
    #expect(Census.ofThisThread == before)
    observing.cancel()
  }

  @Test func `that reads more or less makes a link for what is new alone`() {
    let books = (0..<50).map { Book(year: $0) }
    let left = Book(year: -1)
    let observing = observe {
      for (place, book) in books.enumerated() where place != left.year { _ = book.year }
    }
    let before = Census.ofThisThread
    left.year = 10
    #expect(Census.ofThisThread.links == before.links - 1)
    #expect(Census.ofThisThread.linksEver == before.linksEver)
    left.year = 30
    #expect(Census.ofThisThread.links == before.links - 1)
    #expect(Census.ofThisThread.linksEver == before.linksEver + 1)
    left.year = -1
    #expect(Census.ofThisThread.links == before.links)
    #expect(Census.ofThisThread.linksEver == before.linksEver + 2)
    observing.cancel()
  }

  @Test func `that reads in another order each time follows all of it`() {
    let books = (0..<30).map { Book(year: $0) }
    let seed = Book(year: 1)
    let log = Log<Int>()
    let observing = observe {
      var dice = Dice(seed: UInt64(seed.year))
      let chosen = books.shuffled(using: &dice).prefix(20)
      log.add(chosen.reduce(0) { $0 + $1.year })
    }
    let before = Census.ofThisThread.links
    for round in 2...50 {
      seed.year = round
      #expect(Census.ofThisThread.links == before, "seed \(round)")
      var dice = Dice(seed: UInt64(round))
      let order = books.shuffled(using: &dice)
      let runs = log.count
      order[19].year += 1
      #expect(log.count == runs + 1, "seed \(round)")
      order[20].year += 1
      #expect(log.count == runs + 1, "seed \(round)")
    }
    observing.cancel()
  }

  @Test func `is linked once to what it reads many times`() {
    let book = Book()
    let before = Census.ofThisThread.links
    let observing = observe { for _ in 0..<1_000 { _ = (book.title, book.year) } }
    #expect(Census.ofThisThread.links == before + 2)
    observing.cancel()
  }

  @Test func `inside another notes its reads for itself`() {
    let book = Book()
    let outer = Log<Int>()
    let inner = Log<String>()
    let kept = Slot<ObservationToken?>(nil)
    let observing = observe {
      outer.add(book.year)
      if kept.value == nil { kept.value = observe { inner.add(book.title) } }
    }
    book.title = "Dune"
    #expect(inner.entries == ["", "Dune"])
    #expect(outer.count == 1)
    book.year = 1
    #expect(inner.count == 2)
    #expect(outer.count == 2)
    observing.cancel()
    kept.value?.cancel()
  }

  @Test func `does not follow what it reads untracked`() {
    let book = Book()
    let runs = Log<String>()
    let observing = observe { runs.add(untracked { book.title } + "\(book.year)" + book.peekedTitle) }
    book.title = "Dune"
    #expect(runs.count == 1)
    book.year = 1
    #expect(runs.entries.last == "Dune1Dune")
    observing.cancel()
  }

  @Test func `ends when its handle goes`() {
    let book = Book()
    let runs = Log<Int>()
    var observing: ObservationToken? = observe { runs.add(book.year) }
    book.year = 1
    #expect(observing != nil)
    observing = nil
    book.year = 2
    #expect(runs.entries == [0, 1])
  }

  @Test func `cancelled from inside finishes its run and begins no other`() {
    let book = Book()
    let runs = Log<Int>()
    let handle = Slot<ObservationToken?>(nil)
    handle.value = observe {
      if book.year == 1 { handle.value?.cancel() }
      runs.add(book.year)
    }
    book.year = 1
    book.year = 2
    #expect(runs.entries == [0, 1])
  }

  @Test func `cancelled by an earlier one of the same flush does not run`() {
    let book = Book()
    let runs = Log<String>()
    let victim = Slot<ObservationToken?>(nil)
    let first = observe {
      runs.add("first")
      if book.year == 1 { victim.value?.cancel() }
    }
    victim.value = observe { runs.add("victim \(book.year)") }
    let second = observe {
      runs.add("second")
      if book.year == 1 { victim.value?.cancel() }
    }
    // Readers are woken latest first or earliest first; one canceller comes before the victim either way.
    book.year = 1
    #expect(!runs.entries.contains("victim 1"))
    first.cancel()
    second.cancel()
  }
}

@Suite struct `A batch` {
  @Test func `wakes a reader once for all its writes`() {
    let book = Book()
    let log = Log<String>()
    let observing = observe { log.add("\(book.title) \(book.year)") }
    batch {
      for year in 1...100 { book.year = year }
      book.title = "Dune"
      #expect(log.count == 1)
    }
    #expect(log.entries == [" 0", "Dune 100"])
    observing.cancel()
  }

  @Test func `within another waits for the outer one`() {
    let book = Book()
    let log = Log<Int>()
    let observing = observe { log.add(book.year) }
    batch {
      batch { book.year = 1 }
      #expect(log.count == 1)
      batch { book.year = 2 }
    }
    #expect(log.entries == [0, 2])
    observing.cancel()
  }

  @Test func `that throws wakes the readers of what it wrote`() {
    struct Refusal: Error {}
    let book = Book()
    let log = Log<Int>()
    let observing = observe { log.add(book.year) }
    #expect(throws: Refusal.self) {
      try batch {
        book.year = 1
        throw Refusal()
      }
    }
    #expect(log.entries == [0, 1])
    observing.cancel()
  }
}
