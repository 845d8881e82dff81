import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

// A state that is stored holds changes whose records wait: those of this store go with it, for nobody else could bring
// them.
extension `What waits for the log` {
  private static let own = ReplicaID(rawValue: 1)
  private static let other = ReplicaID(rawValue: 2)

  private func record(_ replica: ReplicaID, _ counter: UInt64) -> LogRecord {
    LogRecord(
      document: library, replica: replica, firstCounter: counter, lastCounter: counter,
      bytes: [UInt8](repeating: 0, count: 10))
  }

  /// A state in which the two got so far.
  private func cut(_ counters: [ReplicaID: UInt64]) -> DocumentCut {
    var document = Document()
    for (replica, counter) in counters.sorted(by: { $0.key < $1.key }) {
      for _ in 0..<counter { write(replica, in: &document) }
    }
    return document.cut()
  }

  private func write(_ replica: ReplicaID, in document: inout Document) {
    var patch = Patch()
    document.begin(as: replica, now: 1)
    document.increment("a", in: .root, by: 1, patch: &patch)
    _ = document.commit()
  }

  private func next(_ pipeline: inout LogPipeline, _ cut: DocumentCut) -> LogPipeline.Job? {
    pipeline.next(version: { _ in cut.version }, isWriting: { _ in false }, cut: { _ in cut })
  }

  @Test func `goes with a state that holds it, and is not appended once more`() throws {
    var pipeline = pipeline()
    pipeline.mergedState(in: library)
    for record in [record(Self.own, 1), record(Self.other, 1), record(Self.own, 2)] {
      _ = pipeline.enqueue([record], in: library)
    }
    pipeline.note(cut([Self.own: 2, Self.other: 1]).version, of: library)
    #expect(pipeline.begins(now: .zero) == true)
    let taken = cut([Self.own: 2, Self.other: 1])
    #expect(next(&pipeline, taken) != nil)
    // Written after the state was taken.
    _ = pipeline.enqueue([record(Self.own, 3)], in: library)
    pipeline.note(cut([Self.own: 3, Self.other: 1]).version, of: library)
    guard case .compact(_, _, let own, _)? = pipeline.bringOwn([Self.own]) else {
      Issue.record("nothing is compacted")
      return
    }
    #expect(own == [record(Self.own, 1), record(Self.own, 2)])
    pipeline.wroteDown(StoredSnapshot(version: taken.version, bytes: [1]))
    #expect(words(pipeline.done(now: .zero)) == ["relieved library 20", "durable library"])
    guard case .append(let group)? = next(&pipeline, taken) else {
      Issue.record("nothing is appended")
      return
    }
    #expect(group.records == [record(Self.other, 1), record(Self.own, 3)])
    _ = pipeline.done(now: .zero)
    #expect(pipeline[library].durable == cut([Self.own: 3, Self.other: 1]).version)
    #expect(pipeline[library].unlogged.isEmpty)
  }

  @Test func `is durable with the state where nothing else waits`() {
    var pipeline = pipeline()
    pipeline.mergedState(in: library)
    let version = cut([Self.own: 2]).version
    _ = pipeline.enqueue([record(Self.own, 1), record(Self.own, 2)], in: library)
    pipeline.note(version, of: library)
    #expect(pipeline.begins(now: .zero) == true)
    #expect(next(&pipeline, cut([Self.own: 2])) != nil)
    #expect(pipeline.bringOwn([Self.own]) != nil)
    pipeline.wroteDown(StoredSnapshot(version: version, bytes: [1]))
    #expect(words(pipeline.done(now: .zero)) == ["relieved library 20", "durable library"])
    #expect(next(&pipeline, cut([Self.own: 2])) == nil)
    #expect(pipeline.isWhole)
  }

  @Test func `waits in its order where the log refused the state that it goes with`() {
    var pipeline = pipeline()
    pipeline.mergedState(in: library)
    let waiting = [record(Self.own, 1), record(Self.other, 1), record(Self.own, 2)]
    _ = pipeline.enqueue(waiting, in: library)
    #expect(pipeline.begins(now: .zero) == true)
    let taken = cut([Self.own: 2, Self.other: 1])
    #expect(next(&pipeline, taken) != nil)
    #expect(pipeline.bringOwn([Self.own]) != nil)
    pipeline.wroteDown(StoredSnapshot(version: taken.version, bytes: [1]))
    _ = pipeline.failed(full, now: .zero)
    #expect(pipeline[library].unlogged == waiting)
    #expect(pipeline.pendingRecordCount == 3)
  }

  @Test func `waits with the state for the members that include its own id`() {
    var pipeline = pipeline()
    pipeline.mergedState(in: library)
    _ = pipeline.enqueue([record(Self.own, 1)], in: library)
    #expect(pipeline.begins(now: .zero) == true)
    let taken = cut([Self.own: 1])
    #expect(next(&pipeline, taken).map(words) == "compact library 1")
    // What came out of the outbox with the state is under an id that the log does not know for this store's own.
    pipeline.remember([], of: library)
    #expect(pipeline.bringOwn([Self.own]) == nil)
    #expect(next(&pipeline, taken).map(words) == "members library")
    _ = pipeline.done(now: .zero)
    #expect(next(&pipeline, taken).map(words) == "compact library 1")
    guard case .compact(_, _, let own, _)? = pipeline.bringOwn([Self.own]) else {
      Issue.record("nothing is compacted")
      return
    }
    #expect(own == [record(Self.own, 1)])
  }

  /// Whatever is written, merged and refused: a state that is stored never holds a change of ours that has no record.
  @Test(arguments: 0..<300) func `of this store is in no state without its record`(_ seed: UInt64) {
    var chance = Chance(seed: seed)
    var pipeline = pipeline(
      LogPipeline.Policy(compaction: Compaction.Policy(compactionByteCountMin: chance.below(2) == 0 ? 15 : nil)))
    var content = Document()
    var records: [ReplicaID: UInt64] = [:]
    var now = Duration.zero
    for step in 0..<60 {
      for _ in 0..<chance.below(3) {
        let replica = chance.below(2) == 0 ? Self.own : Self.other
        write(replica, in: &content)
        _ = pipeline.enqueue([record(replica, content.version[replica])], in: library)
        pipeline.note(content.version, of: library)
      }
      if chance.below(6) == 0 { pipeline.mergedState(in: library) }
      if chance.below(6) == 0 { pipeline.remember([], of: library) }
      now += .seconds(10)
      guard pipeline.begins(now: now) else { continue }
      let refuses = step < 50 && chance.below(4) == 0
      while var job = next(&pipeline, content.cut()) {
        if case .compact = job {
          guard let brought = pipeline.bringOwn([Self.own]) else { continue }
          job = brought
        }
        if case .compact(_, .cut(let cut), let own, _) = job {
          pipeline.wroteDown(StoredSnapshot(version: cut.version, bytes: [0]))
          if !refuses {
            for record in own { records[record.replica] = max(records[record.replica] ?? 0, record.lastCounter) }
            #expect(records[Self.own] ?? 0 >= cut.version[Self.own], "seed \(seed), step \(step)")
          }
        }
        if refuses {
          _ = pipeline.failed(full, now: now)
          continue
        }
        if case .append(let group) = job {
          for record in group.records {
            records[record.replica] = max(records[record.replica] ?? 0, record.lastCounter)
          }
        }
        _ = pipeline.done(now: now)
        #expect(pipeline[library].durable[Self.own] <= records[Self.own] ?? 0, "seed \(seed), step \(step)")
      }
    }
    #expect(pipeline.isWhole && pipeline[library].unlogged.isEmpty, "seed \(seed)")
    #expect(pipeline[library].durable == content.version, "seed \(seed)")
  }
}
