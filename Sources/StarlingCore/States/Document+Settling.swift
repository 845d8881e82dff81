// Two states of one version that differ (Protocol/merge.md, "Contradicting states").
//
// ```
//   states of one version, digests differ
//        │ take over what the other holds and this one forgot
//        ├── equal now ──────────────► healed
//        └── still different ────────► somebody used a dot twice: one state stays, on both sides the same one
// ```

/// The outcome of comparing two states of one version.
public struct Settlement: Sendable, Hashable {
  public enum Outcome: Sendable, Hashable {
    /// They are equal, at once or with what either had forgotten.
    case equal
    /// They contradict each other, and this document's state stays.
    case kept
    /// They contradict each other, and the other state took the place of this document's.
    case replaced
  }

  public var outcome: Outcome
  /// Dots with two contents. Empty where the writer that used a dot twice left no trace in both states, as one that
  /// removed one thing here and another thing there under the same dot.
  public var equivocations: [Equivocation]

  public init(_ outcome: Outcome, equivocations: [Equivocation] = []) {
    self.outcome = outcome
    self.equivocations = equivocations
  }
}

extension Document {
  /// Which state stays where two of one version contradict each other.
  public enum Authority: Sendable, Hashable {
    /// Neither is above the other: the state with the lesser digest stays.
    case neither
    /// The other one is a relay, and this replica is none: what the group's relays hold stays.
    case other
    /// This replica is a relay, and the other one is none.
    case this
  }

  /// Makes of this state and `other`, which is of the same version, one that both replicas hold once each calls
  /// this with what the other had.
  ///
  /// No change may be open.
  ///
  /// - Complexity: O(slots and items of both)
  public mutating func settle(
    with other: Document, authority: Authority, patch: inout Patch
  ) throws(MergeError) -> Settlement {
    precondition(version == other.version, "States of two versions are merged, not settled.")
    var (mine, theirs) = (self, other)
    // What the readers see if this state stays.
    var read = patch
    var unread = Patch()
    mine.openFully()
    theirs.openFully()
    // Each side takes over what the other holds and it forgot; both can work out what the other comes to hold.
    let former = (mine, theirs)
    try mine.merge(former.1, isHeard: true, patch: &read)
    try theirs.merge(former.0, isHeard: true, patch: &unread)
    let (digest, otherDigest) = (mine.digest(), theirs.digest())
    let stays =
      switch authority {
      case .neither: (digest.high, digest.low) <= (otherDigest.high, otherDigest.low)
      case .other: digest == otherDigest
      case .this: true
      }
    guard stays else {
      let found = mine.canonicalSnapshot().equivocations(with: theirs.canonicalSnapshot())
      replace(with: theirs, patch: &patch)
      return Settlement(.replaced, equivocations: found)
    }
    let found = digest == otherDigest ? [] : mine.canonicalSnapshot().equivocations(with: theirs.canonicalSnapshot())
    self = mine
    patch = read
    return digest == otherDigest ? Settlement(.equal) : Settlement(.kept, equivocations: found)
  }
}
