import StarlingCore
import StarlingSession
import StarlingWire

// Heartbeats (Protocol/conversation.md, "Heartbeats"). What costs time goes through the documents in which something
// happened, and through a few of the others in turn.
//
// ```
//   written, spoken of, acknowledged ──► due ──► told, told again twice ──► told when it is its turn
// ```
extension ReplicaEngine {
  /// Some milliseconds of work.
  private static let slotCountDigestedAtOnce = 10_000

  /// The next heartbeat looks at the document.
  func noteDue(_ hosted: HostedDocument) {
    guard !hosted.isDue, !hosted.isForgotten else { return }
    hosted.isDue = true
    due.append(hosted)
  }

  func beat() {
    let turns = heartbeatRound.take(of: documentsInOrder.count)
    let due = due
    self.due = []
    var turned: Set<DocumentID> = []
    for hosted in turns.lazy.flatMap({ self.documentsInOrder[$0] }) {
      hosted.isDue = false
      turned.insert(hosted.id)
      beat(hosted, isTurn: true)
    }
    for hosted in due where !hosted.isForgotten && !turned.contains(hosted.id) {
      hosted.isDue = false
      beat(hosted, isTurn: false)
    }
    for peer in peers.talking where peers[peer]?.isRefused == false {
      say(.heartbeat(peers[peer]?.tally.nextCount ?? 0), to: peer)
    }
  }

  private func beat(_ hosted: HostedDocument, isTurn: Bool) {
    reviewDigest(of: hosted)
    rememberMembers(of: hosted)
    letGo(in: hosted)
    reviewBehind(of: hosted)
    let version = hosted.handle.version
    connections.noteVersion(entryCount: version.entries.count)
    let statement = DocumentHeartbeat.Statement(
      version: version, digest: hosted.digest.flatMap { $0.version == version ? $0.value : nil },
      positions: [hosted.stream.position] + (hosted.side.map { [$0.position] } ?? []),
      arriving: hosted.session.arriving, behind: hosted.acknowledgements.behind)
    if hosted.heartbeat.tells(statement, isTurn: isTurn) {
      sayHave(of: hosted)
      hosted.acknowledgements.mark()
      rouse(hosted)
    } else if hosted.isAstir || hosted.isMakingDigest || !hosted.session.isSettled {
      rouse(hosted)
    }
  }

  private func sayHave(of hosted: HostedDocument) {
    var haves: [StreamPosition?: [UInt8]] = [:]
    for peer in connections.listeners(in: hosted.id) {
      let position = position(of: hosted, toldTo: peer)
      let have = haves[position] ?? Message.have(hosted.have(at: position)).encoded()
      haves[position] = have
      send(have, to: peer)
    }
  }

  /// A document that has rested for a heartbeat gets its digest: what is gone through now stands for a while.
  private func reviewDigest(of hosted: HostedDocument) {
    let version = hosted.handle.version
    if hosted.versionAtLastHeartbeat == version, hosted.digest?.version != version {
      makeDigest(of: hosted)
      (hosted.spareOutbox, hosted.spareOperations) = ([], [])
      hosted.handle.trimOutbox()
    }
    hosted.versionAtLastHeartbeat = version
  }

  /// Makes the digest of a small document at once, and that of a large one beside the engine, where nobody waits for it:
  /// it is told with a later heartbeat.
  private func makeDigest(of hosted: HostedDocument) {
    guard !hosted.isMakingDigest, let cut = hosted.handle.cut() else { return }
    guard cut.slotCount > Self.slotCountDigestedAtOnce else {
      hosted.digest = (cut.version, cut.digest())
      return
    }
    hosted.isMakingDigest = true
    let id = hosted.id
    beginBeside { [weak self] in
      await self?.made((cut.version, cut.digest()), of: id)
    }
  }

  private func made(_ digest: (version: Version, value: Digest), of document: DocumentID) {
    guard let hosted = documents[document] else { return }
    hosted.isMakingDigest = false
    hosted.digest = digest
    noteDue(hosted)
  }

  /// The peer says how many messages it has sent. Where some were lost, both begin to tell each other everything again.
  func receive(heartbeat count: UInt64, from peer: PeerHandle) {
    guard peers[peer]?.tally.receivedHeartbeat(count) == true else { return }
    counters.messagesLost += 1
    greet(peer, wantsReply: true)
  }
}
