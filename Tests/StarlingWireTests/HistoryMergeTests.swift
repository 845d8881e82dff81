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

  /// - Returns: What became of the batch in both ways.
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
        let outcome =
          switch part {
          case .change(let change): try quickly.merge(change, patch: &patches.1)
          case .history(let history): try quickly.merge(history, patch: &patches.1)
          }
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

@Suite struct `A history merged as one` {
  private func same(_ changes: [Change], in both: inout BothWays) throws -> Bool {
    let former = both.quickly
    let outcomes = try both.merge(Batch.encode(changes))
    return outcomes.slowly == outcomes.quickly && both.agree(since: former)
  }

  @Test(arguments: 0..<120) func `leaves what its changes leave`(seed: Int) throws {
    var typing = TypingDrawing(seed: UInt64(seed))
    var both = BothWays()
    for _ in 0..<4 {
      let isSame = try same(typing.changes(typing.dice.roll(1..<200)), in: &both)
      try #require(isSame, "seed \(seed)")
    }
  }

  @Test(arguments: 0..<60) func `leaves it where some of it, or too little, was here`(seed: Int) throws {
    var typing = TypingDrawing(seed: UInt64(seed))
    let changes = typing.changes(60)
    var both = BothWays()
    for _ in 0..<12 {
      let from = typing.dice.roll(0..<60)
      let isSame = try same(Array(changes[from..<min(60, from + typing.dice.roll(1..<40))]), in: &both)
      try #require(isSame, "seed \(seed)")
    }
  }

  /// Edits by another writer before, so that both ways find their places among theirs.
  @Test(arguments: 0..<60) func `stands among what others wrote`(seed: Int) throws {
    var typing = TypingDrawing(seed: UInt64(seed))
    var both = BothWays()
    var other = Document()
    for round in 0..<4 {
      other.begin(as: Samples.bob, now: UInt64(round))
      let text = other.declare(.text, for: "notes", in: .root)
      let count = other.count(in: text)
      var patch = Patch()
      other.insert("Bob \(round) ß", at: typing.dice.roll(0..<count + 1), in: text, patch: &patch)
      if count > 4 { other.removeItems(1..<3, in: text, patch: &patch) }
      let commit = other.commit()
      let written = [try #require(commit)]
      for changes in [written, typing.changes(40)] {
        let isSame = try same(changes, in: &both)
        try #require(isSame, "seed \(seed)")
        for change in changes { _ = try other.merge(change, patch: &patch) }
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
}
