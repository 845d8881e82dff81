import StarlingGraph
import Testing

@Suite struct `An observer on an actor` {
  @MainActor @Test func `runs at once where its caller stands on it`() async {
    let book = Book()
    let log = Log<Int>()
    let observing = observe {
      MainActor.assertIsolated()
      log.add(book.year)
    }
    #expect(log.entries == [0])
    observing.cancel()
  }

  @MainActor @Test func `runs again in one job for any number of writes`() async {
    let book = Book()
    let log = Log<Int>()
    let observing = observe {
      MainActor.assertIsolated()
      log.add(book.year)
    }
    for year in 1...10 { book.year = year }
    #expect(log.entries == [0])
    await turn(of: MainActor.shared)
    #expect(log.entries == [0, 10])
    book.year = 11
    await turn(of: MainActor.shared)
    #expect(log.entries == [0, 10, 11])
    observing.cancel()
  }

  @MainActor @Test func `runs before what the writer enqueues after the write`() async {
    let book = Book()
    let order = Log<String>()
    let observing = observe { order.add("reads \(book.year)") }
    book.year = 1
    let later = Task { order.add("later") }
    await later.value
    #expect(order.entries == ["reads 0", "reads 1", "later"])
    observing.cancel()
  }

  @Test func `begins with a job where its caller stands elsewhere`() async {
    let book = Book(year: 1)
    let log = Log<Int>()
    let observing = observe { @MainActor in
      MainActor.assertIsolated()
      log.add(book.year)
    }
    await turn(of: MainActor.shared)
    #expect(log.entries == [1])
    book.year = 2
    await turn(of: MainActor.shared)
    #expect(log.entries == [1, 2])
    observing.cancel()
  }

  @Test func `of its own reads that actor's state`() async {
    let book = Book(year: 1)
    let reader = Reader()
    await reader.follow(book)
    #expect(await reader.years == [1])
    book.year = 2
    book.year = 3
    await turn(of: reader)
    #expect(await reader.years.last == 3)
    await reader.stop()
    book.year = 4
    await turn(of: reader)
    #expect(await reader.years.last == 3)
  }

  @MainActor @Test func `cancelled while its job waits does not run`() async {
    let book = Book()
    let log = Log<Int>()
    let observing = observe { log.add(book.year) }
    book.year = 1
    observing.cancel()
    await turn(of: MainActor.shared)
    #expect(log.entries == [0])
  }

  @MainActor @Test func `brings derived values up to date there, and stays quiet if they are equal`() async {
    let book = Book(year: 1)
    let computations = Log<Int>()
    let isOld = Derived<Bool>(named: "isOld")
    let log = Log<Bool>()
    let observing = observe {
      log.add(
        isOld.read(for: book) { book in
          MainActor.assertIsolated()
          computations.add(book.year)
          return book.year < 2_000
        })
    }
    await Task.detached { book.year = 2 }.value
    await turn(of: MainActor.shared)
    #expect(computations.entries == [1, 2])
    #expect(log.entries == [true])
    observing.cancel()
  }

  @MainActor @Test func `that writes what it reads is cut off across its jobs`() async {
    let book = Book()
    let runs = Log<Int>()
    let observing = observe {
      runs.add(book.year)
      book.year += 1
    }
    for _ in 0..<300 { await turn(of: MainActor.shared) }
    #expect((100...102).contains(runs.count))
    observing.cancel()
  }

  private actor Reader {
    private(set) var years: [Int] = []
    private var observing: ObservationToken?

    func follow(_ book: Book) {
      observing = observe {
        self.assertIsolated()
        self.years.append(book.year)
      }
    }

    func stop() {
      observing?.cancel()
    }
  }

  /// Waits until the jobs that stand in the actor's queue have run.
  private func turn(of actor: isolated any Actor) async {
    await Task { _ = actor }.value
  }
}

@Suite struct `A tracked scope` {
  @Test func `hears of a change once, until it is tracked again`() {
    let book = Book(year: 1)
    let told = Log<String>()
    let scope = Observer(named: "scope") { told.add("told") }
    #expect(scope.track { book.year } == 1)
    book.year = 2
    book.year = 3
    #expect(told.count == 1)
    #expect(scope.track { book.year } == 3)
    book.year = 4
    #expect(told.count == 2)
    scope.cancel()
  }

  @Test func `hears once after a batch`() {
    let book = Book()
    let told = Log<Int>()
    let scope = Observer(named: "scope") { told.add(book.year) }
    _ = scope.track { (book.year, book.title) }
    batch {
      book.year = 1
      book.title = "Dune"
      #expect(told.count == 0)
    }
    #expect(told.entries == [1])
    scope.cancel()
  }

  @Test func `hears nothing where a derived value came out the same`() {
    let book = Book(year: 1)
    let isOld = Derived { book.year < 2_000 }
    let told = Log<Int>()
    let scope = Observer(named: "scope") { told.add(1) }
    #expect(scope.track { isOld.read() })
    book.year = 2
    #expect(told.count == 0)
    book.year = 2_002
    #expect(told.count == 1)
    scope.cancel()
  }

  @Test func `may be tracked again as it hears`() {
    let book = Book()
    let log = Log<Int>()
    let scope = Slot<Observer?>(nil)
    scope.value = Observer(named: "scope") { scope.value?.track { log.add(book.year) } }
    scope.value?.track { log.add(book.year) }
    book.year = 1
    book.year = 2
    #expect(log.entries == [0, 1, 2])
    scope.value?.cancel()
    scope.value = nil
  }

  @Test func `tracked anew between the write and the flush is not told`() {
    let book = Book()
    let told = Log<Int>()
    let scope = Observer(named: "scope") { told.add(1) }
    _ = scope.track { book.year }
    batch {
      book.year = 1
      _ = scope.track { book.year }
    }
    #expect(told.count == 0)
    book.year = 2
    #expect(told.count == 1)
    scope.cancel()
  }

  @Test func `hears of a write in its own body`() {
    let book = Book()
    let told = Log<Int>()
    let scope = Observer(named: "scope") { told.add(book.year) }
    scope.track { book.year = book.year + 1 }
    #expect(told.entries == [1])
    scope.cancel()
  }

  @Test func `cancelled or gone hears nothing, and its body still runs`() {
    let before = Census.ofThisThread
    let book = Book()
    let told = Log<Int>()
    do {
      let scope = Observer(named: "scope") { told.add(1) }
      _ = scope.track { book.year }
      scope.cancel()
      book.year = 1
      #expect(scope.track { book.year } == 1)
      let other = Observer(named: "other") { told.add(1) }
      _ = other.track { book.year }
    }
    book.year = 2
    #expect(told.count == 0)
    #expect(Census.ofThisThread.readers == before.readers)
    #expect(Census.ofThisThread.links == before.links)
  }

  @Test func `within a scope keeps its reads to itself`() {
    let book = Book()
    let told = Log<String>()
    let outer = Observer(named: "outer") { told.add("outer") }
    let inner = Observer(named: "inner") { told.add("inner") }
    outer.track {
      _ = book.year
      inner.track { _ = book.title }
    }
    book.title = "Dune"
    #expect(told.entries == ["inner"])
    book.year = 1
    #expect(told.entries == ["inner", "outer"])
    outer.cancel()
    inner.cancel()
  }
}
