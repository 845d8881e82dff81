import Foundation
import Measuring
import Observation
import Starling

private let readCount = Scale.count(1_000_000)
private let writeCount = Scale.count(100_000)

extension Case {
  static let properties: [Case] = [
    // A property that nobody observes is read, of a model in no document and of one in a replica's.
    Case("model-get", "model-get-attached") {
      let (book, plain) = (Book(), PlainBook())
      let alone = try await Alone(Book.self)
      let attached = alone.model
      let ours = reading { consume(book.copies) }
      let ofReplica = reading { consume(attached.copies) }
      let theirs = reading { consume(plain.copies) }
      try await alone.close()
      return [
        Figure("model-get", .nanoseconds, ours, peers: ["observable": theirs.median]),
        Figure("model-get-attached", .nanoseconds, ofReplica, peers: ["observable": theirs.median]),
      ]
    },

    // The same in a scope of the standard library, which reads it again and again; and in an observer of Starling's.
    Case("model-get-tracked", "model-get-observed") {
      let (book, plain) = (Book(), PlainBook())
      let ours = reading(times: 1) { scope in
        withObservationTracking(scope) {}
      } of: {
        consume(book.copies)
      }
      let theirs = reading(times: 1) { scope in
        withObservationTracking(scope) {}
      } of: {
        consume(plain.copies)
      }
      let observed = reading(times: 1) { scope in
        observe(isolation: nil) { scope() }.cancel()
      } of: {
        consume(book.copies)
      }
      return [
        Figure("model-get-tracked", .nanoseconds, ours, peers: ["observable": theirs.median]),
        Figure("model-get-observed", .nanoseconds, observed, peers: ["observable": theirs.median]),
      ]
    },

    // A property of a model in no document gets another value, which nobody waits for.
    Case("model-set-detached") {
      let (book, plain) = (Book(), PlainBook())
      let ours = writing { book.copies = $0 }
      let theirs = writing { plain.copies = $0 }
      return [Figure("model-set-detached", .nanoseconds, ours, peers: ["observable": theirs.median])]
    },

    // A property of a model in a replica, which a daemon follows, gets another value: the caller's time, and that of all
    // threads until each write is on its way.
    Case("model-set", "model-set-cpu") {
      let followed = try await Followed(Book.self) { $0.copies = -1 }
      let book = followed.model
      let (caller, all) = try await writingUntilSent(followed.replica) {
        for number in 0..<writeCount { book.copies = number }
      }
      try await followed.close()
      return [Figure("model-set", .nanoseconds, caller), Figure("model-set-cpu", .nanoseconds, all)]
    },

    Case("model-set-100", "model-set-100-cpu") {
      let followed = try await Followed(Book.self) { $0.copies = -1 }
      let book = followed.model
      let (caller, all) = try await writingUntilSent(followed.replica) {
        for start in stride(from: 0, to: writeCount, by: 100) {
          withTransaction { for number in start..<start + 100 { book.copies = number } }
        }
      }
      try await followed.close()
      return [Figure("model-set-100", .nanoseconds, caller), Figure("model-set-100-cpu", .nanoseconds, all)]
    },
  ]

  private static func reading(_ read: @escaping @Sendable () -> Void) -> Sample {
    Sampling.sample(in: .nanoseconds, per: readCount) {
      Sampling.computing { for _ in 0..<readCount { read() } }
    }
  }

  /// - Parameter scope: observes what it is given, once; a scope is long, so that it is the reads that are measured.
  private static func reading(
    times: Int, in scope: (@escaping @Sendable () -> Void) -> Void, of read: @escaping @Sendable () -> Void
  ) -> Sample {
    Sampling.sample(in: .nanoseconds, per: readCount * times) {
      Sampling.computing {
        for _ in 0..<times { scope { for _ in 0..<readCount { read() } } }
      }
    }
  }

  private static func writing(_ write: (Int) -> Void) -> Sample {
    Sampling.sample(in: .nanoseconds, per: writeCount) {
      Sampling.computing { for number in 0..<writeCount { write(number) } }
    }
  }

  private static func writingUntilSent(
    _ replica: Replica, _ write: () -> Void
  ) async throws -> (caller: Sample, all: Sample) {
    var (callers, all): ([Double], [Double]) = ([], [])
    for round in 0...Sampling.count {
      let begin = Sampling.processTime
      let caller = Sampling.computing(write)
      try await replica.flush(until: .sent)
      let whole = Sampling.processTime - begin
      guard round > 0 else { continue }
      callers.append(Unit.nanoseconds.value(of: caller) / Double(writeCount))
      all.append(Unit.nanoseconds.value(of: whole) / Double(writeCount))
    }
    return (Sample(callers), Sample(all))
  }
}
