import StarlingCore
import StarlingSession
import StarlingWire

// Answering peers that lack something: from the log while it reaches back far enough, from the
// state otherwise (Protocol/conversation.md, "Answers").
//
// ```
//   want ──► state? ──► log, page by page ──► what the log has not accepted yet ──► resume
//               ▲              │ below its floor
//               └──────────────┘
// ```
//
// Before the state go our own changes that were kept below the floor, where they are all that the asker lacks; whoever
// takes no states from us is sent these alone.
//
// Between any two parts an answer may have to wait until the peer has taken enough of them ("Credit"); nothing is held
// for it meanwhile but the page that it sends and the cut that all share. What was written since is read afterwards.
extension ReplicaEngine {
  private static let answerByteCount = 1 << 20
  private static let snapshotPartByteCount = 1 << 18
  /// So much of our own changes goes before a state in any case.
  private static let ownByteCountMin = 1 << 16

  func receive(_ want: Message.Want, from peer: PeerHandle) {
    guard let hosted = documents[want.document] else {
      return openForPeer(want.document, to: peer) { $0.receive(want, from: peer) }
    }
    guard peers[peer]?.diverged.contains(hosted.id) != true else { return }
    perform(connections.hearFollower(peer))
    hear(peer, in: hosted)
    if peers[peer]?.interests.insert(hosted.id).inserted == true { tellPresence(of: hosted, to: peer) }
    // A want that came twice is answered once.
    guard peers[peer]?.flow.isUnderWay(hosted.id, request: want.request) == false else { return }
    peers[peer]?.flow.begin(hosted.id, request: want.request, now: clock.uptime())
    goOnAnswering(peer)
    counters.answers += 1
    begin { await $0.answer(want, to: peer) }
  }

  private func isCurrent(_ want: Message.Want, for peer: PeerHandle) -> Bool {
    phase == .running && peers[peer]?.flow.isUnderWay(want.document, request: want.request) == true
  }

  private func answer(_ want: Message.Want, to peer: PeerHandle) async {
    guard isCurrent(want, for: peer), let hosted = documents[want.document] else { return }
    var version = want.version
    var statesMerged = pipeline[hosted.id].compaction.statesMerged
    var needsState =
      !want.takesOwnOnly && (pipeline[hosted.id].compaction.mustFold || pipeline.isLost || want.wantsState)
    var isReadable = true
    guard sendPaths(of: hosted, answering: want, to: peer) else { return }
    while true {
      if needsState {
        guard let cut = await sendState(of: hosted, answering: want, to: peer, isNew: !isReadable) else { return }
        version.merge(cut.version)
        statesMerged = cut.statesMerged
        needsState = false
      }
      // A log that is given up has kept nothing of what came since.
      isReadable = isReadable && !pipeline.isLost
      guard let page = await readLog(of: hosted, after: version, for: want, peer, isReadable: &isReadable) else {
        return
      }
      guard case .records(let records, let isComplete) = page else {
        needsState = !want.takesOwnOnly
        continue
      }
      var hasWaited = false
      for record in records where version[record.replica] < record.lastCounter {
        if peers[peer]?.flow.hasRoom == false {
          hasWaited = true
          guard await waitsForRoom(want, peer) else { return }
        }
        version[record.replica] = record.lastCounter
        let changes = Message.Changes(document: want.document, request: want.request, batch: record.bytes)
        guard send(.changes(changes), of: record.bytes.count, to: peer, hosted.id) else { return }
      }
      // What was written while this page was sent is read before the stream is handed over.
      guard isComplete, !hasWaited else { continue }
      // A state that came meanwhile is in no record that was read; without a log all that came is in none.
      let isOvertaken = pipeline[hosted.id].compaction.statesMerged != statesMerged
      if !want.takesOwnOnly, isOvertaken || !isReadable && !version.covers(hosted.handle.version) {
        needsState = true
        continue
      }
      return handOver(hosted, answering: want, to: peer)
    }
  }

  /// What follows `version`, as far as it was accepted or written; nil where the answer has ended.
  private func readLog(
    of hosted: HostedDocument, after version: Version, for want: Message.Want, _ peer: PeerHandle,
    isReadable: inout Bool
  ) async -> LogAnswer? {
    guard isReadable else { return .records([], isComplete: true) }
    pipeline.beginReading(hosted.id)
    defer { pipeline.endReading(hosted.id) }
    var answer: LogAnswer
    do {
      answer =
        want.takesOwnOnly
        ? try await ownRecords(of: hosted, after: version)
        : try await log.records(in: hosted.id, after: version, byteCountMax: Self.answerByteCount)
      if case .belowFloor = answer, hosted.own.bridge(from: version, to: pipeline[hosted.id].compaction.floor) {
        let own = try await ownRecords(of: hosted, after: version)
        let compaction = pipeline[hosted.id].compaction
        answer = Self.preferred(
          own, from: version, to: compaction.floor, toStateOf: compaction.snapshotByteCount)
      }
    } catch {
      // What the log cannot read, the memory still holds.
      report(.historyUnreadable(hosted.id, error))
      isReadable = false
      return isCurrent(want, for: peer) ? .belowFloor : nil
    }
    guard isCurrent(want, for: peer) else { return nil }
    guard case .records(let records, isComplete: true) = answer else { return answer }
    publishOutbox(of: hosted)
    // What takes the place of refused changes is told to nobody before the log has it.
    let inMemory = pipeline.recordsInMemory(of: hosted.id)
    let writers = want.takesOwnOnly ? hosted.own.writers : nil
    return .records(
      records + inMemory.filter { writers?.contains($0.replica) ?? true }, isComplete: true)
  }

  /// Our own changes where they lead on from `version` to `floor` and are no more than a state of so many bytes; what lies
  /// above the floor is read once they are sent.
  private static func preferred(
    _ answer: LogAnswer, from version: Version, to floor: Version, toStateOf stateByteCount: Int
  ) -> LogAnswer {
    guard case .records(let records, isComplete: true) = answer,
      records.reduce(0, { $0 + $1.bytes.count }) <= max(stateByteCount, ownByteCountMin)
    else { return .belowFloor }
    var firsts: [ReplicaID: UInt64] = [:]
    for record in records { firsts[record.replica] = min(firsts[record.replica] ?? .max, record.firstCounter) }
    // Another log may not have kept all of them.
    let isWhole = floor.entries.allSatisfy { entry in
      let held = version[entry.replica]
      return held >= entry.counter || firsts[entry.replica].map { $0 <= held + 1 } ?? false
    }
    return isWhole ? .records(records, isComplete: false) : .belowFloor
  }

  /// What of our own changes the log still has, also below its floor.
  private func ownRecords(of hosted: HostedDocument, after version: Version) async throws -> LogAnswer {
    try await log.records(
      in: hosted.id, by: hosted.own.writers, after: version, byteCountMax: Self.answerByteCount)
  }

  /// Ends the answer: from here on the peer follows the stream.
  private func handOver(_ hosted: HostedDocument, answering want: Message.Want, to peer: PeerHandle) {
    let standing = pipeline.standing(of: hosted.id) ?? hosted.handle.version
    let stream = stream(of: hosted, for: peer)
    say(
      .resume(
        Message.Resume(
          document: hosted.id, request: want.request, version: standing, position: stream.position,
          tables: stream.encoder.tables())), to: peer)
    peers[peer]?.flow.end(hosted.id)
  }

  // MARK: The state

  /// One cut of the state in parts, from where the peer got to with it; nil if it cannot be had or sent now: the asker
  /// asks again.
  ///
  /// - Parameter isNew: whether none will do that was made before.
  private func sendState(
    of hosted: HostedDocument, answering want: Message.Want, to peer: PeerHandle, isNew: Bool
  ) async -> StateCut? {
    guard let cut = await isNew ? newCut(of: hosted) : cut(of: hosted, for: want), isCurrent(want, for: peer) else {
      return nil
    }
    counters.snapshotsSent += 1
    let isBegun = want.begun?.checksum == cut.checksum && (want.begun?.byteCount ?? 0) < UInt64(cut.bytes.count)
    let start = isBegun ? Int(want.begun?.byteCount ?? 0) : 0
    for offset in stride(from: start, to: cut.bytes.count, by: Self.snapshotPartByteCount) {
      if peers[peer]?.flow.hasRoom == false { guard await waitsForRoom(want, peer) else { return nil } }
      let bytes = Array(cut.bytes[offset..<min(offset + Self.snapshotPartByteCount, cut.bytes.count)])
      let part = Message.SnapshotPart(
        document: hosted.id, request: want.request, checksum: cut.checksum, offset: UInt64(offset),
        byteCount: UInt64(cut.bytes.count), bytes: bytes)
      guard send(.snapshot(part), of: bytes.count, to: peer, hosted.id) else { return nil }
      if hosted.cut?.checksum == cut.checksum { hosted.cut?.usedAt = clock.uptime() }
    }
    return cut
  }

  /// The cut that others are being sent or that is made for them, where the log goes on from it; else a new one. Nil
  /// while a transaction is open.
  private func cut(of hosted: HostedDocument, for want: Message.Want) async -> StateCut? {
    guard !want.wantsState, !pipeline.isLost else { return await newCut(of: hosted) }
    let now = clock.uptime()
    let compaction = pipeline[hosted.id].compaction
    if let cut = hosted.cut, cut.statesMerged == compaction.statesMerged, cut.version.covers(compaction.floor),
      want.begun?.checksum == cut.checksum || now - cut.madeAt < StateCut.sharedFor
    {
      return cut
    }
    if let making = hosted.cutInMaking, making.statesMerged == compaction.statesMerged {
      return await making.task.value
    }
    return await newCut(of: hosted)
  }

  /// Cuts the state, and writes it down beside the engine: who follows the stream meanwhile does not wait for it.
  private func newCut(of hosted: HostedDocument) async -> StateCut? {
    let madeAt = clock.uptime()
    publishOutbox(of: hosted)
    guard !pipeline.isRetracting(hosted.id), let state = hosted.handle.cut() else { return nil }
    let statesMerged = pipeline[hosted.id].compaction.statesMerged
    let task = beginBeside {
      let bytes = SnapshotCoding.encode(state)
      return StateCut(
        bytes: bytes, checksum: bytes.checksum, version: state.version, statesMerged: statesMerged, madeAt: madeAt,
        usedAt: madeAt)
    }
    hosted.cutInMaking = CutInMaking(statesMerged: statesMerged, task: task)
    var cut = await task.value
    if hosted.cutInMaking?.task == task { hosted.cutInMaking = nil }
    cut.usedAt = clock.uptime()
    if hosted.cut == nil { withCut.append(hosted) }
    hosted.cut = cut
    return cut
  }

  // MARK: Credit

  func receive(_ credit: Message.Credit, from peer: PeerHandle, now: Duration) {
    peers[peer]?.flow.take(credit, now: now)
    goOnAnswering(peer)
  }

  /// Gives up answers that nobody takes, and lets go of states that nobody is sent any more.
  func reviewAnswers(now: Duration) {
    for peer in peers.all where peers[peer]?.flow.giveUp(now: now) == true {
      counters.answersGivenUp += 1
      goOnAnswering(peer)
    }
    withCut.removeAll { hosted in
      if let cut = hosted.cut, now - cut.usedAt > StateCut.keptFor { hosted.cut = nil }
      return hosted.cut == nil
    }
  }

  func send(_ message: Message, of byteCount: Int, to peer: PeerHandle, _ document: DocumentID) -> Bool {
    guard say(message, to: peer) else { return false }
    peers[peer]?.flow.send(byteCount, of: document)
    return true
  }

  /// Waits until the peer may be sent more; false where the answer has ended meanwhile.
  private func waitsForRoom(_ want: Message.Want, _ peer: PeerHandle) async -> Bool {
    while isCurrent(want, for: peer) {
      if peers[peer]?.flow.hasRoom == true { return true }
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
