import Starling
import Synchronization

/// One observer for each property of each book, and how often they ran.
struct Observers {
  /// Runs of one observer, or of many.
  private final class Tally: Sendable {
    let count = Atomic(0)
  }

  private let all = Tally()
  /// The observers of the front desk's book: what each reads, how often it ran, how often that was told.
  private var frontDesk: [(property: String, tally: Tally, told: Int)] = []
  private var observing: [ObservationToken] = []

  /// - Parameter books: The first is the front desk's.
  init(_ books: [Book]) {
    for book in books.dropFirst() {
      for read in Self.properties.map(\.read) { watch(book, read, Tally()) }
    }
    for (property, read) in Self.properties {
      let tally = Tally()
      watch(books[0], read, tally)
      frontDesk.append((property, tally, 1))
    }
    // The first run of each was no wake.
    all.count.store(0, ordering: .relaxed)
  }

  private static let properties: [(name: String, read: @Sendable (Book) -> Void)] = [
    ("title", { _ = $0.title }), ("shelf", { _ = $0.shelf }), ("isAvailable", { _ = $0.isAvailable }),
    ("copies", { _ = $0.copies }),
  ]

  private mutating func watch(_ book: Book, _ read: @escaping @Sendable (Book) -> Void, _ tally: Tally) {
    let all = all
    // On no isolation an observer runs in the very flush that woke it.
    let body: @Sendable () -> Void = {
      read(book)
      tally.count.add(1, ordering: .relaxed)
      all.count.add(1, ordering: .relaxed)
    }
    observing.append(observe(body))
  }

  var count: Int { all.count.load(ordering: .relaxed) }

  /// How often the readers of each property of the front desk's book ran.
  var frontDeskRuns: [String: Int] {
    // The first run of each was no wake.
    Dictionary(uniqueKeysWithValues: frontDesk.map { ($0.property, $0.tally.count.load(ordering: .relaxed) - 1) })
  }

  /// The properties of the front desk's book whose readers ran since the last call, and those whose did not.
  mutating func takeFrontDeskWakes() -> (ran: [String], rested: [String]) {
    var (ran, rested): ([String], [String]) = ([], [])
    for place in frontDesk.indices {
      let count = frontDesk[place].tally.count.load(ordering: .relaxed)
      if count > frontDesk[place].told {
        ran.append(frontDesk[place].property)
      } else {
        rested.append(frontDesk[place].property)
      }
      frontDesk[place].told = count
    }
    return (ran, rested)
  }
}
