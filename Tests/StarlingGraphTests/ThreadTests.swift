import StarlingGraph
import StarlingGuard
import Testing

@Suite struct `Between threads` {
  @Test func `an observer cancelled while it runs elsewhere ends its run and begins no other`() {
    let book = Book()
    let entered = Gate()
    let mayLeave = Gate()
    let log = Log<Int>()
    weak var gone: Mortal?
    let observing: ObservationToken
    do {
      let mortal = Mortal()
      gone = mortal
      observing = observe {
        let year = book.year
        if year == 1 {
          entered.open()
          mayLeave.pass()
        }
        log.add(year)
        _ = mortal
      }
    }
    let writer = onThread { book.year = 1 }
    entered.pass()
    observing.cancel()
    book.year = 2
    #expect(log.entries == [0])
    mayLeave.open()
    writer.pass()
    #expect(log.entries == [0, 1])
    #expect(gone == nil)
  }

  @Test func `a write that comes while an observer runs makes it run again, never beside itself`() {
    let book = Book()
    let entered = Gate()
    let mayLeave = Gate()
    let log = Log<String>()
    let observing = observe {
      let year = book.year
      log.add("in \(year)")
      if year == 1 {
        entered.open()
        mayLeave.pass()
      }
      log.add("out \(year)")
    }
    let writer = onThread { book.year = 1 }
    entered.pass()
    book.year = 2
    book.year = 3
    #expect(log.entries == ["in 0", "out 0", "in 1"])
    mayLeave.open()
    writer.pass()
    #expect(log.entries == ["in 0", "out 0", "in 1", "out 1", "in 3", "out 3"])
    observing.cancel()
  }

  @Test func `a derived value that another thread computes is computed beside it, not waited for`() {
    let book = Book(year: 1)
    let entered = Gate()
    let mayLeave = Gate()
    let isFirst = Slot(true)
    let double = Derived<Int> {
      let year = book.year
      if isFirst.value {
        isFirst.value = false
        entered.open()
        mayLeave.pass()
      }
      return year * 2
    }
    let slow = onThread { #expect(double.read() == 2) }
    entered.pass()
    let log = Log<Int>()
    let observing = observe { log.add(double.read()) }
    book.year = 2
    #expect(log.entries == [2, 4])
    mayLeave.open()
    slow.pass()
    // What the slow thread computed was out of date when it came; the observer follows all the same.
    book.year = 3
    #expect(log.entries == [2, 4, 6])
    #expect(double.read() == 6)
    observing.cancel()
  }

  @Test func `a model that dies while its observer runs elsewhere leaves nothing behind`() {
    let domain = Domain()
    let slot = Slot<Book?>(Book())
    #expect(slot.value?.attach(to: domain) == true)
    let other = Book()
    let entered = Gate()
    let mayLeave = Gate()
    let observing = observe {
      _ = slot.value?.year
      if other.year == 1 {
        entered.open()
        mayLeave.pass()
      }
    }
    let writer = onThread { other.year = 1 }
    entered.pass()
    weak let gone = slot.value
    slot.value = nil
    #expect(gone == nil)
    mayLeave.open()
    writer.pass()
    observing.cancel()
    #expect(domain.home.referenceCount == 1)
    #expect(other.home.referenceCount == 1 + 1)  // The record of `_year`, which its cell keeps.
  }

  @Test func `a scope tracked on two threads at a time follows one of them and is freed`() {
    let book = Book()
    let told = Log<Int>()
    let scope = Slot<Observer?>(nil)
    weak var gone: Mortal?
    do {
      let mortal = Mortal()
      gone = mortal
      scope.value = Observer(named: "scope") {
        told.add(1)
        _ = mortal
      }
    }
    let entered = Gate()
    let mayLeave = Gate()
    let slow = onThread {
      scope.value?.track {
        _ = book.title
        entered.open()
        mayLeave.pass()
      }
    }
    entered.pass()
    _ = scope.value?.track { book.year }
    mayLeave.open()
    slow.pass()
    book.title = "Dune"
    #expect(told.count == 0)
    book.year = 1
    #expect(told.count == 1)
    scope.value = nil
    #expect(gone == nil)
  }

  @Test func `no write is lost on an observer`() {
    let domain = Domain()
    let book = Book()
    #expect(book.attach(to: domain))
    let last = Slot(-1)
    let observing = observe { last.value = book.year }
    onThreads(8) { _ in
      for _ in 0..<1_000 { book.home.hold { held in book.increment(under: held) } }
    }
    #expect(book.year == 8_000)
    #expect(last.value == 8_000)
    observing.cancel()
    #expect(domain.home.referenceCount == 1 + 1)  // The book's home.
    #expect(book.home.referenceCount == 1 + 1)  // The record of `_year`, which its cell keeps.
  }
}
