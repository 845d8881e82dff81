import StarlingCore
import StarlingWire

// What passes: said on the way of the changes, and neither logged nor acknowledged
// (Protocol/conversation.md, "Presence").
extension ReplicaEngine {
  /// Says what is new here, and again what must not be forgotten.
  func publishPresence(of hosted: HostedDocument) {
    guard !withholdsPresence(of: hosted) else {
      counters.presenceWithheld += 1
      return
    }
    send(hosted.handle.takePresence(now: clock.uptime()), of: hosted, isOfOurSide: true)
  }

  /// The last that is heard of us.
  func withdrawPresence() {
    for hosted in documentsInOrder {
      hosted.handle.withdrawPresence()
      publishPresence(of: hosted)
    }
  }

  func receivePresence(_ bytes: ArraySlice<UInt8>, from peer: PeerHandle) {
    guard peers[peer]?.hello != nil else { return }
    let payload: PresencePayload
    do {
      payload = try PresencePayload(decoding: bytes)
    } catch {
      counters.malformed += 1
      return refuse(peer, Message.Refusal(code: .malformed, explanation: "Presence of \(bytes.count) bytes: \(error)"))
    }
    guard let hosted = documents[payload.document], mayRead(peer, hosted.id) else { return }
    let notices = payload.notices.filter { maySay($0, peer) }
    counters.presenceReceived += notices.count
    guard !notices.isEmpty else { return }
    rouse(hosted)
    let news = hearPresence(notices, from: peer, in: hosted)
    if configuration.isRelay, !withholdsPresence(of: hosted) {
      send(news, of: hosted, isOfOurSide: connections.audience(of: peer) == .everyone)
    }
  }

  /// Whether the peer says it of itself, or may pass on what others say. A run is known by the first connection that
  /// names it.
  private func maySay(_ notice: PresenceNotice, _ peer: PeerHandle) -> Bool {
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

  /// Tells a peer that has just asked for the document what it would otherwise hear only in a while.
  func tellPresence(of hosted: HostedDocument, to peer: PeerHandle) {
    let notices = hosted.handle.everythingPresent(includingOthers: configuration.isRelay, now: clock.uptime())
    for frame in frames(of: notices, in: hosted, under: hosted.stream.topic) { say(.live(frame), to: peer) }
  }

  private func send(_ notices: [PresenceNotice], of hosted: HostedDocument, isOfOurSide: Bool) {
    guard !notices.isEmpty else { return }
    for frame in frames(of: notices, in: hosted, under: hosted.stream.topic) {
      transmit(frame, of: hosted, to: .everyone)
    }
    guard isOfOurSide, let side = hosted.side else { return }
    for frame in frames(of: notices, in: hosted, under: side.topic) { transmit(frame, of: hosted, to: .across) }
  }

  private func frames(of notices: [PresenceNotice], in hosted: HostedDocument, under topic: UInt32) -> [[UInt8]] {
    PresencePayload.payloads(of: hosted.id, notices).map { payload in
      PublishedFrame(
        topic: topic, stream: PresencePayload.stream, sequence: 0, payload: payload.encoded()[...]
      ).encoded()
    }
  }
}
