package import StarlingCore
import StarlingWire

// What follows from the log's answers (Documentation/Operating.md, "When the disk fails").
extension Replication {
  package mutating func logDone() {
    let writerCount = waiters.writerCount
    carryOut(pipeline.done(now: now))
    waiters.noteServed(of: writerCount)
  }

  /// Whether the log had better wait for more writers, who are about to come: a commit for all of them takes hardly
  /// longer than one for the first.
  package var awaitsWriters: Bool { pipeline.pendingRecordCount > 0 && waiters.awaitsCompany }

  package mutating func logFailed(_ error: LogError) {
    carryOut(pipeline.failed(error, now: now, keeping: keptPastBacklogs))
  }

  /// What stays where too much waits for a log that fails. Where nobody has a key, everybody takes states from here.
  var keptPastBacklogs: LogPipeline.OwnCounters {
    guard policy.keepsOwnRecords else { return { _ in [:] } }
    return { [documents] document in documents.number(of: document).map { documents[$0].own.acknowledged } ?? [:] }
  }

  mutating func carryOut(_ decided: [LogPipeline.Effect]) {
    for effect in decided { carryOut(effect) }
  }

  private mutating func carryOut(_ effect: LogPipeline.Effect) {
    switch effect {
    case .relieved(let document, let byteCount):
      guard let number = documents.number(of: document) else { return }
      countUnlogged(-byteCount, in: number)
      capacityMayHaveGrown(in: number)
    case .dropped(_, let recordCount): counters.recordsDropped += recordCount
    case .durable(let document):
      if let number = documents.number(of: document) { becameDurable(number) }
    case .appended(let document):
      if let number = documents.number(of: document) { effects.append(.reviewCheckpoint(number)) }
    case .forgotten(let document): stored(forgotten: document)
    case .tell(let answer, let document):
      if let number = documents.number(of: document) { tell(answer, in: number) }
    case .writtenAgain(let document, let retraction):
      if let number = documents.number(of: document) { publish(retraction, in: number) }
    case .failed(let error, let isNews, let isLost):
      counters.logFailures += 1
      if isNews { report(.logFailed(error)) }
      carryOut(waiters.logFailed(isLost: isLost))
    case .recovered(let outage): recovered(after: outage)
    }
  }

  private mutating func becameDurable(_ number: DocumentNumber) {
    documents[number].acknowledgements.mark()
    documents.activate(number)
    acknowledgeIfDue(number)
    serveWaiters(of: number)
    settleLeases(of: number)
  }

  /// The log accepts writes again.
  private mutating func recovered(after outage: Duration) {
    counters.logRecoveries += 1
    report(.logRecovered(after: outage))
    // Peers that heard in between that nothing is kept here learn that it is.
    for peer in peers.talking where peers[peer]?.isRefused == false { greet(peer, wantsReply: false) }
    for number in documents.inOrder {
      documents[number].acknowledgements.mark()
      documents.activate(number)
      capacityMayHaveGrown(in: number)
    }
  }

  /// Operations that the log has not accepted, of each document that has such.
  package var unsaved: [DocumentID: UInt64] {
    var unsaved: [DocumentID: UInt64] = [:]
    for number in documents.inOrder {
      let (id, version) = documents.look(at: number) { ($0.pointee.id, $0.pointee.version) }
      let durable = pipeline.durable(of: id)
      guard !durable.covers(version) else { continue }
      unsaved[id] = version.entries.reduce(0) { $0 + ($1.counter - min($1.counter, durable[$1.replica])) }
    }
    return unsaved
  }
}
