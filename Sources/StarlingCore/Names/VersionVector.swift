/// A version vector: for each replica, how many of its operations are merged.
///
/// Every operation of `replica` up to and including `self[replica]` is covered. Entries are
/// ascending by replica and never zero, so equal versions are equal arrays.
public struct VersionVector: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var replica: ReplicaID
    public var counter: UInt64

    public init(replica: ReplicaID, counter: UInt64) {
      self.replica = replica
      self.counter = counter
    }
  }

  public private(set) var entries: [Entry]

  public init() {
    entries = []
  }

  /// Entries may come in any order; of two for one replica the greater stands, zeros are left out.
  public init(_ entries: some Sequence<Entry>) {
    self.init()
    self.entries.reserveCapacity(entries.underestimatedCount)
    for entry in entries where entry.counter > 0 {
      // Those who hold a version hold it in order.
      if self.entries.last.map({ $0.replica < entry.replica }) ?? true {
        self.entries.append(entry)
      } else {
        self[entry.replica] = max(self[entry.replica], entry.counter)
      }
    }
  }

  public var isEmpty: Bool { entries.isEmpty }

  /// The counter of the replica's last covered operation, 0 if there is none.
  ///
  /// - Complexity: O(log *n*) to read; O(*n*) to write a replica that is not here yet.
  public subscript(replica: ReplicaID) -> UInt64 {
    get {
      let place = index(of: replica)
      return place < entries.count && entries[place].replica == replica ? entries[place].counter : 0
    }
    set { _ = exchange(newValue, of: replica) }
  }

  /// Sets the counter of the replica's last covered operation; 0: there is none.
  ///
  /// - Returns: The counter before.
  /// - Complexity: O(log *n*); O(*n*) where the replica comes or goes.
  mutating func exchange(_ counter: UInt64, of replica: ReplicaID) -> UInt64 {
    let place = index(of: replica)
    guard place < entries.count, entries[place].replica == replica else {
      if counter > 0 { entries.insert(Entry(replica: replica, counter: counter), at: place) }
      return 0
    }
    let former = entries[place].counter
    if counter > 0 { entries[place].counter = counter } else { entries.remove(at: place) }
    return former
  }

  /// How many operations are covered; `UInt64.max` where that would be passed.
  ///
  /// - Complexity: O(*n*)
  public var operationCount: UInt64 { entries.reduce(0) { $0.addingOrGreatest($1.counter) } }

  /// Which of the entries is the replica's.
  ///
  /// - Complexity: O(log *n*)
  package func place(of replica: ReplicaID) -> Int? {
    let place = index(of: replica)
    return place < entries.count && entries[place].replica == replica ? place : nil
  }

  public func covers(_ dot: Dot) -> Bool {
    dot.counter <= self[dot.replica]
  }

  /// Whether everything that `other` covers is covered here.
  ///
  /// - Complexity: O(*n* + *m*)
  public func covers(_ other: VersionVector) -> Bool {
    var place = entries.startIndex
    for entry in other.entries {
      while place < entries.endIndex, entries[place].replica < entry.replica { place += 1 }
      guard place < entries.endIndex, entries[place].replica == entry.replica,
        entries[place].counter >= entry.counter
      else { return false }
    }
    return true
  }

  /// Covers what either covers.
  ///
  /// - Complexity: O(*n* + *m*)
  public mutating func merge(_ other: VersionVector) {
    guard !covers(other) else { return }
    var merged: [Entry] = []
    merged.reserveCapacity(entries.count + other.entries.count)
    var here = entries[...]
    var there = other.entries[...]
    while let left = here.first, let right = there.first {
      if left.replica < right.replica {
        merged.append(here.removeFirst())
      } else if right.replica < left.replica {
        merged.append(there.removeFirst())
      } else {
        merged.append(Entry(replica: left.replica, counter: max(left.counter, right.counter)))
        here.removeFirst()
        there.removeFirst()
      }
    }
    merged.append(contentsOf: here)
    merged.append(contentsOf: there)
    entries = merged
  }

  /// What covers what either covers.
  ///
  /// - Complexity: O(*n* + *m*)
  func merging(_ other: VersionVector) -> VersionVector {
    var merged = self
    merged.merge(other)
    return merged
  }

  /// How many of the replicas `other` does not name.
  ///
  /// - Complexity: O(*n* + *m*)
  public func strangerCount(to other: VersionVector) -> Int {
    var count = 0
    forEach(beside: other) { _, isStranger in count += isStranger ? 1 : 0 }
    return count
  }

  /// This version without replicas that `other` does not name, but for the first `countMax` of those.
  ///
  /// - Complexity: O(*n* + *m*)
  public func keepingStrangers(to other: VersionVector, atMost countMax: Int) -> VersionVector {
    guard entries.count > countMax else { return self }
    var kept = VersionVector()
    var strangerCount = 0
    forEach(beside: other) { entry, isStranger in
      strangerCount += isStranger ? 1 : 0
      if !isStranger || strangerCount <= countMax { kept.entries.append(entry) }
    }
    return kept
  }

  private func forEach(beside other: VersionVector, _ body: (Entry, _ isStranger: Bool) -> Void) {
    var place = 0
    for entry in entries {
      while place < other.entries.count, other.entries[place].replica < entry.replica { place += 1 }
      body(entry, place == other.entries.count || other.entries[place].replica != entry.replica)
    }
  }

  /// Covers what both cover.
  ///
  /// - Complexity: O(*n* log *m*)
  public func intersection(_ other: VersionVector) -> VersionVector {
    var common = VersionVector()
    common.entries = entries.compactMap { entry in
      let counter = min(entry.counter, other[entry.replica])
      return counter == 0 ? nil : Entry(replica: entry.replica, counter: counter)
    }
    return common
  }

  /// The place of the first entry whose replica is not less than `replica`.
  @inline(__always)
  private func index(of replica: ReplicaID) -> Int {
    // Most documents have one writer, or two.
    if let first = entries.first, first.replica >= replica { return 0 }
    return entries.partitioningIndex { $0.replica >= replica }
  }
}

extension VersionVector: CustomStringConvertible {
  public var description: String {
    "[" + entries.map { "\($0.replica):\($0.counter)" }.joined(separator: " ") + "]"
  }
}

extension UInt64 {
  /// The sum, or the greatest number there is where it would be passed.
  func addingOrGreatest(_ other: UInt64) -> UInt64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? .max : sum
  }
}
