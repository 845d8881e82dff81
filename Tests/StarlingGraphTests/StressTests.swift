import StarlingTestSupport
import StarlingGraph
import StarlingGuard
import Testing

/// Eight threads do everything at a time to a few models that come and go. Afterwards every observer has seen what
/// stands, and once all are let go nothing is left.
@Suite struct `Eight threads that read, write, observe, cancel and let go` {
  private static let threadCount = 8
  private static let stepsPerThread = 1_500

  @Test(arguments: [1, 2, 3] as [UInt64]) func `lose no wake and leave nothing`(seed: UInt64) {
    var world: World? = World()
    let domains = world?.domains ?? []
    let gone = Log<WeakBook>()
    if let world {
      onThreads(Self.threadCount) { number in
        world.live(steps: Self.stepsPerThread, dice: Dice(seed: seed &* 1_000 &+ UInt64(number)))
      }
      for watch in world.watches.value {
        #expect(watch.last.value == watch.book.year, "seed \(seed)")
        #expect(watch.lastDouble.value == watch.book.year * 2, "seed \(seed)")
        watch.observing.value?.cancel()
      }
      for book in world.books.value + world.watches.value.map(\.book) { gone.add(WeakBook(book: book)) }
    }
    world = nil
    #expect(gone.entries.allSatisfy { $0.book == nil }, "seed \(seed)")
    for domain in domains { #expect(domain.home.referenceCount == 1, "seed \(seed)") }
  }

  private struct WeakBook: @unchecked Sendable {
    // Sendable: written once, before it is shared.
    weak var book: Book?
  }

  /// An observer and what it saw.
  private final class Watch: Sendable {
    let book: Book
    let double: Derived<Int>
    let last = Slot(-1)
    let lastDouble = Slot(-1)
    let observing = Slot<ObservationToken?>(nil)

    init(_ book: Book, also other: Book) {
      self.book = book
      double = Derived { [book] in book.year * 2 }
      let (last, lastDouble, double) = (last, lastDouble, double)
      observing.value = observe { [book, weak other] in
        let year = book.year
        if year % 3 == 0 { _ = other?.title }
        last.value = year
        lastDouble.value = double.read()
      }
    }
  }

  private final class World: Sendable {
    let domains = [Domain(), Domain()]
    let books = Slot((0..<16).map { Book(year: $0) })
    let watches = Slot<[Watch]>([])

    func live(steps: Int, dice: Dice) {
      var dice = dice
      for step in 0..<steps {
        let place = dice.roll(16)
        let book = books.value[place]
        switch dice.roll(16) {
        case 0..<4: book.year = step
        case 4..<6: _ = (book.year, book.title)
        case 6: book.title = "\(step)"
        case 7:
          let other = books.value[dice.roll(16)]
          batch {
            book.year += 1
            other.title = "batch"
            other.year = step
          }
        case 8: book.home.hold { held in book.increment(under: held) }
        case 9: _ = book.attach(to: domains[dice.roll(2)])
        case 10: books.edit { $0[place] = Book(year: step) }
        case 11, 12:
          let watch = Watch(book, also: books.value[dice.roll(16)])
          watches.edit { $0.append(watch) }
        case 13, 14: drop(&dice)
        default: _ = watches.value.last?.double.read()
        }
      }
    }

    /// Cancels an observer, or lets go of its handle only.
    private func drop(_ dice: inout Dice) {
      let index = dice.roll(64)
      let watch = watches.edit { $0.count > index ? $0.remove(at: index) : nil }
      if dice.roll(2) == 0 { watch?.observing.value?.cancel() }
      watch?.observing.value = nil
    }
  }
}
