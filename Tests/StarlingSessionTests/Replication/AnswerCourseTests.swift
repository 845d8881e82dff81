import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `An answer from the log`: ~Copyable {
  private var replication: Replication
  private let number: DocumentNumber
  private let record = LogRecord(
    document: ValueReplica.document, replica: ReplicaID(rawValue: 2), firstCounter: 1, lastCounter: 1, bytes: [])

  init() throws {
    replication = ValueReplica(1).replication.copy()
    number = try #require(replication.documents.number(of: ValueReplica.document))
  }

  /// All records there are have been read.
  private func course() -> AnswerCourse {
    let want = Message.Want(document: ValueReplica.document, request: 1, version: Version())
    var course = replication.course(of: want, in: number)
    replication.note(.records([record], isComplete: true), on: &course, in: number)
    return course
  }

  private func words(_ step: AnswerCourse.Step) -> String {
    switch step {
    case .state: "state"
    case .page: "page"
    case .records(let records): "\(records.count) records"
    case .handOver: "hand over"
    }
  }

  @Test func `hands the stream over once all was sent`() {
    var course = course()
    #expect(words(course.step) == "1 records")
    replication.sent([record], hasWaited: false, on: &course, in: number)
    #expect(words(course.step) == "hand over")
  }

  @Test func `reads on where the asker had to take some of it first`() {
    var course = course()
    replication.sent([record], hasWaited: true, on: &course, in: number)
    #expect(words(course.step) == "page")
  }

  @Test mutating func `ends with the state where one was merged meanwhile, which is in no record`() {
    var course = course()
    replication.pipeline.mergedState(in: ValueReplica.document)
    replication.sent([record], hasWaited: false, on: &course, in: number)
    #expect(words(course.step) == "state")
  }
}
