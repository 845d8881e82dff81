extension Document {
  /// Merges those of `changes` that `version` covers, in their order, which must be one in which every
  /// change comes after those it stands on.
  ///
  /// So a document comes to stand where it once stood: it has `version` afterwards if that is one at which
  /// a replica can stand, and if the changes that were lacking are among `changes`. A change that lacks
  /// what it stands on is passed over, as is one that `version` cuts in two.
  ///
  /// - Throws: `MergeError` at a change that nobody may merge; those before it are merged.
  /// - Complexity: O(operations of the changes)
  public mutating func merge(_ changes: some Sequence<Change>, coveredBy version: VersionVector) throws(MergeError) {
    for change in changes where change.lastCounter <= version[change.replica] {
      // A patch of its own for each, so that none grows with the number of changes.
      var patch = Patch()
      _ = try merge(change, patch: &patch)
    }
  }
}
