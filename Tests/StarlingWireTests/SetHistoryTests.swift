import StarlingCore
import StarlingTestSupport
import StarlingWire
import Testing

@Suite struct `Changes that only set, read as one` {
  @Test(arguments: 0..<60) func `are the changes that were written, however payloads part them`(seed: Int) throws {
    var drawing = GroupDrawing(seed: UInt64(seed))
    for _ in 0..<60 { try drawing.write() }
    var (decoder, contributions) = (LiveDecoder(), Contributions())
    for payload in payloads(of: drawing.log, &drawing.dice) { try decoder.decode(payload[...], into: &contributions) }
    #expect(contributions.changeCount == drawing.log.count)
    let parts = contributions.take()
    let hasRow = parts.contains { if case .sets = $0 { true } else { false } }
    let isSame = parts.flatMap(\.changes) == drawing.log
    #expect(isSame && hasRow, "seed \(seed)")
  }

  @Test(arguments: 0..<40) func `are written as those changes, whole and in part`(seed: Int) throws {
    var drawing = GroupDrawing(seed: UInt64(seed))
    for _ in 0..<60 { try drawing.write() }
    var encoder = Batch.Encoder()
    for case .sets(let row) in try Batch.parts(of: Batch.encode(drawing.log)) {
      let changes = row.changes
      let isSame = encoder.encode(row, in: 0..<row.setCount) == Batch.encode(changes)
      #expect(isSame, "seed \(seed)")
      guard let middle = row.middle(of: 0..<row.setCount) else { continue }
      let tail = changes.filter { $0.firstCounter >= row.firstCounter + UInt64(middle) }
      let isSameInPart = encoder.encode(row, in: middle..<row.setCount) == Batch.encode(tail)
      #expect(isSameInPart, "seed \(seed)")
    }
  }

  /// The tables of a stream hold 65,536 slots; the row's seventh is one too many.
  @Test func `are written as those changes where the stream begins again in their midst`() throws {
    let keys = (0..<65_530).map { Key.integer(Int64($0)) }
    var full = LiveEncoder()
    var payload: [UInt8] = []
    let filling = Change(
      replica: Samples.bob, firstCounter: 1, stamp: Samples.stamp, frontier: [], objects: [],
      operations: keys.map {
        Operation(object: .root, key: $0, action: .set(.null, replacing: DotSet(), clearing: nil))
      })
    full.encode(filling, into: &payload)
    // Each of twelve slots three times, round and round.
    let changes = (0..<36 as Range<UInt64>).map { number in
      Samples.change(
        number + 1,
        [.set(.integer(1), replacing: number < 12 ? [] : [Dot(Samples.ada, number - 11)], clearing: nil)],
        object: Samples.books.id, key: .integer(Int64(number % 12)), objects: [Samples.books])
    }
    guard case .sets(let row)? = try Batch.parts(of: Batch.encode(changes)).first else {
      Issue.record("Changes that only set come in no row.")
      return
    }
    #expect(row.changes == changes)
    var (single, whole, bySingle, byWhole) = (full, full, [UInt8](), [UInt8]())
    for change in changes { single.encode(change, into: &bySingle) }
    var slots = LiveEncoder.RowSlots(of: row)
    #expect(whole.encode(row, in: 0..<row.setCount, &slots, into: &byWhole) == changes.count)
    #expect(byWhole == bySingle)
    var decoder = LiveDecoder()
    _ = try decoder.decode(payload)
    #expect(try decoder.decode(byWhole) == changes)
  }

  @Test(arguments: 0..<40) func `merge as one where each of them would merge`(seed: Int) throws {
    var drawing = GroupDrawing(seed: UInt64(seed))
    for _ in 0..<60 { try drawing.write() }
    let parts = try Batch.parts(of: Batch.encode(drawing.log))
    var (one, many, patches) = (Document(), Document(), (Patch(), Patch()))
    for part in parts {
      #expect(try many.merge(part, patch: &patches.0) == .merged)
      for change in part.changes { #expect(try one.merge(change, patch: &patches.1) == .merged) }
    }
    many.checkInvariants()
    let isSame = one.snapshot() == many.snapshot() && one.digest() == many.digest()
    #expect(isSame && one.version == many.version && one.frontier == many.frontier, "seed \(seed)")
  }

  /// Late, early, twice, and some by somebody who says to have seen what nobody has, or less than it was.
  @Test func `merge, wait and are refused as they would be one by one`() throws {
    var (rowCount, heldCount, refusedCount) = (0, 0, 0)
    for seed in 1...20 as ClosedRange<UInt64> {
      let receiver = try received(seed: seed)
      rowCount += receiver.rowCount
      heldCount += receiver.heldCount
      refusedCount += receiver.refusedCount
    }
    #expect(rowCount > 40 && heldCount > 200 && refusedCount > 0)
  }

  private func received(seed: UInt64) throws -> Receiver {
    var drawing = GroupDrawing(seed: seed)
    for _ in 0..<40 { try drawing.write() }
    var (rows, single) = (Receiver(), Receiver())
    var rest = try parts(of: drawing.log.map { drawing.altered($0) }, &drawing.dice)[...]
    while !rest.isEmpty {
      let place = rest.startIndex + drawing.dice.roll(0..<min(6, rest.count))
      let part = drawing.dice.oneIn(5) ? rest[place] : rest.remove(at: place)
      let error = rows.receive(part)
      #expect(single.receive(part, oneByOne: true) == error, "seed \(seed)")
      let isSame = rows.received == single.received && rows.gate.count == single.gate.count
      #expect(isSame && rows.document.frontier == single.document.frontier, "seed \(seed), \(part)")
      guard rest.isEmpty || drawing.dice.oneIn(16) else { continue }
      rows.document.checkInvariants()
      #expect(rows.document.snapshot() == single.document.snapshot(), "seed \(seed)")
    }
    return rows
  }

  /// A few changes at a time.
  private func parts(of changes: [Change], _ dice: inout Dice) throws -> [Contribution] {
    var decoder = LiveDecoder()
    return try payloads(of: changes, &dice).flatMap { payload in
      var contributions = Contributions()
      try decoder.decode(payload[...], into: &contributions)
      return contributions.take()
    }
  }

  private func payloads(of changes: [Change], _ dice: inout Dice) -> [[UInt8]] {
    var (encoder, payloads, rest) = (LiveEncoder(), [[UInt8]](), changes[...])
    while !rest.isEmpty {
      var payload: [UInt8] = []
      for _ in 0..<min(dice.roll(1..<8), rest.count) { encoder.encode(rest.removeFirst(), into: &payload) }
      payloads.append(payload)
    }
    return payloads
  }

  /// What one has merged, and what the gate said of it.
  private struct Receiver {
    var document = Document()
    var gate = CausalGate()
    /// Rows that merged as one.
    var rowCount = 0
    /// Parts after which something waited.
    var heldCount = 0
    var refusedCount = 0
    private var patch = Patch()
    private var outcome = CausalGate.Received()

    /// What is missing and what merged; not in which order what had waited has merged.
    var received: [Set<Dot>] { [Set(outcome.missing), Set(outcome.anchorsLacking), Set(outcome.merged.map(\.last))] }

    mutating func receive(_ part: Contribution, oneByOne: Bool = false) -> MergeError? {
      outcome = CausalGate.Received()
      defer { heldCount += gate.isEmpty ? 0 : 1 }
      do throws(MergeError) {
        if oneByOne {
          for change in part.changes { try gate.receive(change, into: &document, patch: &patch, &outcome) }
        } else if try gate.receive(part, into: &document, patch: &patch, &outcome) {
          rowCount += 1
          outcome.merged += part.changes
        }
        return nil
      } catch {
        refusedCount += 1
        return error
      }
    }
  }

  /// Its writer has two changes of one name, as no program of ours has: what the last replaces stands under another key,
  /// or in another object, than the change of that name in the row.
  @Test(arguments: [(ObjectID.root, "other"), (Samples.books.id, "title")] as [(ObjectID, Key)])
  func `set each its own slot, whatever they say to replace`(object: ObjectID, key: Key) throws {
    func set(_ counter: UInt64, in object: ObjectID = .root, _ key: Key, replacing: DotSet = []) -> Change {
      Samples.change(
        counter, [.set(.integer(Int64(counter)), replacing: replacing, clearing: nil)], object: object, key: key,
        objects: object == .root ? [] : [Samples.books])
    }
    let dot = Dot(Samples.ada, 2)
    let former = set(dot.counter, in: object, key)
    let changes = [set(1, "a"), set(dot.counter, "title"), set(3, in: object, key, replacing: [dot])]
    var (encoder, decoder, parts) = (LiveEncoder(), LiveDecoder(), [Contribution]())
    for group in [[former], changes] {
      var (payload, contributions) = ([UInt8](), Contributions())
      for change in group { encoder.encode(change, into: &payload) }
      try decoder.decode(payload[...], into: &contributions)
      parts = contributions.take()
    }
    #expect(parts.count == 1 && parts.flatMap(\.changes) == changes)
    var (one, many, patch) = (Document(), Document(), Patch())
    for change in changes { _ = try one.merge(change, patch: &patch) }
    for part in parts { _ = try many.merge(part, patch: &patch) }
    #expect(many.snapshot() == one.snapshot())
    #expect(many.visible("title", in: .root) == .value(.integer(2), by: dot))
  }

  /// One object under two numbers, told of with its definition and without, as no program of ours writes it: whoever reads
  /// one of the changes alone finds what that one tells.
  @Test(arguments: [[2, 1], [1, 2]]) func `define what each of them defines`(objects: [UInt8]) throws {
    let books = Samples.books
    var payload: [UInt8] = [0x01, 0x00] + fixed(Samples.ada.rawValue)
    // Number 1 by its id alone, number 2 with its parent, its key and its kind: a change each, with a key of its own.
    payload += [0x40, 0x01, 0x01] + fixed(books.id.high) + fixed(books.id.low) + [0x01, 0x02, 0x05]
    payload += [0x00, 0x40, 0x02, 0x02 + books.kind.rawValue, 0x00, 0x00, 0x05]
    payload += Array("books".utf8) + [0x01, 0x04, 0x05]
    for (object, key) in zip(objects, [0x06, 0x08] as [UInt8]) { payload += [0x00, 0x40, object, 0x01, key, 0x05] }
    var (decoder, rows, contributions) = (LiveDecoder(), LiveDecoder(), Contributions())
    let changes = try decoder.decode(payload)
    #expect(changes.map(\.objects.count) == [0, 1] + objects.map { Int($0) - 1 })
    try rows.decode(payload[...], into: &contributions)
    let parts = contributions.take()
    #expect(parts.count == 3 && parts.flatMap(\.changes) == changes)
  }

  private func fixed(_ number: UInt64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }

  @Test func `end where one replaces what another in the row has replaced`() throws {
    let (first, second, third) = (Dot(Samples.ada, 1), Dot(Samples.ada, 2), Dot(Samples.ada, 3))
    // The second and the third both replace the first, as no program of ours writes.
    let changes = [
      set(first.counter, "a", replacing: []), set(second.counter, "b", replacing: [first]),
      set(third.counter, "c", replacing: [first]),
    ]
    var (one, many, patch) = (Document(), Document(), Patch())
    for change in changes { _ = try one.merge(change, patch: &patch) }
    let parts = try Batch.parts(of: Batch.encode(changes))
    #expect(parts.count == 2)
    for part in parts { #expect(try many.merge(part, patch: &patch) == .merged) }
    #expect(many.snapshot() == one.snapshot() && many.entries("title", in: .root).count == 2)
  }

  @Test(arguments: Continuation.allCases)
  func `go where a payload turns out to be damaged, and none that came before`(_ continuation: Continuation) throws {
    let good = [set(1, "a", replacing: []), set(2, "b", replacing: [Dot(Samples.ada, 1)])]
    let removal = Samples.change(3, [.remove(replacing: [Dot(Samples.ada, 2)], clearing: nil)], key: "title")
    let further = [set(3, "c", replacing: [Dot(Samples.ada, 2)]), set(4, "d", replacing: [Dot(Samples.ada, 3)])]
    let damaged =
      switch continuation {
      case .ofTheRow: further
      case .ofAnotherRow: [set(8, "c", replacing: []), set(9, "d", replacing: [])]
      case .byARemoval: [removal]
      case .byARowBehindARemoval: [removal, set(4, "d", replacing: []), set(5, "e", replacing: [])]
      }
    for count in 1...2 {
      var (encoder, decoder, contributions) = (LiveEncoder(), LiveDecoder(), Contributions())
      func payload(_ changes: [Change]) -> ArraySlice<UInt8> {
        var payload: [UInt8] = []
        for change in changes { encoder.encode(change, into: &payload) }
        return payload[...]
      }
      let kept = Array(good.prefix(count))
      try decoder.decode(payload(kept), into: &contributions)
      let bytes = payload(damaged).dropLast()
      #expect(throws: WireError.self) { try decoder.decode(bytes, into: &contributions) }
      #expect(contributions.changeCount == count)
      let parts = contributions.take()
      #expect(parts.flatMap(\.changes) == kept)
      var (document, patch) = (Document(), Patch())
      for part in parts { #expect(try document.merge(part, patch: &patch) == .merged) }
      #expect(document.visible("title", in: .root) == .value(.string(count == 1 ? "a" : "b"), by: kept[count - 1].last))
    }
  }

  enum Continuation: CaseIterable {
    case ofTheRow
    case ofAnotherRow
    case byARemoval
    case byARowBehindARemoval
  }

  @Test func `stay bounded, however many come`() throws {
    let changes = (1...10_000 as ClosedRange<UInt64>).map {
      set($0, "\($0)", replacing: $0 == 1 ? [] : [Dot(Samples.ada, $0 - 1)])
    }
    let parts = try Batch.parts(of: Batch.encode(changes))
    for case .sets(let row) in parts { #expect(row.setCount <= 4096) }
    let isSame = parts.flatMap(\.changes) == changes
    #expect(isSame && parts.count == 3)
  }

  private func set(_ counter: UInt64, _ value: String, replacing: DotSet) -> Change {
    Samples.change(counter, [.set(.string(value), replacing: replacing, clearing: nil)], key: "title")
  }
}
