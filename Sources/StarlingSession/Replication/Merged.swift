package import StarlingCore

/// The result of merging a batch.
package struct Merged: Sendable {
  /// What merged, in order, with any that had been held for it; rows of changes that merged as one stand between.
  package var received = CausalGate.Received()
  private var rows: [OrderedChanges.Row] = []
  /// The version right after the merge.
  package var version = VersionVector()
  /// Whether something that was written here waits to be handed over; the version covers it too.
  package var hasOutbox = false
  /// Whether a state was taken over as it is: what stands is what came.
  package var isAdopted = false
  /// The id that the document goes on under, as more operations came under the present one than we have made.
  package var renamed: ReplicaID?
  /// Why the batch ended early.
  package var end: MergeError?

  package init() {}

  /// Merges the parts in order, what may not merge yet held by the gate.
  ///
  /// - Throws: where one has a change that nobody may merge; what stands before it has merged.
  package mutating func merge(
    _ parts: [Contribution], through gate: inout CausalGate, into document: inout Document, patch: inout Patch
  ) throws(MergeError) {
    for part in parts {
      let place = received.merged.count
      let mergedAsOne = try gate.receive(part, into: &document, patch: &patch, &received)
      if mergedAsOne { rows.append(OrderedChanges.Row(place: place, part: part)) }
    }
  }

  package var isEmpty: Bool { received.merged.isEmpty && rows.isEmpty }
  package var changes: OrderedChanges { OrderedChanges(received.merged, rows) }

  /// Collected items that changes are anchored on; those changes are dropped.
  package var anchorsLacking: [Dot] { received.anchorsLacking }
  /// Dots that a held change needs and nobody has sent.
  package var missing: [Dot] { received.missing }
  /// Why one of the changes cannot merge anywhere.
  package var refused: MergeError? { end ?? received.refusals.first }
}
