import StarlingCore
import StarlingSession
import StarlingWire

// Answering peers that lack something, as `AnswerCourse` decides (Protocol/conversation.md, "Answers").
//
// Between any two parts an answer may have to wait until the peer has taken enough of them ("Credit"); nothing is held
// for it meanwhile but the page that it sends and the cut that all share. What was written since is read afterwards.
extension ReplicaEngine {
  private static let answerByteCount = 1 << 20

  func answer(_ want: Message.Want, to peer: PeerHandle) async {
    guard isWanted(want, by: peer), let open = document(want.document),
      sendTombstones(of: open, answering: want, to: peer)
    else { return }
    var course = replication.course(of: want, in: open.number)
    while true {
      switch course.step {
      case .state(let isNew):
        guard let cut = await sendState(of: open, answering: want, to: peer, isNew: isNew) else { return }
        replication.sent(stateAt: cut.version, statesMerged: cut.statesMerged, on: &course, in: open.number)
      case .page(let version, let writers):
        replication.pipeline.beginReading(open.id)
        defer { replication.pipeline.endReading(open.id) }
        let page = await page(of: open, after: version, by: writers)
        guard isWanted(want, by: peer) else { return }
        takeOutbox(of: open)
        replication.note(page, on: &course, in: open.number)
      case .records(let records):
        var hasWaited = false
        for record in records {
          if !replication.hasRoom(for: peer) {
            hasWaited = true
            guard await waitsForRoom(want, peer) else { return }
          }
          let changes = Message.Changes(document: want.document, request: want.request, batch: record.bytes)
          guard send(.changes(changes), of: record.bytes.count, to: peer, want.document) else { return }
        }
        replication.sent(records, hasWaited: hasWaited, on: &course, in: open.number)
      case .handOver: return decide { $0.handOver(open.number, answering: want, to: peer) }
      }
    }
  }

  private func isWanted(_ want: Message.Want, by peer: PeerHandle) -> Bool {
    phase == .running && replication.isWanted(want, by: peer)
  }

  /// The tombstones that the asker named. False where they cannot be sent.
  private func sendTombstones(of open: OpenDocument, answering want: Message.Want, to peer: PeerHandle) -> Bool {
    guard !want.lacking.isEmpty else { return true }
    let paths = open.handle.removedPaths(
      to: want.lacking, isUpToDate: open.handle.version.covers(want.version))
    let batch = Batch.encode(paths)
    let message = Message.Changes(document: want.document, request: want.request, batch: batch)
    return send(.paths(message), of: batch.count, to: peer, want.document)
  }

  private func send(_ message: Message, of byteCount: Int, to peer: PeerHandle, _ document: DocumentID) -> Bool {
    guard say(message, to: peer) else { return false }
    replication.noteAnswered(byteCount, of: document, to: peer)
    return true
  }

  // MARK: The log

  /// What follows `version` in the log, of those writers alone where they are named; nil where that cannot be read.
  private func page(of open: OpenDocument, after version: Version, by writers: Set<ReplicaID>?) async -> AnswerCourse
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
      case .belowFloor: .belowFloor
      case .records(let records, let isComplete): .records(records, isComplete: isComplete)
      }
    } catch {
      // What the log cannot read, the memory still holds.
      report(.historyUnreadable(open.id, error))
      return nil
    }
  }

  // MARK: The state

  /// One cut of the state in parts, from where the peer got to with it; nil if it cannot be had or sent now: the asker
  /// asks again.
  ///
  /// - Parameter isNew: whether none will do that was made before.
  private func sendState(
    of open: OpenDocument, answering want: Message.Want, to peer: PeerHandle, isNew: Bool
  ) async -> StateCut? {
    guard let cut = await isNew ? newCut(of: open) : cut(of: open, for: want), isWanted(want, by: peer) else {
      return nil
    }
    replication.counters.snapshotsSent += 1
    for offset in cut.offsets(answering: want) {
      if !replication.hasRoom(for: peer) { guard await waitsForRoom(want, peer) else { return nil } }
      let part = cut.part(at: offset, answering: want)
      guard send(.snapshot(part), of: part.bytes.count, to: peer, open.id) else { return nil }
      if open.cut?.checksum == cut.checksum { open.cut?.usedAt = clock.uptime() }
    }
    return cut
  }

  /// The cut that others are being sent or that is made for them, where the log goes on from it; else a new one. Nil
  /// while a transaction is open.
  private func cut(of open: OpenDocument, for want: Message.Want) async -> StateCut? {
    guard !want.wantsState, !replication.pipeline.isLost else { return await newCut(of: open) }
    let compaction = replication.pipeline[open.id].compaction
    if let cut = open.cut, cut.serves(want, compaction, now: clock.uptime()) { return cut }
    if let making = open.cutInMaking, making.statesMerged == compaction.statesMerged {
      return await making.task.value
    }
    return await newCut(of: open)
  }

  /// Cuts the state, and writes it down beside the engine: who follows the stream meanwhile does not wait for it.
  private func newCut(of open: OpenDocument) async -> StateCut? {
    let madeAt = clock.uptime()
    takeOutbox(of: open)
    guard document(open.number) != nil, !replication.isRetracting(open.number), let state = open.handle.cut() else {
      return nil
    }
    let statesMerged = replication.pipeline[open.id].compaction.statesMerged
    let task = beginBeside {
      let bytes = SnapshotCoding.encode(state)
      return StateCut(
        bytes: bytes, checksum: bytes.checksum, version: state.version, statesMerged: statesMerged, madeAt: madeAt,
        usedAt: madeAt)
    }
    open.cutInMaking = CutInMaking(statesMerged: statesMerged, task: task)
    var cut = await task.value
    if open.cutInMaking?.task == task { open.cutInMaking = nil }
    cut.usedAt = clock.uptime()
    open.cut = cut
    withCut.insert(open.number)
    return cut
  }

  /// Lets go of states that nobody is sent any more.
  func reviewCuts() {
    let now = clock.uptime()
    withCut = withCut.filter { number in
      guard let open = document(number), let cut = open.cut else { return false }
      if now - cut.usedAt > StateCut.keptFor { open.cut = nil }
      return open.cut != nil
    }
  }

  // MARK: Credit

  /// Waits until the peer may be sent more; false where the answer has ended meanwhile.
  private func waitsForRoom(_ want: Message.Want, _ peer: PeerHandle) async -> Bool {
    while isWanted(want, by: peer) {
      if replication.hasRoom(for: peer) { return true }
      await withCheckedContinuation { waitingAnswers[peer, default: []].append($0) }
    }
    return false
  }

  /// Has the answers to a peer look again whether they may go on.
  func goOnAnswering(_ peer: PeerHandle) {
    for answer in waitingAnswers.removeValue(forKey: peer) ?? [] { answer.resume() }
  }

  /// Ends all answers. Called when the engine runs no more.
  func endAnswers() {
    for peer in waitingAnswers.keys.sorted() { goOnAnswering(peer) }
  }
}
