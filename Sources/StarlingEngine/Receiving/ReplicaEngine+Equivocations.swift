import StarlingCore
import StarlingSession
import StarlingWire

// Writers that gave one operation two contents (Protocol/conversation.md, "Writers that are suspended"): found here or by
// another relay, suspended here, and told on.
extension ReplicaEngine {
  /// - Parameter relay: who told it; nil where both contents were compared here.
  func note(_ equivocation: EquivocationReport, toldBy relay: PeerHandle? = nil) {
    guard equivocations.hear(equivocation) else { return }
    suspendWriter(of: equivocation, toldBy: relay)
    tellEquivocations()
  }

  /// Whoever writes under that replica id is let in no more until somebody lets it in again.
  private func suspendWriter(of equivocation: EquivocationReport, toldBy relay: PeerHandle? = nil) {
    let (dot, document) = (equivocation.dot, equivocation.document)
    let writer = writers[dot.replica]?.name
    let source = relay.flatMap { peers[$0]?.hello?.store }.map { ", as relay \($0) says" } ?? ""
    let explanation = "it gave two contents to operation \(dot) of '\(document)'\(source)"
    report(
      .access(
        AccessEvent(
          .equivocated, name: writer, document: document, replica: dot.replica, explanation: explanation)))
    guard let writer else { return equivocations.wait(equivocation) }
    configuration.suspend(writer, explanation)
    // Afterwards: one that is kept is not acted on again, so that who was let in again stays.
    configuration.noteEquivocation(equivocation)
  }

  /// It has become known whose the replica id is.
  func suspendLate(_ replica: ReplicaID) {
    for equivocation in equivocations.endWait(for: replica) { suspendWriter(of: equivocation) }
  }

  /// Tells every relay what it has not heard. Once a heartbeat too, as a queue may have been full.
  func tellEquivocations() {
    guard configuration.isRelay, equivocations.count > 0 else { return }
    for peer in connections.trustedRelays {
      while let known = peers[peer], let news = equivocations.news(after: known.equivocationsTold) {
        guard say(.equivocations(news.reports), to: peer) else { break }
        peers[peer]?.equivocationsTold = news.end
      }
    }
  }

  func receive(_ reports: [EquivocationReport], from peer: PeerHandle) {
    guard configuration.isRelay, connections.isTrustedRelay(peer) else { return }
    for report in reports where trust(in: peer).covers(report.document) { note(report, toldBy: peer) }
  }
}
