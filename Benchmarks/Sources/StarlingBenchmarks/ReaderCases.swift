import Measuring
import Observation
import StarlingGraph

/// What models and their readers cost, and how many run. The models are the graph's part of one, written by hand as the
/// macro writes it: the macro itself would bring swift-syntax into these benchmarks.
extension Case {
  static let readers: [Case] = [
    Case("model-allocate") {
      let count = 100_000
      func allocating(_ make: (Int) -> AnyObject) -> Sample {
        Sampling.sample(in: .nanoseconds, per: count) {
          Sampling.computing { for number in 0..<count { consume(make(number)) } }
        }
      }
      let ours = allocating { Slim($0) }
      let theirs = allocating { TheirSlim($0) }
      return [Figure("model-allocate", .nanoseconds, ours, peers: ["observable": theirs.median])]
    },

    Case("models-100000") {
      let count = 100_000
      func bytes(_ make: (Int) -> AnyObject) -> Double {
        var all: [AnyObject] = []
        all.reserveCapacity(count)
        let before = Memory.allocated
        for number in 0..<count { all.append(make(number)) }
        let after = Memory.allocated
        withExtendedLifetime(all) {}
        return Double(after - before) / Double(count)
      }
      let ours = bytes { Slim($0) }
      let theirs = bytes { TheirSlim($0) }
      return [
        Figure("models-100000", .bytes, Sample(exactly: ours), peers: ["observable": theirs], notes: ["each"])
      ]
    },

    Case("observers-10000", "observers-10000-write") {
      let rows = (0..<10_000).map { Slim($0) }
      let runs = Counter()
      let observers = rows.map { row in
        observe(isolation: nil) {
          consume(row.word)
          runs.add()
        }
      }
      runs.reset()
      rows[5_000].word = -1
      let evaluations = runs.count
      let writeCount = 10_000
      let write = Sampling.sample(in: .nanoseconds, per: writeCount) {
        Sampling.computing { for number in 0..<writeCount { rows[5_000].word = number } }
      }
      withExtendedLifetime(observers) {}
      return [
        Figure("observers-10000", .evaluations, Sample(exactly: Double(evaluations))),
        Figure("observers-10000-write", .nanoseconds, write),
      ]
    },

    // Two derived values of one source, both read by one observer.
    Case("diamond") {
      let source = Slim(1)
      let left = Derived { source.word + 1 }
      let right = Derived { source.word * 2 }
      let runs = Counter()
      let observing = observe(isolation: nil) {
        consume(left.read() + right.read())
        runs.add()
      }
      runs.reset()
      source.word = 5
      defer { observing.cancel() }
      return [Figure("diamond", .evaluations, Sample(exactly: Double(runs.count)))]
    },

    // A comparison that comes out the same.
    Case("derived-unchanged") {
      let source = Slim(1)
      let isPositive = Derived { source.word > 0 }
      let runs = Counter()
      let observing = observe(isolation: nil) {
        consume(isPositive.read())
        runs.add()
      }
      let theirs = TheirSlim(1)
      let runsOfTheirs = Counter()
      withObservationTracking {
        consume(theirs.word > 0)
      } onChange: {
        runsOfTheirs.add()
      }
      runs.reset()
      source.word = 5
      theirs.word = 5
      defer { observing.cancel() }
      return [
        Figure(
          "derived-unchanged", .evaluations, Sample(exactly: Double(runs.count)),
          peers: ["observable": Double(runsOfTheirs.count)])
      ]
    },

    // That they send nothing either is for the tests of the model to say.
    Case("equal-writes-1000") {
      let model = Slim(1)
      let runs = Counter()
      let observing = observe(isolation: nil) {
        consume(model.word)
        runs.add()
      }
      runs.reset()
      for _ in 0..<1000 { model.word = 1 }
      defer { observing.cancel() }
      return [Figure("equal-writes-1000", .evaluations, Sample(exactly: Double(runs.count)))]
    },
  ]
}

/// One property of ours.
private final class Slim: Sendable {
  private let home = Home()
  private let _word: Cell<Int>

  init(_ word: Int) {
    _word = Cell(word)
  }

  var word: Int {
    get { _word.read(in: home) }
    set { _word.write(newValue, in: home) { $0 == $1 } }
  }
}

@Observable
private final class TheirSlim {
  var word: Int

  init(_ word: Int) {
    self.word = word
  }
}
