import StarlingCore
import StarlingTestSupport
import StarlingWorlds
import Testing

/// A few replicas that write at random into a tree of objects and hear of each other at random, by
/// change and by state, beside a reference model of each.
struct RandomWorld {
  private var generator: Dice
  private let replicas: [ReplicaID]
  private(set) var documents: [Document]
  private var models: [ReferenceModel]
  private var gates: [CausalGate]
  private(set) var log: [Change] = []
  private(set) var operationCount = 0

  init(seed: UInt64, replicaCount: Int) {
    generator = Dice(seed: seed)
    replicas = Group.replicas(replicaCount, seed: seed)
    documents = Array(repeating: Document(), count: replicaCount)
    models = Array(repeating: ReferenceModel(), count: replicaCount)
    gates = Array(repeating: CausalGate(), count: replicaCount)
  }

  mutating func step() throws {
    let place = Int.random(in: documents.indices, using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<5: try write(place)
    case 5..<9: try hear(place)
    default: try adopt(place)
    }
    documents[place].checkInvariants()
  }

  /// Brings everything to everybody.
  mutating func settle() throws {
    for place in documents.indices {
      for change in log { try deliver(change, to: place) }
    }
  }

  /// Whether every document shows what its reference model shows.
  func agreesWithModels(_ place: Int) -> Bool {
    let (document, model) = (documents[place], models[place])
    guard ReferenceModel.State(document.snapshot()) == model.state() else { return false }
    return model.objects.allSatisfy { id in
      let object = id.core
      guard model.isLive(id) else { return document.keys(in: object).isEmpty }
      let keys = model.places(in: id)
      return Set(document.keys(in: object)) == Set(keys.filter { model.visible($0, in: id) != .absent }.map(\.core))
        && keys.allSatisfy { key in
          ReferenceModel.Visible(document.visible(key.core, in: object)) == model.visible(key, in: id)
            && document.entries(key.core, in: object).map { ReferenceModel.Entry($0) } == model.entries(key, in: id)
        }
    }
  }

  // MARK: Steps

  private mutating func write(_ place: Int) throws {
    var patch = Patch()
    let former = documents[place]
    documents[place].begin(as: replicas[place], now: UInt64.random(in: 0..<50, using: &generator))
    for _ in 0..<Int.random(in: 1...3, using: &generator) { act(place, &patch) }
    guard let change = documents[place].commit() else { return }
    log.append(change)
    operationCount += change.operations.count
    try checkAgainstModel(change, place)
    try checkPatch(patch, from: former, to: documents[place])
  }

  private mutating func act(_ place: Int, _ patch: inout Patch) {
    let object = chooseObject(place)
    let key = Key.integer(Int64.random(in: 0..<3, using: &generator))
    switch Int.random(in: 0..<12, using: &generator) {
    case 0..<4:
      documents[place].set(.integer(Int64.random(in: 0..<4, using: &generator)), for: key, in: object, patch: &patch)
    case 4: documents[place].assignObject(.map, for: key, in: object, patch: &patch)
    case 5:
      documents[place].set(.derived(Bool.random(using: &generator) ? .map : .set), for: key, in: object, patch: &patch)
    case 6..<9: documents[place].remove(key, in: object, patch: &patch)
    default: documents[place].increment(key, in: object, by: Int64.random(in: -3...3, using: &generator), patch: &patch)
    }
  }

  /// Some object up to three steps down, of either sort.
  private mutating func chooseObject(_ place: Int) -> ObjectID {
    var object = ObjectID.root
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      let key = Key.integer(Int64.random(in: 0..<3, using: &generator))
      let entries = documents[place].entries(key, in: object).filter { $0.value == .object(.map) }
      if let entry = entries.randomElement(using: &generator) {
        object = .assigned(by: entry.dot)
      } else {
        object = documents[place].declare(Bool.random(using: &generator) ? .map : .set, for: key, in: object)
        if Bool.random(using: &generator) { documents[place].undeclare(object) }
        if !documents[place].isLive(object) { return .root }
      }
    }
    return object
  }

  /// The change must say what the rules make of the same wishes.
  private mutating func checkAgainstModel(_ change: Change, _ place: Int) throws {
    var partial = change
    partial.operations = []
    for (offset, operation) in change.operations.enumerated() {
      var model = models[place]
      if !partial.operations.isEmpty { model.add(ReferenceModel.Change(partial)) }
      if offset == 0 { for definition in change.objects { model.learn(ReferenceModel.Definition(definition)) } }
      let seen = models[place].version.through(
        ReferenceModel.Dot(Dot(change.replica, change.firstCounter + UInt64(offset) - 1)))
      let (object, key) = (ReferenceModel.ObjectID(operation.object), ReferenceModel.Key(operation.key))
      let expected: ReferenceModel.Action? =
        switch operation.action {
        case .set(let value, _, _): model.action(putting: value, key, in: object, seen: seen)
        case .remove: model.action(putting: nil, key, in: object, seen: seen)
        case .increment, .insert, .removeRun, .move, .mark: ReferenceModel.Action(operation.action)
        }
      #expect(expected == ReferenceModel.Action(operation.action))
      partial.operations.append(operation)
    }
    models[place].add(ReferenceModel.Change(change))
  }

  private mutating func hear(_ place: Int) throws {
    guard let change = log.randomElement(using: &generator) else { return }
    try deliver(change, to: place)
  }

  private mutating func deliver(_ change: Change, to place: Int) throws {
    var patch = Patch()
    let former = documents[place]
    let received = try gates[place].receive(change, into: &documents[place], patch: &patch)
    #expect(received.refusals.isEmpty)
    for change in received.merged { models[place].add(ReferenceModel.Change(change)) }
    try checkPatch(patch, from: former, to: documents[place])
  }

  private mutating func adopt(_ place: Int) throws {
    let other = Int.random(in: documents.indices, using: &generator)
    var patch = Patch()
    let former = documents[place]
    let lacked = models[other].changes.filter { !former.version.covers($0.last.core) }
    try documents[place].merge(documents[other].snapshot(), patch: &patch)
    for change in lacked { models[place].add(change) }
    for change in gates[place].release(into: &documents[place], patch: &patch).merged {
      models[place].add(ReferenceModel.Change(change))
    }
    try checkPatch(patch, from: former, to: documents[place])
  }

  private func conflict(_ key: Key, in object: ObjectID, of document: Document) -> [Entry] {
    let entries = document.entries(key, in: object)
    return entries.count > 1 ? entries : []
  }

  /// The patch must name exactly the slots that look different, as they did and as they do.
  private func checkPatch(_ patch: Patch, from former: Document, to latter: Document) throws {
    var expected: [Patch.Entry] = []
    let objects = Set((former.snapshot().objects + latter.snapshot().objects).flatMap(idsIn)).union([.root])
    for object in objects where latter.isLive(object) || object.isDerived {
      if isBelowRemoved(object, former, latter) { continue }
      for key in Set(former.keys(in: object) + latter.keys(in: object)) {
        let (from, to) = (former.visible(key, in: object), latter.visible(key, in: object))
        let conflictsChanged = conflict(key, in: object, of: former) != conflict(key, in: object, of: latter)
        if !looksAlike(from, to) || conflictsChanged {
          expected.append(
            Patch.Entry(object: object, key: key, from: from, to: to, conflictsChanged: conflictsChanged))
        }
      }
    }
    for entry in patch.entries {
      guard let place = expected.firstIndex(where: { $0.object == entry.object && $0.key == entry.key }) else {
        // Conflicts may have come and gone again; and a slot may have been emptied before its object went.
        let isEmptied = entry.to == .absent && isBelowRemoved(entry.object, former, latter)
        #expect(isEmptied || looksAlike(entry.from, entry.to) && entry.conflictsChanged, "nothing looks different")
        continue
      }
      let match = expected.remove(at: place)
      #expect(looksAlike(entry.from, match.from) && entry.to == match.to)
      #expect(entry.conflictsChanged || !match.conflictsChanged)
    }
    #expect(expected.isEmpty, "not reported")
    #expect(
      Set(patch.entries.map { [$0.object.high, $0.object.low].description + "\($0.key)" }).count == patch.entries.count)
    for id in patch.removedObjects { #expect(!latter.isLive(id) && !id.isDerived) }
  }

  /// The object's id, its parent's if it is derived, and those that its entries brought into being.
  private func idsIn(_ object: Snapshot.Object) -> [ObjectID] {
    let entries = object.slots.flatMap(\.entries).filter { $0.value == .object(.map) }
    var ids = [object.id] + entries.map { .assigned(by: $0.dot) }
    if case .derived(let definition) = object.origin { ids.append(definition.parent) }
    return ids
  }

  private func isBelowRemoved(_ object: ObjectID, _ former: Document, _ latter: Document) -> Bool {
    let definitions = former.snapshot().objects + latter.snapshot().objects
    var object = object
    while object.isDerived, object != .root {
      guard case .derived(let definition)? = definitions.first(where: { $0.id == object })?.origin else { return false }
      object = definition.parent
    }
    return object != .root && !latter.isLive(object)
  }

  private func looksAlike(_ left: Visible, _ right: Visible) -> Bool {
    if case .value(let left, let leftDot) = left, case .value(let right, let rightDot) = right {
      return left == right && (left != .object(.map) || leftDot == rightDot)
    }
    return left == right
  }
}

@Suite struct `A large random world` {
  @Test(arguments: 1...12 as ClosedRange<UInt64>)
  func `comes out as the rules say, step by step and in the end`(_ seed: UInt64) throws {
    var world = RandomWorld(seed: seed, replicaCount: 2 + Int(seed % 4))
    for step in 0..<100 {
      try world.step()
      if step % 10 == 0 {
        #expect(world.documents.indices.allSatisfy { world.agreesWithModels($0) }, "seed \(seed), step \(step)")
      }
    }
    try world.settle()
    let first = world.documents[0]
    for place in world.documents.indices {
      #expect(world.agreesWithModels(place), "seed \(seed), replica \(place)")
      #expect(world.documents[place].snapshot() == first.snapshot(), "seed \(seed), replica \(place)")
      #expect(world.documents[place].digest() == first.digest(), "seed \(seed), replica \(place)")
      let copy = try Document(first.snapshot())
      #expect(copy.snapshot() == first.snapshot(), "seed \(seed)")
    }
    print(
      "seed \(seed): \(world.documents.count) replicas, \(world.log.count) changes, \(world.operationCount) operations")
  }
}
