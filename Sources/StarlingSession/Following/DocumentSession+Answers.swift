public import StarlingCore
public import StarlingWire

// The parts of an answer: changes, a state, tombstones, and where it ends.
extension DocumentSession {
  public mutating func receive(_ changes: Message.Changes, from peer: PeerHandle, now: Duration) -> [Effect] {
    guard expects(changes.request, from: peer, now: now) else { return [] }
    let credit = take(changes.batch.count, from: peer, request: changes.request)
    do {
      return [.merge(try Batch.parts(of: changes.batch), from: peer)] + credit
    } catch {
      return [refuseMalformed(peer, "a batch of '\(document)'", error)] + credit
    }
  }

  public mutating func receive(_ part: Message.SnapshotPart, from peer: PeerHandle, now: Duration) -> [Effect] {
    guard expects(part.request, from: peer, now: now) else { return [] }
    // Of two who send a state, the other stops once the window is full.
    guard belongs(part, from: peer) else { return [] }
    return assemble(part, from: peer) + take(part.bytes.count, from: peer, request: part.request)
  }

  /// Whether the part goes on with what is being put together, or begins it.
  private mutating func belongs(_ part: Message.SnapshotPart, from peer: PeerHandle) -> Bool {
    guard let assembly, let owner = assemblyOwner, owner != peer else {
      assemblyOwner = peer
      return true
    }
    if assembly.contains(part) {
      // Whoever has the same state may go on with it.
      guard part.offset <= assembly.begun.byteCount else { return false }
    } else {
      guard part.offset == 0, peers[owner]?.isAsked != true else { return false }
    }
    assemblyOwner = peer
    return true
  }

  private mutating func assemble(_ part: Message.SnapshotPart, from peer: PeerHandle) -> [Effect] {
    if part.offset == 0, assembly?.contains(part) != true {
      assembly = SnapshotAssembly(beginningWith: part)
      guard assembly != nil else {
        return [
          .refuse(
            peer,
            Message.Refusal(code: .tooLarge, explanation: "The state of '\(document)' has \(part.byteCount) bytes."))
        ]
      }
    }
    switch assembly?.add(part) {
    // Nil: its beginning was lost, or refused. The end of the answer will show what is lacking.
    case .more, nil: return []
    case .complete(let bytes):
      assembly = nil
      peers.update(peer) { $0.noteAnswer() }
      do {
        return [.mergeState(try SnapshotCoding.validate(bytes), from: peer)]
      } catch {
        return [refuseMalformed(peer, "the state of '\(document)'", error)]
      }
    case .malformed(let reason):
      assembly = nil
      return [.refuse(peer, Message.Refusal(code: .malformed, explanation: "The state of '\(document)': \(reason)."))]
    }
  }

  /// Tombstones that changes of the peer stand on. From one that is trusted with states, its state is taken instead.
  public mutating func receive(paths: Message.Changes, from peer: PeerHandle, now: Duration) -> [Effect] {
    guard let followed = peers[peer], !followed.isTrustedWithState, !followed.anchorsWanted.isEmpty,
      expects(paths.request, from: peer, now: now)
    else { return [] }
    peers.update(peer) { $0.noteAnswer() }
    let credit = take(paths.batch.count, from: peer, request: paths.request)
    do {
      return [.adopt(try Batch.decode(paths.batch), from: peer, expecting: followed.version)] + credit
    } catch {
      return [refuseMalformed(peer, "the tombstones of '\(document)'", error)] + credit
    }
  }

  /// The end of an answer.
  ///
  /// - Parameter version: what we hold with the answer merged.
  public mutating func receive(_ resume: Message.Resume, from peer: PeerHandle, version: VersionVector, now: Duration)
    -> [Effect]
  {
    guard expects(resume.request, from: peer, now: now), let place = peers.place(of: peer) else { return [] }
    peers[at: place].version = resume.version
    peers[at: place].saidAt = now
    peers[at: place].position = resume.position
    peers[at: place].isAnnounced = true
    if assemblyOwner.map({ $0 == peer || peers[$0]?.isAsked != true }) ?? true { assembly = nil }
    peers[at: place].undelivered = 0
    let credit = credit(peer, request: resume.request, atLeast: 1)
    if version.covers(resume.version) {
      peers[at: place].failures = 0
    } else {
      peers[at: place].noteFailure(now: now)
    }
    switch peers[at: place].receiver.resume(at: resume.position, tables: resume.tables) {
    case .parts(let parts):
      peers[at: place].place = .following
      let next =
        peers[at: place].wantsState
        ? askForState(peer, version: version, now: now) : askNext(version: version, now: now)
      return credit + (parts.isEmpty ? [] : [.merge(parts, from: peer)]) + next
    case .unusable(let error):
      // Asking again at once would bring the same; the deadline of this ask spaces the next.
      peers[at: place].noteFailure(now: now)
      return credit + [refuseMalformed(peer, "the tables of '\(document)'", error)]
    case .lost:
      statistics.gaps += 1
      return credit + askAgain(peer, version: version, now: now)
    }
  }
}
