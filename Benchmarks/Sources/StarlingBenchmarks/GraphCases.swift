import Measuring
import Observation
import StarlingGraph

extension Case {
  static let graph: [Case] = [
    // An observer runs again, as most runs are, and reads what it read before; or it is made, reads for the first
    // time and is released. The standard library has no observer that stays: it does the same work in both.
    Case("tracked-read", "tracked-read-string", "tracked-read-first") {
      let words: @Sendable () -> Void = { for row in Row.ours { row._withUnsafeGuaranteedRef { consume($0.word) } } }
      let texts: @Sendable () -> Void = { for row in Row.ours { row._withUnsafeGuaranteedRef { consume($0.text) } } }
      let theirWords = { for row in Row.theirs { row._withUnsafeGuaranteedRef { consume($0.word) } } }
      let theirTexts = { for row in Row.theirs { row._withUnsafeGuaranteedRef { consume($0.text) } } }
      let first = trackedRead { _ in observe(isolation: nil, words).cancel() }
      let word = trackedReadAgain(words)
      let text = trackedReadAgain(texts)
      let wordOfTheirs = trackedRead { _ in withObservationTracking(theirWords) {} }
      let textOfTheirs = trackedRead { _ in withObservationTracking(theirTexts) {} }
      return [
        Figure("tracked-read", .nanoseconds, word, peers: ["observable": wordOfTheirs.median]),
        Figure("tracked-read-string", .nanoseconds, text, peers: ["observable": textOfTheirs.median]),
        Figure("tracked-read-first", .nanoseconds, first, peers: ["observable": wordOfTheirs.median]),
      ]
    },

    Case("write-notify", "write-notify-string") {
      let ours = Ours(0)
      let theirs = Theirs(0)
      let runs = Counter()
      let word = await notifying(readsOf: { ours.word }, runs: runs) { ours.word = $0 }
      let wordOfTheirs = notifyingObservable(readsOf: { theirs.word }, runs: runs) { theirs.word = $0 }
      // Long enough to be held in a buffer of its own, as most texts are.
      let texts = ["the first of two titles of one book", "the other of two titles of one book"]
      let text = await notifying(readsOf: { ours.text }, runs: runs) { ours.text = texts[$0 & 1] }
      let textOfTheirs = notifyingObservable(readsOf: { theirs.text }, runs: runs) { theirs.text = texts[$0 & 1] }
      return [
        Figure("write-notify", .nanoseconds, word, peers: ["observable": wordOfTheirs.median]),
        Figure("write-notify-string", .nanoseconds, text, peers: ["observable": textOfTheirs.median]),
      ]
    },

    Case("rows-1000") {
      let ours = (0..<1000).map { Ours($0) }
      let runs = Counter()
      let observers = ours.map { row in
        observe {
          consume(row.word)
          runs.add()
        }
      }
      runs.reset()
      ours[500].word = -1
      let evaluations = runs.count
      withExtendedLifetime(observers) {}

      let list = TheirList(words: Array(0..<1000))
      runs.reset()
      for row in 0..<1000 {
        withObservationTracking {
          consume(list.words[row])
        } onChange: {
          runs.add()
        }
      }
      list.words[500] = -1
      return [
        Figure(
          "rows-1000", .evaluations, Sample(exactly: Double(evaluations)), peers: ["observable": Double(runs.count)])
      ]
    },
  ]

  private static let readingCount = 100

  /// - Parameter read: Makes one observer that reads every row once.
  private static func trackedRead(_ read: (Int) -> Void) -> Sample {
    Sampling.sample(in: .nanoseconds, per: Row.count * readingCount) {
      Sampling.computing { for round in 0..<readingCount { read(round) } }
    }
  }

  /// One observer, woken by what it reads beside the rows. A wake is one of a thousand reads.
  private static func trackedReadAgain(_ read: @escaping @Sendable () -> Void) -> Sample {
    let trigger = Ours(0)
    let observing = observe(isolation: nil) {
      consume(trigger.word)
      read()
    }
    defer { observing.cancel() }
    return trackedRead { _ in trigger.word &+= 1 }
  }

  private static let writeCount = 100_000

  /// One observer that reads a property, and is run again, which tracks it again, after each write.
  private static func notifying<Value>(
    readsOf value: @escaping @Sendable () -> Value, runs: Counter, write: (Int) -> Void
  ) async -> Sample {
    let observing = observe(isolation: nil) {
      consume(value())
      runs.add()
    }
    defer { observing.cancel() }
    return Sampling.sample(in: .nanoseconds, per: writeCount) {
      runs.reset()
      let duration = Sampling.computing { for number in 1...writeCount { write(number) } }
      precondition(runs.count == writeCount, "\(runs.count) runs after \(writeCount) writes")
      return duration
    }
  }

  private static func notifyingObservable<Value>(
    readsOf value: () -> Value, runs: Counter, write: (Int) -> Void
  ) -> Sample {
    Sampling.sample(in: .nanoseconds, per: writeCount) {
      runs.reset()
      let duration = Sampling.computing {
        for number in 1...writeCount {
          withObservationTracking {
            consume(value())
          } onChange: {
            runs.add()
          }
          write(number)
        }
      }
      precondition(runs.count == writeCount, "\(runs.count) notices after \(writeCount) writes")
      return duration
    }
  }
}

/// A thousand models to read. The loop over them keeps none: two counts up and down for each row are as much as the
/// read itself, and whoever reads a model he holds does not pay them.
private enum Row {
  static let count = 1000
  // Kept for good.
  static let ours = (0..<count).map { Unmanaged.passRetained(Ours($0)) }
  static let theirs = (0..<count).map { Unmanaged.passRetained(Theirs($0)) }
}

/// Two properties as the macro would write them: what it writes beyond this is the way to a document.
private final class Ours: Sendable {
  private let home = Home()
  private let _word: Cell<Int>
  private let _text = Cell("")

  init(_ word: Int) {
    _word = Cell(word)
    // In a buffer of its own, as most texts are.
    _text.write("the title of the book with the number \(word)", in: home)
  }

  var word: Int {
    get { _word.read(in: home) }
    set { _word.write(newValue, in: home) { $0 == $1 } }
  }

  var text: String {
    get { _text.read(in: home) }
    set { _text.write(newValue, in: home) { $0 == $1 } }
  }
}

/// The same with the standard library's macro. Benchmarks use it from one thread only.
@Observable
private final class Theirs: @unchecked Sendable {
  var word: Int
  var text = ""

  init(_ word: Int) {
    self.word = word
    text = "the title of the book with the number \(word)"
  }
}

@Observable
private final class TheirList {
  var words: [Int]

  init(words: [Int]) {
    self.words = words
  }
}

/// Counts on the thread that writes, where observers without isolation run too.
// Sendable: no benchmark lets it cross to another thread.
final class Counter: @unchecked Sendable {
  private(set) var count = 0

  func add() { count += 1 }
  func reset() { count = 0 }
}
