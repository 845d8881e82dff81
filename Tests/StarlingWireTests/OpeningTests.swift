import StarlingTestSupport
import StarlingCore
import StarlingWire
import Testing

@Suite struct `A document that is opened from its snapshot` {
  @Test func `leaves what nobody touches`() throws {
    var document = try SnapshotCoding.open(Library(seed: 0).bytes)
    let (before, keyCount) = (document.rowCount.slots, document.keyCount(in: Library.shelf))
    // Of 3,300 those that stand in one block with an object, and those with objects below them.
    #expect(before < 500)
    #expect(keyCount > 1024)
    #expect(document.visible(.name("key 700"), in: Library.shelf) == .value(.integer(700), by: Library.dot(of: 700)))
    #expect(document.visible(.name("no key"), in: Library.shelf) == .absent)
    #expect(document.rowCount.slots == before)

    var patch = Patch()
    document.begin(as: Samples.eve, now: 1_800_000_000_000)
    document.set(.integer(1), for: .name("key 700"), in: Library.shelf, patch: &patch)
    document.set(.integer(1), for: .name("key 7000"), in: Library.shelf, patch: &patch)
    document.remove(.name("key 701"), in: Library.shelf, patch: &patch)
    _ = document.commit()
    #expect(document.rowCount.slots <= before + 129)
    #expect(document.keyCount(in: Library.shelf) == keyCount)
    document.checkInvariants()
  }

  @Test func `opens a block for a change that comes`() throws {
    let library = Library(seed: 0)
    var writer = try Document(SnapshotCoding.decode(library.bytes))
    var reader = try SnapshotCoding.open(library.bytes)
    let before = reader.rowCount.slots
    var patch = Patch()
    writer.begin(as: Samples.eve, now: 1_800_000_000_000)
    writer.set(.string("new"), for: .name("key 100"), in: Library.shelf, patch: &patch)
    let change = writer.commit()
    var heard = Patch()
    #expect(try reader.merge(#require(change), patch: &heard) == .merged)
    #expect(heard.entries == patch.entries)
    #expect(reader.rowCount.slots <= before + 64)
    #expect(reader.digest() == writer.digest())
  }

  @Test(arguments: 0..<12) func `does as one that was read whole`(seed: UInt64) throws {
    var pair = try Pair(Library(seed: seed % 3), seed: seed)
    for step in 0..<120 { try pair.act("seed \(seed), step \(step)") }
    pair.compare("seed \(seed)")
  }

  /// Through a gate, as what peers send.
  @Test(arguments: 0..<6) func `takes in rows of changes as one that was read whole`(seed: UInt64) throws {
    let library = Library(seed: seed % 3)
    var dice = Dice(seed: seed)
    var (writer, reader) = (try SnapshotCoding.open(library.bytes), try SnapshotCoding.open(library.bytes))
    var whole = try Document(SnapshotCoding.decode(library.bytes))
    var (gate, outcome, patch, rowCount) = (CausalGate(), CausalGate.Received(), Patch(), 0)
    for round in 0..<6 as Range<UInt64> {
      let object = dice.oneIn(3) ? ObjectID.root : Library.shelf
      var changes: [Change] = []
      for number in 0..<12 as Range<UInt64> {
        writer.begin(as: Samples.eve, now: 1_800_000_000_000 + round * 12 + number)
        for _ in 0..<dice.roll(1..<4) {
          let key = Key.name(dice.oneIn(4) ? "new \(dice.roll(9))" : "key \(dice.roll(1100))")
          writer.set(.integer(Int64(dice.roll(100))), for: key, in: object, patch: &patch)
        }
        if let change = writer.commit() { changes.append(change) }
      }
      for part in try Batch.parts(of: Batch.encode(changes)) {
        rowCount += try gate.receive(part, into: &reader, patch: &patch, &outcome) ? 1 : 0
      }
      for change in changes { _ = try whole.merge(change, patch: &patch) }
    }
    #expect(rowCount > 0 && gate.isEmpty, "seed \(seed)")
    #expect(reader.rowCount.slots < whole.rowCount.slots, "seed \(seed)")
    #expect(reader.digest() == whole.digest(), "seed \(seed)")
    #expect(reader.snapshot() == whole.snapshot(), "seed \(seed)")
    reader.checkInvariants()
  }

  @Test(arguments: 0..<3) func `takes in a state, and gives its own`(seed: UInt64) throws {
    let library = Library(seed: seed)
    var pair = try Pair(library, seed: seed)
    for step in 0..<20 { try pair.act("seed \(seed), step \(step)") }
    var other = try SnapshotCoding.open(library.bytes)
    var patch = Patch()
    other.begin(as: Samples.bob, now: 1_800_000_000_000)
    for number in stride(from: 0, to: 900, by: 90) {
      other.remove(.name("key \(number)"), in: Library.shelf, patch: &patch)
    }
    _ = other.commit()
    try pair.merge(other.snapshot())
    pair.compare("seed \(seed)")
  }

  @Test(arguments: 0..<3) func `is read bit by bit by a reader that lets others in between`(seed: UInt64) throws {
    let library = Library(seed: seed)
    var document = try SnapshotCoding.open(library.bytes)
    var stepCount = 1
    var before = document.rowCount.slots
    while !document.openFully(blockCountMax: 2) {
      #expect(document.rowCount.slots <= before + 128, "seed \(seed)")
      before = document.rowCount.slots
      stepCount += 1
      if stepCount == 10 { document.checkInvariants() }
    }
    #expect(stepCount > 20, "seed \(seed)")
    #expect(document.snapshot() == (try SnapshotCoding.decode(library.bytes)), "seed \(seed)")
    #expect(SnapshotCoding.encode(document.cut()) == library.bytes, "seed \(seed)")
  }

  @Test func `differs from another in what differs, and is restored to it`() throws {
    let library = Library(seed: 1)
    let past = try SnapshotCoding.open(library.bytes)
    var present = try SnapshotCoding.open(library.bytes)
    var patch = Patch()
    present.begin(as: Samples.eve, now: 1_800_000_000_000)
    present.set(.null, for: .name("key 5"), in: Library.shelf, patch: &patch)
    present.remove(.name("key 6"), in: Library.shelf, patch: &patch)
    _ = present.commit()
    #expect(past.difference(to: present).entries.map(\.key) == [.name("key 5"), .name("key 6")])
    present.begin(as: Samples.eve, now: 1_800_000_000_000)
    present.restore(like: past, patch: &patch)
    _ = present.commit()
    #expect(past.difference(to: present).isEmpty)
  }
}

@Suite struct `A state that a peer sent` {
  @Test(arguments: 0..<3) func `is validated, and left in its bytes`(seed: UInt64) throws {
    let bytes = Library(seed: seed).bytes
    let state = try SnapshotCoding.validate(bytes)
    // Of more than 3,300.
    #expect(state.document.rowCount.slots < 1000, "seed \(seed)")
    #expect(state.document.snapshot() == (try SnapshotCoding.decode(bytes)), "seed \(seed)")
    state.document.checkInvariants()
  }

  /// The patch of what lies in the bytes, and of what has rows.
  @Test(arguments: 0..<3) func `is told as if it had been merged slot by slot`(seed: UInt64) throws {
    let bytes = Library(seed: seed).bytes
    var (adopted, merged) = (Document(), Document())
    var (brief, long) = (Patch(), Patch(removedObjects: [.assigned(by: Dot(Samples.eve, 1))]))
    try adopted.merge(SnapshotCoding.validate(bytes).document, isHeard: true, patch: &brief)
    try merged.merge(SnapshotCoding.decode(bytes), patch: &long)
    func entries(of patch: Patch) -> [[Key]: Visible] {
      Dictionary(uniqueKeysWithValues: patch.entries.map { ([.name("\($0.object)"), $0.key], $0.to) })
    }
    #expect(entries(of: brief) == entries(of: long), "seed \(seed)")
    #expect(adopted.rowCount.slots < 1000, "seed \(seed)")
    #expect(adopted.digest() == merged.digest(), "seed \(seed)")
  }
}

@Suite struct `A stored snapshot that was damaged` {
  /// Small enough to be damaged everywhere, with blocks all the same.
  private static let bytes: [UInt8] = {
    var document = Document()
    var patch = Patch()
    document.begin(as: Samples.ada, now: 1_700_000_000_000)
    for number in 0..<1024 { document.set(.null, for: .integer(Int64(number)), in: .root, patch: &patch) }
    _ = document.commit()
    return SnapshotCoding.encode(document.snapshot())
  }()

  @Test func `is refused wherever it was cut`() {
    for count in Self.bytes.indices {
      #expect(throws: (any Error).self, "cut to \(count) bytes") {
        _ = try SnapshotCoding.open([UInt8](Self.bytes[..<count]))
      }
    }
  }

  @Test func `is refused whichever bit flipped`() throws {
    #expect(try SnapshotCoding.open(Self.bytes).keyCount(in: .root) == 1024)
    var bytes = Self.bytes
    for place in bytes.indices {
      for bit in [place % 8] {
        bytes[place] ^= 1 << bit
        #expect(throws: WireError.self, "bit \(bit) of byte \(place)") { _ = try SnapshotCoding.open(bytes) }
        bytes[place] ^= 1 << bit
      }
    }
  }

  @Test func `never stops a reader that reads it whole`() {
    // The checksum is made to hold, so that what is within is looked at.
    for seed in 0..<2000 as Range<UInt64> {
      var dice = Dice(seed: seed)
      var bytes = [UInt8](Self.bytes.dropLast(8))
      for _ in 0..<dice.roll(1..<4) { bytes[dice.roll(0..<bytes.count)] = UInt8(truncatingIfNeeded: dice.next()) }
      let checksum = bytes.withUnsafeBytes { $0.checksum }
      bytes += (0..<8).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
      expectAlike(bytes, "seed \(seed)")
    }
  }

  /// The same bytes are refused whether all of a state is made rows of at once or not; and of what was validated nothing
  /// turns out later to be otherwise.
  private func expectAlike(_ bytes: [UInt8], _ hint: String) {
    let whole = Result { try Document(SnapshotCoding.decode(bytes)) }
    let validated = Result { try SnapshotCoding.validate(bytes).document }
    switch (whole, validated) {
    case (.success(let whole), .success(let validated)):
      validated.checkInvariants()
      #expect(whole.snapshot() == validated.snapshot(), "\(hint)")
    case (.failure(let whole), .failure(let validated)): #expect("\(whole)" == "\(validated)", "\(hint)")
    default: Issue.record("\(hint): \(whole) is not \(validated)")
    }
  }
}

extension Samples {
  fileprivate static let eve = ReplicaID(rawValue: 0xE1E1_E1E1_E1E1_E1E1)
}

/// A snapshot of objects that have many slots.
private struct Library {
  static let shelf = ObjectID.derived(parent: .root, key: "shelf", kind: .dictionary)

  let bytes: [UInt8]
  /// Objects to write to, and keys that some of them have.
  let objects: [ObjectID]
  let keys: [Key]

  static func dot(of number: Int) -> Dot { Dot(Samples.ada, UInt64(number) + 1) }

  init(seed: UInt64) {
    var dice = Dice(seed: seed)
    var document = Document()
    var patch = Patch()
    document.begin(as: Samples.ada, now: 1_700_000_000_000)
    document.declare(.dictionary, for: "shelf", in: .root)
    for number in 0..<1100 {
      document.set(.integer(Int64(number)), for: .name("key \(number)"), in: Self.shelf, patch: &patch)
    }
    let crate = document.assignObject(.map, for: "crate", in: .root, patch: &patch)
    for number in 0..<1100 {
      document.set(.string("v\(number)"), for: .integer(Int64(3 * number)), in: crate, patch: &patch)
      document.set(.bool(number % 2 == 0), for: .name("row-\(number)"), in: .root, patch: &patch)
    }
    _ = document.commit()
    var objects: [ObjectID] = [.root, Self.shelf, crate]
    var other = document
    for replica in [Samples.bob, Samples.eve] {
      var writer = replica == Samples.bob ? other : document
      writer.begin(as: replica, now: 1_700_000_000_001)
      for _ in 0..<15 {
        let key = Key.name("key \(dice.roll(0..<40))")
        switch dice.roll(0..<5) {
        case 0: writer.increment(key, in: Self.shelf, by: 3, patch: &patch)
        case 1: objects.append(writer.assignObject(.map, for: key, in: Self.shelf, patch: &patch))
        case 2:
          let child = writer.declare(.map, for: key, in: Self.shelf)
          writer.set(.integer(1), for: "field", in: child, patch: &patch)
          objects.append(child)
        case 3: writer.remove(key, in: Self.shelf, patch: &patch)
        default: writer.set(.integer(Int64(dice.roll(0..<9))), for: key, in: Self.shelf, patch: &patch)
        }
      }
      _ = writer.commit()
      if replica == Samples.bob { other = writer } else { document = writer }
    }
    _ = try? document.merge(other.snapshot(), patch: &patch)
    bytes = SnapshotCoding.encode(document.snapshot())
    self.objects = objects
    keys =
      (0..<60).map { .name("key \($0)") } + [.name("key 1000"), .name("a"), .name("z"), "field", "shelf", "crate"]
      + (0..<40).map { .integer(Int64($0)) } + (0..<30).map { .name("row-\($0 * 30)") }
  }
}

/// The same document twice, opened and read whole, to which the same is done.
private struct Pair {
  private var dice: Dice
  private let library: Library
  private var opened: Document
  private var whole: Document
  /// Somebody else, who has heard of all that these two did not write.
  private var other: Document
  private var histories = (UndoHistory(), UndoHistory())
  private var now: UInt64 = 1_800_000_000_000

  init(_ library: Library, seed: UInt64) throws {
    dice = Dice(seed: seed &+ 77)
    self.library = library
    opened = try SnapshotCoding.open(library.bytes)
    whole = try Document(SnapshotCoding.decode(library.bytes))
    other = whole
  }

  mutating func act(_ hint: String) throws {
    let (object, key) = (dice.pick(library.objects), dice.pick(library.keys))
    switch dice.roll(0..<20) {
    case 0..<8:
      #expect(opened.visible(key, in: object) == whole.visible(key, in: object), "\(hint)")
      #expect(opened.entries(key, in: object) == whole.entries(key, in: object), "\(hint)")
      #expect(opened.count(key, in: object) == whole.count(key, in: object), "\(hint)")
      #expect(opened.contains(key, in: object) == whole.contains(key, in: object), "\(hint)")
      #expect(opened.keyCount(in: object) == whole.keyCount(in: object), "\(hint)")
    case 8..<15: write(hint) { document, _, dice, patch in Self.write(&document, &dice, &patch, key, object) }
    case 15..<18:
      now += 1
      other.begin(as: Samples.bob, now: now)
      var patch = Patch()
      Self.write(&other, &dice, &patch, key, object)
      guard let change = other.commit() else { return }
      var patches = (Patch(), Patch())
      let outcomes = try (opened.merge(change, patch: &patches.0), whole.merge(change, patch: &patches.1))
      #expect(outcomes.0 == outcomes.1, "\(hint)")
      #expect(Set(patches.0.entries) == Set(patches.1.entries), "\(hint)")
    case 18:
      write(hint) { document, history, _, patch in _ = history.undo(in: &document, patch: &patch) }
    default:
      #expect(Set(opened.keys(in: object)) == Set(whole.keys(in: object)), "\(hint)")
      if dice.oneIn(3) { #expect(opened.digest() == whole.digest(), "\(hint)") }
      opened.checkInvariants()
    }
  }

  private mutating func write(
    _ hint: String, _ body: (inout Document, inout UndoHistory, inout Dice, inout Patch) -> Void
  ) {
    now += 1
    var patches = (Patch(), Patch())
    var die = dice
    opened.begin(as: Samples.eve, now: now, recording: true)
    body(&opened, &histories.0, &dice, &patches.0)
    whole.begin(as: Samples.eve, now: now, recording: true)
    body(&whole, &histories.1, &die, &patches.1)
    let changes = (opened.commit(), whole.commit())
    #expect(changes.0 == changes.1, "\(hint)")
    #expect(Set(patches.0.entries) == Set(patches.1.entries), "\(hint)")
    guard changes.0 != nil else { return }
    histories.0.add(opened.takeRecording())
    histories.1.add(whole.takeRecording())
  }

  private static func write(
    _ document: inout Document, _ dice: inout Dice, _ patch: inout Patch, _ key: Key, _ object: ObjectID
  ) {
    switch dice.roll(0..<6) {
    case 0: document.remove(key, in: object, patch: &patch)
    case 1: document.increment(key, in: object, by: 2, patch: &patch)
    case 2: document.assignObject(.map, for: key, in: object, patch: &patch)
    case 3:
      let child = document.declare(.map, for: key, in: object)
      document.set(.integer(4), for: "field", in: child, patch: &patch)
    default: document.set(.integer(Int64(dice.roll(0..<5))), for: key, in: object, patch: &patch)
    }
  }

  mutating func merge(_ snapshot: Snapshot) throws {
    var patches = (Patch(), Patch())
    try opened.merge(snapshot, patch: &patches.0)
    try whole.merge(snapshot, patch: &patches.1)
    #expect(Set(patches.0.entries) == Set(patches.1.entries))
  }

  func compare(_ hint: String) {
    opened.checkInvariants()
    #expect(opened.snapshot() == whole.snapshot(), "\(hint)")
    #expect(opened.digest() == whole.digest(), "\(hint)")
    #expect(Set(opened.keys(in: .root)) == Set(whole.keys(in: .root)), "\(hint)")
  }
}
