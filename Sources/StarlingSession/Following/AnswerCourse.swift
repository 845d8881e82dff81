package import StarlingCore
package import StarlingWire

/// The course of one answer to a peer that lacks something: from the log while it reaches back far enough, from the
/// state otherwise (Protocol/conversation.md, "Answers"). Performs nothing.
///
/// ```
///   want ──► state? ──► log, page by page ──► what the log has not accepted yet ──► hand over
///               ▲              │ below its log start
///               └──────────────┘
/// ```
///
/// Before the state go our own changes kept below the log start, where they are all that the requester lacks; whoever
/// takes no states from us is sent these alone.
package struct AnswerCourse: Sendable {
  /// What the log has of what follows a version.
  package enum Page: Sendable {
    case records([LogRecord], isComplete: Bool)
    /// It reaches back less far.
    case belowLogStart
  }

  /// What is to be done next.
  package enum Step: Sendable {
    /// The asker must take some of what is on its way first.
    case wait
    /// Say it; of so many bytes beside what every message has.
    case send(Message, byteCount: Int)
    /// Send the paths of these tombstones.
    case tombstones([Dot])
    /// Have the state written down (`note`); one that was made before will not do where `isNew`.
    case state(isNew: Bool)
    /// Read what follows the version (`note`), of those writers alone where they are named.
    case page(after: VersionVector, by: Set<ReplicaID>?)
  }

  /// Which of the answers that wait look again whether they may go on. Thousands may wait for one peer, and each look
  /// of all of them would cost as much as there are.
  package enum Waiting: Sendable {
    /// All: what they wait for may be over.
    case all
    /// That for the document, for which the peer asks again.
    case of(DocumentID)
    /// So many, the oldest first: more have no space.
    case oldest(Int)
  }

  fileprivate enum Stage: Sendable {
    case tombstones, choice, handOver
    case state(isNew: Bool)
    case page(after: VersionVector, by: Set<ReplicaID>?)
    case records(ArraySlice<LogRecord>)
    case cut(StateCut, offset: Int)
  }

  package let want: Message.Want
  package let peer: PeerHandle
  fileprivate var stage: Stage
  /// What the asker holds once it has all that was sent.
  fileprivate var version: VersionVector
  /// How many states had been merged here when the answer began, or its state was cut.
  fileprivate var statesMerged = 0
  /// The same of those states that no version tells.
  fileprivate var untoldCount = 0
  /// Whether the log can be read; what it cannot read, the memory still holds.
  fileprivate var isReadable = true
  /// Whether our own changes are read that were kept below the log start.
  fileprivate var isBridging = false
  /// Whether nothing follows the records that are sent now, and whether the asker had to take some of them first.
  fileprivate var isComplete = false
  fileprivate var hasWaited = false
  /// Whether the changes would do as well, and are more.
  fileprivate var prefersState = false

  /// So much of our own changes goes before a state in any case.
  private static let ownByteCountMin = 1 << 16

  package init(answering want: Message.Want, of peer: PeerHandle) {
    self.want = want
    self.peer = peer
    version = want.version
    stage = want.lacking.isEmpty ? .choice : .tombstones
  }

  /// Names the state whose parts are sent now; nil for none.
  package var cutChecksum: UInt64? { if case .cut(let cut, _) = stage { cut.checksum } else { nil } }

  fileprivate mutating func send(_ records: [LogRecord], isComplete: Bool) {
    var held = version
    let lacking = records.filter { record in
      guard held[record.replica] < record.lastCounter else { return false }
      held[record.replica] = record.lastCounter
      return true
    }
    self.isComplete = isComplete
    hasWaited = false
    stage = .records(lacking.joined[...])
  }

  /// Whether the asker may lack something of states that are in no record, with what was sent.
  fileprivate func lacksStates(of compaction: Compaction) -> Bool {
    !(compaction.versionOfStates.map(version.covers) ?? false)
  }

  fileprivate mutating func sendState() { stage = .state(isNew: !isReadable) }

  /// Our own changes where they lead on from what the asker holds to `logStart` and are no more than a state of so many
  /// bytes; what lies above the log start is read once they are sent.
  fileprivate func prefers(own records: [LogRecord], to logStart: VersionVector, toStateOf stateByteCount: Int) -> Bool
  {
    guard records.reduce(0, { $0 + $1.bytes.count }) <= max(stateByteCount, Self.ownByteCountMin) else { return false }
    var firsts: [ReplicaID: UInt64] = [:]
    for record in records { firsts[record.replica] = min(firsts[record.replica] ?? .max, record.firstCounter) }
    // Another log may not have kept all of them.
    return logStart.entries.allSatisfy { entry in
      let held = version[entry.replica]
      return held >= entry.counter || firsts[entry.replica].map { $0 <= held + 1 } ?? false
    }
  }
}

// What the course depends on beside what the asker wants: where the document and its log stand.
extension Replication {
  /// What is to be done next for the answer; nil once it has ended.
  package mutating func step(of course: inout AnswerCourse) -> AnswerCourse.Step? {
    let want = course.want
    while isWanted(want, by: course.peer), let number = documents.number(of: want.document) {
      switch course.stage {
      case .tombstones:
        course.stage = .choice
        return .tombstones(want.lacking)
      case .choice: choose(&course, in: number)
      case .state(let isNew): return .state(isNew: isNew)
      case .page(let version, let writers): return .page(after: version, by: writers)
      case .records(var records):
        guard let record = records.popFirst() else {
          // What was written while this page was sent is read before the stream is handed over.
          if course.isComplete, !course.hasWaited { end(&course, in: number) } else { read(&course, in: number) }
          continue
        }
        guard hasCapacity(for: course.peer) else {
          course.hasWaited = true
          return .wait
        }
        course.version[record.replica] = record.lastCounter
        course.stage = .records(records)
        let changes = Message.Changes(document: want.document, request: want.request, batch: record.bytes)
        return .send(.changes(changes), byteCount: record.bytes.count)
      case .cut(let cut, let offset):
        guard offset < cut.bytes.count else {
          course.version.merge(cut.version)
          let compaction = pipeline[documents[number].id].compaction
          course.statesMerged = cut.statesMerged
          if cut.statesMerged == compaction.statesMerged { course.untoldCount = compaction.untoldCount }
          read(&course, in: number)
          continue
        }
        guard hasCapacity(for: course.peer) else { return .wait }
        let part = cut.part(at: offset, answering: want)
        course.stage = .cut(cut, offset: offset + part.bytes.count)
        return .send(.snapshot(part), byteCount: part.bytes.count)
      case .handOver:
        handOver(number, answering: want, to: course.peer)
        return nil
      }
    }
    return nil
  }

  private func choose(_ course: inout AnswerCourse, in number: DocumentNumber) {
    let compaction = pipeline[documents[number].id].compaction
    (course.statesMerged, course.untoldCount) = (compaction.statesMerged, compaction.untoldCount)
    let isInNoRecord = compaction.mustCompact && course.lacksStates(of: compaction)
    let needsState = isInNoRecord || pipeline.isLost || course.want.wantsState
    let isOutweighed = course.want.version.isEmpty && course.want.keptByteCount.map(compaction.outweighs) ?? false
    course.prefersState = isOutweighed && !needsState
    if course.want.takesOwnOnly || !needsState && !isOutweighed {
      read(&course, in: number)
    } else {
      course.sendState()
    }
  }

  /// The state is written down.
  package mutating func note(_ cut: StateCut, on course: inout AnswerCourse) {
    guard isWanted(course.want, by: course.peer) else { return }
    counters.snapshotsSent += 1
    course.stage = .cut(cut, offset: cut.firstOffset(answering: course.want))
  }

  /// A transaction is open, and no state could be cut.
  ///
  /// - Returns: whether the answer goes on, with changes.
  package func noteNoState(on course: inout AnswerCourse) -> Bool {
    guard course.prefersState, let number = documents.number(of: course.want.document) else { return false }
    course.prefersState = false
    read(&course, in: number)
    return true
  }

  /// - Parameter page: nil where the log could not be read.
  package func note(_ page: AnswerCourse.Page?, on course: inout AnswerCourse) {
    guard let number = documents.number(of: course.want.document) else { return }
    let (document, compaction) = (course.want.document, pipeline[course.want.document].compaction)
    let (wasBridging, takesOwnOnly) = (course.isBridging, course.want.takesOwnOnly)
    course.isBridging = false
    switch page {
    case .records(let records, let isComplete) where wasBridging:
      let isPreferred = course.prefers(own: records, to: compaction.logStart, toStateOf: compaction.snapshotByteCount)
      if isComplete, isPreferred { course.send(records, isComplete: false) } else { course.sendState() }
    case .records(let records, isComplete: false): course.send(records, isComplete: false)
    case .records(let records, isComplete: true):
      let writers = takesOwnOnly ? documents[number].own.writers : nil
      let inMemory = pipeline.recordsInMemory(of: document).filter { writers?.contains($0.replica) ?? true }
      course.send(records + inMemory, isComplete: true)
    case .belowLogStart where takesOwnOnly: end(&course, in: number)
    // Our own changes that were kept may be all that is lacking. Not where the requester holds our log start: a log
    // whose answer was lost may have compacted further.
    case .belowLogStart
    where !wasBridging && !course.version.covers(compaction.logStart)
      && documents[number].own.bridge(from: course.version, to: compaction.logStart):
      course.isBridging = true
      course.stage = .page(after: course.version, by: documents[number].own.writers)
    case .belowLogStart: course.sendState()
    case nil:
      course.isReadable = false
      if takesOwnOnly { end(&course, in: number) } else { course.sendState() }
    }
  }

  private func read(_ course: inout AnswerCourse, in number: DocumentNumber) {
    // A log that is given up has kept nothing of what came since.
    if pipeline.isLost { course.isReadable = false }
    guard course.isReadable else { return end(&course, in: number) }
    course.stage = .page(after: course.version, by: course.want.takesOwnOnly ? documents[number].own.writers : nil)
  }

  /// Hands over, unless a state came since, which no record has, and the asker lacks some of it: a state ends the history
  /// of whoever merges it. Without a log no record has what came since.
  private func end(_ course: inout AnswerCourse, in number: DocumentNumber) {
    let compaction = pipeline[documents[number].id].compaction
    let isOvertaken =
      compaction.untoldCount != course.untoldCount
      || compaction.statesMerged != course.statesMerged && course.lacksStates(of: compaction)
    let isLacking = !course.isReadable && !course.version.covers(documents[number].version)
    if !course.want.takesOwnOnly, isOvertaken || isLacking { course.sendState() } else { course.stage = .handOver }
  }
}
