import StarlingCore
import StarlingSession
import StarlingWire

// What a key may use: `Connections` decides. Here it is told how much of it there is in the documents.
extension ReplicaEngine {
  func chargeForLog(_ records: [LogRecord], of peer: PeerHandle) {
    guard !records.isEmpty else { return }
    connections.charge(peer, forLogged: records.byteCount, now: clock.uptime())
  }

  func bringer(_ peer: PeerHandle, in hosted: HostedDocument) -> CausalGate.Bringer? {
    connections.bringer(peer, in: hosted.id)
  }

  func noteHeld(of peer: PeerHandle, unheldCount: Int, in hosted: HostedDocument) {
    var effects: [Connections.Effect] = []
    connections.noteHeld(
      of: peer, level: hosted.handle.heldByteCount, unheldCount: unheldCount, in: hosted.id, &effects)
    perform(effects)
  }

  func reviewBudgets() {
    connections.reviewBudgets { resource, account, document in
      guard let handle = documents[document]?.handle else { return 0 }
      return resource == .heldBytes ? handle.heldByteCount(of: account) : handle.presenceByteCount(of: account)
    }
  }

  func noteLeases(of hosted: HostedDocument) {
    let counts = hosted.leases.counts
    for account in Set(counts.keys).union(hosted.lessees) {
      connections.budgets.hold(counts[account] ?? 0, of: .leases, by: account, in: hosted.id)
    }
    hosted.lessees = Set(counts.keys)
  }

  /// Takes notices, as many as the peer's budget allows.
  func hearPresence(_ notices: [PresenceNotice], from peer: PeerHandle, in hosted: HostedDocument) -> [PresenceNotice] {
    let now = clock.uptime()
    guard let (account, room) = connections.roomForPresence(of: peer, in: hosted.id) else {
      return hosted.handle.hearPresence(notices, now: now)
    }
    let refusedCount = hosted.handle.presenceRefusedCount
    let news = hosted.handle.hearPresence(notices, from: account, byteCountMax: room, now: now)
    var effects: [Connections.Effect] = []
    connections.notePresence(
      hosted.handle.presenceByteCount(of: account), of: peer, by: account,
      hasRefused: hosted.handle.presenceRefusedCount > refusedCount, in: hosted.id, &effects)
    perform(effects)
    return news
  }
}
