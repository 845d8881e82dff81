import StarlingCore
import StarlingWire

/// Who is at the other end of a connection that had to prove it. It stands for as long as the connection does, whatever is
/// said on it: neither a goodbye nor another greeting makes somebody else of it.
struct ProvedPeer {
  let user: String
  let access: PeerAccess
  /// What it was refused, so that the operator hears of each thing once.
  var denials: Set<String> = []
}

// Who may do what (Protocol/conversation.md, "Access"). Those who need not prove who they are, and those whom we
// dialled, may do everything; of the others each message is held against what their key permits before it is acted upon.
extension ReplicaEngine {
  /// So many kinds of refusals are told of one connection; all are counted.
  private static let denialsToldMax = 16

  /// Taken while the replica works offline too: whoever comes meanwhile is still there afterwards.
  func noteProof(_ event: LinkEvent) {
    switch event {
    case .authenticated(let peer, let user):
      proved[peer] = ProvedPeer(user: user, access: configuration.access(user) ?? .nothing)
    case .closed(let peer, _): proved[peer] = nil
    case .opened, .handshakeFailed, .direct, .published: break
    }
  }

  /// Whether the peer may receive whatever is published.
  func readsEverything(_ peer: PeerHandle) -> Bool { proved[peer]?.access.readsEverything ?? true }

  /// Whether the peer may pass on what others wrote, and say where others are.
  func isRelay(_ peer: PeerHandle) -> Bool { proved[peer].map { $0.access.role == .relays } ?? true }

  /// Nobody asks a reader for what it wrote: it is told so when it comes, not when it finds out.
  func tellPermissions(to peer: PeerHandle) {
    guard let access = proved[peer]?.access, !access.role.mayWrite else { return }
    let explanation =
      access.documents.isEmpty
      ? "This key may do nothing here." : "This key may read here; what is written under it is not taken."
    refuse(peer, Message.Refusal(code: .notWelcome, explanation: explanation))
  }

  /// Whether the message is about a document that its sender may read.
  func isPermitted(_ message: Message, from peer: PeerHandle) -> Bool {
    guard let document = message.document else { return true }
    return mayRead(peer, document)
  }

  func mayRead(_ peer: PeerHandle, _ document: DocumentID) -> Bool {
    guard let access = proved[peer]?.access, !access.covers(document) else { return true }
    deny(peer, "it may not read '\(document)'")
    return false
  }

  func mayWrite(_ peer: PeerHandle, _ hosted: HostedDocument) -> Bool {
    guard let access = proved[peer]?.access else { return true }
    guard access.covers(hosted.id) else { return mayRead(peer, hosted.id) }
    if access.role.mayWrite { return true }
    deny(peer, "it may read '\(hosted.id)', not write it")
    return false
  }

  /// Whether a writer writes under its own names alone: a replica id that has not written yet becomes the first key's
  /// that writes under it. A relay passes on what others wrote.
  func areOwn(
    _ lastDots: some Sequence<Dot>, from peer: PeerHandle, in hosted: HostedDocument
  ) -> Bool {
    guard let user = proved[peer]?.user, !isRelay(peer) else { return true }
    for last in lastDots {
      let replica = last.replica
      if configuration.writers[replica] == user { continue }
      // Under an id that wrote before it had to prove itself, only what we hold already may come again.
      let held = hosted.handle.version[replica]
      guard configuration.writers[replica] == nil, held == 0 else {
        if last.counter <= held, configuration.writers[replica] == nil { continue }
        deny(peer, "it wrote '\(hosted.id)' as replica \(replica), which is somebody else's")
        return false
      }
      configuration.writers[replica] = user
      configuration.noteWriter(replica, user)
    }
    return true
  }

  /// A state says what was removed by what it does not hold: it is taken from relays alone.
  func isTrustedWithState(_ peer: PeerHandle, _ hosted: HostedDocument) -> Bool {
    if isRelay(peer) { return true }
    deny(peer, "it sent a whole state of '\(hosted.id)', which only relays may")
    return false
  }

  /// Counts, tells the operator once, and says so to the peer.
  private func deny(_ peer: PeerHandle, _ what: String) {
    counters.denied += 1
    guard let known = proved[peer], known.denials.count < Self.denialsToldMax, !known.denials.contains(what) else {
      return
    }
    proved[peer]?.denials.insert(what)
    report(.denied(user: "\(known.access.name) (key \(known.user))", what: what))
    refuse(peer, Message.Refusal(code: .notWelcome, explanation: "This key was refused: \(what)."))
  }
}

extension Message {
  /// What it is about; nil for what is about no document, and for frames that say so themselves.
  fileprivate var document: DocumentID? {
    switch self {
    case .have(let have): have.document
    case .want(let want): want.document
    case .changes(let changes): changes.document
    case .snapshot(let part): part.document
    case .resume(let resume): resume.document
    case .credit(let credit): credit.document
    case .acknowledge(let document, _): document
    case .lease(let lease): lease.document
    case .leased(let leased): leased.document
    case .hello, .live, .refuse, .goodbye, .unknown: nil
    }
  }
}
