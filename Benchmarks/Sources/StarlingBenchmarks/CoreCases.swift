import Measuring
import StarlingCore
import StarlingWire

private let setCount = 100_000

extension Case {
  static let core: [Case] = [
    Case("document-set") {
      let writes = Workload.writes(setCount)
      let sample = Sampling.sample(in: .nanoseconds, per: setCount) {
        var captor = Captor()
        let duration = Sampling.computing { for write in writes { captor.write(write) } }
        precondition(captor.observer.entryCount > setCount * 99 / 100)
        consume(captor.payload)
        return duration
      }
      return [Figure("document-set", .nanoseconds, sample)]
    },

    Case("document-message") {
      let payloads = Self.payloads(of: Workload.writes(setCount))
      let sample = try Sampling.sample(in: .nanoseconds, per: payloads.count) {
        var hearer = Hearer()
        let duration = try Sampling.computing { for payload in payloads { try hearer.hear(payload) } }
        precondition(hearer.observer.entryCount == payloads.count)
        return duration
      }
      return [Figure("document-message", .nanoseconds, sample)]
    },

    Case("document-batch-100k") {
      var writer = Writer()
      var patch = Patch()
      writer.document.begin(as: writer.replica, now: writer.now)
      for write in Workload.writes(setCount) {
        writer.document.set(write.value, for: write.key, in: .root, patch: &patch)
      }
      guard let change = writer.document.commit() else { return [] }
      return [
        Figure("document-batch-100k", .milliseconds, try Self.merging(Batch.encode([change]), into: writer.document))
      ]
    },

    Case("document-batch-100k-changes") {
      var writer = Writer()
      let changes = Workload.writes(setCount).compactMap { writer.set($0) }
      return [
        Figure(
          "document-batch-100k-changes", .milliseconds, try Self.merging(Batch.encode(changes), into: writer.document))
      ]
    },

    Case("document-conflict-1540", "document-conflict-1540-stream") {
      let changes = (1...1540).compactMap { number in
        var writer = Writer(UInt64(number))
        return writer.set(Workload.Write(key: "v", value: .integer(Int64(number))))
      }
      let batch = Batch.encode(changes)
      let atOnce = try Sampling.sample(in: .milliseconds) {
        var document = Document()
        let duration = try Sampling.computing {
          var patch = Patch()
          _ = try Batch.merge(batch, into: &document, patch: &patch)
        }
        precondition(document.entries("v", in: .root).count == changes.count)
        return duration
      }
      var encoder = LiveEncoder()
      let payloads = changes.map { change in
        var payload: [UInt8] = []
        encoder.encode(change, into: &payload)
        return payload
      }
      let oneByOne = try Sampling.sample(in: .milliseconds) {
        var document = Document()
        var decoder = LiveDecoder()
        let observer = PatchObserver()
        let duration = try Sampling.computing {
          for payload in payloads {
            var patch = Patch()
            _ = try decoder.merge(payload, into: &document, patch: &patch)
            observer.observe(patch)
          }
        }
        precondition(document.entries("v", in: .root).count == changes.count)
        return duration
      }
      return [
        Figure("document-conflict-1540", .milliseconds, atOnce),
        Figure("document-conflict-1540-stream", .milliseconds, oneByOne),
      ]
    },
  ]

  /// Each write as its own change and message of one live stream.
  static func payloads(of writes: [Workload.Write]) -> [[UInt8]] {
    var writer = Writer()
    var encoder = LiveEncoder()
    return writes.compactMap { write in
      guard let change = writer.set(write) else { return nil }
      var payload: [UInt8] = []
      encoder.encode(change, into: &payload)
      return payload
    }
  }

  private static func merging(_ batch: [UInt8], into expected: Document) throws -> Sample {
    let snapshot = expected.snapshot()
    var merged = Document()
    let sample = try Sampling.sample(in: .milliseconds) {
      var document = Document()
      let duration = try Sampling.computing {
        var patch = Patch()
        _ = try Batch.merge(batch, into: &document, patch: &patch)
      }
      merged = document
      return duration
    }
    precondition(merged.snapshot() == snapshot)
    return sample
  }
}
