import StarlingCore
import StarlingSession
import StarlingWire

// Two relays hold different states of one version, and the states alone may not show who is to blame
// (Protocol/conversation.md, "Evidence"): each tells the other the latest changes that its log has.
extension ReplicaEngine {
  func tellEvidence(of hosted: HostedDocument, to peer: PeerHandle) {
    guard configuration.isRelay, connections.trustedRelays.contains(peer) else { return }
    publishOutbox(of: hosted)
    let (document, version) = (hosted.id, hosted.handle.version)
    begin { engine in
      // What is no longer in the log cannot be compared; neither can what the log cannot read.
      let answer = try? await engine.log.records(
        in: document, before: version, byteCountMax: Evidence.byteCountMax)
      guard case .records(let records, _)? = answer else { return }
      for record in records where record.bytes.count <= Evidence.byteCountMax {
        engine.say(.evidence(Message.Evidence(document: document, batch: record.bytes)), to: peer)
      }
    }
  }

  func receive(_ evidence: Message.Evidence, from peer: PeerHandle) {
    guard configuration.isRelay, connections.trustedRelays.contains(peer), trust(in: peer).covers(evidence.document),
      evidence.batch.count <= Evidence.byteCountMax, let hosted = documents[evidence.document]
    else { return }
    let theirs: [Change]
    do {
      theirs = try Batch.decode(evidence.batch)
    } catch {
      counters.malformed += 1
      return refuse(
        peer, Message.Refusal(code: .malformed, explanation: "Changes of '\(hosted.id)' to compare: \(error)"))
    }
    var version = hosted.handle.version
    for change in theirs { version[change.replica] = min(version[change.replica], change.firstCounter &- 1) }
    let (document, known, writers) = (hosted.id, version, Set(theirs.map(\.replica)))
    begin { engine in
      let answer = try? await engine.log.records(
        in: document, by: writers, after: known, byteCountMax: 4 * Evidence.byteCountMax)
      guard case .records(let records, _)? = answer, engine.phase == .running else { return }
      let ours = records.flatMap { (try? Batch.decode($0.bytes)) ?? [] }
      for dot in Evidence.equivocations(in: theirs, against: ours) {
        engine.note(EquivocationReport(dot, in: document))
      }
    }
  }
}
