import StarlingCore
import StarlingWire

// The stores for which a writer keeps what it wrote, where somebody takes no states from it
// (Protocol/conversation.md, "Own changes").
//
// ```
//   daemons dialled by hand ──► met ──► speak of the document ──► have acknowledged ──► the log may keep a state alone
// ```
extension Replication {
  /// A relay itself is trusted with states.
  var hasRecipients: Bool { policy.keepsOwnRecords && !policy.isRelay }

  /// The stores for which that is kept which was written under these ids.
  func recipients(_ remembered: [LogMember], of writers: Set<ReplicaID>) -> Recipients {
    Recipients(
      hasRecipients ? remembered.filter { $0.store != identity.store } : [], policy: memberPolicy,
      owner: connections.generations.owner, writers: writers, openSince: now, now: wall)
  }

  /// A peer said hello.
  mutating func noteRecipient(_ hello: Message.Hello, at peer: PeerHandle) {
    guard hasRecipients, hello.isDurable, connections.isTrustedRelay(peer), let name = connections.namedStore(of: peer)
    else { return }
    connections.relaysMet.meet(name, trust(in: peer), serving: hello.shard, now: now)
  }

  /// A durable peer spoke of the document.
  mutating func hearRecipient(_ peer: PeerHandle, in number: DocumentNumber) {
    guard hasRecipients, let name = connections.namedStore(of: peer) else { return }
    documents[number].recipients.hear(name, now: wall)
  }

  /// A durable peer holds `version`.
  ///
  /// - Parameter held: what is held here.
  mutating func noteOwn(
    _ version: VersionVector, heldBy peer: PeerHandle, beside held: VersionVector, in number: DocumentNumber
  ) {
    let writers = documents[number].own.writers
    if hasRecipients, let name = connections.namedStore(of: peer) {
      documents[number].recipients.acknowledge(name, version, by: writers, now: wall)
    }
    // Only who passes on what others wrote brings it to those who take no states from here.
    guard trust(in: peer).mayRelay else { return }
    guard hasRecipients else { return documents[number].own.acknowledge(version, held: held) }
    guard isKnown(number) else { return }
    let known = documents[number].recipients.durable(by: writers, now: wall)
    documents[number].own.acknowledge(known, held: held)
  }

  /// Whether all have spoken of the document that take part in it, as far as can be known: a daemon that is away needs
  /// from us what we wrote, as another that has it may end before it comes back, or lie.
  private func isKnown(_ number: DocumentNumber) -> Bool {
    documents.look(at: number) {
      let recipients = $0.pointee.recipients
      if endpoints.awaitsContact, now - recipients.openSince <= policy.memberLifetime { return false }
      return !recipients.lacks(connections.relaysMet.expected(in: $0.pointee.id, openSince: recipients.openSince))
    }
  }
}
