import StarlingCore
import StarlingWire

@testable import StarlingSession

// What an engine does with its document, its log and its answers.
extension ValueReplica {
  mutating func perform(_ effect: Replication.Effect, now: Duration) {
    switch effect {
    case .say(let message, let peer): say(message, to: peer)
    case .send(let bytes, let peer): hand(bytes, to: peer)
    case .sayHeartbeat(let peer): say(replication.heartbeat(for: peer), to: peer)
    case .publish(let frame): output(.published(frame))
    case .subscribe(let topic, let peer): output(.subscribe(topic, at: peer))
    case .unsubscribe(let topic, let peer): output(.unsubscribe(topic, at: peer))
    case .dial(let endpoint, let attempt):
      let peer = makeHandle()
      output(.dial(endpoint, as: peer))
      decide(now: now) { $0.dialled(endpoint, attempt: attempt, as: peer) }
    case .disconnect(let peer): output(.hangUp(peer))
    case .discover: decide(now: now) { $0.discovered(nil, announced: []) }
    case .reviewTrust: decide(now: now) { [allowlist] in $0.reviewTrust { key, _ in allowlist[key] } }
    case .tellRelays: tellRelays()

    case .merge(let changes, let peer, let number):
      merge(changes.map { .change($0) }, from: peer, in: number, now: now)
    case .mergeParts(let parts, let peer, let number): merge(parts, from: peer, in: number, now: now)
    case .mergeState(let state, let peer, let number): merge(state, from: peer, in: number, now: now)
    case .adopt(let paths, let peer, let expected, let number):
      adopt(paths, from: peer, expecting: expected, in: number, now: now)
    case .takeOutbox: takeOutbox(now: now)
    case .reviewDisowned(let replica, let number, let peer, let isLeased):
      decide(now: now) { $0.reviewDisowned(replica, in: number, by: peer, isLeased: isLeased) }
    case .rename(_, let replica): writer = replica
    case .keepSpare: spare = replication.spareReplica
    case .takeUp(let grant, let number): takeUp(grant, in: number, now: now)
    case .digest(let number):
      let digest = (content.version, content.cut().digest())
      decide(now: now) { $0.digested(digest, number) }
    case .collectTombstones(let number, let stable):
      var collection = TombstoneCollection(stable: stable)
      while !content.collectTombstones(collection: &collection, workMax: .max) {}
      decide(now: now) { $0.collected(stable, in: number) }
    case .dropUnclaimed(let number, let claimed):
      gate.dropUnclaimed(beyond: claimed)
      let left = gate.count
      decide(now: now) { $0.waits(left, in: number) }
    case .beat: decide(now: now) { $0.beat() }
    case .reviewBudgets: decide(now: now) { $0.reviewBudgets { _, _, _ in 0 } }

    case .acknowledge(let number, let peer): decide(now: now) { $0.acknowledge(number, to: peer) { $0 } }
    case .compare(let comparison):
      guard case .records(let records, _) = log.page(after: comparison.version, by: comparison.writers) else { return }
      decide(now: now) { $0.compared(comparison, with: records) }
    case .tellEvidence(let number, let peer):
      takeOutbox(now: now)
      let records = log.records(before: replication.documents[number].version)
      decide(now: now) { $0.tell(evidence: records, to: peer) }

    case .answer(let want, let peer): goOn(AnswerCourse(answering: want, of: peer), now: now)
    case .goOnAnswering(let peer, let chosen):
      for course in takeAnswers(chosen, of: peer) { goOn(course, now: now) }

    case .withdrawLife(let peer, let hello):
      replication.withdrewLife()
      decide(now: now) { $0.admit(peer, hello) }
    case .showLife(let grantor): replication.showedLife(to: grantor)
    case .keepForGood(let number): decide(now: now) { $0.writeAsOneself(in: number) }

    case .report(let event): events.append(event)
    case .resume(let waiter): end(waiter)
    // What is said for a while, checkpoints, forgotten documents and lists of keys have tests of their own.
    case .countUnlogged, .trim, .openDocument, .reopen, .close, .tellProgress, .reviewPresence, .hearPresence,
      .tellPresence,
      .log,
      .reviewCheckpoint, .compactAgedLogs, .reviewCuts, .reviewLeases, .suspend:
      break
    }
  }

  private mutating func tellRelays() {
    for relay in replication.connections.trustedRelays {
      while let news = replication.news(for: relay) {
        say(news.message, to: relay)
        replication.told(news, to: relay)
      }
    }
  }

  // MARK: Merging

  private mutating func merge(_ parts: [Contribution], from peer: PeerHandle, in number: DocumentNumber, now: Duration)
  {
    let last = parts.map { Dot($0.replica, $0.lastCounter) }
    var mayMerge = false
    decide(now: now) { mayMerge = $0.mayMerge(last, from: peer, in: number, isAlive: { _ in false }) }
    guard mayMerge else { return }
    var merged = Merged()
    for dot in last { yieldName(to: dot.replica, dot.counter, &merged) }
    var patch = Patch()
    do throws(MergeError) {
      try merged.merge(parts, through: &gate, into: &content, patch: &patch)
    } catch {
      merged.end = error
    }
    note(&merged, in: number, now: now)
    decide(now: now) { $0.merged(merged, of: { parts }, from: peer, in: number, level: { _ in 0 }) }
  }

  private mutating func merge(
    _ state: ValidatedSnapshot, from peer: PeerHandle, in number: DocumentNumber, now: Duration
  ) {
    takeOutbox(now: now)
    var patch = Patch()
    do {
      if state.version == replication.documents[number].version {
        let settlement = try content.settle(
          with: state.document, authority: replication.authority(of: peer), patch: &patch)
        return decide(now: now) { $0.settled(settlement, with: peer, in: number) }
      }
      var merged = Merged()
      merged.isAdopted = content.version.isEmpty
      yieldName(to: writer, state.version[writer], &merged)
      try content.merge(state.document, isHeard: false, patch: &patch)
      merged.received = gate.release(into: &content, patch: &patch)
      note(&merged, in: number, now: now)
      decide(now: now) { $0.merged(merged, state: state, from: peer, in: number, level: { _ in 0 }) }
    } catch {
      decide(now: now) { $0.refuse(stateOf: number, from: peer, error) }
    }
  }

  /// Goes on under another id where somebody else writes under ours.
  private mutating func yieldName(to replica: ReplicaID, _ counter: UInt64, _ merged: inout Merged) {
    guard replica == writer, counter > content.version[replica], let spare else { return }
    (writer, self.spare) = (spare, nil)
    merged.renamed = spare
  }

  private mutating func note(_ merged: inout Merged, in number: DocumentNumber, now: Duration) {
    merged.version = content.version
    merged.hasOutbox = !outbox.isEmpty
    if let fresh = merged.renamed { decide(now: now) { $0.renamed(number, to: fresh) } }
  }

  private mutating func adopt(
    _ paths: [Change], from peer: PeerHandle, expecting expected: VersionVector, in number: DocumentNumber,
    now: Duration
  ) {
    takeOutbox(now: now)
    do {
      var patch = Patch()
      let count = try content.adopt(removedPaths: paths, expecting: expected, patch: &patch)
      decide(now: now) { $0.adopted(count, in: number) }
    } catch {
      decide(now: now) { $0.refuse(tombstonesOf: number, from: peer, error) }
    }
  }

  private mutating func takeUp(_ grant: Message.LeaseGrant, in number: DocumentNumber, now: Duration) {
    let outcome: Replication.TakingUp =
      if content.version[writer] > 0 || content.version[grant.replica] > grant.counter {
        .tooLate
      } else if content.version[grant.replica] < grant.counter {
        .notYet
      } else {
        .taken
      }
    if case .taken = outcome { writer = grant.replica }
    decide(now: now) { $0.took(grant, outcome, in: number) }
  }

  mutating func takeOutbox(now: Duration) {
    let changes = outbox
    outbox = []
    decide(now: now) { [number] in $0.publish(written: changes, in: number) }
    decide(now: now) { [version = content.version, number] in $0.wrote(changes, upTo: version, in: number) { nil } }
  }

  // MARK: Answering

  private mutating func takeAnswers(_ chosen: AnswerCourse.Waiting, of peer: PeerHandle?) -> [AnswerCourse] {
    var left = if case .oldest(let count) = chosen { count } else { Int.max }
    var taken: [AnswerCourse] = []
    answers.removeAll { course in
      guard peer == nil || course.peer == peer, left > 0 else { return false }
      left -= 1
      taken.append(course)
      return true
    }
    return taken
  }

  private mutating func goOn(_ course: AnswerCourse, now: Duration) {
    var course = course
    while true {
      var step: AnswerCourse.Step?
      decide(now: now) { step = $0.step(of: &course) }
      guard let step else { return decide(now: now) { $0.answered(course.peer) } }
      switch step {
      case .wait: return answers.append(course)
      case .send(let message, let byteCount):
        say(message, to: course.peer)
        replication.noteAnswered(byteCount, of: Self.document, to: course.peer)
      case .tombstones(let dots):
        let paths = content.removedPaths(to: dots, isUpToDate: content.version.covers(course.want.version))
        let batch = Batch.encode(paths)
        let message = Message.Changes(document: Self.document, request: course.want.request, batch: batch)
        say(.paths(message), to: course.peer)
        replication.noteAnswered(batch.count, of: Self.document, to: course.peer)
      case .state:
        takeOutbox(now: now)
        let statesMerged = replication.pipeline[Self.document].compaction.statesMerged
        let cut = StateCut(
          bytes: SnapshotCoding.encode(content.cut()), version: content.version, statesMerged: statesMerged, madeAt: now
        )
        replication.note(cut, on: &course)
      case .page(let version, let writers):
        // What the log accepts while it is read is not in the page.
        replication.pipeline.beginReading(Self.document)
        readings.append((course, log.page(after: version, by: writers)))
        return options.isLogInstant ? finishReading(now: now) : ()
      }
    }
  }

  /// The page that was asked for first is read.
  mutating func finishReading(now: Duration) {
    guard !readings.isEmpty else { return }
    var (course, page) = readings.removeFirst()
    takeOutbox(now: now)
    replication.note(page, on: &course)
    replication.pipeline.endReading(Self.document)
    goOn(course, now: now)
  }
}
