import StarlingGraph
import StarlingGuard
import Testing

@Suite struct `A home` {
  @Test func `is attached once`() {
    let book = Book()
    let domain = Domain()
    #expect(book.attach(to: domain))
    #expect(book.attach(to: domain))
    #expect(!book.attach(to: Domain()))
  }

  @Test func `keeps values and readers when it is attached`() {
    let book = Book(title: "Dune", year: 1)
    let log = Log<String>()
    let observing = observe { log.add("\(book.title) \(book.year)") }
    let domain = Domain()
    #expect(book.attach(to: domain))
    #expect(log.count == 1)
    book.year = 2
    #expect(log.entries == ["Dune 1", "Dune 2"])
    observing.cancel()
  }

  @Test func `outlives its document, and the document its homes`() {
    let before = Census.ofThisThread
    do {
      let book = Book()
      var domain: Domain? = Domain()
      #expect(domain.map { book.attach(to: $0) } == true)
      domain = nil
      let observing = observe { _ = book.year }
      book.year = 1
      #expect(Census.ofThisThread.homes == before.homes + 2)
      observing.cancel()
    }
    let domain = Domain()
    do {
      let book = Book()
      #expect(book.attach(to: domain))
      #expect(domain.home.referenceCount == 2)
    }
    #expect(domain.home.referenceCount == 1)
    #expect(Census.ofThisThread.homes == before.homes + 1)
  }

  @Test func `is attached while others read, write and observe, and loses none of it`() async {
    for round in 0..<200 {
      let book = Book()
      let domain = Domain()
      let seen = Log<Int>()
      let observing = observe { seen.add(book.year) }
      await withTaskGroup { group in
        for _ in 0..<2 {
          group.addTask {
            for _ in 0..<20 { book.home.hold { held in book.increment(under: held) } }
          }
        }
        group.addTask { #expect(book.attach(to: domain)) }
        group.addTask { for _ in 0..<20 { _ = book.year } }
      }
      #expect(book.year == 40, "round \(round)")
      #expect(seen.entries.last == 40, "round \(round)")
      observing.cancel()
    }
  }
}

@Suite struct `A held lock` {
  @Test func `stores several values in one step and wakes once`() {
    let domain = Domain()
    let books = (0..<3).map { Book(year: $0) }
    for book in books { #expect(book.attach(to: domain)) }
    let log = Log<[Int]>()
    let observing = observe { log.add(books.map(\.year)) }
    var years = [10, 20, 30]
    domain.hold { held in
      for place in years.indices { held.swap(&years[place], in: books[place]._year) }
      #expect(held.peek(books[2]._year) == 30)
    }
    #expect(years == [0, 1, 2])
    #expect(log.entries == [[0, 1, 2], [10, 20, 30]])
    observing.cancel()
  }

  @Test func `shows no thread half of a step`() async {
    let domain = Domain()
    let left = Book(year: 0)
    let right = Book(year: 0)
    #expect(left.attach(to: domain) && right.attach(to: domain))
    await withTaskGroup { group in
      group.addTask {
        for step in 1...2_000 {
          var years = (step, -step)
          domain.hold { held in
            held.swap(&years.0, in: left._year)
            held.swap(&years.1, in: right._year)
          }
        }
      }
      group.addTask {
        for _ in 0..<2_000 {
          let sum = domain.hold { held in held.peek(left._year) + held.peek(right._year) }
          #expect(sum == 0)
        }
      }
    }
  }

  @Test func `notes what is read under it`() {
    let book = Book(year: 1)
    let log = Log<Int>()
    let observing = observe { log.add(book.home.hold { held in held.read(book._year, in: book.home) }) }
    book.year = 2
    #expect(log.entries == [1, 2])
    observing.cancel()
  }
}

@Suite struct `Nothing of the user's runs under a lock` {
  @Test func `an old value may read and write cells as it dies`() {
    let book = Book()
    let cell = MortalShelf(Mortal { book.year = book.year + 1 })
    let log = Log<Int>()
    let observing = observe { log.add(book.year) }
    cell.mortal = nil
    #expect(book.year == 1)
    #expect(log.entries == [0, 1])
    observing.cancel()
  }

  @Test func `an old value may read and write its own home as it dies`() {
    let shelf = MortalShelf(nil)
    let deaths = Log<Int>()
    weak let weakly = shelf
    shelf.mortal = Mortal {
      deaths.add(weakly?.mortal == nil ? 0 : 1)
      weakly?.mortal = nil
    }
    shelf.mortal = nil
    #expect(deaths.entries == [0])
  }

  @Test func `an old value handed back may read its own home as it dies, looked at or not`() {
    let shelf = MortalShelf(nil)
    let deaths = Log<Bool>()
    weak let weakly = shelf
    for _ in 0..<2 {
      shelf.mortal = Mortal { deaths.add(weakly?.mortal == nil) }
      shelf.exchange(mortal: nil)
    }
    #expect(deaths.entries == [true, true])
  }

  @Test func `an old value dies before the readers run`() {
    let order = Log<String>()
    let shelf = MortalShelf(Mortal { order.add("dies") })
    let observing = observe { order.add(shelf.mortal == nil ? "reads nil" : "reads one") }
    shelf.mortal = nil
    #expect(order.entries == ["reads one", "dies", "reads nil"])
    observing.cancel()
  }

  @Test func `a value displaced in a held lock dies after it opens`() {
    let order = Log<String>()
    let shelf = MortalShelf(nil)
    shelf.mortal = Mortal { [order, weak shelf] in order.add("dies, reading \(shelf?.mortal == nil)") }
    do {
      var next: Mortal?
      shelf.home.hold { held in held.swap(&next, in: shelf._mortal) }
      order.add("open")
      _ = next
    }
    #expect(order.entries == ["open", "dies, reading true"])
  }

  @Test func `an equality may read and write cells`() {
    let book = Book(year: 1)
    let shelf = PickyShelf(book)
    let log = Log<Int>()
    let observing = observe { log.add(shelf.price.amount) }
    shelf.change(price: Price(amount: 5, book: book))
    #expect(log.entries == [0, 5])
    #expect(book.year == 2)
    observing.cancel()
  }

  @Test func `a model that dies with its value runs no code under its lock`() {
    let order = Log<String>()
    do {
      let shelf = MortalShelf(nil)
      let inner = MortalShelf(Mortal { order.add("inner dies") })
      shelf.mortal = Mortal { _ = inner.mortal }
    }
    #expect(order.entries == ["inner dies"])
  }

  private final class MortalShelf: Sendable {
    let home = Home()
    let _mortal: Cell<Mortal?>

    init(_ mortal: Mortal?) {
      _mortal = Cell(mortal)
    }

    var mortal: Mortal? {
      get { _mortal.read(in: home) }
      set { _mortal.write(newValue, in: home) }
    }

    func exchange(mortal: Mortal?) {
      _ = _mortal.exchange(mortal, in: home)
    }
  }

  /// Its equality reads a cell and writes it.
  private struct Price: Equatable, Sendable {
    let amount: Int
    let book: Book

    static func == (left: Price, right: Price) -> Bool {
      left.book.year += 1
      return left.amount == right.amount
    }
  }

  private final class PickyShelf: Sendable {
    let home = Home()
    private let _price: Cell<Price>

    init(_ book: Book) {
      _price = Cell(Price(amount: 0, book: book))
    }

    var price: Price { _price.read(in: home) }

    func change(price: Price) {
      _price.write(price, in: home, unless: ==)
    }
  }
}

@Suite struct `Between storing and waking` {
  @Test func `a caller can tell others, who see the new value, before any reader runs`() {
    let book = Book(title: "Dune")
    let order = Log<String>()
    let observing = observe { order.add("reads \(book.title)") }
    batch {
      book.title = "Emma"
      order.add("tells, others read \(book.peekedTitle)")
    }
    #expect(order.entries == ["reads Dune", "tells, others read Emma", "reads Emma"])
    observing.cancel()
  }
}
