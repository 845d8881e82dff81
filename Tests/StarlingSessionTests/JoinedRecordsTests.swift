import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `Records of an answer` {
  private let document = DocumentID("library")!
  private let text = ObjectID.derived(parent: .root, key: .name("text"), kind: .text)

  /// A keystroke, as it is logged when it is typed live: a record of its own.
  private func keystroke(_ counter: UInt64, by writer: UInt64) -> Change {
    let replica = ReplicaID(rawValue: writer)
    let anchor = counter > 1 ? Dot(replica, counter - 1) : .origin
    return Change(
      replica: replica, firstCounter: counter, stamp: Stamp(rawValue: (1000 + counter) << 16), frontier: [],
      objects: [ObjectDefinition(parent: .root, key: .name("text"), kind: .text)],
      operations: [
        Operation(object: text, key: .element(anchor), action: .insert(.text(Scalars("a")), side: .right))
      ])
  }

  private func record(_ change: Change) -> LogRecord {
    LogRecord(
      document: document, replica: change.replica, firstCounter: change.firstCounter, lastCounter: change.lastCounter,
      bytes: Batch.encode([change]))
  }

  @Test func `of one writer in a row are one, and hold the same changes in little more than their text`() throws {
    let changes = (1...996).map { keystroke($0, by: 7) }
    let joined = changes.map(record).joined
    let only = try #require(joined.first)
    #expect(joined.count == 1)
    #expect(only.firstCounter == 1 && only.lastCounter == 996)
    #expect(try Batch.decode(only.bytes) == changes)
    #expect(only.bytes.count < 2 * 996)
  }

  @Test func `keep their order where writers take turns`() throws {
    let changes = [(7, 1), (7, 2), (8, 1), (7, 3), (7, 4), (8, 3)].map { keystroke($0.1, by: $0.0) }
    let joined = changes.map(record).joined
    #expect(joined.map(\.lastCounter) == [2, 1, 4, 3])
    #expect(try joined.flatMap { try Batch.decode($0.bytes) } == changes)
  }

  @Test func `stay apart where they are long, or one cannot be read`() {
    let long = (1...3).map { counter in
      LogRecord(
        document: document, replica: ReplicaID(rawValue: 7), firstCounter: counter, lastCounter: counter,
        bytes: [UInt8](repeating: 0, count: 40 << 10))
    }
    #expect(long.joined == long)
    var damaged = (1...3).map { record(keystroke($0, by: 7)) }
    damaged[1].bytes = [9, 9]
    #expect(damaged.joined == damaged)
  }
}
