import StarlingTestSupport
import StarlingCore
import StarlingWire
import Testing

/// Two documents that merge the same batch: one change by change, one its histories as one.
private struct BothWays {
  var slowly = Document()
  var quickly = Document()
  var patches = (Patch(), Patch())

  enum Outcome: Equatable {
    case done(MergeOutcome)
    case refused(MergeError)
  }

  /// - Returns: The outcome of the batch in both ways.
  mutating func merge(_ bytes: [UInt8]) throws -> (slowly: Outcome, quickly: Outcome) {
    patches = (Patch(), Patch())
    var outcomes = (slowly: Outcome.done(.duplicate), quickly: Outcome.done(.duplicate))
    do throws(MergeError) {
      for change in try! Batch.decode(bytes) {
        let outcome = try slowly.merge(change, patch: &patches.0)
        if outcome == .duplicate { continue }
        outcomes.slowly = .done(outcome)
        if outcome != .merged { break }
      }
    } catch {
      outcomes.slowly = .refused(error)
    }
    do throws(MergeError) {
      for part in try! Batch.parts(of: bytes) {
        let outcome = try quickly.merge(part, patch: &patches.1)
        if outcome == .duplicate { continue }
        outcomes.quickly = .done(outcome)
        if outcome != .merged { break }
      }
    } catch {
      outcomes.quickly = .refused(error)
    }
    quickly.checkInvariants()
    return outcomes
  }

  /// Whether both hold the same to the byte, and their patches lead a reader of `former` to what stands now.
  func agree(since former: Document) -> Bool {
    SnapshotCoding.encode(slowly.snapshot()) == SnapshotCoding.encode(quickly.snapshot())
      && slowly.digest() == quickly.digest() && slowly.version == quickly.version
      && slowly.frontier == quickly.frontier && slowly.latestStamp == quickly.latestStamp
      && Set(patches.0.entries) == Set(patches.1.entries)
      && leadsHere(patches.0, from: former) && leadsHere(patches.1, from: former)
  }

  /// Whether a reader who follows the edits keeps what stayed, and asks for what came where it stands.
  private func leadsHere(_ patch: Patch, from former: Document) -> Bool {
    let text = TypingDrawing.notes.id
    var shown: [Unicode.Scalar?] = former.text(in: text).unicodeScalars.map { $0 }
    for edit in patch.sequences.first(where: { $0.object == text })?.edits ?? [] {
      switch edit {
      case .insert(let at, let count): shown.insert(contentsOf: [Unicode.Scalar?](repeating: nil, count: count), at: at)
      case .remove(let at, let count): shown.removeSubrange(at..<at + count)
      case .move, .mark: return false
      }
    }
    let present = Array(quickly.text(in: text).unicodeScalars)
    return shown.count == present.count && zip(shown, present).allSatisfy { $0 == nil || $0 == $1 }
  }
}

/// Somebody who types and deletes in a text here and there, a change a stroke.
private struct Typist {
  private(set) var document = Document()
  var dice: Dice
  private var caret = 0

  init(seed: UInt64) {
    dice = Dice(seed: seed)
  }

  mutating func changes(_ count: Int) -> [Change] {
    var changes: [Change] = []
    while changes.count < count {
      document.begin(as: TypingDrawing.writer, now: UInt64(1_700_000_000_000 + changes.count * 7))
      for _ in 0..<(dice.oneIn(9) ? 3 : 1) { type() }
      if let change = document.commit() { changes.append(change) }
    }
    return changes
  }

  mutating func merge(_ changes: [Change]) throws {
    var patch = Patch()
    for change in changes { _ = try document.merge(change, patch: &patch) }
  }

  private mutating func type() {
    let text = document.declare(.text, for: "notes", in: .root)
    var patch = Patch()
    let count = document.count(in: text)
    caret = dice.oneIn(12) ? dice.roll(0..<count + 1) : min(caret, count)
    switch dice.roll(0..<5) {
    case 0 where caret > 0:
      caret -= 1
      document.removeItems(caret..<caret + 1, in: text, patch: &patch)
    case 1 where caret + 2 < count:
      document.removeItems(caret..<caret + dice.roll(1..<3), in: text, patch: &patch)
    default:
      let string = dice.oneIn(25) ? dice.text() + "." : dice.pick(["a", "e", " ", "n", "ß", "🪶"])
      document.insert(string, at: caret, in: text, patch: &patch)
      caret += string.unicodeScalars.count
    }
  }
}

@Suite struct `A history merged as one` {
  private func same(_ changes: [Change], in both: inout BothWays) throws -> Bool {
    let former = both.quickly
    let outcomes = try both.merge(Batch.encode(changes))
    return outcomes.slowly == outcomes.quickly && both.agree(since: former)
  }

  @Test(arguments: 0..<50) func `leaves what its changes leave`(seed: Int) throws {
    var typist = Typist(seed: UInt64(seed))
    var both = BothWays()
    for _ in 0..<4 {
      let changes = typist.changes(typist.dice.roll(4..<100))
      var (gate, document, patch, received) = (CausalGate(), both.quickly, Patch(), CausalGate.Received())
      for case .history(let history) in try Batch.parts(of: Batch.encode(changes)) {
        #expect(try gate.receive(.history(history), into: &document, patch: &patch, &received), "seed \(seed)")
      }
      let isSame = try same(changes, in: &both)
      try #require(isSame, "seed \(seed)")
    }
    #expect(both.quickly.digest() == typist.document.digest(), "seed \(seed)")
  }

  @Test(arguments: 0..<30) func `leaves it where somebody anchors to what is no item`(seed: Int) throws {
    var typing = TypingDrawing(seed: UInt64(seed))
    var both = BothWays()
    for _ in 0..<4 {
      let isSame = try same(typing.changes(typing.dice.roll(1..<100)), in: &both)
      try #require(isSame, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<30) func `leaves it where some of it, or too little, was here`(seed: Int) throws {
    var typist = Typist(seed: UInt64(seed))
    let changes = typist.changes(60)
    var both = BothWays()
    for _ in 0..<12 {
      let from = typist.dice.roll(0..<60)
      let isSame = try same(Array(changes[from..<min(60, from + typist.dice.roll(1..<40))]), in: &both)
      try #require(isSame, "seed \(seed)")
    }
  }

  /// Edits by another writer before, so that both ways find their places among theirs.
  @Test(arguments: 0..<30) func `stands among what others wrote`(seed: Int) throws {
    var typist = Typist(seed: UInt64(seed))
    var both = BothWays()
    var other = Document()
    for round in 0..<4 {
      other.begin(as: Samples.bob, now: UInt64(round))
      let text = other.declare(.text, for: "notes", in: .root)
      let count = other.count(in: text)
      var patch = Patch()
      other.insert("Bob \(round) ß", at: typist.dice.roll(0..<count + 1), in: text, patch: &patch)
      if count > 4 { other.removeItems(1..<3, in: text, patch: &patch) }
      let commit = other.commit()
      let written = [try #require(commit)]
      for changes in [written, typist.changes(40)] {
        let isSame = try same(changes, in: &both)
        try #require(isSame, "seed \(seed)")
        for change in changes { _ = try other.merge(change, patch: &patch) }
        if round % 2 == 0 { try typist.merge(written) }
      }
    }
    #expect(other.digest() == both.quickly.digest(), "seed \(seed)")
  }

  /// A typing history with one operation that names something else.
  private func typed(with operation: Operation) -> [Change] {
    var typing = TypingDrawing(seed: 9)
    var changes = typing.changes(20)
    let counter = changes[19].lastCounter + 1
    for place in 0..<6 as Range<UInt64> {
      let own = Operation(
        object: TypingDrawing.notes.id, key: .element(Dot(TypingDrawing.writer, counter - 1)),
        action: .removeRun(count: 1))
      changes.append(
        Change(
          replica: TypingDrawing.writer, firstCounter: counter + place, stamp: changes[19].stamp, frontier: [],
          objects: [TypingDrawing.notes], operations: [place == 3 ? operation : own]))
    }
    return changes
  }

  @Test func `is refused, and waits, where its changes do`() throws {
    let (text, writer) = (TypingDrawing.notes.id, TypingDrawing.writer)
    let unseen = Dot(Samples.bob, 7)
    func outcome(_ key: Dot, _ action: Action) throws -> BothWays.Outcome {
      var both = BothWays()
      let changes = typed(with: Operation(object: text, key: .element(key), action: action))
      let bytes = Batch.encode(changes)
      #expect(try Batch.parts(of: bytes).count == 1)
      let outcomes = try both.merge(bytes)
      #expect(outcomes.slowly == outcomes.quickly)
      #expect(both.agree(since: Document()))
      return outcomes.quickly
    }
    func refused(_ key: Dot, _ action: Action) throws -> MergeError.Code? {
      if case .refused(let error) = try outcome(key, action) { error.code } else { nil }
    }
    let a = Content.text(Scalars("a"))
    #expect(try refused(unseen, .insert(a, side: .left)) == .unseenDot)
    #expect(try refused(unseen, .removeRun(count: 1)) == .unseenDot)
    #expect(try refused(Dot(writer, 1), .removeRun(count: 1 << 40)) == .unseenDot)
    #expect(try refused(Dot(writer, 1 << 20), .insert(a, side: .right)) == .unseenDot)
    #expect(try refused(.origin, .insert(a, side: .left)) == .malformedChange)
    // An item that its writer invented: the dot is that of a removal.
    let removal = Operation(object: text, key: .element(Dot(writer, 1)), action: .removeRun(count: 1))
    let dot = Dot(writer, typed(with: removal)[21].firstCounter)
    #expect(try outcome(dot, .insert(a, side: .right)) == .done(.lacksAnchors([dot])))
  }

  @Test func `is received as one, and releases what waited for its midst`() throws {
    var typist = Typist(seed: 3)
    let changes = typist.changes(100)
    guard case .history(let history) = try Batch.parts(of: Batch.encode(changes)).first else {
      Issue.record("It is no history")
      return
    }
    let waiting = Change(
      replica: Samples.bob, firstCounter: 1, stamp: Samples.stamp, frontier: [changes[49].last], objects: [],
      operations: [Operation(object: .root, key: "title", action: .set(.null, replacing: [], clearing: nil))])
    var (gate, document, patch) = (CausalGate(), Document(), Patch())
    #expect(try gate.receive(waiting, into: &document, patch: &patch).missing == [changes[49].last])
    var received = CausalGate.Received()
    #expect(try gate.receive(.history(history), into: &document, patch: &patch, &received))
    #expect(received.merged == [waiting] && gate.isEmpty)
    #expect(document.frontier.count == 2)
    // Now there is nothing to merge as one.
    #expect(try !gate.receive(.history(history), into: &document, patch: &patch, &received))
    #expect(received.merged == [waiting])
    #expect(try document.merge(history, patch: &patch) == .duplicate)
  }

  @Test func `is malformed where its numbers contradict each other`() throws {
    var typing = TypingDrawing(seed: 4)
    let changes = typing.changes(50)
    let history = try #require(changes.withBorrowed { TextHistory(prefixOf: $0, in: $0.indices) })
    func refusal(_ spoil: (inout TextHistory) -> Void) -> MergeError.Code? {
      var spoiled = history
      spoil(&spoiled)
      var (document, patch) = (Document(), Patch())
      do throws(MergeError) { _ = try document.merge(spoiled, patch: &patch) } catch { return error.code }
      return nil
    }
    #expect(refusal { _ in } == nil)
    let spoils: [(inout TextHistory) -> Void] = [
      { $0.firstCounter = 0 }, { $0.firstCounter = .max }, { $0.firstCounter = (1 << 63) - 2 }, { $0.stamps = [] },
      { $0.stamps.removeLast() }, { $0.operationCounts.removeLast() }, { $0.operationCounts[0].operations = .max },
      { $0.operationCounts[0].changes = -1 }, { $0.strokes.removeLast() }, { $0.strokes[0].operationCount = -1 },
      { $0.strokes[0].size = .max }, { $0.strokes[0].size = 0 }, { $0.text = Scalars("a") },
      { $0.strokes[0].action = .removeForwards(from: Dot(Samples.bob, .max)) },
      { $0.strokes[0].action = .removeForwards(from: .origin) },
      { history in
        let place = history.strokes.firstIndex { $0.firstRemoved != nil }!
        history.strokes[place].action = .removeBackwards(from: Dot(Samples.bob, 0))
      },
    ]
    for (place, spoil) in spoils.enumerated() { #expect(refusal(spoil) == .malformedChange, "spoil \(place)") }
  }
}

@Suite struct `A megabyte of removals` {
  /// Beyond one look at each run, a removal looks at 34 at most; a frame has at most 2^20 operations.
  @Test func `cannot have us look through a text again and again`() throws {
    let object = TypingDrawing.notes.id
    var document = Document()
    var patch = Patch()
    let runCount: UInt64 = 5000
    document.begin(as: TypingDrawing.writer, now: 1)
    document.declare(.text, for: "notes", in: .root)
    for _ in 0..<runCount { document.insert("a", at: 0, in: object, patch: &patch) }
    _ = document.commit()
    let removals = (0..<180_000 as Range<UInt64>).map { place in
      Operation(
        object: object, key: .element(Dot(TypingDrawing.writer, place % 300 + 1)),
        action: .removeRun(count: runCount - 300 - place % 999))
    }
    let change = Change(
      replica: Samples.bob, firstCounter: 1, stamp: Samples.stamp, frontier: [], objects: [TypingDrawing.notes],
      operations: removals)
    let bytes = Batch.encode([change])
    #expect(bytes.count > 900 << 10 && bytes.count <= 1 << 20, "\(bytes.count)")
    for change in try Batch.decode(bytes) {
      #expect(try document.merge(change, patch: &patch) == .merged)
    }
    #expect(document.removalLookCount <= Int(runCount) + 34 * removals.count)
    #expect(document.count(in: object) < 5)
  }
}
