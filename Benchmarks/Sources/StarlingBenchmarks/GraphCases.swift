import Observation
import StarlingGraph

extension Case {
  static let graph: [Case] = [
    Case("tracked-read") {
      let ours = (0..<propertyCount).map { Ours($0) }
      let sample = await trackedRead(readings: 100) { round in
        observe {
          consume(round)
          for one in ours { consume(one.word) }
        }.cancel()
      }
      let theirs = (0..<propertyCount).map { Theirs($0) }
      let observable = await trackedRead(readings: 100) { round in
        withObservationTracking {
          consume(round)
          for one in theirs { consume(one.word) }
        } onChange: {
        }
      }
      return [Figure("tracked-read", .nanoseconds, sample, peers: ["observable": observable.median])]
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

  private static let propertyCount = 1000

  /// - Parameter read: Makes one observer that reads every property once.
  private static func trackedRead(readings: Int, _ read: (Int) -> Void) async -> Sample {
    Sampling.sample(in: .nanoseconds, per: propertyCount * readings) {
      Sampling.computing { for round in 0..<readings { read(round) } }
    }
  }

  private static let writeCount = 100_000

  /// One observer that reads a property, and is run again, which tracks it anew, after each write.
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

/// Two properties as the macro would write them.
private final class Ours: Sendable {
  private let home = Home()
  private let _word: Cell<Int>
  private let _text = Cell("")

  init(_ word: Int) {
    _word = Cell(word)
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
private final class Counter: @unchecked Sendable {
  private(set) var count = 0

  func add() { count += 1 }
  func reset() { count = 0 }
}
