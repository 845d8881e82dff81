import StarlingTestSupport
import StarlingCore
import StarlingWire
import Testing

/// Bytes are reckoned while a change is open and counted when it is encoded; were the first too few, a
/// change could be accepted that no peer takes.
@Suite struct `The weight of an open change` {
  @Test(arguments: 0..<200 as Range<UInt64>) func `is never less than its bytes`(seed: UInt64) {
    var generator = Dice(seed: seed)
    var document = Document()
    var patch = Patch()
    var objects: [ObjectID] = [.root]
    let here = ReplicaID(rawValue: .max)
    // Others wrote before, so that writes replace and clear.
    for other in 1...8 as ClosedRange<UInt64> {
      var theirs = Document()
      theirs.begin(as: ReplicaID(rawValue: .max - other), now: 1_800_000_000_000)
      for key in 0..<8 { write(&theirs, Key.name("key \(key)"), [.root], &patch, &generator) }
      if let change = theirs.commit() { _ = try? document.merge(change, patch: &patch) }
    }
    for time in 1...4 as ClosedRange<UInt64> {
      document.begin(as: here, now: 1_800_000_000_000 + time)
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        let key = Self.key(&generator)
        if Int.random(in: 0..<4, using: &generator) == 0 {
          let kind = Kind.known.randomElement(using: &generator)!
          objects.append(document.declare(kind, for: key, in: objects.randomElement(using: &generator)!))
        }
        write(&document, key, objects, &patch, &generator)
      }
      let weight = document.openWeight
      guard let change = document.commit() else { continue }
      let byteCount = Batch.encode([change]).count
      #expect(byteCount <= weight, "seed \(seed): \(change)")
    }
  }

  private func write(
    _ document: inout Document, _ key: Key, _ objects: [ObjectID], _ patch: inout Patch, _ generator: inout Dice
  ) {
    let object = objects.randomElement(using: &generator)!
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: document.remove(key, in: object, patch: &patch)
    case 1: document.increment(key, in: object, by: .random(in: .min ... .max, using: &generator), patch: &patch)
    case 2: document.assignObject(.map, for: key, in: object, patch: &patch)
    default: document.set(Self.value(&generator), for: key, in: object, patch: &patch)
    }
  }

  private static func key(_ generator: inout Dice) -> Key {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: .integer(.random(in: .min ... .max, using: &generator))
    case 1: .bytes([UInt8](repeating: 7, count: .random(in: 0...300, using: &generator)))
    default: .name("key \(Int.random(in: 0..<8, using: &generator))")
    }
  }

  private static func value(_ generator: inout Dice) -> Value {
    let text = String(repeating: "é", count: .random(in: 0...200, using: &generator))
    let all: [Value] = [
      .null, .bool(true), .integer(.random(in: 0...8300, using: &generator)), .integer(.min), .integer(-1),
      .unsigned(.max), .double(0.1), .string(text), .bytes(Array(text.utf8)), .json(text), .date(0.1), .derived(.set),
      .reference(ObjectID(high: .max, low: .max)), .reference(ObjectID(high: .max, low: 1)),
      .unknown(tag: .max, payload: [1, 2]),
    ]
    return all.randomElement(using: &generator)!
  }
}
