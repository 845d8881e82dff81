public import StarlingCore
import StarlingWire

// What each peer may do (Protocol/conversation.md, "Access"): held against each message before that is acted upon. What
// is refused is counted, told the operator once a connection, and said to the peer.
extension Connections {
  /// Whether what a peer sends is looked at at all.
  public mutating func mayBeHeard(_ peer: PeerHandle, _ effects: inout [Effect]) -> Bool {
    if trusts[peer].isSomebody { return true }
    effects.append(.countDenial)
    if trusts.noteDenial("", of: peer) {
      effects.append(
        .refuse(peer, Message.Refusal(code: .notWelcome, explanation: "This key may do nothing here.")))
    }
    return false
  }

  /// Nobody asks a reader for what it wrote: it is told so when it comes, not when it finds out.
  func permissions(toldTo peer: PeerHandle) -> [Effect] {
    guard !trusts[peer].mayWrite else { return [] }
    let explanation = "This key may read here; what is written under it is not taken."
    return [.refuse(peer, Message.Refusal(code: .notWelcome, explanation: explanation))]
  }

  public mutating func mayRead(_ peer: PeerHandle, _ document: DocumentID, _ effects: inout [Effect]) -> Bool {
    if trusts[peer].covers(document) { return true }
    deny(peer, .readRefused, "it may not read '\(document)'", document, &effects)
    return false
  }

  public mutating func mayWrite(_ peer: PeerHandle, _ document: DocumentID, _ effects: inout [Effect]) -> Bool {
    guard mayRead(peer, document, &effects) else { return false }
    if trusts[peer].mayWrite { return true }
    deny(peer, .writeRefused, "it may read '\(document)', not write it", document, &effects)
    return false
  }

  /// A state says what was removed by what it does not hold: it is taken from relays alone.
  public mutating func isTrustedWithState(
    _ peer: PeerHandle, _ document: DocumentID, _ effects: inout [Effect]
  ) -> Bool {
    if trusts[peer].mayRelay { return true }
    deny(peer, .stateRefused, "it sent a whole state of '\(document)', which only relays may", document, &effects)
    return false
  }

  /// Whoever relays may have a document forgotten, and whoever need not prove anything: a process of this user, or one
  /// that was dialled.
  public mutating func isTrustedToForget(
    _ peer: PeerHandle, _ document: DocumentID, _ effects: inout [Effect]
  ) -> Bool {
    if trusts[peer].mayRelay, trusts[peer].covers(document) { return true }
    deny(peer, .writeRefused, "it may not have '\(document)' forgotten, which only relays may", document, &effects)
    return false
  }

  /// Counts, tells the operator once, and says so to the peer.
  public mutating func deny(
    _ peer: PeerHandle, _ kind: AccessEvent.Kind, _ what: String, _ document: DocumentID,
    as replica: ReplicaID? = nil, _ effects: inout [Effect]
  ) {
    effects.append(.countDenial)
    guard trusts.noteDenial(what, of: peer) else { return }
    effects.append(.tell(.access(event(kind, what, of: peer, document, replica))))
    effects.append(
      .refuse(peer, Message.Refusal(code: .notWelcome, explanation: "This key was refused: \(what).")))
  }
}
