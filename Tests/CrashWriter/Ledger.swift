import Starling

/// What the writers keep: a value under a name, a sum, and a list, which together tell a write that is lost from one
/// that was merged twice.
@Replicated final class Ledger: Sendable {
  /// Each writer sets its own names in turn.
  var entries: ReplicatedDictionary<String, String> = [:]
  /// One for each write.
  var writeCount: ReplicatedCounter = 0
  /// Some of the writes, in the order in which they were made.
  var receipts: ReplicatedArray<String> = []
}
