import StarlingCore

/// The replicas of a version by their places in it. One that is asked for is mostly the one before.
struct ReplicaNumbers {
  private let version: VersionVector
  private var recent = 0

  init(_ version: VersionVector) { self.version = version }

  /// - Complexity: O(1) for the replica before, O(log *n*) for another.
  @inline(__always)
  mutating func number(of replica: ReplicaID) -> Int? {
    if recent < version.entries.count, version.entries[recent].replica == replica { return recent }
    guard let found = version.place(of: replica) else { return nil }
    recent = found
    return found
  }
}
