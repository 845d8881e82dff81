import StarlingCore

/// The map workload by which the bytes of other systems were measured: sets over a thousand keys,
/// drawn by a 32-bit xorshift from 42, each an integer below 1000 or a text like "v123".
struct Workload {
  private var state: UInt32 = 42
  private var counter: UInt64 = 0
  private var last: [String: Dot] = [:]
  private(set) var values: [String: Entry] = [:]
  private(set) var stamp = Stamp(milliseconds: 1_700_000_000_000)

  static let writer = ReplicaID(rawValue: 0x0123_4567_89AB_CDEF)

  /// The next set, `milliseconds` after the one before.
  mutating func change(after milliseconds: UInt64, frontier: [Dot] = []) -> Change {
    state ^= state << 13
    state ^= state >> 17
    state ^= state << 5
    let key = "k\(state % 1000)"
    let number = (state >> 12) % 1000
    let value: Value = state >> 9 & 1 == 1 ? .integer(Int64(number)) : .string("v\(number)")
    counter += 1
    stamp = milliseconds == 0 ? stamp.successor : Stamp(milliseconds: stamp.milliseconds + milliseconds)
    let dot = Dot(Self.writer, counter)
    let replaced = last.updateValue(dot, forKey: key).map { DotSet($0) } ?? []
    values[key] = Entry(dot: dot, stamp: stamp, value: value)
    return Change(
      replica: Self.writer, firstCounter: counter, stamp: stamp, frontier: frontier, objects: [],
      operations: [
        Operation(object: .root, key: .name(key), action: .set(value, replacing: replaced, clearing: nil))
      ])
  }

  /// What the sets so far leave.
  var snapshot: Snapshot {
    let slots = values.sorted { Key.name($0.key) < Key.name($1.key) }.map { key, entry in
      Snapshot.Slot(key: .name(key), entries: [entry], shares: [])
    }
    return Snapshot(
      version: VersionVector([VersionVector.Entry(replica: Self.writer, counter: counter)]),
      frontier: [Dot(Self.writer, counter)], latestStamp: stamp,
      objects: [Snapshot.Object(id: .root, origin: .root, slots: slots)])
  }
}
