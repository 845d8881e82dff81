import StarlingCore

/// How far the changes of each writer go, as the checks hold it: plain numbers. What `VersionVector` merges, covers or
/// looks up wrongly would be wrong in a promise as well, and in what the promise is held against.
struct SeenVersion: Hashable, CustomStringConvertible {
  /// By the bits of the writer's replica id; none is 0.
  private(set) var counters: [UInt64: UInt64] = [:]

  init() {}

  init(_ version: VersionVector) {
    for entry in version.entries { take(entry.counter, of: entry.replica) }
  }

  subscript(replica: ReplicaID) -> UInt64 { counters[replica.rawValue] ?? 0 }

  /// The last operation of each writer.
  var heads: [Dot] {
    counters.sorted { $0.key < $1.key }.map { Dot(ReplicaID(rawValue: $0.key), $0.value) }
  }

  /// Goes as far as `counter`, if it did not.
  mutating func take(_ counter: UInt64, of replica: ReplicaID) {
    if counter > self[replica] { counters[replica.rawValue] = counter }
  }

  mutating func merge(_ other: SeenVersion) {
    counters.merge(other.counters) { max($0, $1) }
  }

  /// Whether this goes as far as `other`, of each writer.
  func covers(_ other: SeenVersion) -> Bool {
    other.counters.allSatisfy { $0.value <= counters[$0.key] ?? 0 }
  }

  /// No further than that of those who are named.
  func limited(to limits: [ReplicaID: UInt64]) -> SeenVersion {
    var limited = self
    for (replica, limit) in limits where self[replica] > limit {
      limited.counters[replica.rawValue] = limit == 0 ? nil : limit
    }
    return limited
  }

  var description: String {
    let entries = counters.sorted { $0.key < $1.key }.map { "\(ReplicaID(rawValue: $0.key)):\($0.value)" }
    return "[" + entries.joined(separator: " ") + "]"
  }
}
