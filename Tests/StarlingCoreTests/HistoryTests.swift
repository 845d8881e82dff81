import StarlingTestSupport
import StarlingCore
import Testing

/// What one replica of a random world held, step by step, and all changes there ever were.
private struct Past {
  var documents: [Document] = []
  let changes: [Change]

  init(seed: UInt64, steps: Int = 60) throws {
    var world = RandomWorld(seed: seed, replicaCount: 3)
    for _ in 0..<steps {
      try world.step()
      if world.documents[0].version != documents.last?.version { documents.append(world.documents[0]) }
    }
    changes = world.log
  }
}

/// What a reader sees who walks down from the root and does not look at identities.
private indirect enum Look: Hashable {
  case value(Value)
  case count(Int64)
  case object([Key: Look])
  case container(Kind, [Key: Look])
  /// The path of the object that a reference points at.
  case reference([Key])

  static func of(_ document: Document) -> [Key: Look] {
    slots(.root, document, paths(document))
  }

  private static func slots(_ object: ObjectID, _ document: Document, _ paths: [ObjectID: [Key]]) -> [Key: Look] {
    var looks: [Key: Look] = [:]
    for key in document.keys(in: object) {
      switch document.visible(key, in: object) {
      case .value(.object, let dot): looks[key] = .object(slots(.assigned(by: dot), document, paths))
      case .value(.derived(let kind), _), .container(let kind):
        looks[key] = .container(kind, slots(.derived(parent: object, key: key, kind: kind), document, paths))
      case .value(.reference(let id), _): looks[key] = .reference(paths[id] ?? [])
      case .value(let value, _): looks[key] = .value(value)
      case .count(let count): looks[key] = .count(count)
      case .absent: break
      }
    }
    return looks
  }

  private static func paths(_ document: Document) -> [ObjectID: [Key]] {
    var paths: [ObjectID: [Key]] = [.root: []]
    var rest = [ObjectID.root]
    while let object = rest.popLast() {
      for key in document.keys(in: object) {
        guard case .value(.object, let dot) = document.visible(key, in: object) else { continue }
        paths[.assigned(by: dot)] = paths[object, default: []] + [key]
        rest.append(.assigned(by: dot))
      }
    }
    return paths
  }
}

@Suite struct `A past version` {
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `comes back from the changes it covers, on top of any state before it`(_ seed: UInt64) throws {
    let past = try Past(seed: seed)
    for (place, then) in past.documents.enumerated() {
      for start in [Document()] + past.documents[..<place].suffix(3) {
        var replayed = try Document(start.snapshot())
        try replayed.merge(past.changes, coveredBy: then.version)
        #expect(replayed.snapshot() == then.snapshot(), "seed \(seed), version \(then.version)")
      }
    }
  }

  @Test func `is not reached where it covers a change and not what that stands on`() throws {
    var group = Group(2)
    group.set(0, "a", .integer(1))
    try group.sync()
    group.set(1, "a", .integer(2))
    let gap = VersionVector([VersionVector.Entry(replica: Group.replica(1), counter: 1)])
    var replayed = Document()
    try replayed.merge(group.log, coveredBy: gap)
    #expect(replayed.version.isEmpty)
  }

  @Test func `is not reached where it cuts a change in two`() throws {
    var group = Group(1)
    group.write(0) { document, patch in
      document.set(.integer(1), for: "a", in: .root, patch: &patch)
      document.set(.integer(2), for: "b", in: .root, patch: &patch)
    }
    var replayed = Document()
    try replayed.merge(
      group.log, coveredBy: VersionVector([VersionVector.Entry(replica: Group.replica(0), counter: 1)]))
    #expect(replayed.version.isEmpty && replayed.keys(in: .root).isEmpty)
  }
}

@Suite struct `A difference` {
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `names each slot that looks different, and no other`(_ seed: UInt64) throws {
    let past = try Past(seed: seed)
    let pairs = Array(zip(past.documents, past.documents.dropFirst(3)))
    for (from, to) in pairs + pairs.map({ ($1, $0) }) {
      var rest = from.difference(to: to).entries
      #expect(rest == rest.sorted { ($0.object, $0.key) < ($1.object, $1.key) })
      for object in Set((from.snapshot().objects + to.snapshot().objects).flatMap(objects)) {
        for key in Set(from.keys(in: object) + to.keys(in: object)) {
          let (left, right) = (from.visible(key, in: object), to.visible(key, in: object))
          let entry = Difference.Entry(object: object, key: key, from: left, to: right)
          if let place = rest.firstIndex(of: entry) {
            rest.remove(at: place)
            #expect(left != right, "seed \(seed)")
          } else {
            #expect(looksAlike(left, right), "seed \(seed): \(entry) is not named")
          }
        }
      }
      #expect(rest.isEmpty, "seed \(seed)")
    }
  }

  /// The object and those derived from it stand in its slots.
  private func objects(_ object: Snapshot.Object) -> [ObjectID] {
    if case .derived(let definition) = object.origin { [object.id, definition.parent] } else { [object.id, .root] }
  }

  private func looksAlike(_ left: Visible, _ right: Visible) -> Bool {
    if case .value(let left, let leftDot) = left, case .value(let right, let rightDot) = right {
      return left == right && (left != .object(.map) || leftDot == rightDot)
    }
    return left == right
  }

  @Test func `is empty between equals, and turned around its entries are`() throws {
    var group = Group(1)
    group.set(0, "title", .string("Dune"))
    let former = group.documents[0]
    #expect(former.difference(to: former).isEmpty)
    group.set(0, "title", .string("Emma"))
    group.increment(0, "copies", by: 2)
    let forward = former.difference(to: group.documents[0]).entries
    #expect(forward.map(\.key) == ["copies", "title"])
    #expect(forward.map(\.from) == group.documents[0].difference(to: former).entries.map(\.to))
  }
}

@Suite struct `Restoring` {
  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `makes the present look like then, and twice writes nothing more`(_ seed: UInt64) throws {
    let past = try Past(seed: seed)
    let writer = ReplicaID(rawValue: 99)
    for then in past.documents {
      for now in [
        past.documents[0], past.documents[past.documents.count / 2], past.documents[past.documents.count - 1],
      ] {
        var restored = now
        var patch = Patch()
        restored.begin(as: writer, now: 1000)
        restored.restore(like: then, patch: &patch)
        let change = restored.commit()
        restored.checkInvariants()
        #expect(Look.of(restored) == Look.of(then), "seed \(seed), \(now.version) to \(then.version)")
        if now.difference(to: then).isEmpty { #expect(change == nil, "seed \(seed)") }

        restored.begin(as: writer, now: 1001)
        restored.restore(like: then, patch: &patch)
        let second = restored.commit()
        // Objects that came back have other identities than then, and only they are made again.
        #expect(second == nil || restored.difference(to: then).entries.contains { isObject($0.to) }, "seed \(seed)")

        if let change {
          var elsewhere = try Document(now.snapshot())
          _ = try elsewhere.merge(change, patch: &patch)
          #expect(Look.of(elsewhere) == Look.of(then), "seed \(seed)")
        }
      }
    }
  }

  private func isObject(_ visible: Visible) -> Bool {
    if case .value(.object, _) = visible { true } else { false }
  }

  @Test func `writes only what differs`() throws {
    var group = Group(1)
    group.set(0, "title", .string("Dune"))
    group.set(0, "author", .string("Herbert"))
    group.increment(0, "copies", by: 5)
    let then = group.documents[0]
    group.set(0, "title", .string("Emma"))
    group.increment(0, "copies", by: -2)
    let change = group.write(0) { $0.restore(like: then, patch: &$1) }
    #expect(change?.operations.map(\.key) == ["copies", "title"])
    #expect(group.documents[0].count("copies", in: .root) == 5)
    #expect(group.write(0) { $0.restore(like: then, patch: &$1) } == nil)
  }

  @Test func `brings back a removed object with what was beneath it, and turns references to the new one`() throws {
    var group = Group(2)
    var (shelf, book) = (ObjectID.root, ObjectID.root)
    group.write(0) { document, patch in
      shelf = document.assignObject(.map, for: "shelf", in: .root, patch: &patch)
      let books = document.declare(.dictionary, for: "books", in: shelf)
      book = document.assignObject(.map, for: .integer(7), in: books, patch: &patch)
      document.set(.string("Dune"), for: "title", in: book, patch: &patch)
      document.increment("copies", in: book, by: 3, patch: &patch)
      document.set(.reference(book), for: "favourite", in: .root, patch: &patch)
    }
    let then = group.documents[0]
    group.remove(0, "shelf")
    group.write(0) { $0.restore(like: then, patch: &$1) }
    try group.sync()
    #expect(group.agrees)
    let now = group.documents[1]
    #expect(!now.isLive(shelf) && !now.isLive(book))
    guard case .value(.reference(let target), _) = now.visible("favourite", in: .root) else {
      Issue.record("The reference is gone.")
      return
    }
    #expect(now.isLive(target) && now.count("copies", in: target) == 3)
    #expect(Look.of(now) == Look.of(then))
  }

  /// What a replica does before the restoration or beside it, the latter with another number.
  private enum Edit: CaseIterable {
    case sets, removes, counts, writesBelow

    func write(_ number: Int64, _ document: inout Document, _ patch: inout Patch) {
      switch self {
      case .sets: document.set(.integer(number), for: "a", in: .root, patch: &patch)
      case .removes: document.remove("a", in: .root, patch: &patch)
      case .counts: document.increment("n", in: .root, by: number, patch: &patch)
      case .writesBelow:
        document.set(.integer(number), for: "x", in: document.declare(.map, for: "c", in: .root), patch: &patch)
      }
    }
  }

  @Test func `leaves what others write concurrently as any other write does`() throws {
    for before in Edit.allCases {
      for beside in Edit.allCases {
        var group = Group(2)
        group.set(0, "a", .integer(0))
        group.increment(0, "n", by: 1)
        try group.sync()
        let then = group.documents[0]
        group.write(0) { before.write(4, &$0, &$1) }
        try group.sync()
        group.write(0) { $0.restore(like: then, patch: &$1) }
        let isWritten = group.write(1) { beside.write(8, &$0, &$1) } != nil
        try group.sync()
        #expect(group.agrees, "\(before), \(beside)")
        let now = group.documents[0]
        #expect(now.count("n", in: .root) == (beside == .counts ? 9 : 1), "\(before), \(beside)")
        let nested = ObjectID.derived(parent: .root, key: "c", kind: .map)
        #expect(now.contains("x", in: nested) == (beside == .writesBelow), "\(before), \(beside)")
        let values = Set(now.entries("a", in: .root).map(\.value))
        #expect(values.contains(.integer(8)) == (beside == .sets && isWritten), "\(before), \(beside)")
      }
    }
  }

  @Test func `leaves objects declared that were, and no others`() throws {
    var group = Group(1)
    let kept = group.documents[0].declare(.map, for: "kept", in: .root)
    group.set(0, "x", .integer(1), in: kept)
    group.write(0) { document, patch in
      let other = document.declare(.map, for: "other", in: .root)
      document.set(.integer(1), for: "x", in: other, patch: &patch)
      document.undeclare(other)
    }
    let then = Document()
    group.write(0) { $0.restore(like: then, patch: &$1) }
    #expect(group.documents[0].keys(in: .root).isEmpty)
    #expect(group.documents[0].isLive(kept))
    // Rows stay for as long as the patch may speak of them.
    group.set(0, "z", .null)
    #expect(!group.documents[0].isLive(.derived(parent: .root, key: "other", kind: .map)))
  }
}

@Suite struct `The slots a change touched` {
  @Test func `are named once each, with the way to them`() throws {
    var group = Group(1)
    let change = try #require(
      group.write(0) { document, patch in
        let books = document.declare(.dictionary, for: "books", in: .root)
        let desk = document.declare(.map, for: "desk", in: books)
        document.set(.integer(1), for: "title", in: desk, patch: &patch)
        document.set(.integer(2), for: "title", in: desk, patch: &patch)
        document.increment("n", in: .root, by: 1, patch: &patch)
        let thing = document.assignObject(.map, for: "thing", in: .root, patch: &patch)
        document.set(.integer(1), for: "x", in: thing, patch: &patch)
      })
    #expect(change.touched.map(\.path) == [["books", "desk", "title"], ["n"], ["thing"], ["x"]])
  }
}

@Suite struct `Lists and texts of the past` {
  private struct Shelf {
    var group = Group(2)
    let list = ObjectID.derived(parent: .root, key: "list", kind: .list)
    let text = ObjectID.derived(parent: .root, key: "text", kind: .text)

    init() {
      for kind in [Kind.list, .text] {
        for place in 0...1 { group.documents[place].declare(kind, for: kind == .list ? "list" : "text", in: .root) }
      }
      group.write(0) { [list, text] document, patch in
        document.insert((0..<6).map { .integer($0) }, at: 0, in: list, patch: &patch)
        document.insert("The dunes of Arrakis", at: 0, in: text, patch: &patch)
        document.mark(4..<9, "bold", value: .bool(true), in: text, patch: &patch)
      }
    }

    func values(_ document: Document) -> [Visible] {
      document.elements(in: list).map { document.visible(.element($0), in: list) }
    }
  }

  @Test func `differ by their elements and their scalars`() {
    var shelf = Shelf()
    let (list, text) = (shelf.list, shelf.text)
    let then = shelf.group.documents[0]
    shelf.group.write(0) { document, patch in
      document.move(from: 0, to: 3, in: list, patch: &patch)
      document.removeItems(4..<9, in: text, patch: &patch)
      document.insert("sands", at: 4, in: text, patch: &patch)
    }
    let difference = then.difference(to: shelf.group.documents[0])
    #expect(difference.lists.map(\.object) == [list] && difference.texts.map(\.object) == [text])
    #expect(difference.lists[0].from == then.elements(in: list))
    #expect(Set(difference.lists[0].to) == Set(difference.lists[0].from))
    // Both end with an s.
    #expect(difference.texts[0].change.removed == 4..<8 && difference.texts[0].change.inserted == 4..<8)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>) func `come back as they were`(_ seed: UInt64) throws {
    var generator = Dice(seed: seed)
    var shelf = Shelf()
    let (list, text) = (shelf.list, shelf.text)
    let then = shelf.group.documents[0]
    for _ in 0..<12 {
      shelf.group.write(0) { document, patch in
        let (items, scalars) = (document.count(in: list), document.count(in: text))
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where items > 0: document.removeItems(0..<1, in: list, patch: &patch)
        case 1 where items > 1:
          document.move(
            from: Int.random(in: 0..<items, using: &generator), to: Int.random(in: 0..<items, using: &generator),
            in: list, patch: &patch)
        case 2: document.insert([.object(.map)], at: items, in: list, patch: &patch)
        case 3 where scalars > 2: document.removeItems(1..<3, in: text, patch: &patch)
        case 4: document.insert("xy", at: scalars / 2, in: text, patch: &patch)
        default:
          if let element = document.element(at: 0, in: list) {
            document.set(.integer(99), for: .element(element), in: list, patch: &patch)
          }
        }
      }
    }
    shelf.group.write(0) { $0.restore(like: then, patch: &$1) }
    try shelf.group.sync()
    #expect(shelf.group.agrees, "seed \(seed)")
    let now = shelf.group.documents[1]
    #expect(shelf.values(now).map(plain) == shelf.values(then).map(plain), "seed \(seed)")
    #expect(now.text(in: text) == then.text(in: text), "seed \(seed)")
    #expect(now.marks(in: text) == then.marks(in: text), "seed \(seed)")
  }

  @Test(arguments: [5, 0] as [Int64])
  func `come back with elements that count, and those behind them`(_ amount: Int64) throws {
    var shelf = Shelf()
    let list = shelf.list
    for amount in [amount + 1, -1] {
      shelf.group.write(0) { document, patch in
        document.increment(.element(document.elements(in: list)[4]), in: list, by: amount, patch: &patch)
      }
    }
    let then = shelf.group.documents[0]
    shelf.group.write(0) { document, patch in document.removeItems(0..<6, in: list, patch: &patch) }
    shelf.group.write(0) { $0.restore(like: then, patch: &$1) }
    try shelf.group.sync()
    #expect(shelf.group.agrees)
    let now = shelf.values(shelf.group.documents[1])
    let numbers: [Int64?] = [0, 1, 2, 3, nil, 5]
    #expect(now.map(plain) == numbers.map { $0.map(Value.integer) })
    #expect(now.count == 6 && now[4] == .count(amount))
  }

  private func plain(_ visible: Visible) -> Value? {
    if case .value(let value, _) = visible { value } else { nil }
  }
}
