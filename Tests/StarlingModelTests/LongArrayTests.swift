import StarlingModel
import StarlingModelTestSupport
import Synchronization
import Testing

@Replicated final class Readings: Sendable {
  var samples: [Sample] = []
  var standard = (0..<1000).map { Sample(value: $0) }
}

/// Counts what is done to its values.
struct Sample: Codable, Sendable, Equatable {
  var value = 0

  init(value: Int) {
    self.value = value
  }

  init(from decoder: any Decoder) throws {
    Self.decodings.add(1, ordering: .relaxed)
    value = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    Self.encodings.add(1, ordering: .relaxed)
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }

  static func == (left: Sample, right: Sample) -> Bool {
    comparisons.add(1, ordering: .relaxed)
    return left.value == right.value
  }

  private static let comparisons = Atomic(0)
  private static let encodings = Atomic(0)
  private static let decodings = Atomic(0)

  struct Work: CustomStringConvertible {
    var comparisons = Sample.comparisons.load(ordering: .relaxed)
    var encodings = Sample.encodings.load(ordering: .relaxed)
    var decodings = Sample.decodings.load(ordering: .relaxed)

    func since(_ before: Work) -> Work {
      Work(
        comparisons: comparisons - before.comparisons, encodings: encodings - before.encodings,
        decodings: decodings - before.decodings)
    }

    var total: Int { comparisons + encodings + decodings }
    var description: String { "\(comparisons) comparisons, \(encodings) encodings, \(decodings) decodings" }
  }

  /// What `body` does to the values, in this process.
  static func work(_ body: () -> Void) -> Work {
    let before = Work()
    body()
    return Work().since(before)
  }
}

@Suite(.serialized) struct `A long plain array` {
  private static let count = 5000
  private let pair = Pair()

  private func full() throws -> (Readings, Readings) {
    let (here, there) = try pair.models(Readings.self)
    here.samples = (0..<Self.count).map { Sample(value: $0) }
    pair.exchange()
    return (here, there)
  }

  /// Single changes, and what they may look at: the element, and those at the edges of the change.
  private static let changes: [(name: String, change: @Sendable (Readings) -> Void)] = [
    ("append", { $0.samples.append(Sample(value: -1)) }),
    ("set", { $0.samples[5] = Sample(value: -2) }),
    ("set of the last", { $0.samples[$0.samples.count - 1] = Sample(value: -3) }),
    ("change in place", { $0.samples[3000].value = -4 }),
    ("removal", { $0.samples.remove(at: 7) }),
    ("insertion", { $0.samples.insert(Sample(value: -5), at: 2500) }),
    ("swap", { $0.samples.swapAt(100, 102) }),
    ("no change", { $0.samples[9] = $0.samples[9] }),
  ]

  @Test func `is written with a look at the change alone`() throws {
    let (here, there) = try full()
    for (name, change) in Self.changes {
      let work = Sample.work { change(here) }
      #expect(work.total <= 20, "\(name): \(work)")
    }
    pair.exchange()
    #expect(there.samples.map(\.value) == here.samples.map(\.value))
  }

  @Test func `is delivered with a look at the change alone`() throws {
    let (here, there) = try full()
    for (name, change) in Self.changes {
      change(here)
      let work = Sample.work { pair.exchange() }
      #expect(work.total <= 20, "\(name): \(work)")
      #expect(there.samples.map(\.value) == here.samples.map(\.value), "\(name)")
    }
  }

  @Test func `is delivered so also behind writes of the receiver`() throws {
    let (here, there) = try full()
    for (name, change) in Self.changes {
      there.samples.insert(Sample(value: -6), at: 1000)
      pair.exchange()
      change(here)
      let work = Sample.work { pair.exchange() }
      #expect(work.total <= 20, "\(name): \(work)")
      #expect(there.samples.map(\.value) == here.samples.map(\.value), "\(name)")
    }
  }

  @Test func `is delivered so also where it was written since`() throws {
    let (here, there) = try full()
    for (name, change) in Self.changes {
      var before = Sample.Work()
      pair.there.space.withConsistentRead {
        change(here)
        pair.exchange()
        there.samples.append(Sample(value: -7))
        there.samples.remove(at: 4000)
        there.samples[3500].value = -8
        there.samples.swapAt(2000, 2001)
        here.samples.insert(Sample(value: -9), at: 4500)
        pair.exchange()
        before = Sample.Work()
      }
      let work = Sample.Work().since(before)
      #expect(work.total <= 30, "\(name): \(work)")
      pair.exchange()
      #expect(there.samples.map(\.value) == here.samples.map(\.value), "\(name)")
    }
  }

  @Test func `over a default writes the whole once`() throws {
    let (here, there) = try pair.models(Readings.self)
    let first = Sample.work { here.standard.append(Sample(value: -1)) }
    #expect(first.encodings >= 1000)
    let second = Sample.work { here.standard.append(Sample(value: -2)) }
    #expect(second.total <= 20, "\(second)")
    pair.exchange()
    #expect(there.standard.map(\.value) == here.standard.map(\.value))
  }
}
