public import StarlingCore
public import StarlingWire

// The owner of each replica id, and writers that gave one operation two contents (Protocol/conversation.md, "Whose a
// replica id is", "Writers that are suspended"): bound and found here or told by relays, kept, and told on.
//
// ```
//   a change under a free id ─► bind ─► told to relays ─► merged and passed on ─► kept on disk ─► logged
//   under somebody else's    ─► refused, disowned ─► its writer goes on under a fresh id
// ```
extension Connections {
  // MARK: Writers

  /// Whether a writer writes under its own names alone: a replica id that has not written yet becomes the first name's
  /// that writes under it. A relay passes on what others wrote.
  ///
  /// - Parameters:
  ///   - version: where the document stands.
  ///   - hasWritten: whether anything that was written under an id is here.
  ///   - wall: milliseconds since 1970-01-01 UTC.
  public mutating func areOwn(
    _ lastDots: some Sequence<Dot>, from peer: PeerHandle, in document: DocumentID,
    version: @autoclosure () -> VersionVector, now: Duration, wall: @autoclosure () -> UInt64,
    _ effects: inout [Effect],
    hasWritten: (ReplicaID) -> Bool
  ) -> Bool {
    let trust = trusts[peer]
    if trust.mayRelay { return true }
    guard trust.mayWrite, let name = trust.listedName else { return false }
    let version = version()
    var free: [ReplicaID] = []
    for last in lastDots {
      let replica = last.replica
      // Only what is here already may come again from anybody: it says nothing new.
      if last.counter <= version[replica] { continue }
      // Asked where nothing is known alone: it goes through all connections.
      let isTold = writers[replica] == nil && !trustedRelays.isEmpty
      switch writers.judge(replica, claimedBy: name, hasWritten: hasWritten(replica), isTold: isTold, now: now) {
      case .own: continue
      case .free: if !free.contains(replica) { free.append(replica) }
      case .undecided: return false
      case .foreign:
        let what = "it wrote '\(document)' as replica \(replica), which is somebody else's"
        deny(peer, .writerRefused, what, document, as: replica, &effects)
        // Its writer may give up what lies beyond where the document stands.
        effects += [.say(.disown(document, replica), to: peer), .sayHave(document, to: peer)]
        return false
      }
    }
    guard let first = free.first else { return true }
    guard mayBegin(free.count, peer, in: document, now: now, &effects) else { return false }
    let boundAt = wall()
    effects.append(.keep(free.map { writers.bind($0, to: name, now: boundAt) }))
    let others = free.count > 1 ? " and \(free.count - 1) more" : ""
    let explanation = "it writes as replica \(first)\(others), and nobody else does from now on."
    // Relays are told before the changes themselves, so that one that has one has the other.
    effects += [.tellRelays, .tell(.access(event(.writerBound, explanation, of: peer, document, first)))]
    return true
  }

  /// What counts of an acknowledgement: operations that are refused for good merge nowhere, and nobody waits for them.
  ///
  /// - Parameter held: where the document stands.
  public func heeded(_ acknowledged: VersionVector, from peer: PeerHandle, beside held: VersionVector) -> VersionVector
  {
    let trust = trusts[peer]
    guard !trust.mayRelay, let name = trust.listedName, !held.covers(acknowledged) else { return acknowledged }
    var heeded = acknowledged
    for entry in acknowledged.entries where entry.counter > held[entry.replica] {
      guard let owner = writers[entry.replica]?.name, owner != name else { continue }
      heeded[entry.replica] = held[entry.replica]
    }
    return heeded
  }

  /// A relay says whose ids are.
  public mutating func receive(_ bindings: [WriterBinding], from peer: PeerHandle) -> [Effect] {
    guard isRelay, isTrustedRelay(peer) else { return [] }
    var effects: [Effect] = []
    for binding in bindings {
      switch writers.hear(binding) {
      case .known: continue
      case .new: effects.append(.keep([binding]))
      case .contested(let loser):
        if writers[binding.replica] == binding { effects.append(.keep([binding])) }
        let explanation =
          "it wrote as replica \(binding.replica) at one daemon and "
          + "\(writers[binding.replica]?.name ?? "nobody") at another before, whose it is."
        effects.append(
          .tell(
            .access(
              AccessEvent(.writerContested, name: loser, replica: binding.replica, explanation: explanation))))
      }
      for equivocation in equivocations.endWait(for: binding.replica) { effects += suspend(equivocation) }
      // What was put aside while nobody knew whose it was is asked for again.
      guard writers.endClaim(to: binding.replica) else { continue }
      effects += followed.filter { !trusts[$0].mayRelay }.map { .begin($0, serves: false, follows: true) }
    }
    return effects + [.tellRelays]
  }

  // MARK: Operations with two contents

  /// - Parameter relay: who told it; nil where both contents were compared here.
  public mutating func note(_ equivocation: EquivocationReport, toldBy relay: PeerHandle? = nil) -> [Effect] {
    guard equivocations.hear(equivocation) else { return [] }
    return suspend(equivocation, toldBy: relay) + [.tellRelays]
  }

  public mutating func receive(_ reports: [EquivocationReport], from peer: PeerHandle) -> [Effect] {
    guard isRelay, isTrustedRelay(peer) else { return [] }
    return reports.filter { trusts[peer].covers($0.document) }.flatMap { note($0, toldBy: peer) }
  }

  /// Whoever writes under that replica id is let in no more until somebody lets it in again.
  private mutating func suspend(_ equivocation: EquivocationReport, toldBy relay: PeerHandle? = nil) -> [Effect] {
    let (dot, document) = (equivocation.dot, equivocation.document)
    let writer = writers[dot.replica]?.name
    let source = relay.flatMap { peers[$0]?.hello?.store }.map { ", as relay \($0) says" } ?? ""
    let explanation = "it gave two contents to operation \(dot) of '\(document)'\(source)"
    let event = AccessEvent(
      .equivocated, name: writer, document: document, replica: dot.replica, explanation: explanation)
    guard let writer else {
      // Until it has become known whose the replica id is.
      equivocations.wait(equivocation)
      return [.tell(.access(event))]
    }
    return [.tell(.access(event)), .suspend(writer, explanation: explanation, equivocation)]
  }

  // MARK: Telling

  /// What a relay has not heard.
  public struct RelayNews: Hashable, Sendable {
    public let message: Message
    fileprivate let writersEnd: Int
    fileprivate let equivocationsEnd: Int
  }

  /// The next message to a relay that has not heard everything. Asked for once a heartbeat too, as a queue may have
  /// been full.
  public func news(for relay: PeerHandle) -> RelayNews? {
    guard isRelay, let known = peers[relay] else { return nil }
    if let news = writers.news(after: known.writersTold) {
      return RelayNews(
        message: .writers(news.bindings), writersEnd: news.end, equivocationsEnd: known.equivocationsTold)
    }
    return equivocations.news(after: known.equivocationsTold).map {
      RelayNews(message: .equivocations($0.reports), writersEnd: known.writersTold, equivocationsEnd: $0.end)
    }
  }

  /// The relay was sent it.
  public mutating func told(_ news: RelayNews, to relay: PeerHandle) {
    peers[relay]?.writersTold = news.writersEnd
    peers[relay]?.equivocationsTold = news.equivocationsEnd
  }
}
