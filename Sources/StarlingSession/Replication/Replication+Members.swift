package import StarlingCore
import StarlingWire

// The members of a document, and what all of them have.
extension Replication {
  func members(_ remembered: [LogMember], beside version: VersionVector) -> Members {
    Members(remembered.filter { $0.store != identity.store }, policy: memberPolicy, version: version, now: wall)
  }

  var memberPolicy: Members.Policy {
    Members.Policy(lifetime: policy.memberLifetime, transientLifetime: min(.seconds(3600), policy.memberLifetime))
  }

  /// What an earlier run of this store wrote: in the log it stands among the members, under our own name.
  func ownWrites(_ remembered: [LogMember]) -> OwnWrites {
    OwnWrites(remembered.first { $0.store == identity.store }?.acknowledged ?? VersionVector())
  }

  /// A peer spoke of the document.
  mutating func hear(_ peer: PeerHandle, in number: DocumentNumber) {
    guard let hello = peers[peer]?.hello, hello.store != identity.store, trust(in: peer).mayWrite else { return }
    let isNew = !documents[number].members.contains(hello.store)
    documents[number].members.hear(
      hello.store, isDurable: hello.isDurable, isBeside: connections.isBeside(peer), now: wall)
    if hello.isDurable { hearRecipient(peer, in: number) }
    if isNew { reviewBehind(of: number) }
    // At once: a run that ends before its next heartbeat would leave the next one to collect what the peer still needs.
    if documents[number].members.hasNews { rememberMembers(of: number) }
  }

  /// With its heartbeats, at a relay: what those behind it have durably merged, for its next acknowledgements.
  mutating func reviewBehind(of number: DocumentNumber) {
    guard policy.isRelay else { return }
    let version = documents[number].version
    let side = documents[number].members.behind(.side, version: version)
    let all = documents[number].members.behind(.all, version: version)
    documents[number].acknowledgements.stand(behindSide: side, behindAll: all)
  }

  /// With its heartbeats, and when somebody came: what the log does not know of the members yet.
  mutating func rememberMembers(of number: DocumentNumber) {
    // Also while the log is tried again: its records wait for this, as an id's first record does for the id.
    guard identity.isDurable, !pipeline.isLost else { return }
    guard var remembered = documents[number].members.takeRemembered(now: wall) else { return }
    if hasRecipients { remembered = remembered.map { documents[number].remembered($0) } }
    let own = LogMember(store: identity.store, acknowledged: documents[number].own.remembered, heardAt: wall)
    pipeline.remember(remembered + (own.acknowledged.isEmpty ? [] : [own]), of: documents[number].id)
  }

  /// Our own changes that no other durable store is known to hold.
  package func kept(of document: DocumentID) -> [ReplicaID: UInt64] {
    documents.number(of: document).map { documents[$0].own.acknowledged } ?? [:]
  }

  /// A state of the document is to replace records, and all that was written before it was taken is enqueued: own
  /// changes in it that the log does not have are stored with it.
  ///
  /// - Returns: nil where something else is to be stored before.
  package mutating func bringOwn(withCompactionOf number: DocumentNumber) -> LogPipeline.Job? {
    pipeline.bringOwn(documents[number].own.writers)
  }

  /// This store writes under the id, which a later run must know: what stands under it in the log is its own to bring.
  mutating func noteOwn(_ replica: ReplicaID, in number: DocumentNumber) {
    guard documents[number].own.note(replica) else { return }
    documents[number].members.noteNews()
    rememberMembers(of: number)
  }

  // MARK: Stability

  /// The stores that are connected, made once for all documents of a heartbeat.
  struct Connected {
    var stores: Set<StoreID>
    /// With the owners of their keys; empty where nobody asks.
    var named: Set<NamedStore> = []
  }

  var connected: Connected {
    Connected(stores: peers.stores, named: hasRecipients ? connections.namedStores : [])
  }

  /// With its heartbeats, where everybody got further: collects tombstones that nobody needs any more.
  ///
  mutating func collectTombstones(in number: DocumentNumber, beside connected: Connected) {
    let stable = stable(in: number, beside: connected)
    guard stable != documents[number].stable, !documents[number].isCollecting else { return }
    documents[number].isCollecting = true
    effects.append(.collectTombstones(number, stable: stable))
  }

  /// - Parameter stable: nil where a transaction came between: it is taken up with a later heartbeat.
  package mutating func collected(_ stable: VersionVector?, in number: DocumentNumber) {
    guard documents.contains(number) else { return }
    documents[number].isCollecting = false
    if let stable { documents[number].stable = stable }
  }

  /// What every member of the document has durably merged, as far as it is known here.
  package mutating func stable(in number: DocumentNumber) -> VersionVector { stable(in: number, beside: connected) }

  private mutating func stable(in number: DocumentNumber, beside connected: Connected) -> VersionVector {
    // A connected member is there, though it says nothing of a document in which nothing happens.
    documents[number].members.stand(connected.stores, now: wall)
    if !connected.named.isEmpty { documents[number].recipients.stand(connected.named, now: wall) }
    let (id, version) = documents.look(at: number) { ($0.pointee.id, $0.pointee.version) }
    return documents[number].members.stable(durable: pipeline.durable(of: id), version: version, now: wall)
  }
}
