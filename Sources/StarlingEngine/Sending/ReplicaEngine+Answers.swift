import StarlingCore
import StarlingSession
import StarlingWire

// Answering peers that lack something, as `AnswerCourse` decides (Protocol/conversation.md, "Answers").
//
// Between any two parts an answer may have to wait until the peer has taken enough of them ("Credit"); nothing is held
// for it but the page that it sends and the cut that all share. What was written since is read afterwards.
extension ReplicaEngine {
  private static let answerByteCount = 1 << 20

  func answer(_ want: Message.Want, to peer: PeerHandle) async {
    await give(AnswerCourse(answering: want, of: peer))
    decide { $0.answered(peer) }
  }

  private func give(_ answer: AnswerCourse) async {
    var course = answer
    let (want, peer) = (course.want, course.peer)
    guard let open = document(want.document) else { return }
    var hasWaited = false
    while phase == .running, let step = decide({ $0.step(of: &course) }) {
      switch step {
      case .wait:
        await withCheckedContinuation {
          waitingAnswers.add($0, to: want.document, of: peer, isBegun: hasWaited)
        }
        hasWaited = true
      case .send(let message, let byteCount):
        guard say(message, to: peer) else { return }
        replication.noteAnswered(byteCount, of: want.document, to: peer)
        open.cuts.noteUse(of: course.cutChecksum, now: clock.uptime())
      case .tombstones(let dots):
        let paths = open.handle.removedPaths(to: dots, isUpToDate: open.handle.version.covers(want.version))
        let batch = Batch.encode(paths)
        let message = Message.Changes(document: want.document, request: want.request, batch: batch)
        guard say(.paths(message), to: peer) else { return }
        replication.noteAnswered(batch.count, of: want.document, to: peer)
      case .state(let isNew):
        if let cut = await cut(of: open, for: want, isNew: isNew) {
          replication.note(cut, on: &course)
        } else if !replication.noteNoState(on: &course) {
          // The asker asks again.
          return
        }
      case .page(let version, let writers):
        replication.pipeline.beginReading(open.id)
        let page = await page(of: open, after: version, by: writers)
        if phase == .running { takeOutbox(of: open) }
        replication.note(page, on: &course)
        replication.pipeline.endReading(open.id)
      }
    }
  }

  /// What follows `version` in the log, of those writers alone where they are named; nil where that cannot be read.
  private func page(of open: OpenDocument, after version: VersionVector, by writers: Set<ReplicaID>?) async
    -> AnswerCourse
    .Page?
  {
    do {
      let answer =
        if let writers {
          try await log.records(in: open.id, by: writers, after: version, byteCountMax: Self.answerByteCount)
        } else {
          try await log.records(in: open.id, after: version, byteCountMax: Self.answerByteCount)
        }
      return switch answer {
      case .belowLogStart: .belowLogStart
      case .records(let records, let isComplete): .records(records, isComplete: isComplete)
      }
    } catch {
      // What the log cannot read, the memory still holds.
      report(.historyUnreadable(open.id, error))
      return nil
    }
  }

  /// A state for an asker; nil while a transaction is open.
  private func cut(of open: OpenDocument, for want: Message.Want, isNew: Bool) async -> StateCut? {
    let compaction = replication.pipeline[open.id].compaction
    let choice = open.cuts.choice(
      for: want, isNew: isNew, compaction, isLogLost: replication.pipeline.isLost, now: clock.uptime())
    switch choice {
    case .kept(let cut): return cut
    case .underWay: if let cutting = open.cutting { return await cutting.value }
    case .new: break
    }
    return await newCut(of: open)
  }

  /// Cuts the state, and writes it down beside the engine: who follows the stream does not wait for it.
  private func newCut(of open: OpenDocument) async -> StateCut? {
    let madeAt = clock.uptime()
    takeOutbox(of: open)
    guard document(open.number) != nil, !replication.isRetracting(open.number), let state = open.handle.cut() else {
      return nil
    }
    let statesMerged = replication.pipeline[open.id].compaction.statesMerged
    let number = open.cuts.begin(statesMerged: statesMerged)
    let task = beginBeside {
      StateCut(
        bytes: SnapshotCoding.encode(state), version: state.version, statesMerged: statesMerged, madeAt: madeAt)
    }
    open.cutting = task
    let cut = await task.value
    openDocuments.keep(cut, as: number, of: open, now: clock.uptime())
    if open.cutting == task { open.cutting = nil }
    return cut
  }
}
