package import StarlingCore

/// What became of a batch that was merged.
package struct Merged: Sendable {
  /// What merged, in order, with any that had been held for it; histories that merged as one stand between.
  package var received = CausalGate.Received()
  package var histories: [History] = []
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

  /// One that merged as one, after so many of the changes.
  package struct History: Sendable {
    package var place: Int
    package var history: TextHistory

    package init(place: Int, history: TextHistory) {
      self.place = place
      self.history = history
    }
  }

  package init() {}

  package var isEmpty: Bool { received.merged.isEmpty && histories.isEmpty }
  package var changeCount: Int {
    histories.reduce(received.merged.count) { $0 + $1.history.stamps.count }
  }

  /// Those of histories one by one.
  package var changes: [Change] {
    if histories.isEmpty { return received.merged }
    var changes: [Change] = []
    var place = 0
    for part in histories {
      changes += received.merged[place..<part.place]
      changes += part.history.changes
      place = part.place
    }
    return changes + received.merged[place...]
  }

  /// Items that were let go of here and that changes are anchored on; those are dropped.
  package var anchorsLacking: [Dot] { received.anchorsLacking }
  /// Dots that a held change needs and nobody has sent.
  package var missing: [Dot] { received.missing }
  /// Why one of the changes cannot merge anywhere.
  package var refused: MergeError? { end ?? received.refusals.first }
}
