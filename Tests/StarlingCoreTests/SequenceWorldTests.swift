import Foundation
import StarlingCore
import StarlingTestSupport
import StarlingWorlds
import Testing

/// A few replicas that edit one list and one text at random and hear of each other at random, by change and by
/// state, and collect at times what all of them have merged; beside a reference model of all changes.
struct SequenceWorld {
  private var generator: Dice
  private let replicas: [ReplicaID]
  private(set) var documents: [Document]
  private var gates: [CausalGate]
  private(set) var log: [Change] = []
  /// What each replica ever had merged: it may have told so at any time.
  private var acknowledged: [[VersionVector]]
  /// Whether to look at everything after every step. A debug build takes its time for that: where it does not, the
  /// documents are checked now and then, and all that they hold once at the end.
  private let isThorough: Bool
  private let seed: UInt64
  private var stepCount = 0
  /// Collections that are under way, by replica.
  private var collections: [Int: TombstoneCollection] = [:]
  /// What a reader sees of each replica's list and text.
  private var shown: [[[Look]]]

  init(seed: UInt64, replicaCount: Int, isThorough: Bool) {
    generator = Dice(seed: seed)
    replicas = Group.replicas(replicaCount, seed: seed)
    self.isThorough = isThorough
    self.seed = seed
    shown = Array(repeating: [[], []], count: replicaCount)
    acknowledged = Array(repeating: [VersionVector()], count: replicaCount)
    var document = Document()
    #if DEBUG
      document.checksEveryCall = isThorough
    #endif
    documents = Array(repeating: document, count: replicaCount)
    gates = Array(repeating: CausalGate(), count: replicaCount)
  }

  mutating func step() throws {
    let place = Int.random(in: documents.indices, using: &generator)
    switch Int.random(in: 0..<12, using: &generator) {
    case 0..<6: try write(place)
    case 6..<9:
      if let change = log.randomElement(using: &generator) { try deliver(change, to: place) }
    case 9..<11:
      let other = Int.random(in: documents.indices, using: &generator)
      try alter(place) { world, patch in
        try world.documents[place].merge(world.documents[other].snapshot(), patch: &patch)
        _ = world.gates[place].release(into: &world.documents[place], patch: &patch)
      }
    default: if stepCount.isMultiple(of: 2) { collectTombstones(place) } else { collectSome(place) }
    }
    acknowledged[place].append(documents[place].version)
    stepCount += 1
    if isThorough || (stepCount + Int(seed)).isMultiple(of: 16) { documents[place].checkInvariants() }
  }

  mutating func settle() throws {
    for place in documents.indices {
      for change in log where !documents[place].version.covers(change.last) { try deliver(change, to: place) }
      acknowledged[place].append(documents[place].version)
    }
  }

  /// Forgets what all have merged, by what they told before anything else that is not merged here.
  mutating func collectTombstones(_ place: Int) {
    let before = isThorough ? documents[place].digest() : nil
    documents[place].collectTombstones(stable: stable(for: place))
    if let before { #expect(documents[place].digest() == before, "seed \(seed)") }
  }

  /// Goes on with a collection, which takes several steps of the world.
  private mutating func collectSome(_ place: Int) {
    let before = isThorough ? documents[place].digest() : nil
    var collection = collections[place] ?? TombstoneCollection(stable: stable(for: place))
    let isDone = documents[place].collectTombstones(collection: &collection, workMax: 3)
    collections[place] = isDone ? nil : collection
    if let before { #expect(documents[place].digest() == before, "seed \(seed)") }
  }

  private func stable(for place: Int) -> VersionVector {
    let here = documents[place].version
    return acknowledged.reduce(here) { stable, versions in
      stable.intersection(versions.last { here.covers($0) }!)
    }
  }

  // MARK: Steps

  private mutating func write(_ place: Int) throws {
    documents[place].begin(as: replicas[place], now: UInt64.random(in: 0..<20, using: &generator))
    let former = isThorough ? ReferenceModel(changes(of: place).map { ReferenceModel.Change($0) }) : nil
    try alter(place) { world, patch in
      for _ in 0..<Int.random(in: 1...2, using: &world.generator) { world.act(place, &patch) }
    }
    guard let change = documents[place].commit() else { return }
    log.append(change)
    if let former { check(change, after: former) }
  }

  private func changes(of place: Int) -> [Change] {
    log.filter { documents[place].version.covers($0.last) }
  }

  /// An insertion is anchored where the rules say.
  private func check(_ change: Change, after former: ReferenceModel) {
    guard change.operations.count == 1, case .insert(_, let side) = change.operations[0].action,
      case .element(let anchor) = change.operations[0].key
    else { return }
    var latter = former
    latter.add(ReferenceModel.Change(change))
    let object = ReferenceModel.ObjectID(change.operations[0].object)
    let own = ReferenceModel.Dot(Dot(change.replica, change.firstCounter))
    guard let index = latter.visibleItems(of: object).firstIndex(where: { $0.dot == own }) else { return }
    var before = former
    for definition in change.objects { before.learn(ReferenceModel.Definition(definition)) }
    let expected = ReferenceModel.Edge(Edge(side, of: anchor))
    #expect(before.anchor(forInsertAt: index, in: object) == expected, "seed \(seed): \(change)")
  }

  private mutating func act(_ place: Int, _ patch: inout Patch) {
    var document = documents[place]
    defer { documents[place] = document }
    let list = document.declare(.list, for: "list", in: .root)
    let text = document.declare(.text, for: "text", in: .root)
    let (elements, scalars) = (document.count(in: list), document.count(in: text))
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<3:
      let values = (0..<Int.random(in: 1...3, using: &generator)).map { Value.integer(Int64($0)) }
      document.insert(values, at: Int.random(in: 0...elements, using: &generator), in: list, patch: &patch)
    case 3:
      document.insert([.object(.map)], at: Int.random(in: 0...elements, using: &generator), in: list, patch: &patch)
    case 4..<6: document.removeItems(range(elements), in: list, patch: &patch)
    case 6..<9 where elements > 0:
      let (from, to) = (
        Int.random(in: 0..<elements, using: &generator), Int.random(in: 0..<elements, using: &generator)
      )
      document.move(from: from, to: to, in: list, patch: &patch)
    case 9 where elements > 0:
      let element = document.element(at: Int.random(in: 0..<elements, using: &generator), in: list)!
      document.set(.integer(7), for: .element(element), in: list, patch: &patch)
    case 10 where elements > 0:
      let element = document.element(at: Int.random(in: 0..<elements, using: &generator), in: list)!
      if case .value(.object, let dot) = document.visible(.element(element), in: list) {
        document.increment("n", in: .assigned(by: dot), by: 1, patch: &patch)
      } else {
        let notes = document.declare(.text, for: .element(element), in: list)
        document.insert("n", at: 0, in: notes, patch: &patch)
      }
    case 11..<15:
      let string = ["a", "bc", "é", "𝄞x", "\r\n"].randomElement(using: &generator)!
      document.insert(string, at: Int.random(in: 0...scalars, using: &generator), in: text, patch: &patch)
    case 15..<17: document.removeItems(range(scalars), in: text, patch: &patch)
    case 17..<19:
      let value: Value = [.null, .bool(true), .bool(false)].randomElement(using: &generator)!
      document.mark(
        range(scalars), ["b", "i"].randomElement(using: &generator)!, value: value,
        expandsLeft: Bool.random(using: &generator), expandsRight: Bool.random(using: &generator), in: text,
        patch: &patch)
    default:
      document.remove(["list", "text"].randomElement(using: &generator)!, in: .root, patch: &patch)
    }
  }

  private mutating func range(_ count: Int) -> Range<Int> {
    let start = Int.random(in: 0...count, using: &generator)
    return start..<Int.random(in: start...min(count, start + 3), using: &generator)
  }

  private mutating func deliver(_ change: Change, to place: Int) throws {
    try alter(place) { world, patch in
      let received = try world.gates[place].receive(change, into: &world.documents[place], patch: &patch)
      if !received.refusals.isEmpty || !received.anchorsLacking.isEmpty {
        Issue.record("seed \(world.seed): \(received)")
      }
    }
  }

  /// What the patch says of list and text must lead from what they were to what they are.
  private mutating func alter(
    _ place: Int, _ body: (inout SequenceWorld, inout Patch) throws -> Void
  ) throws {
    var patch = Patch()
    try body(&self, &patch)
    for (number, object) in [Self.list, Self.text].enumerated() {
      let edits = patch.sequences.filter { $0.object == object }
      let latter = looks(of: object, in: documents[place])
      let told = shown[place][number].applying(edits.first?.edits ?? [])
      if edits.count > 1 || told?.leads(to: latter) != true { Issue.record("seed \(seed): \(patch.sequences)") }
      shown[place][number] = latter
    }
  }

  /// What a reader sees at one index, and whether the patch accounts for it.
  fileprivate struct Look: Hashable {
    enum Name: Hashable {
      case scalar(Unicode.Scalar)
      case element(Dot)
      /// Of an item that the patch inserted.
      case any
    }

    var name: Name
    var properties: [Key: Value] = [:]
    var isTold = false
  }

  private func looks(of object: ObjectID, in document: Document) -> [Look] {
    guard document.utf8Count(in: object) > 0 else {
      return document.elements(in: object).map { Look(name: .element($0)) }
    }
    let properties = document.properties(of: object)
    return zip(document.text(in: object).unicodeScalars, properties).map {
      Look(name: .scalar($0), properties: $1)
    }
  }

  // MARK: Agreement

  private static let list = ObjectID.derived(parent: .root, key: "list", kind: .list)
  private static let text = ObjectID.derived(parent: .root, key: "text", kind: .text)

  /// What the rules say of all changes.
  struct Expectation {
    var state: ReferenceModel.State
    var elements: [Dot]
    var text: String
    var properties: [[Key: Value]]
  }

  var expectation: Expectation {
    let model = ReferenceModel(log.map { ReferenceModel.Change($0) })
    let (list, text) = (ReferenceModel.ObjectID(Self.list), ReferenceModel.ObjectID(Self.text))
    return Expectation(
      state: model.state(), elements: model.elements(in: list).map(\.core), text: model.text(in: text),
      properties: model.properties(of: text).map { properties in
        Dictionary(uniqueKeysWithValues: properties.map { ($0.key.core, $0.value) })
      })
  }

  /// Whether all show and hold what the rules say.
  func check(_ expected: Expectation, hasCollected: Bool) throws {
    let digest = documents[0].digest()
    for (place, document) in documents.enumerated() {
      let fault: String? =
        ReferenceModel.State(document.canonicalSnapshot()) != expected.state
        ? "holds another state"
        : document.digest() != digest
          ? "has another digest"
          : document.elements(in: Self.list) != expected.elements || document.text(in: Self.text) != expected.text
            ? "shows other items" : document.properties(of: Self.text) != expected.properties ? "marks otherwise" : nil
      if let fault {
        Issue.record("seed \(seed)\(hasCollected ? ", having collected" : ""): replica \(place) \(fault)")
      }
      if isThorough || place == Int(seed / 3) % documents.count { document.checkInvariants() }
      for snapshot in isThorough ? [document.snapshot(), document.canonicalSnapshot()] : [] {
        let copy = try Document(snapshot)
        copy.checkInvariants()
        #expect(copy.snapshot() == snapshot && copy.digest() == digest, "seed \(seed)")
      }
    }
  }
}

extension [SequenceWorld.Look] {
  /// Follows the edits; what they insert or mark may look like anything. Nil if they speak of what is not there.
  fileprivate func applying(_ edits: [SequenceEdit]) -> Self? {
    var looks = self
    for edit in edits {
      switch edit {
      case .insert(let at, let count):
        guard at <= looks.count else { return nil }
        let told = SequenceWorld.Look(name: .any, isTold: true)
        looks.insert(contentsOf: repeatElement(told, count: count), at: at)
      case .remove(let at, let count):
        guard at + count <= looks.count else { return nil }
        looks.removeSubrange(at..<at + count)
      case .move(let from, let to):
        guard from < looks.count, to < looks.count else { return nil }
        looks.insert(looks.remove(at: from), at: to)
      case .mark(let at, let count):
        guard at + count <= looks.count else { return nil }
        for place in at..<at + count { looks[place].isTold = true }
      }
    }
    return looks
  }

  /// Whether what the edits left alone looks as it did.
  fileprivate func leads(to latter: Self) -> Bool {
    count == latter.count
      && zip(self, latter).allSatisfy {
        $0.isTold ? $0.name == .any || $0.name == $1.name : $0.name == $1.name && $0.properties == $1.properties
      }
  }
}

extension Document {
  /// The properties of each scalar.
  fileprivate func properties(of text: ObjectID) -> [[Key: Value]] {
    var found: [[Key: Value]] = Array(repeating: [:], count: count(in: text))
    for marked in marks(in: text) {
      for place in marked.range { found[place][marked.name] = marked.value }
    }
    return found
  }
}

@Suite struct `Many small worlds of lists and texts` {
  /// `STARLING_WORLD_COUNT` asks for more of them.
  private static let worldCount: UInt64 =
    ProcessInfo.processInfo.environment["STARLING_WORLD_COUNT"].flatMap(UInt64.init) ?? 20_000

  /// Most are small, since that is how thousands can be drawn; a few are long enough for leaves that split.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func `come out as the rules say`(_ part: UInt64) throws {
    for seed in (part * Self.worldCount / 8)..<((part + 1) * Self.worldCount / 8) {
      let isThorough = seed % 40 == 0
      var world = SequenceWorld(seed: seed, replicaCount: 2 + Int(seed % 3), isThorough: isThorough)
      for _ in 0..<(seed % 31 == 8 ? 24 : 3 + seed % 7) { try world.step() }
      try world.settle()
      let expected = world.expectation
      let collects = seed % 2 == 0
      if !collects || isThorough { try world.check(expected, hasCollected: false) }
      guard collects else { continue }
      for place in world.documents.indices { world.collectTombstones(place) }
      try world.check(expected, hasCollected: true)
    }
  }

  /// A peer that claims to have merged more than it has takes away what it should not, but breaks nothing.
  @Test func `are not broken by states that lie`() throws {
    for seed in 0..<200 as Range<UInt64> {
      var world = SequenceWorld(seed: seed, replicaCount: 3, isThorough: seed % 8 == 0)
      for _ in 0..<20 { try world.step() }
      var lie = world.documents[1].snapshot()
      lie.version.merge(world.documents[0].version)
      lie.frontier = lie.version.entries.map { Dot($0.replica, $0.counter) }
      for document in [world.documents[0], world.documents[2]] {
        var document = document
        var patch = Patch()
        do { try document.merge(lie, patch: &patch) } catch {}
        document.checkInvariants()
        for change in world.log { _ = try document.merge(change, patch: &patch) }
        document.collectTombstones(stable: document.version)
        document.checkInvariants()
        _ = try Document(document.snapshot())
      }
    }
  }
}
