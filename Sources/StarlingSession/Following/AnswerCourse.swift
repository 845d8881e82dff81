package import StarlingCore
package import StarlingWire

/// The course of one answer to a peer that lacks something: from the log while it reaches back far enough, from the state
/// otherwise (Protocol/conversation.md, "Answers"). Performs nothing.
///
/// ```
///   want ──► state? ──► log, page by page ──► what the log has not accepted yet ──► hand over
///               ▲              │ below its floor
///               └──────────────┘
/// ```
///
/// Before the state go our own changes that were kept below the floor, where they are all that the asker lacks; whoever
/// takes no states from us is sent these alone.
package struct AnswerCourse: Sendable {
  /// What the log has of what follows a version.
  package enum Page: Sendable {
    case records([LogRecord], isComplete: Bool)
    /// It reaches back less far.
    case belowFloor
  }

  package enum Step: Sendable {
    /// Send the state; one that was made before will not do where `isNew`.
    case state(isNew: Bool)
    /// Read what follows the version, of those writers alone where they are named.
    case page(after: Version, by: Set<ReplicaID>?)
    case records([LogRecord])
    /// From here on the asker follows the stream.
    case handOver
  }

  package fileprivate(set) var step: Step
  let takesOwnOnly: Bool
  /// What the asker holds once it has all that was sent.
  fileprivate var version: Version
  /// How many states had been merged here when the answer began, or its state was cut.
  fileprivate var statesMerged: Int
  /// Whether the log can be read; what it cannot read, the memory still holds.
  fileprivate var isReadable = true
  /// Whether our own changes are read that were kept below the floor.
  fileprivate var isBridging = false
  /// Whether nothing follows the records that are sent now.
  fileprivate var isComplete = false

  /// So much of our own changes goes before a state in any case.
  private static let ownByteCountMin = 1 << 16

  fileprivate init(_ want: Message.Want, statesMerged: Int) {
    takesOwnOnly = want.takesOwnOnly
    version = want.version
    self.statesMerged = statesMerged
    step = .state(isNew: false)
  }

  fileprivate mutating func send(_ records: [LogRecord], isComplete: Bool) {
    var held = version
    let lacking = records.filter { record in
      guard held[record.replica] < record.lastCounter else { return false }
      held[record.replica] = record.lastCounter
      return true
    }
    self.isComplete = isComplete
    step = .records(lacking.joined)
  }

  fileprivate mutating func sent(_ records: [LogRecord]) {
    for record in records { version[record.replica] = record.lastCounter }
  }

  fileprivate mutating func sent(stateAt version: Version, statesMerged: Int) {
    self.version.merge(version)
    self.statesMerged = statesMerged
  }

  fileprivate mutating func sendState() { step = .state(isNew: !isReadable) }

  /// Our own changes where they lead on from what the asker holds to `floor` and are no more than a state of so many bytes;
  /// what lies above the floor is read once they are sent.
  fileprivate func prefers(own records: [LogRecord], to floor: Version, toStateOf stateByteCount: Int) -> Bool {
    guard records.reduce(0, { $0 + $1.bytes.count }) <= max(stateByteCount, Self.ownByteCountMin) else { return false }
    var firsts: [ReplicaID: UInt64] = [:]
    for record in records { firsts[record.replica] = min(firsts[record.replica] ?? .max, record.firstCounter) }
    // Another log may not have kept all of them.
    return floor.entries.allSatisfy { entry in
      let held = version[entry.replica]
      return held >= entry.counter || firsts[entry.replica].map { $0 <= held + 1 } ?? false
    }
  }
}

// What the course depends on beside what the asker wants: where the document and its log stand.
extension Replication {
  package func course(of want: Message.Want, in number: DocumentNumber) -> AnswerCourse {
    let compaction = pipeline[documents[number].id].compaction
    var course = AnswerCourse(want, statesMerged: compaction.statesMerged)
    let needsState = compaction.mustFold || pipeline.isLost || want.wantsState
    if want.takesOwnOnly || !needsState { read(&course, in: number) }
    return course
  }

  package func sent(
    stateAt version: Version, statesMerged: Int, on course: inout AnswerCourse, in number: DocumentNumber
  ) {
    course.sent(stateAt: version, statesMerged: statesMerged)
    read(&course, in: number)
  }

  /// - Parameter page: nil where the log could not be read.
  package func note(_ page: AnswerCourse.Page?, on course: inout AnswerCourse, in number: DocumentNumber) {
    let (document, compaction) = (documents[number].id, pipeline[documents[number].id].compaction)
    let wasBridging = course.isBridging
    course.isBridging = false
    switch page {
    case .records(let records, let isComplete) where wasBridging:
      let isPreferred = course.prefers(own: records, to: compaction.floor, toStateOf: compaction.snapshotByteCount)
      if isComplete, isPreferred { course.send(records, isComplete: false) } else { course.sendState() }
    case .records(let records, isComplete: false): course.send(records, isComplete: false)
    case .records(let records, isComplete: true):
      let writers = course.takesOwnOnly ? documents[number].own.writers : nil
      let inMemory = pipeline.recordsInMemory(of: document).filter { writers?.contains($0.replica) ?? true }
      course.send(records + inMemory, isComplete: true)
    case .belowFloor where course.takesOwnOnly: end(&course, in: number)
    // Our own changes that were kept may be all that is lacking.
    case .belowFloor where !wasBridging && documents[number].own.bridge(from: course.version, to: compaction.floor):
      course.isBridging = true
      course.step = .page(after: course.version, by: documents[number].own.writers)
    case .belowFloor: course.sendState()
    case nil:
      course.isReadable = false
      if course.takesOwnOnly { end(&course, in: number) } else { course.sendState() }
    }
  }

  /// - Parameter hasWaited: whether the asker had to take some of them first.
  package func sent(
    _ records: [LogRecord], hasWaited: Bool, on course: inout AnswerCourse, in number: DocumentNumber
  ) {
    course.sent(records)
    // What was written while this page was sent is read before the stream is handed over.
    if course.isComplete, !hasWaited { end(&course, in: number) } else { read(&course, in: number) }
  }

  private func read(_ course: inout AnswerCourse, in number: DocumentNumber) {
    // A log that is given up has kept nothing of what came since.
    if pipeline.isLost { course.isReadable = false }
    guard course.isReadable else { return end(&course, in: number) }
    course.step = .page(after: course.version, by: course.takesOwnOnly ? documents[number].own.writers : nil)
  }

  /// Hands over, unless a state came meanwhile, which is in no record that was read; without a log all that came is in none.
  private func end(_ course: inout AnswerCourse, in number: DocumentNumber) {
    let isOvertaken = pipeline[documents[number].id].compaction.statesMerged != course.statesMerged
    let isLacking = !course.isReadable && !course.version.covers(documents[number].version)
    if !course.takesOwnOnly, isOvertaken || isLacking { course.sendState() } else { course.step = .handOver }
  }
}
