import StarlingCore
package import StarlingWire

// What passes: said on the way of the changes, and neither logged nor acknowledged
// (Protocol/conversation.md, "Presence").
extension Replication {
  /// Says what is new here, and again what must not be forgotten.
  ///
  /// - Parameters:
  ///   - isPresent: whether anything is said of the document; asked where it is to be said later.
  ///   - notices: what is to be said; it counts as said once it was asked for.
  package mutating func sayPresence(
    of number: DocumentNumber, isPresent: @autoclosure () -> Bool, _ notices: () -> [PresenceNotice]
  ) {
    guard !postponesPresence(of: number) else { return notePresence(in: number, isPresent: isPresent()) }
    let notices = notices()
    guard !notices.isEmpty else { return }
    notePresence(in: number, isPresent: true)
    send(notices, of: number, isOfOurSide: true)
  }

  /// Whether presence is to be kept to oneself for now.
  private mutating func postponesPresence(of number: DocumentNumber) -> Bool {
    guard policy.dropsPresence, !hasCapacity(number) else { return false }
    counters.presencePostponed += 1
    return true
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
    let capacity = connections.presenceCapacity(of: peer, in: payload.document)
    effects.append(
      .hearPresence(
        notices, account: capacity?.account, byteCountMax: capacity?.byteCount ?? .max, from: peer, in: number))
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

  /// What became of what a peer said.
  package struct HeardPresence: Sendable {
    package var news: [PresenceNotice]
    /// How much its account has said by now, and whether some of this was too much.
    package var account: (name: String, byteCount: Int, hasRefused: Bool)?
    /// Whether anything is said of the document.
    package var isPresent: Bool

    package init(
      news: [PresenceNotice], account: (name: String, byteCount: Int, hasRefused: Bool)?, isPresent: Bool
    ) {
      self.news = news
      self.account = account
      self.isPresent = isPresent
    }
  }

  package mutating func heard(_ heard: HeardPresence, from peer: PeerHandle, in number: DocumentNumber) {
    notePresence(in: number, isPresent: heard.isPresent)
    if let account = heard.account {
      var effects: [Connections.Effect] = []
      connections.notePresence(
        account.byteCount, of: peer, by: account.name, hasRefused: account.hasRefused, in: documents[number].id,
        &effects)
      carryOut(effects)
    }
    if policy.isRelay, !(policy.dropsPresence && !hasCapacity(number)) {
      send(heard.news, of: number, isOfOurSide: connections.audience(of: peer) == .everyone)
    }
  }

  /// Tells a peer that has just asked for the document what it would otherwise hear only in a while.
  package mutating func tell(presence notices: [PresenceNotice], of number: DocumentNumber, to peer: PeerHandle) {
    guard !notices.isEmpty else { return }
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
