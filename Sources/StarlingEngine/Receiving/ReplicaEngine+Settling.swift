import StarlingCore
import StarlingSession
import StarlingWire

// Two replicas that hold different states of one version: somebody forgot what the other still holds, or a writer gave
// one dot two contents (Protocol/conversation.md, "Divergence").
extension ReplicaEngine {
  /// Settles with a state of our own version.
  ///
  /// - Returns: false where it is of another version, or a transaction is open: it is merged as any other state then.
  func settle(_ state: ProvedState, from peer: PeerHandle, in hosted: HostedDocument) throws(MergeError) -> Bool {
    guard state.version == hosted.handle.version,
      let settlement = try hosted.handle.settle(with: state.document, authority: authority(of: peer))
    else { return false }
    counters.snapshotsMerged += 1
    hosted.digest = nil
    noteDue(hosted)
    if settlement.outcome != .kept {
      // What came as a state is in no record.
      pipeline.mergedState(in: hosted.id)
      rouse(hosted)
    }
    if settlement.outcome != .equal { tell(settlement, with: peer, in: hosted) }
    return true
  }

  /// Whose state stays, ours or that of `peer`.
  private func authority(of peer: PeerHandle) -> Document.Authority {
    let isRelay = connections.isTrustedRelay(peer)
    switch (configuration.isRelay, isRelay) {
    case (true, false): return .this
    case (false, true): return .other
    case (true, true), (false, false): return .neither
    }
  }

  /// Tells the operator, and has the keys refused that wrote one dot twice.
  private func tell(_ settlement: Settlement, with peer: PeerHandle, in hosted: HostedDocument) {
    counters.equivocations += 1
    guard let store = peers[peer]?.hello?.store else { return }
    report(.settled(hosted.id, store, settlement))
    for replica in Set(settlement.equivocations.map(\.replica)).sorted(by: { $0.rawValue < $1.rawValue }) {
      guard let dot = settlement.equivocations.first(where: { $0.replica == replica })?.dot else { continue }
      note(EquivocationReport(dot, in: hosted.id))
    }
  }
}
