import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `An answer from the log`: ~Copyable {
  private var replication: Replication
  private var course: AnswerCourse
  private static let peer = PeerHandle.of(1)
  private static let want = Message.Want(document: ValueReplica.document, request: 1, version: VersionVector())

  init() {
    var replica = ValueReplica(1)
    replica.decide(now: .zero) { $0.opened(Self.peer, isDialled: false, as: .sameUser, entry: nil) }
    replication = replica.replication.copy()
    replication.peers[Self.peer]?.flow.begin(ValueReplica.document, request: 1, now: .zero)
    course = AnswerCourse(answering: Self.want, of: Self.peer)
  }

  private func record(_ counter: UInt64, byteCount: Int = 1) -> LogRecord {
    LogRecord(
      document: ValueReplica.document, replica: ReplicaID(rawValue: 2), firstCounter: counter, lastCounter: counter,
      bytes: Array(repeating: 0, count: byteCount))
  }

  /// What is to be done next.
  private mutating func next() -> String {
    let course = replication.step(of: &course)
    switch course {
    case .wait?: return "wait"
    case .send(.changes(let changes), let byteCount)?:
      replication.noteAnswered(byteCount, of: changes.document, to: Self.peer)
      return "changes"
    case .send(.snapshot(let part), let byteCount)?:
      replication.noteAnswered(byteCount, of: part.document, to: Self.peer)
      return "state at \(part.offset)"
    case .send?: return "another message"
    case .tombstones(let dots)?: return "\(dots.count) tombstones"
    case .state(let isNew)?: return isNew ? "new state" : "state"
    case .page?: return "page"
    case nil: return "end"
    }
  }

  private mutating func note(_ records: [LogRecord]) {
    replication.note(.records(records, isComplete: true), on: &course)
  }

  @Test mutating func `hands the stream over once all was sent`() {
    #expect(next() == "page")
    note([record(1), record(2)])
    #expect(next() == "changes" && next() == "changes" && next() == "end")
    #expect(
      replication.effects.contains { if case .say(.resume, Self.peer) = $0 { true } else { false } })
    #expect(next() == "end", "an answer ends once")
  }

  @Test mutating func `waits until the asker has taken enough, and reads on then`() {
    #expect(next() == "page")
    note([record(1, byteCount: AnswerFlow.windowByteCount), record(2)])
    #expect(next() == "changes" && next() == "wait" && next() == "wait")
    let credit = Message.Credit(
      document: ValueReplica.document, request: 1, byteCount: UInt64(2 * AnswerFlow.windowByteCount))
    replication.peers[Self.peer]?.flow.take(credit, now: .zero)
    #expect(
      next() == "changes" && next() == "page", "what was written since is read before the stream is handed over")
  }

  @Test mutating func `ends with the state where one was merged since, which is in no record`() {
    #expect(next() == "page")
    note([record(1)])
    replication.pipeline.mergedState(in: ValueReplica.document)
    #expect(next() == "changes" && next() == "state")
  }

  /// A simulated group read the log again and again, for ever (seed 4322).
  @Test mutating func `is the state where the log has compacted further than it said`() throws {
    let number = try #require(replication.documents.number(of: ValueReplica.document))
    #expect(replication.documents[number].own.bridge(from: VersionVector(), to: VersionVector()))
    #expect(next() == "page")
    replication.note(.belowLogStart, on: &course)
    #expect(next() == "state")
  }

  @Test mutating func `ends where it is wanted no more`() {
    #expect(next() == "page")
    note([record(1)])
    replication.peers[Self.peer]?.flow.begin(ValueReplica.document, request: 2, now: .zero)
    #expect(next() == "end")
  }

  @Test mutating func `goes on with a state where the asker was cut off, part by part`() {
    replication.note(nil as AnswerCourse.Page?, on: &course)
    #expect(next() == "new state")
    let cut = StateCut(
      bytes: Array(repeating: 7, count: 600_000), version: VersionVector(), statesMerged: 0, madeAt: .zero)
    var want = Self.want
    want.begun = Message.BegunState(checksum: cut.checksum, byteCount: 262_144)
    course = AnswerCourse(answering: want, of: Self.peer)
    replication.note(cut, on: &course)
    #expect(next() == "state at 262144" && course.cutChecksum == cut.checksum)
    #expect(next() == "state at 524288" && next() == "page")
    #expect(replication.counters.snapshotsSent == 1)
  }

  @Test mutating func `begins with the paths of the tombstones that the asker lacks`() {
    var want = Self.want
    want.lacking = [Dot(ReplicaID(rawValue: 2), 1)]
    course = AnswerCourse(answering: want, of: Self.peer)
    #expect(next() == "1 tombstones" && next() == "page")
  }
}
