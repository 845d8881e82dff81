import StarlingCore
import StarlingWire

/// Who is at the other end of a connection that had to prove it. It stands for as long as the connection does, whatever is
/// said on it: neither a goodbye nor another greeting makes somebody else of it.
struct ProvedPeer {
  let user: String
  let address: String?
  let access: PeerAccess
  /// What it was refused, so that the operator hears of each thing once.
  var denials: Set<String> = []

  func event(
    _ kind: AccessEvent.Kind, _ explanation: String, _ document: DocumentID? = nil, _ replica: ReplicaID? = nil
  ) -> AccessEvent {
    AccessEvent(
      kind, user: user, address: address, name: access.name, role: access.role, document: document, replica: replica,
      explanation: explanation)
  }
}

extension AccessEvent {
  init(_ stranger: TurnedAway) {
    let (kind, explanation): (Kind, String) =
      switch stranger.reason {
      case .notAdmitted: (.notAdmitted, "its key is not let in.")
      case .revoked: (.revoked, "its key is let in no more, and it was cut off.")
      case .unproved: (.unproved, "it did not prove a key.")
      case .unfinished: (.unfinished, "it broke off before it had introduced itself.")
      case .excess: (.excess, "it passed a limit of connections or subscriptions, and was cut off.")
      }
    self.init(kind, user: stranger.user, address: stranger.address, explanation: explanation)
  }
}

// Who may do what (Protocol/conversation.md, "Access"). Those who need not prove who they are, and those whom we
// dialled, may do everything; of the others each message is held against what their key permits before it is acted upon.
extension ReplicaEngine {
  /// So many kinds of refusals are told of one connection; all are counted.
  private static let denialsToldMax = 16

  /// Taken while the replica works offline too: whoever comes meanwhile is still there afterwards.
  func noteProof(_ event: LinkEvent) {
    switch event {
    case .authenticated(let peer, let user, let address):
      let known = ProvedPeer(user: user, address: address, access: configuration.access(user) ?? .nothing)
      proved[peer] = known
      report(.access(known.event(.admitted, "it was let in, and \(known.access.role.rawValue).")))
    case .closed(let peer, _): proved[peer] = nil
    case .turnedAway(let stranger): report(.access(AccessEvent(stranger)))
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
    deny(peer, .readRefused, "it may not read '\(document)'", document)
    return false
  }

  func mayWrite(_ peer: PeerHandle, _ hosted: HostedDocument) -> Bool {
    guard let access = proved[peer]?.access else { return true }
    guard access.covers(hosted.id) else { return mayRead(peer, hosted.id) }
    if access.role.mayWrite { return true }
    deny(peer, .writeRefused, "it may read '\(hosted.id)', not write it", hosted.id)
    return false
  }

  /// Whether a writer writes under its own names alone: a replica id that has not written yet becomes the first key's
  /// that writes under it. A relay passes on what others wrote.
  func areOwn(
    _ lastDots: some Sequence<Dot>, from peer: PeerHandle, in hosted: HostedDocument
  ) -> Bool {
    guard let known = proved[peer], !isRelay(peer) else { return true }
    let user = known.user
    for last in lastDots {
      let replica = last.replica
      if configuration.writers[replica] == user { continue }
      // Under an id that wrote before it had to prove itself, only what we hold already may come again.
      let held = hosted.handle.version[replica]
      guard configuration.writers[replica] == nil, held == 0 else {
        if last.counter <= held, configuration.writers[replica] == nil { continue }
        deny(
          peer, .writerRefused, "it wrote '\(hosted.id)' as replica \(replica), which is somebody else's", hosted.id,
          replica)
        return false
      }
      configuration.writers[replica] = user
      configuration.noteWriter(replica, user)
      report(
        .access(
          known.event(
            .writerBound, "it writes as replica \(replica), and nobody else does from now on.", hosted.id, replica)))
    }
    return true
  }

  /// A state says what was removed by what it does not hold: it is taken from relays alone.
  func isTrustedWithState(_ peer: PeerHandle, _ hosted: HostedDocument) -> Bool {
    if isRelay(peer) { return true }
    deny(peer, .stateRefused, "it sent a whole state of '\(hosted.id)', which only relays may", hosted.id)
    return false
  }

  /// Counts, tells the operator once, and says so to the peer.
  func deny(
    _ peer: PeerHandle, _ kind: AccessEvent.Kind, _ what: String, _ document: DocumentID, _ replica: ReplicaID? = nil
  ) {
    counters.denied += 1
    guard let known = proved[peer], known.denials.count < Self.denialsToldMax, !known.denials.contains(what) else {
      return
    }
    proved[peer]?.denials.insert(what)
    report(.access(known.event(kind, what, document, replica)))
    refuse(peer, Message.Refusal(code: .notWelcome, explanation: "This key was refused: \(what)."))
  }
}

extension Message {
  /// What it is about; nil for what is about no document, or several, and for frames that say so themselves.
  var document: DocumentID? {
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
    case .forget, .hello, .live, .refuse, .goodbye, .members, .beacon, .unknown: nil
    }
  }
}
