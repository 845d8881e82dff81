import StarlingTestSupport
import StarlingCore
import StarlingWire
import Testing

@Suite struct `Changes that are merged as they are read` {
  @Test(arguments: 0..<40) func `leave what merging them one by one leaves`(seed: Int) throws {
    var drawing = GroupDrawing(seed: UInt64(seed))
    for _ in 0..<60 { try drawing.write() }
    var one = Document()
    var patch = Patch()
    for change in drawing.log { #expect(try one.merge(change, patch: &patch) == .merged) }

    // What one has already comes again, and ends in the middle of a row.
    let known = drawing.dice.roll(0..<drawing.log.count)
    var many = Document()
    for change in drawing.log[..<known] { _ = try many.merge(change, patch: &patch) }
    let former = many
    patch = Patch()
    #expect(try Batch.merge(Batch.encode(drawing.log), into: &many, patch: &patch) == .merged)
    expectSame(many, one, seed: seed)
    expect(patch, tells: former, from: many, seed: seed)
    #expect(try Batch.merge(Batch.encode(drawing.log), into: &many, patch: &patch) == .duplicate)
  }

  @Test(arguments: 0..<30) func `do so in a live stream, whatever shares a payload`(seed: Int) throws {
    var drawing = GroupDrawing(seed: UInt64(seed))
    for _ in 0..<60 { try drawing.write() }
    var (encoder, decoder) = (LiveEncoder(), LiveDecoder())
    var (one, many) = (Document(), Document())
    var rest = drawing.log[...]
    while !rest.isEmpty {
      var payload: [UInt8] = []
      var patch = Patch()
      let former = many
      for change in rest.prefix(drawing.dice.roll(1..<8)) {
        encoder.encode(change, into: &payload)
        _ = try one.merge(change, patch: &patch)
        rest.removeFirst()
      }
      patch = Patch()
      #expect(try decoder.merge(payload, into: &many, patch: &patch) == .merged)
      expectSame(many, one, seed: seed)
      expect(patch, tells: former, from: many, seed: seed)
    }
  }

  @Test func `show only the last of those that replaced one another in a slot`() throws {
    var (workload, document, patch) = (Workload(), Document(), Patch())
    let changes = (0..<5000).map { _ in workload.change(after: 1) }
    #expect(try Batch.merge(Batch.encode(changes), into: &document, patch: &patch) == .merged)
    #expect(document.snapshot() == workload.snapshot)
    #expect(patch.entries.count == workload.values.count)
    for entry in patch.entries {
      #expect(entry.from == .absent && entry.to == document.visible(entry.key, in: .root))
    }
  }

  @Test func `tell the dots that they lack, and go on with what comes then`() throws {
    var (encoder, decoder, document, patch) = (LiveEncoder(), LiveDecoder(), Document(), Patch())
    func payload(_ counter: UInt64) -> [UInt8] {
      var payload: [UInt8] = []
      encoder.encode(set(counter, replacing: []), into: &payload)
      return payload
    }
    let payloads = [payload(2), payload(1), payload(2)]
    #expect(
      try decoder.merge(payloads[0], into: &document, patch: &patch) == .notYet(missing: [Dot(Samples.ada, 1)]))
    #expect(document.version.isEmpty && patch.isEmpty)
    #expect(try decoder.merge(payloads[1], into: &document, patch: &patch) == .merged)
    #expect(try decoder.merge(payloads[2], into: &document, patch: &patch) == .merged)
    #expect(document.version[Samples.ada] == 2)
  }

  @Test func `are refused if they replace what their writer cannot have seen`() throws {
    // The stream knows the dot: a change that had to wait spelled it.
    var (encoder, decoder, document, patch) = (LiveEncoder(), LiveDecoder(), Document(), Patch())
    var payload: [UInt8] = []
    encoder.encode(set(9, replacing: []), into: &payload)
    _ = try decoder.merge(payload, into: &document, patch: &patch)
    payload = []
    encoder.encode(set(1, replacing: [Dot(Samples.ada, 9)]), into: &payload)
    #expect {
      try decoder.merge(payload, into: &document, patch: &patch)
    } throws: {
      ($0 as? MergeError)?.code == .unseenDot
    }
    #expect(document.version.isEmpty && patch.isEmpty)
    // The tables are in step all the same.
    payload = []
    encoder.encode(set(1, replacing: []), into: &payload)
    #expect(try decoder.merge(payload, into: &document, patch: &patch) == .merged)
  }

  @Test func `are refused together with the plain sets of their writer right before them`() throws {
    var (encoder, decoder, document, patch) = (LiveEncoder(), LiveDecoder(), Document(), Patch())
    func payload(_ changes: [Change]) -> [UInt8] {
      var payload: [UInt8] = []
      for change in changes { encoder.encode(change, into: &payload) }
      return payload
    }
    func elsewhere(_ change: Change) -> Change {
      var change = change
      change.operations[0].key = "elsewhere"
      return change
    }
    _ = try decoder.merge(payload([elsewhere(set(9, replacing: []))]), into: &document, patch: &patch)
    let refused = elsewhere(set(2, replacing: [Dot(Samples.ada, 9)]))
    #expect {
      try decoder.merge(payload([set(1, replacing: []), refused]), into: &document, patch: &patch)
    } throws: {
      ($0 as? MergeError)?.code == .unseenDot
    }
    // One by one the first would have merged; nobody has half of them.
    #expect(document.version.isEmpty && patch.isEmpty)
    #expect(try decoder.merge(payload([set(1, replacing: [])]), into: &document, patch: &patch) == .merged)
  }

  @Test func `break the stream where the bytes are refused`() throws {
    var (encoder, decoder, document, patch) = (LiveEncoder(), LiveDecoder(), Document(), Patch())
    var payload: [UInt8] = []
    for counter in 1...3 as ClosedRange<UInt64> { encoder.encode(set(counter, replacing: []), into: &payload) }
    let damaged = Array(payload.dropLast())
    #expect { try decoder.merge(damaged, into: &document, patch: &patch) } throws: { $0 is WireError }
    #expect {
      try decoder.merge([], into: &document, patch: &patch)
    } throws: {
      ($0 as? WireError)?.code == .brokenStream
    }
  }

  private func set(_ counter: UInt64, replacing: DotSet) -> Change {
    Samples.change(counter, [.set(.string("Dune"), replacing: replacing, clearing: nil)])
  }

  private func expectSame(_ left: Document, _ right: Document, seed: Int) {
    left.checkInvariants()
    let isSame = left.snapshot() == right.snapshot() && left.digest() == right.digest()
    #expect(isSame && left.version == right.version && left.frontier == right.frontier, "seed \(seed)")
    #expect(left.latestStamp == right.latestStamp, "seed \(seed)")
  }

  /// Each entry must say what was and is visible, and each slot that looks different must have one; but for elements,
  /// which come with an edit of their list.
  private func expect(_ patch: Patch, tells former: Document, from document: Document, seed: Int) {
    var told: Set<Place> = []
    for entry in patch.entries where !entry.key.isElement {
      told.insert(Place(object: entry.object, key: entry.key))
      #expect(looksAlike(entry.from, former.visible(entry.key, in: entry.object)), "seed \(seed)")
      #expect(entry.to == document.visible(entry.key, in: entry.object), "seed \(seed)")
    }
    for object in document.snapshot().objects {
      for slot in object.slots where !slot.key.isElement && !told.contains(Place(object: object.id, key: slot.key)) {
        let (before, after) = (former.visible(slot.key, in: object.id), document.visible(slot.key, in: object.id))
        #expect(looksAlike(before, after), "seed \(seed), \(slot.key)")
      }
    }
  }

  /// The writer of a value does not show.
  private func looksAlike(_ left: Visible, _ right: Visible) -> Bool {
    if case (.value(let left, _), .value(let right, _)) = (left, right) { left == right } else { left == right }
  }

  private struct Place: Hashable {
    var object: ObjectID
    var key: Key
  }
}

extension Key {
  fileprivate var isElement: Bool {
    if case .element = self { true } else { false }
  }
}
