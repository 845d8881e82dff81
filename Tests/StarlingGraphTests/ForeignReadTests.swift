import Observation
import StarlingGraph
import StarlingGuard
import Testing

/// The standard library's kind of model. Sendable, as one that locks for itself.
@Observable final class Note: @unchecked Sendable {
  // Sendable: written by one test at a time.
  var text = ""
  var number = 0
}

@Suite struct `An object of the standard library` {
  @Test func `wakes the observer that read it, after the change, for what it read alone`() {
    let note = Note()
    let log = Log<String>()
    let observing = observe { log.add(note.text) }
    note.number = 1
    note.text = "a"
    note.text = "b"
    #expect(log.entries == ["", "a", "b"])
    observing.cancel()
    note.text = "c"
    #expect(log.count == 3)
  }

  @Test func `brings a derived value up to date, whose readers wake where the result differs`() {
    let note = Note()
    let isLong = Derived { note.text.count > 2 }
    let log = Log<Bool>()
    let observing = observe { log.add(isLong.read()) }
    note.text = "a"
    note.text = "ab"
    #expect(log.entries == [false])
    note.text = "abc"
    #expect(log.entries == [false, true])
    observing.cancel()
    note.text = ""
    #expect(!isLong.read())
  }

  @Test func `is nobody's in an untracked read, nor is a model`() {
    let (note, book) = (Note(), Book())
    let heard = Guarded(0)
    let log = Log<Int>()
    let observing = observe { log.add(untracked { note.number + book.year }) }
    withObservationTracking {
      _ = untracked { note.number }
    } onChange: {
      heard.withLock { $0 += 1 }
    }
    note.number = 1
    book.year = 1
    #expect(log.count == 1)
    #expect(heard.withLock { $0 } == 0)
    observing.cancel()
  }

  @Test func `is not a read of the scope in which somebody else's observer runs`() {
    let (note, book) = (Note(), Book())
    let log = Log<Int>()
    let observing = observe { log.add(note.number + book.year) }
    let heard = Guarded(0)
    withObservationTracking {
      book.year = 1
    } onChange: {
      heard.withLock { $0 += 1 }
    }
    note.number = 1
    #expect(log.entries == [0, 1, 2])
    #expect(heard.withLock { $0 } == 0)
    observing.cancel()
  }

  @Test func `is followed once, however often its reader ran`() {
    let (note, book) = (Note(), Book())
    let log = Log<Int>()
    let observing = observe { log.add(note.number + book.year) }
    for year in 1...100 { book.year = year }
    note.number = 1
    #expect(log.count == 102)
    observing.cancel()
  }

  @Test func `wakes once for many writes in a batch`() {
    let (note, book) = (Note(), Book())
    let log = Log<Int>()
    let observing = observe { log.add(note.number + book.year) }
    batch {
      note.number = 1
      book.year = 1
      note.number = 2
    }
    #expect(log.entries == [0, 3])
    observing.cancel()
  }
}
