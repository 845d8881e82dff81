import StarlingCore
package import StarlingWire

// What passes: said on the way of the changes, and neither logged nor acknowledged
// (Protocol/conversation.md, "Presence").
extension Replication {
  /// Whether presence is to be kept to oneself for now.
  package mutating func withholdsPresence(of number: DocumentNumber) -> Bool {
    guard policy.dropsPresence, !hasRoom(number) else { return false }
    counters.presenceWithheld += 1
    return true
  }

  /// What is said here.
  package mutating func publish(presence notices: [PresenceNotice], of number: DocumentNumber) {
    send(notices, of: number, isOfOurSide: true)
  }

  mutating func receivePresence(_ bytes: ArraySlice<UInt8>, from peer: PeerHandle) {
    guard peers[peer]?.hello != nil else { return }
    let payload: PresencePayload
    do {
      payload = try PresencePayload(decoding: bytes)
    } catch {
      return refuseMalformed(peer, "Presence of \(bytes.count) bytes: \(error)")
    }
    guard mayRead(peer, payload.document), let number = documents.number(of: payload.document) else { return }
    let notices = payload.notices.filter { maySay($0, peer) }
    counters.presenceReceived += notices.count
    guard !notices.isEmpty else { return }
    documents.activate(number)
    let room = connections.roomForPresence(of: peer, in: payload.document)
    effects.append(
      .hearPresence(
        notices, account: room?.account, byteCountMax: room?.byteCount ?? .max, from: peer, in: number))
  }

  /// Whether the peer says it of itself, or may pass on what others say. A run is known by the first connection that
  /// names it.
  private mutating func maySay(_ notice: PresenceNotice, _ peer: PeerHandle) -> Bool {
    let trust = trust(in: peer)
    if trust.mayRelay { return true }
    let isItself =
      notice.origin == peers[peer]?.hello?.epoch
      && peers.handles { other, known in
        other != peer && known.hello?.epoch == notice.origin && self.trust(in: other).subject != trust.subject
      }.isEmpty
    if !isItself { counters.denied += 1 }
    return isItself
  }

  /// What of it was new, and how much the peer's account has said by now.
  package mutating func heard(
    presence news: [PresenceNotice], account: (name: String, byteCount: Int, hasRefused: Bool)?, from peer: PeerHandle,
    in number: DocumentNumber
  ) {
    if let account {
      var effects: [Connections.Effect] = []
      connections.notePresence(
        account.byteCount, of: peer, by: account.name, hasRefused: account.hasRefused, in: documents[number].id,
        &effects)
      carryOut(effects)
    }
    if policy.isRelay, !(policy.dropsPresence && !hasRoom(number)) {
      send(news, of: number, isOfOurSide: connections.audience(of: peer) == .everyone)
    }
  }

  /// Tells a peer that has just asked for the document what it would otherwise hear only in a while.
  package mutating func tell(presence notices: [PresenceNotice], of number: DocumentNumber, to peer: PeerHandle) {
    for frame in frames(of: notices, in: number, under: documents[number].stream.topic) { say(.live(frame), to: peer) }
  }

  private mutating func send(_ notices: [PresenceNotice], of number: DocumentNumber, isOfOurSide: Bool) {
    guard !notices.isEmpty else { return }
    for frame in frames(of: notices, in: number, under: documents[number].stream.topic) {
      transmit(frame, of: number, to: .everyone)
    }
    guard isOfOurSide, let side = documents[number].side else { return }
    for frame in frames(of: notices, in: number, under: side.topic) { transmit(frame, of: number, to: .across) }
  }

  private func frames(of notices: [PresenceNotice], in number: DocumentNumber, under topic: UInt32) -> [[UInt8]] {
    PresencePayload.payloads(of: documents[number].id, notices).map { payload in
      PublishedFrame(
        topic: topic, stream: PresencePayload.stream, sequence: 0, payload: payload.encoded()[...]
      ).encoded()
    }
  }
}
