package import StarlingCore
import StarlingWire

// Our own changes on their way out: numbered and coded once, sent to whoever follows, handed to the log.
extension Replication {
  /// Whether nothing of the document is to be handed over: what is written then stands on what the log is still to be
  /// told.
  package func isRetracting(_ number: DocumentNumber) -> Bool {
    pipeline.isRetracting(documents[number].id)
  }

  /// What was written here since the last time goes out. A step of its own: whoever waits for it need not wait until it
  /// is coded for the log.
  package mutating func publish(written changes: [Change], in number: DocumentNumber) {
    if !changes.isEmpty { publish(OrderedChanges(changes), of: number) }
  }

  /// What was written here since the last time, and published.
  ///
  /// - Parameters:
  ///   - version: what stands right after the last of it.
  ///   - openTransaction: the transaction that is open; asked where somebody waits for its end.
  package mutating func wrote(
    _ changes: [Change], upTo version: VersionVector, in number: DocumentNumber, openTransaction: () -> UInt64?
  ) {
    documents[number].version = version
    if !changes.isEmpty {
      let records = records(of: OrderedChanges(changes), in: number)
      noteOwn(records, in: number)
      enqueue(records, in: number)
      effects.append(.log)
    }
    pipeline.note(version, of: documents[number].id)
    guard waiters.awaitTransaction(in: documents[number].id) else { return }
    documents[number].openTransaction = openTransaction()
    serveWaiters(of: number)
  }

  /// A fork was merged back: whoever relays or not, nobody else publishes what was written there.
  package mutating func merged(fork: Merged, writtenAs replica: ReplicaID, in number: DocumentNumber) {
    documents[number].version = fork.version
    let changes = fork.changes
    counters.changesMerged += changes.changeCount
    let records = records(of: changes, in: number)
    noteOwn(records.filter { $0.replica == replica }, in: number)
    enqueue(records, in: number)
    publish(changes, of: number)
  }

  /// The state of a fork was merged.
  package mutating func merged(stateOfFork fork: Merged, in number: DocumentNumber) {
    documents[number].version = fork.version
    pipeline.mergedState(in: documents[number].id)
    enqueue(records(of: fork.changes, in: number), in: number)
  }

  // MARK: Frames

  /// Sends changes on our stream of the document; those `toSide` on our side's too, if anybody follows that.
  ///
  /// - Parameter toSide: nil for all of them.
  mutating func publish(_ changes: OrderedChanges, of number: DocumentNumber, toSide: OrderedChanges? = nil) {
    guard isOnline, !peers.isEmpty else { return passOver(number, hasSide: !(toSide?.isEmpty ?? changes.isEmpty)) }
    for frame in documents[number].stream.frames(of: changes) { publish(frame, of: number, to: .everyone) }
    counters.changesPublished += changes.changeCount
    guard documents[number].side != nil else { return }
    let toSide = toSide ?? changes
    guard !toSide.isEmpty, let frames = documents[number].side?.frames(of: toSide) else { return }
    for frame in frames { publish(frame, of: number, to: .across) }
  }

  /// Where nobody is connected nothing is encoded: whoever comes asks for what it has not, and finds a gap in a stream
  /// that it followed before, as if a frame had been lost.
  private mutating func passOver(_ number: DocumentNumber, hasSide: Bool) {
    documents[number].stream.passOver()
    if hasSide { documents[number].side?.passOver() }
  }

  private mutating func publish(_ frame: [UInt8], of number: DocumentNumber, to audience: Audience) {
    counters.framesPublished += 1
    counters.bytesPublished += frame.count
    transmit(frame, of: number, to: audience)
  }

  /// Sends a frame to whoever follows that stream of the document.
  mutating func transmit(_ frame: [UInt8], of number: DocumentNumber, to audience: Audience) {
    guard isOnline else { return }
    let isConfined = isConfined(number)
    if !isConfined { effects.append(.publish(frame)) }
    guard isConfined || !endpoints.isEmpty || connections.trusts.hasPartialReaders else { return }
    let receivers = connections.receivers(in: documents[number].id, audience, isConfined: isConfined)
    guard !receivers.isEmpty else { return }
    let message = Message.live(frame).encoded()
    for peer in receivers { send(message, to: peer) }
  }

  // MARK: Records

  mutating func enqueue(_ records: [LogRecord], in number: DocumentNumber) {
    guard let byteCount = pipeline.enqueue(records, in: documents[number].id) else { return }
    documents.activate(number)
    countUnlogged(byteCount, in: number)
    carryOut(
      pipeline.boundBacklog(
        of: documents[number].id, byteCount: documents[number].unloggedByteCount, keeping: keptPastBacklogs))
  }

  mutating func countUnlogged(_ byteCount: Int, in number: DocumentNumber) {
    documents[number].unloggedByteCount += byteCount
    effects.append(.countUnlogged(number, byteCount: byteCount))
  }

  mutating func records(of changes: OrderedChanges, in number: DocumentNumber) -> [LogRecord] {
    var records: [LogRecord] = []
    batches.append(changes, of: documents[number].id, to: &records)
    return records
  }

  // MARK: Ids that are one's own

  /// Records of this store's own go to the log. Under which ids it writes is stored before the first of them.
  mutating func noteOwn(_ records: [LogRecord], in number: DocumentNumber) {
    for record in records { noteOwn(record.replica, in: number) }
  }
}
