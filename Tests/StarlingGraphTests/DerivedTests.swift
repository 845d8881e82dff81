import StarlingGuard
import Testing

@testable import StarlingGraph

@Suite struct `A derived value` {
  /// Counts its computations.
  private final class Shelf: Sendable {
    let books: [Book]
    let computations = Log<Int>()
    private let _total = Derived<Int>(named: "total")

    init(years: [Int]) {
      books = years.map { Book(year: $0) }
    }

    var total: Int {
      _total.read(for: self) { shelf in
        let total = shelf.books.reduce(0) { $0 + $1.year }
        shelf.computations.add(total)
        return total
      }
    }
  }

  @Test func `is computed when somebody asks, and kept`() {
    let shelf = Shelf(years: [1, 2, 3])
    #expect(shelf.computations.count == 0)
    #expect(shelf.total == 6)
    #expect(shelf.total == 6)
    #expect(shelf.computations.entries == [6])
    shelf.books[0].year = 10
    shelf.books[1].year = 20
    #expect(shelf.computations.count == 1)
    #expect(shelf.total == 33)
    #expect(shelf.computations.entries == [6, 33])
  }

  @Test func `wakes its readers when the result changed`() {
    let shelf = Shelf(years: [1, 2])
    let log = Log<Int>()
    let observing = observe { log.add(shelf.total) }
    shelf.books[0].year = 5
    #expect(log.entries == [3, 7])
    #expect(shelf.computations.entries == [3, 7])
    observing.cancel()
  }

  /// The write told those who had read the value before, and not the reader that it was computed for.
  @Test func `wakes its first reader where something was written while it was computed`() {
    let book = Book(year: 1)
    let isWritten = Log<Bool>()
    let derived = Derived(isEqual: ==) {
      let year = book.year
      if isWritten.count == 0 {
        isWritten.add(true)
        onThread { book.year = 5 }.pass()
      }
      return year
    }
    let log = Log<Int>()
    let observing = observe { log.add(derived.read()) }
    #expect(log.entries == [1, 5])
    observing.cancel()
  }

  @Test func `keeps no readers once its handle is gone`() {
    let derived = Derived(isEqual: ==) { 1 }
    derived.node.orphan()
    let observing = observe { _ = derived.read() }
    #expect(!derived.node.isRead)
    observing.cancel()
  }

  @Test func `with an equal result wakes nobody`() {
    let shelf = Shelf(years: [1, 2])
    let log = Log<Int>()
    let observing = observe { log.add(shelf.total) }
    batch {
      shelf.books[0].year = 2
      shelf.books[1].year = 1
    }
    #expect(log.entries == [3])
    #expect(shelf.computations.entries == [3, 3])
    shelf.books[0].year = 3
    #expect(log.entries == [3, 4])
    observing.cancel()
  }

  @Test func `is not affected by what it did not read`() {
    let shelf = Shelf(years: [1, 2])
    _ = shelf.total
    shelf.books[0].title = "Dune"
    _ = shelf.total
    #expect(shelf.computations.count == 1)
  }

  @Test func `on both sides of a diamond runs its reader once`() {
    let book = Book(year: 1)
    let double = Derived { book.year * 2 }
    let negative = Derived { -book.year }
    let log = Log<[Int]>()
    let observing = observe { log.add([book.year, double.read(), negative.read()]) }
    book.year = 5
    #expect(log.entries == [[1, 2, -1], [5, 10, -5]])
    observing.cancel()
  }

  @Test func `of derived values stays in doubt no longer than needed`() {
    let book = Book(year: 1)
    let computations = Log<String>()
    let isOld = Derived {
      computations.add("isOld")
      return book.year < 2_000
    }
    let label = Derived {
      computations.add("label")
      return isOld.read() ? "old" : "new"
    }
    let log = Log<String>()
    let observing = observe { log.add(label.read()) }
    book.year = 2
    book.year = 3
    #expect(computations.entries == ["label", "isOld", "isOld", "isOld"])
    #expect(log.entries == ["old"])
    book.year = 2_001
    #expect(computations.entries.suffix(2) == ["isOld", "label"])
    #expect(log.entries == ["old", "new"])
    observing.cancel()
  }

  @Test func `follows only what its last computation read`() {
    let book = Book(title: "Dune", year: 0)
    let computations = Log<Int>()
    let label = Derived {
      computations.add(1)
      return book.year > 0 ? book.title : "–"
    }
    #expect(label.read() == "–")
    book.title = "Emma"
    #expect(label.read() == "–")
    #expect(computations.count == 1)
    book.year = 1
    #expect(label.read() == "Emma")
    book.title = "Walden"
    #expect(label.read() == "Walden")
    #expect(computations.count == 3)
  }

  @Test func `is up to date inside a batch, before anybody is woken`() {
    let book = Book(year: 1)
    let double = Derived { book.year * 2 }
    let quadruple = Derived { double.read() * 2 }
    let log = Log<Int>()
    let observing = observe { log.add(quadruple.read()) }
    batch {
      book.year = 2
      #expect(quadruple.read() == 8)
      book.year = 3
      #expect(quadruple.read() == 12)
    }
    #expect(log.entries == [4, 12])
    observing.cancel()
  }

  @Test func `that depends on two documents follows both`() {
    let here = Book(year: 1)
    let there = Book(year: 10)
    let documents = (Domain(), Domain())
    #expect(here.attach(to: documents.0) && there.attach(to: documents.1))
    let sum = Derived { here.year + there.year }
    let log = Log<Int>()
    let observing = observe { log.add(sum.read()) }
    here.year = 2
    there.year = 20
    #expect(log.entries == [11, 12, 22])
    observing.cancel()
  }

  @Test func `without an equality wakes its readers each time`() {
    struct Opaque: Sendable {}
    let book = Book()
    let opaque = Derived<Opaque>(isEqual: nil) {
      _ = book.year
      return Opaque()
    }
    let log = Log<Int>()
    let observing = observe {
      _ = opaque.read()
      log.add(1)
    }
    book.year = 0
    #expect(log.count == 2)
    observing.cancel()
  }

  @Test func `may be compared by code that reads cells`() {
    let book = Book(year: 1)
    let tolerance = Book(year: 0)
    let year = Derived<Int>(isEqual: { abs($0 - $1) <= tolerance.year }) { book.year }
    let log = Log<Int>()
    let observing = observe { log.add(year.read()) }
    book.year = 2
    tolerance.year = 5
    book.year = 4
    #expect(log.entries == [1, 2])
    observing.cancel()
  }

  @Test func `does not keep its owner`() {
    weak var gone: Shelf?
    do {
      let shelf = Shelf(years: [1])
      gone = shelf
      #expect(shelf.total == 1)
      #expect(gone != nil)
    }
    #expect(gone == nil)
  }

  @Test func `whose owner went leaves its readers in peace`() {
    let before = Census.ofThisThread
    let book = Book(year: 1)
    var shelf: Shelf? = Shelf(years: [1])
    let log = Log<Int>()
    let observing = observe { [weak shelf] in log.add((shelf?.total ?? 0) + book.year) }
    shelf?.books[0].year = 2
    #expect(log.entries == [2, 3])
    shelf = nil
    book.year = 5
    #expect(log.entries == [2, 3, 5])
    observing.cancel()
    #expect(Census.ofThisThread.readers == before.readers)
    #expect(Census.ofThisThread.links == before.links)
  }

  @Test func `is written beside by its own observer without end only if it differs`() {
    let book = Book(year: 1)
    let clamped = Derived { min(book.year, 10) }
    let log = Log<Int>()
    let observing = observe {
      log.add(clamped.read())
      book.year = untracked { book.year } + 5
    }
    // 1, 6 and 11 differ as seen; from then on the result stands at ten.
    #expect(log.entries == [1, 6, 10])
    #expect(book.year == 16)
    observing.cancel()
  }

  @Test func `in a deep chain comes out right`() {
    let book = Book(year: 0)
    var last = Derived { book.year }
    for _ in 0..<500 {
      let before = last
      last = Derived { before.read() + 1 }
    }
    let top = last
    let log = Log<Int>()
    let observing = observe { log.add(top.read()) }
    book.year = 7
    #expect(log.entries == [500, 507])
    observing.cancel()
  }
}

@Suite struct `A derived value that reads itself` {
  @Test func `gets its last value, and is named`() {
    let log = Log<GraphDiagnostic>()
    let book = Book(year: 1)
    let own = Slot<Derived<Int>?>(nil)
    let derived = Derived<Int>(named: "snake")
    own.value = derived
    let value = { derived.read(for: book) { $0.year + ($0.year > 1 ? own.value?.read() ?? 0 : 0) } }
    GraphDiagnostics.$collector.withValue(.init { log.add($0) }) {
      #expect(value() == 1)
      book.year = 2
      #expect(value() == 3)
    }
    #expect(log.entries.contains(.readsItself(derived: "snake")))
    own.value = nil
  }
}
