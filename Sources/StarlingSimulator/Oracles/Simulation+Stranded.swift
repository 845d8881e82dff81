import StarlingCore
import StarlingEngine

// Changes that nobody can bring to the group any more (Documentation/Limits.md, "Between peers").
//
// ```
//   writer ──► relay ──► others        the relay is killed before its disk has the change, and its writer with it:
//     ✗          ✗         │           a relay takes from a key that does not relay only what that key's store wrote
//                          └──► relay  refuses it
// ```
extension Simulation {
  /// Up to where the group has what was written under ids whose later changes are stranded, or stand on such changes;
  /// nil where anything else keeps the replicas apart.
  var strandedChanges: [DocumentID: [ReplicaID: UInt64]]? {
    guard schedule.hasKeys, replicas.allSatisfy({ $0.isRunning || $0.hasLeft }) else { return nil }
    var stranded: [DocumentID: [ReplicaID: UInt64]] = [:]
    for document in promisedDocuments {
      let relayed = replicas.filter { isRelay($0) }.compactMap { seenVersion(of: document, at: $0) }
      guard let common = relayed.first, relayed.allSatisfy({ $0 == common }) else { return nil }
      for replica in replicas where !replica.hasLeft && !isRelay(replica) {
        guard let version = seenVersion(of: document, at: replica), version.covers(common) else { return nil }
        let beyond = version.heads.filter { $0.counter > common[$0.replica] }
        let lost = beyond.filter { head in !replicas.contains { holdsOwn(head, in: document, at: $0) } }
        // Its own changes may stand on them; those of others could still come.
        let isRestOwn = beyond.allSatisfy { lost.contains($0) || holdsOwn($0, in: document, at: replica) }
        guard isRestOwn, !lost.isEmpty || beyond.isEmpty else { return nil }
        for head in beyond { stranded[document, default: [:]][head.replica] = common[head.replica] }
      }
    }
    return stranded.isEmpty ? nil : stranded
  }

  private func isRelay(_ replica: SimulatedReplica) -> Bool {
    !replica.hasLeft && topology.relays(replica.index, of: replicas.count)
  }

  /// Whether the replica's store wrote that operation, and holds it.
  private func holdsOwn(_ head: Dot, in document: DocumentID, at replica: SimulatedReplica) -> Bool {
    guard let process = replica.process, let version = seenVersion(of: document, at: replica),
      version[head.replica] >= head.counter
    else { return false }
    return network.executor.run {
      process.engine.assumeIsolated { $0.ownWriters(of: document).contains(head.replica) }
    }
  }
}
