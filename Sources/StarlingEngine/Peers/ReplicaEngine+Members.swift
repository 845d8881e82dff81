package import StarlingCore
import StarlingSession
import StarlingWire

// Who takes part in a document, and what they all have.
extension ReplicaEngine {
  func members(_ remembered: [LogMember], beside version: Version) -> Members {
    Members(
      remembered.filter { $0.store != identity.store },
      policy: Members.Policy(
        lifetime: configuration.memberLifetime, transientLifetime: min(.seconds(3600), configuration.memberLifetime)),
      version: version, now: clock.wallMilliseconds())
  }

  /// What an earlier run of this store wrote: in the log it stands among the members, under our own name.
  func ownWrites(_ remembered: [LogMember]) -> OwnWrites {
    OwnWrites(remembered.first { $0.store == identity.store }?.acknowledged ?? Version())
  }

  /// Records of this store's own go to the log. Under which ids it writes is stored before the first of them.
  func noteOwn(_ records: [LogRecord], in hosted: HostedDocument) {
    var isNew = false
    for record in records where hosted.own.note(record.replica) { isNew = true }
    guard isNew else { return }
    hosted.members.noteNews()
    rememberMembers(of: hosted)
  }

  /// A peer spoke of the document.
  func hear(_ peer: PeerHandle, in hosted: HostedDocument) {
    guard let hello = peers[peer]?.hello, hello.store != identity.store, trust(in: peer).mayWrite else { return }
    let isNew = !hosted.members.contains(hello.store)
    hosted.members.hear(
      hello.store, isDurable: hello.isDurable, isBeside: connections.isBeside(peer), now: clock.wallMilliseconds())
    if isNew { reviewBehind(of: hosted) }
  }

  /// With its heartbeats, at a relay: what those behind it have durably merged, for its next acknowledgements.
  func reviewBehind(of hosted: HostedDocument) {
    guard configuration.isRelay else { return }
    let version = hosted.handle.version
    hosted.acknowledgements.stand(
      behindSide: hosted.members.behind(.side, version: version),
      behindAll: hosted.members.behind(.all, version: version))
  }

  /// With its heartbeats: what the log does not know of the members yet.
  func rememberMembers(of hosted: HostedDocument) {
    guard identity.isDurable, pipeline.failure == nil else { return }
    guard let remembered = hosted.members.takeRemembered(now: clock.wallMilliseconds()) else { return }
    let own = LogMember(
      store: identity.store, acknowledged: hosted.own.remembered, heardAt: clock.wallMilliseconds())
    pipeline.remember(remembered + (own.acknowledged.isEmpty ? [] : [own]), of: hosted.id)
  }

  /// With its heartbeats, where everybody got further: forgets removed items that nobody needs any more.
  func letGo(in hosted: HostedDocument) {
    let stable = stable(in: hosted)
    guard stable != hosted.stable, hosted.collection == nil else { return }
    hosted.collection = TombstoneCollection(stable: stable)
    goOnCollecting(in: hosted)
    if hosted.collection != nil { begin { [id = hosted.id] engine in await engine.finishCollecting(in: id) } }
  }

  /// Whoever waits for the document or for the engine has his turn between two parts.
  private func finishCollecting(in document: DocumentID) async {
    repeat {
      await Task.yield()
      guard phase == .running, let hosted = documents[document] else { return }
      goOnCollecting(in: hosted)
    } while documents[document]?.collection != nil
  }

  private func goOnCollecting(in hosted: HostedDocument) {
    guard var collection = hosted.collection else { return }
    switch hosted.handle.letGo(&collection) {
    case .more: hosted.collection = collection
    // What a transaction interrupts is taken up with a later heartbeat.
    case .isWriting: hosted.collection = nil
    case .done:
      hosted.collection = nil
      hosted.stable = collection.stable
    }
  }

  /// What every member of the document has durably merged, as far as it is known here.
  package func stableVersion(of document: DocumentID) -> Version {
    documents[document].map(stable) ?? Version()
  }

  private func stable(in hosted: HostedDocument) -> Version {
    let now = clock.wallMilliseconds()
    // Who is connected is there, though it says nothing of a document in which nothing happens.
    for hello in peers.hellos { hosted.members.stands(hello.store, now: now) }
    return hosted.members.stable(durable: pipeline[hosted.id].durable, version: hosted.handle.version, now: now)
  }
}
