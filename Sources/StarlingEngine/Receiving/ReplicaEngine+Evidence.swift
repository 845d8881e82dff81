import StarlingCore
import StarlingSession

// Two relays hold different states of one version (Protocol/conversation.md, "Evidence"). What is no longer in the log
// cannot be compared; neither can what the log cannot read.
extension ReplicaEngine {
  /// Tells a relay the latest changes that the log has.
  func tellEvidence(of number: DocumentNumber, to peer: PeerHandle) {
    guard let open = document(number) else { return }
    takeOutbox(of: open)
    let (document, version) = (open.id, replication.documents[number].version)
    begin { engine in
      let answer = try? await engine.log.records(in: document, before: version, byteCountMax: Evidence.byteCountMax)
      guard case .records(let records, _)? = answer else { return }
      engine.decide { $0.tell(evidence: records, to: peer) }
    }
  }

  /// Compares what a relay told with what the log has.
  func compare(_ comparison: Evidence.Comparison) async {
    let answer = try? await log.records(
      in: comparison.document, by: comparison.writers, after: comparison.version,
      byteCountMax: Evidence.Comparison.byteCountMax)
    guard case .records(let records, _)? = answer, phase == .running else { return }
    decide { $0.compared(comparison, with: records) }
  }
}
