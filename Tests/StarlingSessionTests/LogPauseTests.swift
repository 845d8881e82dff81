import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `Records that follow others closely` {
  private let library = DocumentID("library")!

  /// A group was appended at zero, and one record more waits.
  private func pausing(recordCount: Int = 1) -> LogPipeline {
    var pipeline = LogPipeline(LogPipeline.Policy(pause: .milliseconds(5)))
    pipeline.open(library, at: VersionVector())
    write(1, &pipeline)
    #expect(pipeline.begins(now: .zero, isAwaited: false) == true, "the first waits for nothing")
    finish(&pipeline, at: .zero)
    for counter in 2...UInt64(recordCount + 1) { write(counter, &pipeline) }
    return pipeline
  }

  private func write(_ counter: UInt64, _ pipeline: inout LogPipeline) {
    let replica = ReplicaID(rawValue: 1)
    let record = LogRecord(
      document: library, replica: replica, firstCounter: counter, lastCounter: counter, bytes: [0])
    _ = pipeline.enqueue([record], in: library)
    pipeline.note(VersionVector([VersionVector.Entry(replica: replica, counter: counter)]), of: library)
  }

  private func finish(_ pipeline: inout LogPipeline, at now: Duration) {
    while pipeline.next(version: { _ in VersionVector() }, isWriting: { _ in false }, cut: { _ in nil }) != nil {
      _ = pipeline.done(now: now)
    }
  }

  @Test func `wait for more of them, and no longer than that`() {
    var pipeline = pausing()
    #expect(pipeline.pauses == true)
    #expect(pipeline.begins(now: .milliseconds(4), isAwaited: false) == false)
    #expect(pipeline.begins(now: .milliseconds(5), isAwaited: false) == true)
    finish(&pipeline, at: .milliseconds(5))
    #expect(pipeline.pauses == false)
    #expect(pipeline.isWhole)
  }

  @Test func `wait not at all where somebody waits for them`() {
    var pipeline = pausing()
    #expect(pipeline.begins(now: .zero) == true)
  }

  @Test func `wait not at all where they are many`() {
    var few = pausing(recordCount: 256)
    #expect(few.begins(now: .zero, isAwaited: false) == false)
    var many = pausing(recordCount: 257)
    #expect(many.begins(now: .zero, isAwaited: false) == true)
  }

  @Test func `wait not at all where the log is to be told something else`() {
    var pipeline = pausing()
    pipeline.mustStoreGenerations = true
    #expect(pipeline.pauses == false)
    #expect(pipeline.begins(now: .zero, isAwaited: false) == true)
  }

  @Test func `wait as long as the log's own pause where that has failed`() {
    var pipeline = pausing()
    #expect(pipeline.begins(now: .milliseconds(5), isAwaited: false) == true)
    _ = pipeline.next(version: { _ in VersionVector() }, isWriting: { _ in false }, cut: { _ in nil })
    _ = pipeline.failed(LogError(.unwritable, "The disk is full."), now: .milliseconds(5))
    #expect(pipeline.pauses == false)
    #expect(pipeline.begins(now: .milliseconds(50), isAwaited: false) == false)
    #expect(pipeline.begins(now: .milliseconds(105), isAwaited: false) == true)
  }
}
