import StarlingCore

/// The sets that every system does: xorshift32 from 42, as in `peers/peers.py`.
struct Workload {
  struct Write {
    let key: Key
    let value: Value
  }

  private var state: UInt32 = 42
  private let keys: [Key]

  init(keyCount: Int = 1000) {
    keys = (0..<keyCount).map { .name("k\($0)") }
  }

  mutating func next() -> Write {
    state ^= state << 13
    state ^= state >> 17
    state ^= state << 5
    let number = (state >> 12) % 1000
    return Write(
      key: keys[Int(state) % keys.count], value: state >> 9 & 1 == 1 ? .integer(Int64(number)) : .string("v\(number)"))
  }

  static func writes(_ count: Int, keyCount: Int = 1000) -> [Write] {
    var workload = Workload(keyCount: keyCount)
    return (0..<count).map { _ in workload.next() }
  }
}

/// A writer's document, and the clock that the benchmark holds.
struct Writer {
  var document = Document()
  let replica: ReplicaID
  /// Milliseconds since 1970-01-01 UTC.
  var now: UInt64 = 1_800_000_000_000

  init(_ number: UInt64 = 1) {
    // Spread over all 64 bits, as random ids are.
    replica = ReplicaID(rawValue: number &* 0x9E37_79B9_7F4A_7C15)
  }

  /// One transaction that sets one key.
  @inline(__always)
  mutating func set(_ write: Workload.Write, patch: inout Patch) -> Change? {
    document.begin(as: replica, now: now)
    document.set(write.value, for: write.key, in: .root, patch: &patch)
    return document.commit()
  }

  mutating func set(_ write: Workload.Write) -> Change? {
    var patch = Patch()
    return set(write, patch: &patch)
  }
}

/// Hears of patches as an application would: it looks at each entry's new value, and at each edit of a list or text.
final class PatchObserver {
  private(set) var entryCount = 0
  private(set) var editCount = 0

  @inline(never)
  func observe(_ patch: borrowing Patch) {
    for entry in patch.entries {
      if case .absent = entry.to { continue }
      entryCount += 1
    }
    for sequence in patch.sequences { editCount += sequence.edits.count }
  }
}
