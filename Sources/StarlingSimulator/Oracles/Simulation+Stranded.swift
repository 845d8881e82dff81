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
      guard let replicaIDs = strandedIDs(of: document) else { return nil }
      if !replicaIDs.isEmpty { stranded[document] = replicaIDs }
    }
    return stranded.isEmpty ? nil : stranded
  }

  private func strandedIDs(of document: DocumentID) -> [ReplicaID: UInt64]? {
    let relayed = replicas.filter { isRelay($0) }.compactMap { seenVersion(of: document, at: $0) }
    guard let common = relayed.first, relayed.allSatisfy({ $0 == common }) else { return nil }
    // What each has beyond that, what of it nobody can bring, and what stands on that as its writer had it.
    var beyond: [[Dot]] = []
    var lost: Set<Dot> = []
    var standing: [ReplicaID: UInt64] = [:]
    for replica in replicas where !replica.hasLeft && !isRelay(replica) {
      guard let version = seenVersion(of: document, at: replica), version.covers(common) else { return nil }
      let heads = version.heads.filter { $0.counter > common[$0.replica] }
      let lostHere = heads.filter { head in !replicas.contains { holdsOwn(head, in: document, at: $0) } }
      beyond.append(heads)
      lost.formUnion(lostHere)
      guard !lostHere.isEmpty else { continue }
      for head in heads where holdsOwn(head, in: document, at: replica) { standing[head.replica] = head.counter }
    }
    // Those of others could still come.
    let isAllStranded = beyond.joined().allSatisfy { lost.contains($0) || $0.counter <= standing[$0.replica] ?? 0 }
    guard isAllStranded else { return nil }
    return beyond.joined().reduce(into: [:]) { $0[$1.replica] = common[$1.replica] }
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
