/// Where two arrays differ, and how the one becomes the other there. What a plain array and a `ReplicatedArray` write of
/// an array that was assigned whole.
struct ArrayDifference {
  /// The elements of the former array that differ.
  let seen: Range<Int>
  /// Those that stand in their place.
  let wanted: Range<Int>
  /// One for each of these. Places count from the first that differs.
  let steps: [ListDifference.Step]
  /// Whether one element stands twice among those that are wanted.
  let repeatsElements: Bool
}

extension KeyedElements {
  /// How an array becomes another; nil where nobody could tell them apart.
  ///
  /// - Complexity: O(*m* log *m*) in the stretch that differs, besides one comparison of the two (`CommonEnds`).
  func difference(from old: [Element], to new: [Element]) -> ArrayDifference? {
    let prefix = CommonEnds.prefix(old, new, isSame: isSame)
    if prefix == old.count, prefix == new.count { return nil }
    let suffix = CommonEnds.suffix(old, new, from: prefix, isSame: isSame)
    let (seen, wanted) = (prefix..<old.count - suffix, prefix..<new.count - suffix)
    let identities = new[wanted].map(identity)
    let difference = ListDifference(
      from: old[seen].map(identity), to: identities, mayRewrite: !holdsObjects)
    return ArrayDifference(
      seen: seen, wanted: wanted, steps: difference.steps,
      repeatsElements: holdsObjects && Set(identities).count < identities.count)
  }
}
