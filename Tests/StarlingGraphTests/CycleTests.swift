import StarlingGraph
import StarlingGuard
import Testing

@Suite struct `A write in an observer` {
  /// Collects the diagnostics of `body`.
  private func diagnosing(_ body: () -> Void) -> [GraphDiagnostic] {
    let log = Log<GraphDiagnostic>()
    GraphDiagnostics.$collector.withValue(.init { log.add($0) }, operation: body)
    return log.entries
  }

  @Test func `is queued and does not recur`() {
    let book = Book()
    let log = Log<String>()
    let writer = observe {
      log.add("writer in")
      if book.year < 3 { book.year += 1 }
      log.add("writer out")
    }
    #expect(log.entries == Array(repeating: ["writer in", "writer out"], count: 4).flatMap { $0 })
    #expect(book.year == 3)
    writer.cancel()
  }

  @Test func `of what it reads only afterwards is no cycle`() {
    let book = Book()
    let runs = Log<Int>()
    let trigger = Book()
    let diagnostics = diagnosing {
      let observing = observe {
        book.year = trigger.year + 1
        runs.add(book.year)
      }
      trigger.year = 5
      observing.cancel()
    }
    #expect(runs.entries == [1, 6])
    #expect(diagnostics.isEmpty)
  }

  @Test func `that wakes itself for ever is cut off and named`() {
    let book = Book()
    let runs = Log<Int>()
    let diagnostics = diagnosing {
      let observing = observe {
        runs.add(book.year)
        book.year += 1
      }
      #expect(runs.count == 101)  // The first run, and a hundred in the flush.
      observing.cancel()
    }
    guard case .cycle(let observer, let count, writes: []) = diagnostics.first else {
      Issue.record("No cycle was reported.")
      return
    }
    #expect(diagnostics.count == 1)
    #expect(observer.contains("CycleTests.swift:"))
    #expect(count == 100)
  }

  @Test func `that goes round through others is cut off, and they work on`() {
    let book = Book()
    let isOpen = Book()
    let runs = Log<Int>()
    var observing: [ObservationToken] = []
    let diagnostics = diagnosing {
      observing.append(observe { if isOpen.year == 0 { book.title = "\(book.year)" } else { _ = book.year } })
      observing.append(
        observe {
          _ = book.title
          runs.add(1)
          let year = untracked { book.year }
          if isOpen.year == 0 { book.year = year + 1 }
        })
    }
    #expect(!diagnostics.isEmpty)
    let before = runs.count
    #expect(before <= 102)
    isOpen.year = 1
    book.title = "calm"
    #expect(runs.count > before)
    observing.forEach { $0.cancel() }
  }

  @Test func `passed along a chain of three hundred is no cycle`() {
    let books = (0...300).map { _ in Book() }
    let diagnostics = diagnosing {
      let observing = (0..<300).map { place in observe { books[place + 1].year = books[place].year } }
      books[0].year = 7
      #expect(books[300].year == 7)
      observing.forEach { $0.cancel() }
    }
    #expect(diagnostics.isEmpty)
  }

  @Test func `that other threads keep waking is in no cycle, and misses nothing`() {
    let book = Book()
    let ask = Gate()
    let done = Gate()
    let log = Log<Int>()
    let helper = onThread {
      for _ in 0..<150 {
        ask.pass()
        book.year += 1
        done.open()
      }
    }
    let diagnostics = diagnosing {
      let observing = observe {
        let year = book.year
        log.add(year)
        if year < 150 {
          ask.open()
          done.pass()
        }
      }
      observing.cancel()
    }
    helper.pass()
    #expect(log.entries == Array(0...150))
    #expect(diagnostics.isEmpty)
  }
}
