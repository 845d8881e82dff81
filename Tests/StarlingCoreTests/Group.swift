import Foundation
import StarlingCore
import StarlingTestSupport

/// A few replicas that write and hear of each other when a test says so.
struct Group {
  var documents: [Document]
  var patches: [Patch]
  private(set) var log: [Change] = []
  var now: UInt64 = 1_000

  init(_ count: Int) {
    documents = Array(repeating: Document(), count: count)
    patches = Array(repeating: Patch(), count: count)
  }

  static func replica(_ place: Int) -> ReplicaID { ReplicaID(rawValue: UInt64(place + 1)) }

  /// Another one in each run, so that all orders of names have their turn; `STARLING_SEED` repeats one.
  static let seed =
    ProcessInfo.processInfo.environment["STARLING_SEED"].flatMap(UInt64.init) ?? UInt64.random(in: 0..<1_000_000)

  /// Names of so many replicas, drawn: ties break by name, and it is not always the first that has the lowest.
  static func replicas(_ count: Int, seed: UInt64) -> [ReplicaID] {
    var dice = Dice(seed: ~seed)
    let names = [1, 2, 3, 5, 6, 1 << 32, 1 << 63, .max] as [UInt64]
    return names.shuffled(using: &dice).prefix(count).map { ReplicaID(rawValue: $0) }
  }

  /// Writes one change at a replica; nil if nothing was written.
  @discardableResult
  mutating func write(_ place: Int, _ body: (inout Document, inout Patch) -> Void) -> Change? {
    patches[place] = Patch()
    documents[place].begin(as: Self.replica(place), now: now)
    body(&documents[place], &patches[place])
    let change = documents[place].commit()
    documents[place].checkInvariants()
    if let change { log.append(change) }
    now += 1
    return change
  }

  @discardableResult
  mutating func set(_ place: Int, _ key: Key, _ value: Value, in object: ObjectID = .root) -> Change? {
    write(place) { $0.set(value, for: key, in: object, patch: &$1) }
  }

  @discardableResult
  mutating func remove(_ place: Int, _ key: Key, in object: ObjectID = .root) -> Change? {
    write(place) { $0.remove(key, in: object, patch: &$1) }
  }

  @discardableResult
  mutating func increment(_ place: Int, _ key: Key, by amount: Int64, in object: ObjectID = .root) -> Change? {
    write(place) { $0.increment(key, in: object, by: amount, patch: &$1) }
  }

  /// Delivers one change to one replica.
  @discardableResult
  mutating func deliver(_ change: Change?, to place: Int) throws -> MergeOutcome {
    patches[place] = Patch()
    let outcome = try documents[place].merge(change!, patch: &patches[place])
    documents[place].checkInvariants()
    return outcome
  }

  /// Delivers everything to everybody.
  mutating func sync() throws {
    for place in documents.indices {
      for change in log { try deliver(change, to: place) }
    }
  }

  /// Whether all hold the same state, to the byte.
  var agrees: Bool {
    let first = documents[0].canonicalSnapshot()
    return documents.allSatisfy { $0.canonicalSnapshot() == first && $0.digest() == documents[0].digest() }
  }
}
