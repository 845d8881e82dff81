import StarlingTestSupport
import StarlingCore
import StarlingWire
import Testing

@Suite struct `A text that is opened from a snapshot` {
  @Test(arguments: Form.allCases) func `reads without its order being built`(form: Form) throws {
    let paper = Paper(seed: 0, form)
    let document = try SnapshotCoding.open(paper.bytes)
    #expect(document.rowCount.items == 0)
    #expect(document.text(in: Paper.text) == paper.whole.text(in: Paper.text))
    #expect(document.count(in: Paper.text) == paper.whole.count(in: Paper.text))
    #expect(document.keyCount(in: .root) == paper.whole.keyCount(in: .root))
    #expect(document.visible("text", in: .root) == paper.whole.visible("text", in: .root))
    #expect(document.rowCount.items == 0)
  }

  @Test(arguments: Form.allCases, 0..<4) func `answers as one that was read whole`(form: Form, seed: UInt64) throws {
    let paper = Paper(seed: seed, form)
    let (opened, whole) = (try SnapshotCoding.open(paper.bytes), paper.whole)
    let count = whole.count(in: Paper.text)
    #expect(opened.text(3..<40, in: Paper.text) == whole.text(3..<40, in: Paper.text))
    #expect(opened.utf8Count(in: Paper.text) == whole.utf8Count(in: Paper.text))
    #expect(opened.utf16Offset(of: 30, in: Paper.text) == whole.utf16Offset(of: 30, in: Paper.text))
    for index in [0, 1, 17, count] {
      let edge = opened.edge(at: index, .left, in: Paper.text)
      #expect(edge == whole.edge(at: index, .left, in: Paper.text), "seed \(seed)")
      #expect(opened.index(of: edge, in: Paper.text) == index, "seed \(seed)")
    }
    #expect(opened.marks(in: Paper.text) == whole.marks(in: Paper.text))
    #expect(opened.digest() == whole.digest())
    #expect(opened.snapshot() == whole.snapshot())
    #expect(opened.difference(to: whole).isEmpty)
    opened.checkInvariants()
  }

  /// What may come first after opening, each by itself.
  private static let edits: [@Sendable (inout Document, Paper, inout Patch) throws -> Void] = [
    { document, _, patch in document.insert("new", at: 12, in: Paper.text, patch: &patch) },
    { document, _, patch in document.removeItems(5..<70, in: Paper.text, patch: &patch) },
    { document, _, patch in document.mark(5..<70, "bold", value: .bool(true), in: Paper.text, patch: &patch) },
    { document, _, patch in document.remove("text", in: .root, patch: &patch) },
    { document, _, patch in document.set(.null, for: "text", in: .root, patch: &patch) },
    { document, paper, patch in document.set(.integer(1), for: "draft", in: .root, patch: &patch) },
    { document, paper, patch in document.insert("x", at: 0, in: paper.draft, patch: &patch) },
    { document, paper, patch in document.set(.integer(1), for: "title", in: .root, patch: &patch) },
    { document, paper, patch in document.restore(like: paper.past, patch: &patch) },
  ]

  @Test(arguments: 0..<9, 0..<6) func `takes each write as one that was read whole`(edit: Int, seed: UInt64) throws {
    let paper = Paper(seed: seed / 2, seed % 2 == 0 ? .asItTravels : .byLeaf)
    var (opened, whole) = (try SnapshotCoding.open(paper.bytes), paper.whole)
    var remote = try SnapshotCoding.open(paper.bytes)
    var histories = (UndoHistory(), UndoHistory())
    func write(_ document: inout Document, _ history: inout UndoHistory) throws -> (Change?, Patch) {
      var patch = Patch()
      document.begin(as: Samples.bob, now: 1_800_000_000_000, recording: true)
      try Self.edits[edit](&document, paper, &patch)
      let change = document.commit()
      history.add(document.takeRecording())
      return (change, patch)
    }
    let (mine, theirs) = (try write(&opened, &histories.0), try write(&whole, &histories.1))
    #expect(mine.0 == theirs.0)
    #expect(mine.1.entries == theirs.1.entries)
    #expect(mine.1.sequences == theirs.1.sequences)
    opened.checkInvariants()
    #expect(opened.digest() == whole.digest(), "edit \(edit), seed \(seed)")
    #expect(opened.snapshot() == whole.snapshot(), "edit \(edit), seed \(seed)")

    var patch = Patch()
    if let change = mine.0 { #expect(try remote.merge(change, patch: &patch) == .merged) }
    #expect(Set(patch.entries) == Set(mine.1.entries), "edit \(edit), seed \(seed)")
    #expect(remote.digest() == whole.digest(), "edit \(edit), seed \(seed)")

    opened.begin(as: Samples.bob, now: 1_800_000_000_001)
    whole.begin(as: Samples.bob, now: 1_800_000_000_001)
    _ = histories.0.undo(in: &opened, patch: &patch)
    _ = histories.1.undo(in: &whole, patch: &patch)
    #expect(opened.commit() == whole.commit())
    #expect(opened.digest() == whole.digest(), "edit \(edit), seed \(seed)")
  }

  @Test(arguments: Form.allCases) func `collects what is stable`(form: Form) throws {
    let paper = Paper(seed: 2, form)
    var (opened, whole) = (try SnapshotCoding.open(paper.bytes), paper.whole)
    #expect(opened.collectTombstones(stable: opened.version) == whole.collectTombstones(stable: whole.version))
    #expect(opened.snapshot() == whole.snapshot())
    #expect(opened.snapshot() != paper.whole.snapshot())
  }

  /// Through a gate, as what peers send, and without one. A writer that began the text by itself names no item that is
  /// there.
  @Test(arguments: Form.allCases, [true, false]) func `merges what was typed elsewhere as one`(
    form: Form, isFromBeginning: Bool
  ) throws {
    let paper = Paper(seed: 1, form)
    var whole = paper.whole
    var writer = isFromBeginning ? Document() : paper.whole
    writer.declare(.text, for: "text", in: .root)
    var changes: [Change] = []
    for number in 0..<20 as Range<UInt64> {
      var patch = Patch()
      writer.begin(as: ReplicaID(rawValue: 77), now: 1_800_000_000_000 + number)
      writer.insert("y", at: isFromBeginning ? Int(number) : 10 + Int(number), in: Paper.text, patch: &patch)
      if let change = writer.commit() { changes.append(change) }
    }
    var patch = Patch()
    for change in changes { _ = try whole.merge(change, patch: &patch) }
    let parts = try Batch.parts(of: Batch.encode(changes))
    #expect(parts.contains { if case .history = $0 { true } else { false } })
    var (opened, received) = (try SnapshotCoding.open(paper.bytes), try SnapshotCoding.open(paper.bytes))
    var (gate, outcome) = (CausalGate(), CausalGate.Received())
    for part in parts {
      #expect(try opened.merge(part, patch: &patch) == .merged)
      _ = try gate.receive(part, into: &received, patch: &patch, &outcome)
    }
    #expect(gate.isEmpty)
    for document in [opened, received] {
      #expect(document.text(in: Paper.text) == whole.text(in: Paper.text))
      #expect(document.digest() == whole.digest())
    }
  }
}

/// How the snapshot that is opened holds long texts.
enum Form: CaseIterable {
  case asItTravels
  case byLeaf
}

/// A text that was written all over, another in an assigned object, and their snapshot.
private struct Paper: Sendable {
  static let text = ObjectID.derived(parent: .root, key: "text", kind: .text)

  let draft: ObjectID
  let whole: Document
  let bytes: [UInt8]
  /// The document as it was half way.
  let past: Document

  init(seed: UInt64, _ form: Form) {
    var dice = Dice(seed: seed)
    var document = Document()
    var patch = Patch()
    document.declare(.text, for: "text", in: .root)
    document.begin(as: Samples.ada, now: 1_700_000_000_000)
    draft = document.assignObject(.text, for: "draft", in: .root, patch: &patch)
    _ = document.commit()
    var past = document
    for step in 0..<160 as Range<UInt64> {
      if step == 80 { past = document }
      document.begin(as: step % 3 == 0 ? Samples.ada : Samples.bob, now: 1_700_000_000_000 + step)
      for text in [Self.text, draft] {
        let count = document.count(in: text)
        if count > 100, dice.oneIn(3) {
          let start = dice.roll(0..<count - 5)
          document.removeItems(start..<start + dice.roll(1..<5), in: text, patch: &patch)
        } else {
          let words = ["lorem ", "ipsum ", "ß", "🪶 ", "dolor sit amet "]
          document.insert(dice.pick(words), at: dice.roll(0..<count + 1), in: text, patch: &patch)
        }
      }
      _ = document.commit()
    }
    document.undeclare(Self.text)
    let travelling = SnapshotCoding.encode(document.snapshot())
    self.past = past
    bytes = form == .asItTravels ? travelling : SnapshotCoding.encodeToKeep(document.cut(), spanCountMin: 1)
    whole = (try? Document(SnapshotCoding.decode(travelling))) ?? Document()
  }
}
