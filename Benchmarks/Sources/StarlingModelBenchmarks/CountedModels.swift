import Counting
import Measuring
import Starling
import StarlingEngine
import StarlingGraph
import Synchronization

/// What `StarlingModelBenchmarks --counted NAME` counts: a property of a model is written or received, on one thread. Of
/// one model as in the cases of the same name, which measure time, or of a hundred in turn.
enum CountedModels {
  static let names = ["model-set", "model-set-100", "models-set", "models-set-100", "model-remote", "model-text"]

  private static let count = 5000

  /// - Returns: How many operations were counted; nil if there is no such work.
  static func run(_ name: String) throws -> Int? {
    guard names.contains(name) else { return nil }
    let engines = CountedEngines()
    let (space, hearing) = (ModelSpace(engines.document), ModelSpace(engines.heard))
    if name == "model-text" { return try type(engines, space) }
    let modelCount = name.hasPrefix("model-set") ? 1 : 100
    let books = try (0..<modelCount).map { try space.model(Book.self, named: "book-\($0)", isolation: nil) }
    let heard = try (0..<modelCount).map { try hearing.model(Book.self, named: "book-\($0)", isolation: nil) }
    let seen = Seen()
    let observers = heard.map { book in observe(isolation: nil) { seen.greatest.max(book.copies, ordering: .relaxed) } }
    write(0..<count, to: books)
    engines.send()
    engines.settle()
    switch name {
    case "model-set", "models-set": Counted.work { write(count..<2 * count, to: books) }
    case "model-set-100", "models-set-100":
      Counted.work {
        for start in stride(from: count, to: 2 * count, by: 100) {
          withTransaction { write(start..<start + 100, to: books) }
        }
      }
    default:
      for number in count..<2 * count {
        write(number..<number + 1, to: books)
        engines.send()
      }
      Counted.work { engines.hear(inTurnsOf: 64) }
    }
    engines.send()
    engines.settle()
    precondition(seen.greatest.load(ordering: .relaxed) == 2 * count - 1, "Not all that was written was observed.")
    withExtendedLifetime(observers) {}
    return count
  }

  /// A letter in each transaction, mostly behind the one before; every fifth takes the latest away again, and every
  /// hundredth stands somewhere else.
  private static func type(_ engines: CountedEngines, _ space: ModelSpace) throws -> Int {
    let body = try space.model(Paper.self, named: "paper", isolation: nil).body
    var (caret, random) = (0, Random32(seed: 1))
    func type(_ count: Int) {
      for number in 0..<count {
        if number % 100 == 99 { caret = random.next(below: body.count + 1) }
        if number % 5 == 4, caret > 0 {
          caret -= 1
          body.replace(caret..<caret + 1, with: "")
        } else {
          body.insert("x", at: caret)
          caret += 1
        }
      }
    }
    type(count)
    engines.send()
    engines.settle()
    Counted.work { type(count) }
    engines.send()
    engines.settle()
    return count
  }

  private final class Seen: Sendable {
    let greatest = Atomic(0)
  }

  private static func write(_ numbers: Range<Int>, to books: [Book]) {
    for number in numbers { books[number % books.count].copies = number }
  }
}
