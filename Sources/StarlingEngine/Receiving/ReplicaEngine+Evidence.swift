import StarlingCore
import StarlingSession
import StarlingWire

// Two relays hold different states of one version (Protocol/conversation.md, "Evidence").
extension ReplicaEngine {
  /// Tells a relay the latest changes that the log has.
  func tellEvidence(of number: DocumentNumber, to peer: PeerHandle) {
    guard let open = document(number) else { return }
    takeOutbox(of: open)
    let (document, version) = (open.id, replication.documents[number].version)
    begin { engine in
      // What is no longer in the log cannot be compared; neither can what the log cannot read.
      let answer = try? await engine.log.records(in: document, before: version, byteCountMax: Evidence.byteCountMax)
      guard case .records(let records, _)? = answer else { return }
      for record in records where record.bytes.count <= Evidence.byteCountMax {
        engine.say(.evidence(Message.Evidence(document: document, batch: record.bytes)), to: peer)
      }
    }
  }

  /// Compares what a relay told with what the log has.
  func compare(_ evidence: Message.Evidence, from peer: PeerHandle) async {
    guard let number = replication.documents.number(of: evidence.document) else { return }
    let theirs: [Change]
    do {
      theirs = try Batch.decode(evidence.batch)
    } catch {
      return decide { $0.unreadable(evidence, from: peer, error) }
    }
    var version = replication.documents[number].version
    for change in theirs { version[change.replica] = min(version[change.replica], change.firstCounter &- 1) }
    let answer = try? await log.records(
      in: evidence.document, by: Set(theirs.map(\.replica)), after: version, byteCountMax: 4 * Evidence.byteCountMax)
    guard case .records(let records, _)? = answer, phase == .running else { return }
    let ours = records.flatMap { (try? Batch.decode($0.bytes)) ?? [] }
    for dot in Evidence.equivocations(in: theirs, against: ours) {
      decide { $0.note(EquivocationReport(dot, in: evidence.document)) }
    }
  }
}
