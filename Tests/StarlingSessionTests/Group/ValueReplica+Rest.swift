import StarlingCore
import StarlingWire

@testable import StarlingSession

extension ValueReplica {
  /// Whether something was written or merged that the log has not.
  var isUnlogged: Bool { !outbox.isEmpty || !replication.pipeline[Self.document].unlogged.isEmpty }

  /// What waits or is counted here that must not once everything is calm.
  ///
  /// - Parameter mayHold: whether something may be held for good.
  func unrest(mayHold: Bool) -> String? {
    let state = replication.documents[number]
    let pipeline = replication.pipeline
    if !outbox.isEmpty { return "\(outbox.count) changes are not handed over" }
    if !mayHold, gate.count > 0 || gate.byteCount > 0 {
      return "\(gate.count) changes are held, \(gate.byteCount) bytes"
    }
    if job != nil || pipeline.pendingRecordCount > 0 {
      return "\(pipeline.pendingRecordCount) records wait for the log"
    }
    if !pipeline[Self.document].unlogged.isEmpty { return "records are not logged" }
    if !pipeline[Self.document].retained.isEmpty { return "records are retained for answers that are over" }
    if state.unloggedByteCount != 0 { return "\(state.unloggedByteCount) bytes count as not logged" }
    if !state.postponed.isEmpty { return "asks are withheld" }
    if !answers.isEmpty || !readings.isEmpty { return "answers wait" }
    if replication.waiters.writerCount > 0 { return "\(replication.waiters.writerCount) wait for what they wrote" }
    if replication.peers.all.contains(where: { replication.peers[$0]?.flow.outstanding != 0 }) {
      return "answers owe credit"
    }
    if !replication.effects.isEmpty { return "effects are not performed" }
    if !replication.documents.active.isEmpty { return "the document is active" }
    return nil
  }
}
