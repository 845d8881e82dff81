import StarlingCore
import StarlingSession
import StarlingWire

// Whose every replica id is (Protocol/conversation.md, "Whose a replica id is"): bound here or told by relays, kept, and
// told on.
//
// ```
//   a change under a free id ─► bind ─► told to relays ─► merged and passed on ─► kept on disk ─► logged
//   under somebody else's    ─► refused, disowned ─► its writer goes on under a fresh id (`ReplicaEngine+Refused.swift`)
// ```
extension ReplicaEngine {
  /// Whether a writer writes under its own names alone: a replica id that has not written yet becomes the first name's
  /// that writes under it. A relay passes on what others wrote.
  func areOwn(
    _ lastDots: some Sequence<Dot>, from peer: PeerHandle, in hosted: HostedDocument
  ) -> Bool {
    let trust = trust(in: peer)
    if trust.mayRelay { return true }
    guard trust.mayWrite, let name = trust.listedName else { return false }
    var free: [ReplicaID] = []
    for last in lastDots {
      let replica = last.replica
      // Only what is here already may come again from anybody: it says nothing new.
      if last.counter <= hosted.handle.version[replica] { continue }
      let claim = writers.judge(
        replica, claimedBy: name, hasWritten: hasWritten(replica), isTold: !connections.trustedRelays.isEmpty,
        now: clock.uptime())
      switch claim {
      case .own: continue
      case .free: free.append(replica)
      case .undecided: return false
      case .foreign:
        deny(
          peer, .writerRefused, "it wrote '\(hosted.id)' as replica \(replica), which is somebody else's", hosted.id,
          replica)
        say(.disown(hosted.id, replica), to: peer)
        return false
      }
    }
    guard !free.isEmpty else { return true }
    var seen: Set<ReplicaID> = []
    free.removeAll { !seen.insert($0).inserted }
    guard mayBegin(free.count, peer, in: hosted) else { return false }
    bind(free, to: name, by: peer, in: hosted)
    return true
  }

  /// What counts of an acknowledgement: operations that are refused for good merge nowhere, and nobody waits for them.
  func heeded(_ acknowledged: Version, from peer: PeerHandle, in hosted: HostedDocument) -> Version {
    let trust = trust(in: peer)
    guard !trust.mayRelay, let name = trust.listedName else { return acknowledged }
    let held = hosted.handle.version
    if held.covers(acknowledged) { return acknowledged }
    var heeded = acknowledged
    for entry in acknowledged.entries where entry.counter > held[entry.replica] {
      guard let owner = writers[entry.replica]?.name, owner != name else { continue }
      heeded[entry.replica] = held[entry.replica]
    }
    return heeded
  }

  private func hasWritten(_ replica: ReplicaID) -> Bool {
    replica == self.replica
      || documentsInOrder.contains { $0.handle.replica == replica || $0.handle.version[replica] > 0 }
  }

  private func bind(_ replicas: [ReplicaID], to name: String, by peer: PeerHandle, in hosted: HostedDocument) {
    guard let first = replicas.first else { return }
    let now = clock.wallMilliseconds()
    for replica in replicas { writersToKeep.append(writers.bind(replica, to: name, now: now)) }
    // Before the changes themselves, so that a relay that has one has the other.
    tellWriters()
    let others = replicas.count > 1 ? " and \(replicas.count - 1) more" : ""
    let explanation = "it writes as replica \(first)\(others), and nobody else does from now on."
    report(.access(event(.writerBound, explanation, of: peer, hosted.id, first)))
  }

  /// Returns once the disk holds whose the ids are that were bound or told. The log goes on after that, so that it
  /// never holds a change whose writer is not known; the engine serves its peers meanwhile.
  func keepWriters() async {
    let bindings = writersToKeep
    writersToKeep = []
    if !bindings.isEmpty { await configuration.noteWriters(bindings) }
  }

  // MARK: Relays

  /// Tells every relay what it has not heard. Once a heartbeat too, as a queue may have been full.
  func tellWriters() {
    guard configuration.isRelay, writers.count > 0 else { return }
    for peer in connections.trustedRelays {
      while let known = peers[peer], let news = writers.news(after: known.writersTold) {
        guard say(.writers(news.bindings), to: peer) else { break }
        peers[peer]?.writersTold = news.end
      }
    }
  }

  func receive(_ bindings: [WriterBinding], from peer: PeerHandle) {
    guard configuration.isRelay, connections.isTrustedRelay(peer) else { return }
    for binding in bindings {
      switch writers.hear(binding) {
      case .known: continue
      case .new: writersToKeep.append(binding)
      case .contested(let loser):
        if writers[binding.replica] == binding { writersToKeep.append(binding) }
        report(
          .access(
            AccessEvent(
              .writerContested, name: loser, replica: binding.replica,
              explanation: "it wrote as replica \(binding.replica) at one daemon and "
                + "\(writers[binding.replica]?.name ?? "nobody") at another before, whose it is.")))
      }
      suspendLate(binding.replica)
      if writers.endClaim(to: binding.replica) { askWriters() }
    }
    tellWriters()
  }

  /// What was put aside while nobody knew whose it was is asked for again.
  private func askWriters() {
    for peer in connections.followed where !trust(in: peer).mayRelay {
      for hosted in documentsInOrder {
        rouse(hosted)
        beginFollowing(peer, in: hosted)
      }
    }
  }
}
