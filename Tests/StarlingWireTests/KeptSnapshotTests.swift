import StarlingCore
import StarlingTestSupport
import StarlingWire
import Testing

/// What a replica keeps for itself, and opens again and again, while others write too.
@Suite struct `A snapshot that a replica keeps for itself` {
  private static let text = ObjectID.derived(parent: .root, key: "text", kind: .text)

  /// One document goes on as it is; the other one is kept and opened every few steps, and reads no more of what it kept
  /// than it is asked for.
  @Test(arguments: 0..<12) func `goes on as one that was never put away`(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var whole = Document()
    whole.declare(.text, for: "text", in: .root)
    var kept = whole
    let writers = [Samples.ada, Samples.bob, ReplicaID(rawValue: 0xC0)].prefix(seed % 2 == 0 ? 3 : 1)
    for step in 0..<300 as Range<UInt64> {
      // A writer that none of the leaves has heard of.
      let writer = step > 200 ? ReplicaID(rawValue: 0x0D) : dice.pick(Array(writers))
      for change in try write(as: writer, at: step, in: whole, &dice) {
        var patches = (Patch(), Patch())
        #expect(try whole.merge(change, patch: &patches.0) == .merged)
        #expect(try kept.merge(change, patch: &patches.1) == .merged)
        #expect(patches.0.sequences == patches.1.sequences, "seed \(seed), step \(step)")
      }
      let index = dice.roll(0..<whole.count(in: Self.text) + 1)
      #expect(kept.edge(at: index, .left, in: Self.text) == whole.edge(at: index, .left, in: Self.text))
      guard dice.oneIn(12) else { continue }
      if dice.oneIn(3) {
        // In which order depends on when it was put away last.
        while kept.collectTombstones(stable: kept.version) > 0 {}
        while whole.collectTombstones(stable: whole.version) > 0 {}
      }
      if dice.oneIn(3) { #expect((kept.snapshot() == whole.snapshot()) == true, "seed \(seed), step \(step)") }
      kept.openFully()
      kept = try SnapshotCoding.open(SnapshotCoding.encodeToKeep(kept.cut(), spanCountMin: 1))
      #expect(kept.text(in: Self.text) == whole.text(in: Self.text), "seed \(seed), step \(step)")
      #expect(kept.digest() == whole.digest(), "seed \(seed), step \(step)")
      if dice.oneIn(4) { kept.checkInvariants() }
    }
    kept.checkInvariants()
    #expect((kept.snapshot() == whole.snapshot()) == true, "seed \(seed)")
  }

  /// What the writer does on its own, some of it one after the other: the changes.
  private func write(
    as writer: ReplicaID, at step: UInt64, in document: Document, _ dice: inout Dice
  ) throws -> [Change] {
    var document = document
    var patch = Patch()
    var changes: [Change] = []
    for _ in 0..<dice.roll(1..<4) {
      document.begin(as: writer, now: 1_700_000_000_000 + step)
      let count = document.count(in: Self.text)
      if count > 60, dice.oneIn(3) {
        let start = dice.roll(0..<count - 20)
        document.removeItems(start..<start + dice.roll(1..<20), in: Self.text, patch: &patch)
      } else {
        document.insert(
          dice.pick(["a", "lorem ", "ß", "🪶 ", "dolor sit amet "]), at: dice.roll(0..<count + 1), in: Self.text,
          patch: &patch)
      }
      if let change = document.commit() { changes.append(change) }
    }
    return changes
  }

  @Test func `gives away the leaves that are written to, and no others`() throws {
    let written = try typed(2000)
    var document = try SnapshotCoding.open(SnapshotCoding.encodeToKeep(written.cut()))
    document.openFully()
    let leafCount = document.storedLeafCount
    #expect(leafCount > 80)
    #expect(document.text(in: Self.text) == written.text(in: Self.text))
    #expect(document.edge(at: 70, .left, in: Self.text) == written.edge(at: 70, .left, in: Self.text))
    #expect(document.storedLeafCount == leafCount)
    var patch = Patch()
    document.begin(as: Samples.bob, now: 1_700_000_000_000)
    document.insert("here", at: 1000, in: Self.text, patch: &patch)
    _ = document.commit()
    #expect(document.storedLeafCount == leafCount - 1)
    var again = try SnapshotCoding.open(SnapshotCoding.encodeToKeep(document.cut()))
    again.openFully()
    // The leaf was full, so that two took its place.
    #expect(again.storedLeafCount == leafCount + 1)
    #expect(again.text(in: Self.text) == document.text(in: Self.text))
    #expect(again.snapshot() == document.snapshot())
  }

  @Test func `is read by nobody else`() throws {
    let bytes = SnapshotCoding.encodeToKeep(try typed(40).cut(), spanCountMin: 1)
    let error = #expect(throws: WireError.self) { try SnapshotCoding.decode(bytes) }
    #expect(error?.code == .unsupportedVersion)
    #expect(throws: WireError.self) { try SnapshotCoding.validate(bytes) }
  }

  @Test func `is what it would send where no text is long`() throws {
    let document = try typed(40)
    #expect(SnapshotCoding.encodeToKeep(document.cut()) == SnapshotCoding.encode(document.cut()))
  }

  @Test func `that was damaged is refused, at every byte`() throws {
    let bytes = SnapshotCoding.encodeToKeep(try typed(40).cut(), spanCountMin: 1)
    for place in bytes.indices {
      #expect(throws: WireError.self) { try SnapshotCoding.open(Array(bytes[..<place])) }
      var flipped = bytes
      flipped[place] ^= 1 << UInt8(place % 8)
      #expect(throws: WireError.self) { try SnapshotCoding.open(flipped) }
    }
  }

  /// A letter, and one before the last again and again: no run goes on.
  private func typed(_ count: Int) throws -> Document {
    var document = Document()
    var patch = Patch()
    document.declare(.text, for: "text", in: .root)
    for number in 0..<count {
      document.begin(as: Samples.ada, now: 1_700_000_000_000)
      document.insert("x", at: number / 2, in: Self.text, patch: &patch)
      _ = document.commit()
    }
    return document
  }
}
