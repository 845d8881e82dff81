import StarlingTestSupport
import StarlingCore
import StarlingWire
import Testing

/// What typing costs beside the text itself.
@Suite struct `A character that is typed` {
  static let writer = ReplicaID(rawValue: 0x0123_4567_89AB_CDEF)
  static let notes = ObjectDefinition(parent: .root, key: "notes", kind: .text)

  /// One who types on, a hundred milliseconds a character.
  struct Typist {
    var counter: UInt64 = 0
    var stamp = Stamp(milliseconds: 1_700_000_000_000)

    mutating func change(_ key: Key, _ action: Action, after milliseconds: UInt64 = 130) -> Change {
      stamp = milliseconds == 0 ? stamp.successor : Stamp(milliseconds: stamp.milliseconds + milliseconds)
      let change = Change(
        replica: writer, firstCounter: counter + 1, stamp: stamp, frontier: [], objects: [notes],
        operations: [Operation(object: notes.id, key: key, action: action)])
      counter += change.counterCount
      return change
    }

    mutating func type(_ text: String, after milliseconds: UInt64 = 130) -> Change {
      change(
        .element(counter == 0 ? .origin : Dot(writer, counter)), .insert(.text(Scalars(text)), side: .right),
        after: milliseconds)
    }
  }

  private func cost(_ encoder: inout LiveEncoder, _ change: Change) -> Int {
    var payload: [UInt8] = []
    encoder.encode(change, into: &payload)
    return payload.count
  }

  @Test func `costs 5 bytes, wherever the counters stand`() {
    var typist = Typist(counter: 1 << 40)
    var encoder = LiveEncoder()
    _ = cost(&encoder, typist.type("H"))
    for _ in 0..<1000 { #expect(cost(&encoder, typist.type("e")) == 5) }
    // Three bytes of text, then four.
    #expect(cost(&encoder, typist.type("–")) == 7)
    #expect(cost(&encoder, typist.type("🪶")) == 9)
  }

  @Test func `costs 4 bytes to take back, and as many to delete forwards`() {
    var typist = Typist()
    var encoder = LiveEncoder()
    _ = cost(&encoder, typist.type(String(repeating: "e", count: 1000)))
    for counter in (501...1000 as ClosedRange<UInt64>).reversed() {
      let change = typist.change(.element(Dot(Self.writer, counter)), .removeRun(count: 1))
      #expect(cost(&encoder, change) == 4)
    }
    for counter in 1...500 as ClosedRange<UInt64> {
      let change = typist.change(.element(Dot(Self.writer, counter)), .removeRun(count: 1))
      #expect(cost(&encoder, change) <= (counter == 1 ? 7 : 4))
    }
    // Whoever goes on typing where he deleted says no anchor.
    let change = typist.change(.element(Dot(Self.writer, 499)), .insert(.text(Scalars("x")), side: .right))
    #expect(cost(&encoder, change) == 5)
  }

  @Test func `costs 10 bytes anywhere in a text`() {
    var typist = Typist()
    var encoder = LiveEncoder()
    _ = cost(&encoder, typist.type(String(repeating: "e", count: 200_000)))
    var dice = Dice(seed: 1)
    for _ in 0..<1000 {
      let anchor = Dot(Self.writer, UInt64(dice.roll(1..<200_000)))
      let side: Side = dice.oneIn(2) ? .left : .right
      #expect(cost(&encoder, typist.change(.element(anchor), .insert(.text(Scalars("x")), side: side))) <= 10)
    }
  }

  @Test func `costs 3 bytes where 64 share a frame`() {
    var typist = Typist()
    var encoder = LiveEncoder()
    _ = cost(&encoder, typist.type("H"))
    for sequence in 0..<100 as Range<UInt64> {
      var frame: [UInt8] = []
      PublishedFrame.appendHeader(topic: .max, stream: .max, sequence: sequence, to: &frame)
      for place in 0..<64 { encoder.encode(typist.type("e", after: place == 0 ? 130 : 0), into: &frame) }
      #expect(frame.count <= 3 * 64 + 14)
    }
  }
}

@Suite struct `A list in a stream` {
  private let rows = ObjectDefinition(parent: .root, key: "rows", kind: .list)

  private func change(_ first: UInt64, _ key: Key, _ action: Action) -> Change {
    Change(
      replica: Samples.ada, firstCounter: first, stamp: Stamp(rawValue: Samples.stamp.rawValue + first), frontier: [],
      objects: [rows], operations: [Operation(object: rows.id, key: key, action: action)])
  }

  private func set(_ element: UInt64, replacing replaced: UInt64) -> Action {
    .set(.integer(1), replacing: [Dot(Samples.ada, replaced)], clearing: nil)
  }

  @Test func `whose elements are written once leaves the tables as small as they were`() throws {
    var encoder = LiveEncoder()
    var decoder = LiveDecoder()
    var payload: [UInt8] = []
    let values = (0..<10_000).map { Value.integer($0) }
    encoder.encode(change(1, .element(.origin), .insert(.values(values), side: .right)), into: &payload)
    for element in 1...10_000 as ClosedRange<UInt64> {
      let key = Key.element(Dot(Samples.ada, element))
      encoder.encode(change(10_000 + element, key, set(element, replacing: element)), into: &payload)
    }
    #expect(encoder.tables().count < 100)
    // Two bytes a value; flags, head, object, replica, three bytes of counter and the value a write.
    #expect(payload.count < 20_100 + 10_000 * 9)
    let decoded = try decoder.decode(payload)
    #expect(decoded.count == 10_001)
    #expect(decoded[10_000].operations[0].key == .element(Dot(Samples.ada, 10_000)))
  }

  @Test func `takes an element into the tables that is written again`() throws {
    var encoder = LiveEncoder()
    var decoder = LiveDecoder()
    var counts: [Int] = []
    let key = Key.element(Dot(Samples.ada, 1))
    var changes = [change(1, .element(.origin), .insert(.values([.integer(0)]), side: .right))]
    changes.append(change(2, key, set(1, replacing: 1)))
    for counter in 3...6 as ClosedRange<UInt64> { changes.append(change(counter, key, set(1, replacing: counter - 1))) }
    for change in changes {
      var payload: [UInt8] = []
      encoder.encode(change, into: &payload)
      counts.append(payload.count)
      let isSame = try decoder.decode(payload) == [change]
      #expect(isSame)
    }
    #expect(counts[3...] == [4, 4, 4])
  }
}

@Suite struct `A text in a snapshot` {
  @Test func `costs what does not repeat in it and a few bytes for each run, however often it was edited`() throws {
    let ada = Samples.ada
    let version = VersionVector([VersionVector.Entry(replica: ada, counter: 300_000)])
    // A run that was broken at every twentieth item by one typed later.
    var runs: [Snapshot.Run] = []
    var text = ""
    for piece in 0..<5000 as Range<UInt64> {
      let first = Dot(ada, 1 + 20 * piece)
      let anchor = piece == 0 ? Edge.start : Edge(.right, of: Dot(ada, 20 * piece))
      runs.append(Snapshot.Run(first: first, anchor: anchor, content: .text(count: 20)))
      text += "nineteen characters."
      guard piece < 4999 else { continue }
      runs.append(
        Snapshot.Run(
          first: Dot(ada, 200_000 + piece), anchor: Edge(.left, of: Dot(ada, 21 + 20 * piece)),
          content: .text(count: 1)))
      text += "–"
    }
    let notes = `A character that is typed`.notes
    let snapshot = Snapshot(
      version: version, frontier: [Dot(ada, 300_000)], latestStamp: Samples.stamp,
      objects: [
        Snapshot.Object(
          id: notes.id, origin: .derived(notes), slots: [],
          sequence: Snapshot.Sequence(runs: runs, text: Scalars(text)))
      ])
    let bytes = SnapshotCoding.encode(snapshot)
    // The text of 115,000 bytes is one, in the order of its items, so that it says the same again and again.
    #expect(bytes.count < 4_000 + 3 * runs.count)
    let isSame = try SnapshotCoding.decode(bytes) == snapshot
    #expect(isSame)
  }

  @Test func `of a list says the dot of an element once`() throws {
    let ada = Samples.ada
    let rows = ObjectDefinition(parent: .root, key: "rows", kind: .list)
    let slots = (1...10_000 as ClosedRange<UInt64>).map { counter in
      let entry = Entry(dot: Dot(ada, counter), stamp: Samples.stamp, value: .bool(counter % 3 == 0))
      return Snapshot.Slot(key: .element(Dot(ada, counter)), entries: [entry], shares: [])
    }
    let run = Snapshot.Run(first: Dot(ada, 1), anchor: .start, content: .elements(count: 10_000))
    let snapshot = Snapshot(
      version: VersionVector([VersionVector.Entry(replica: ada, counter: 10_000)]), frontier: [Dot(ada, 10_000)],
      latestStamp: Samples.stamp,
      objects: [
        Snapshot.Object(
          id: rows.id, origin: .derived(rows), slots: slots, sequence: Snapshot.Sequence(runs: [run]))
      ])
    let bytes = SnapshotCoding.encode(snapshot)
    // A head each, and a value where it differs from the one before.
    #expect(bytes.count < 10_000 + 6_700 + 100)
    let isSame = try SnapshotCoding.decode(bytes) == snapshot
    #expect(isSame)
  }
}
