import StarlingCore
import StarlingGuard

// Tombstones that were collected on one side (Protocol/merge.md, "Tombstone collection").
extension DocumentHandle {
  /// Stores tombstones that were collected here.
  ///
  /// - Returns: how many items.
  func adopt(removedPaths paths: [Change], expecting expected: VersionVector) throws(MergeError) -> Int {
    let outcome: Swift.Result<Int, MergeError> = state.withLock { state in
      // Nothing is shown that was not.
      var patch = Patch()
      do throws(MergeError) {
        return .success(try state.document.adopt(removedPaths: paths, expecting: expected, patch: &patch))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  /// The tombstones that the given items are anchored on, and these.
  func removedPaths(to items: [Dot], isUpToDate: Bool) -> [Change] {
    state.withLock { $0.document.removedPaths(to: items, isUpToDate: isUpToDate) }
  }
}
