import StarlingCore
import StarlingSession
import StarlingWire

// Answering peers that lack something: from the log while it reaches back far enough, from the
// state otherwise (Protocol/conversation.md, "Answers").
extension ReplicaEngine {
  private static let answerByteCount = 1 << 20
  private static let snapshotPartByteCount = 1 << 18

  func receive(_ want: Message.Want, from peer: PeerHandle) {
    guard let hosted = documents[want.document] else { return openForPeer(want.document, answering: want, to: peer) }
    guard peers[peer]?.diverged.contains(hosted.id) != true else { return }
    hear(peer, in: hosted)
    if peers[peer]?.interests.insert(hosted.id).inserted == true { tellPresence(of: hosted, to: peer) }
    peers[peer]?.answers[hosted.id] = want.request
    counters.answers += 1
    Task(executorPreference: taskExecutor) { await self.answer(want, to: peer) }
  }

  private func isCurrent(_ want: Message.Want, for peer: PeerHandle) -> Bool {
    phase == .running && peers[peer]?.answers[want.document] == want.request
  }

  private func answer(_ want: Message.Want, to peer: PeerHandle) async {
    guard isCurrent(want, for: peer), let hosted = documents[want.document] else { return }
    hosted.answersUnderWay += 1
    defer {
      hosted.answersUnderWay -= 1
      if hosted.answersUnderWay == 0 { hosted.retained = [] }
    }
    var version = want.version
    let statesMerged = hosted.statesMerged
    var isFromState = hosted.mustFold || logError != nil || want.wantsState
    while !isFromState {
      let answer: LogAnswer
      do {
        answer = try await log.records(in: hosted.id, after: version, byteCountMax: Self.answerByteCount)
      } catch {
        // What the log cannot read, the memory still holds.
        report(.logFailed(error as? LogError ?? LogError(.corrupt, "The log cannot be read.", cause: error)))
        isFromState = true
        break
      }
      guard isCurrent(want, for: peer) else { return }
      guard case .records(let records, let isComplete) = answer else {
        isFromState = true
        break
      }
      for record in records {
        guard send(record, answering: want, to: peer, raising: &version) else { return }
      }
      if isComplete { break }
    }
    publishOutbox(of: hosted)
    // A state that came meanwhile is in no record that was read, and a log that failed has kept none.
    if isFromState || hosted.statesMerged != statesMerged || logError != nil {
      guard sendState(of: hosted, answering: want, to: peer, raising: &version) else { return }
    }
    // What the log had not yet accepted when it was read.
    for record in hosted.retained + hosted.unlogged {
      guard send(record, answering: want, to: peer, raising: &version) else { return }
    }
    let standing = pending.versions[hosted.id] ?? hosted.handle.version
    say(
      .resume(
        Message.Resume(
          document: hosted.id, request: want.request, version: standing, position: hosted.position,
          tables: hosted.encoder.tables())), to: peer)
    if peers[peer]?.answers[hosted.id] == want.request { peers[peer]?.answers[hosted.id] = nil }
  }

  private func send(
    _ record: LogRecord, answering want: Message.Want, to peer: PeerHandle, raising version: inout Version
  ) -> Bool {
    guard version[record.replica] < record.lastCounter else { return true }
    version[record.replica] = record.lastCounter
    return say(
      .changes(Message.Changes(document: want.document, request: want.request, batch: record.bytes)), to: peer)
  }

  /// One cut of the state in parts, sent without a pause so that nothing comes in between. False if
  /// it cannot be had or sent now: the asker asks again.
  private func sendState(
    of hosted: HostedDocument, answering want: Message.Want, to peer: PeerHandle, raising version: inout Version
  ) -> Bool {
    guard let snapshot = hosted.handle.snapshot() else { return false }
    let bytes = SnapshotCoding.encode(snapshot)
    counters.snapshotsSent += 1
    version.merge(snapshot.version)
    for offset in stride(from: 0, to: bytes.count, by: Self.snapshotPartByteCount) {
      let part = Message.SnapshotPart(
        document: hosted.id, request: want.request, offset: UInt64(offset), byteCount: UInt64(bytes.count),
        bytes: Array(bytes[offset..<min(offset + Self.snapshotPartByteCount, bytes.count)]))
      guard say(.snapshot(part), to: peer) else { return false }
    }
    return true
  }
}
