import StarlingTestSupport
import Foundation
import StarlingCore
import StarlingWire

/// Writes Protocol/vectors/accept from the samples:
/// `STARLING_WRITE_VECTORS=1 swift test --filter StarlingWireTests`.
enum AcceptedVectors {
  static func write() throws {
    let folder = Vector.folder.appending(path: "accept")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, _) in try Vector.files(in: "accept") {
      try FileManager.default.removeItem(at: folder.appending(path: "\(name).json"))
    }
    for vector in messages + changes + streams + snapshots + sequences + frames + presence {
      var file = vector.file()
      file["content"] = try vector.content()
      try JSON.object(file).pretty().write(to: folder.appending(path: "\(vector.name).json"))
    }
  }

  // MARK: Messages and frames

  private static var messages: [Vector] {
    Samples.messages.map { name, message in
      Vector(
        name: "message-\(name)", subject: .message(message.encoded()), about: "A message.", isCanonical: true)
    } + [
      Vector(
        name: "message-later-fields", subject: .message(Message.goodbye.encoded() + [1, 2, 0xAA, 0xBB, 9, 0]),
        about: "Fields of a later version are stepped over.", isCanonical: false),
      Vector(
        name: "message-later-kind-with-content", subject: .message([0x7F, 0xFF, 0xFF]),
        about: "A message of a later kind is ignored, whatever it holds.", isCanonical: false),
    ]
  }

  private static var frames: [Vector] {
    let small = PublishedFrame(topic: 0xAABB_CCDD, stream: 1, sequence: 0, payload: [])
    let large = PublishedFrame(
      topic: PublishedFrame.topicNumber(of: Samples.document), stream: .max, sequence: .max, payload: [1, 2, 3])
    return [
      Vector(
        name: "published-empty", subject: .published(small.encoded()), about: "A frame without changes.",
        isCanonical: true),
      Vector(
        name: "published-library", subject: .published(large.encoded()),
        about: "The topic is that of the document 'library'.", isCanonical: true),
    ]
  }

  private static var presence: [Vector] {
    let nothing = PresencePayload(document: Samples.document, notices: [])
    let much = PresencePayload(
      document: Samples.document,
      notices: [
        PresenceNotice(
          origin: .max, number: 1, lifetimeMilliseconds: 10_000, key: "field", value: .string("title")),
        PresenceNotice(origin: 2, number: .max, lifetimeMilliseconds: 3_600_000, key: "cursor", value: .integer(-7)),
        PresenceNotice(origin: 2, number: 3, lifetimeMilliseconds: 1, key: "Feld für alle", value: nil),
      ])
    return [
      Vector(
        name: "presence-nothing", subject: .presence(nothing.encoded()), about: "Nobody says anything.",
        isCanonical: true),
      Vector(
        name: "presence-fields", subject: .presence(much.encoded()), about: "Two that stand and one withdrawn.",
        isCanonical: true),
    ]
  }

  // MARK: Changes

  private static var changes: [Vector] {
    let names = Samples.values.map(\.0)
    let values = Set(names).sorted().map { name in
      batch(
        "values-\(name)", "Values.",
        [
          Samples.change(
            1, Samples.values.filter { $0.0 == name }.map { .set($0.1, replacing: [], clearing: nil) })
        ])
    }
    let keys: [Key] = [
      "", "k", "Grüße", .name(String(repeating: "k", count: 200)), .integer(0), .integer(.min), .integer(.max),
      .bytes([]), .bytes([0, 1, 255]),
    ]
    return values + [
      batch("empty", "No changes.", []),
      batch("set", "One set.", [Samples.set]),
      batch(
        "keys", "Every form of key.",
        keys.enumerated().map { Samples.change(UInt64($0) + 1, [.remove(replacing: [], clearing: nil)], key: $1) }),
      batch("replacing", "Entries replaced: none, the table's, listed; after a remove, none.", replacing),
      batch("clearing", "Sets and removes that clear what is beneath.", clearing),
      batch("counters", "Shares begun and continued, by two writers.", counters),
      batch("stamps", "Every form of stamp.", stamps),
      batch("counters-out-of-turn", "First counters that are not the next ones.", outOfTurn),
      batch("frontiers", "Frontiers, two writers in turns.", frontiers),
      batch("objects", "Definitions as the operations imply them, and otherwise.", objects),
      batch("later-kinds", "Objects of kinds that later versions may add, and what stands in them.", laterKinds),
      batch("moved-objects", "Objects that move between parents.", moves),
      batch("message", "A message.", [Samples.change(1, [.increment(1, birth: 1)], message: "Lent to Bob 🪶")]),
    ]
  }

  static func batch(_ name: String, _ about: String, _ changes: [Change]) -> Vector {
    Vector(name: "batch-\(name)", subject: .batch(Batch.encode(changes)), about: about, isCanonical: true)
  }

  /// A document in which objects moved, and what was written to it.
  private static let (moves, moved): ([Change], Snapshot) = {
    var document = Document()
    document.holdsRemovedObjects = true
    var changes: [Change] = []
    func write(_ body: (inout Document, inout Patch) -> Void) {
      var patch = Patch()
      document.begin(as: Samples.ada, now: 1_800_000_000_000)
      body(&document, &patch)
      if let change = document.commit() { changes.append(change) }
    }
    var (chair, lamp) = (ObjectID.root, ObjectID.root)
    write { document, patch in
      chair = document.assignObject(.map, for: "chair", in: .root, patch: &patch)
      lamp = document.assignObject(.list, for: "lamp", in: .root, patch: &patch)
      document.set(.integer(4), for: "legs", in: chair, patch: &patch)
      document.insert([.bool(true)], at: 0, in: lamp, patch: &patch)
    }
    write { document, patch in
      let capacity = document.declare(.list, for: "room", in: .root)
      _ = try? document.place(chair, at: 0, in: capacity, patch: &patch)
      try? document.place(lamp, for: "light", in: chair, patch: &patch)
    }
    write { document, patch in document.remove("light", in: chair, patch: &patch) }
    return (changes, document.snapshot())
  }()

  static let laterKinds: [Change] = {
    let shelf = ObjectDefinition(parent: .root, key: "shelf", kind: .later5)
    return [
      Samples.change(1, [.set(.derived(.later5), replacing: [], clearing: nil)], key: "shelf"),
      Samples.change(2, [.set(.integer(1), replacing: [], clearing: nil)], object: shelf.id, objects: [shelf]),
      Samples.change(3, [.set(.object(.later7), replacing: [], clearing: nil)], key: "chair"),
      Samples.change(
        4, [.set(.integer(4), replacing: [], clearing: nil)], object: .assigned(by: Dot(Samples.ada, 3)), key: "legs"),
    ]
  }()

  private static let replacing: [Change] = {
    let (ada, bob) = (Samples.ada, Samples.bob)
    func set(_ replaced: DotSet) -> Action { .set(.integer(1), replacing: replaced, clearing: nil) }
    return [
      Samples.change(1, [set([])]),
      Samples.change(2, [set([Dot(ada, 1)])]),
      Samples.change(1, [set([Dot(ada, 2)])], by: bob, frontier: [Dot(ada, 2)]),
      Samples.change(3, [set([Dot(ada, 2)])]),
      Samples.change(4, [set([Dot(ada, 3), Dot(bob, 1)])], frontier: [Dot(bob, 1)]),
      Samples.change(5, [.remove(replacing: [Dot(ada, 4)], clearing: nil)]),
      Samples.change(6, [set([Dot(ada, 4)])]),
      Samples.change(7, [set([])]),
    ]
  }()

  private static let clearing: [Change] = [
    Samples.change(1, [.set(.null, replacing: [], clearing: Samples.version)]),
    Samples.change(2, [.remove(replacing: [Dot(Samples.ada, 1)], clearing: VersionVector())]),
  ]

  private static let counters: [Change] = {
    let (ada, bob) = (Samples.ada, Samples.bob)
    return [
      Samples.change(1, [.increment(5, birth: 1), .increment(-5, birth: 1)]),
      Samples.change(1, [.increment(.max, birth: 1)], by: bob),
      Samples.change(3, [.increment(.min, birth: 1)], by: ada),
      Samples.change(4, [.increment(0, birth: 4)], by: ada),
      Samples.change(2, [.increment(1, birth: 1)], by: bob),
    ]
  }()

  private static let stamps: [Change] = {
    let first = Samples.stamp
    let stamps = [
      first, first.successor, first.successor, Stamp(milliseconds: first.milliseconds + 40),
      Stamp(rawValue: (first.milliseconds + 41) << 16 | 77), first, Stamp(rawValue: .max), Stamp(rawValue: 0),
    ]
    return stamps.enumerated().map { place, stamp in
      Samples.change(UInt64(place) + 1, [.increment(1, birth: UInt64(place) + 1)], stamp: stamp)
    }
  }()

  private static let outOfTurn: [Change] = [10, 11, 5, 1 << 62].map { (first: UInt64) in
    Samples.change(first, [.increment(1, birth: first)])
  }

  private static let frontiers: [Change] = {
    let (ada, bob) = (Samples.ada, Samples.bob)
    let third = ReplicaID(rawValue: .max)
    return [
      Samples.change(1, [.increment(1, birth: 1)], frontier: [Dot(bob, 12)]),
      Samples.change(13, [.increment(1, birth: 13)], by: bob, frontier: [Dot(ada, 1), Dot(third, 1 << 40)]),
      Samples.change(2, [.increment(1, birth: 1)], frontier: [Dot(bob, 13)]),
    ]
  }()

  private static let objects: [Change] = {
    let (books, dune, tags) = (Samples.books, Samples.dune, Samples.tags)
    let made = ObjectID.assigned(by: Dot(Samples.ada, 3))
    let below = ObjectDefinition(parent: made, key: .integer(4), kind: .list)
    func set(_ value: Value) -> [Action] { [.set(value, replacing: [], clearing: nil)] }
    var several = Samples.change(6, set(.null), object: tags.id, objects: [books, dune, tags, below])
    several.operations += Samples.change(7, set(.null), object: below.id).operations
    several.operations += Samples.change(8, set(.null), object: books.id).operations
    return [
      Samples.change(1, set(.string("Herbert")), object: dune.id, key: "author", objects: [books, dune]),
      Samples.change(2, set(.bool(true)), object: tags.id, key: "desert", objects: [books, dune, tags]),
      Samples.change(3, set(.object(.map)), key: "desk"),
      Samples.change(4, set(.integer(4)), object: made, key: "legs"),
      Samples.change(5, set(.integer(4)), object: below.id, key: .bytes([1]), objects: [below]),
      several,
      // Not what the operations imply: nothing said, more said, said in another order.
      Samples.change(9, set(.null), object: dune.id, key: "author"),
      Samples.change(10, set(.null), key: "title", objects: [books, tags]),
      Samples.change(11, set(.null), object: tags.id, key: "desert", objects: [dune, books, tags]),
      // Touched first by its bare id, defined later.
      Samples.change(12, set(.null), object: ObjectDefinition(parent: .root, key: "bare", kind: .map).id),
      Samples.change(
        13, set(.null), object: ObjectDefinition(parent: .root, key: "bare", kind: .map).id,
        objects: [ObjectDefinition(parent: .root, key: "bare", kind: .map)]),
    ]
  }()

  // MARK: Streams

  private static var streams: [Vector] {
    var encoder = LiveEncoder()
    let rows = [replacing, counters, objects].map { row in
      var payload: [UInt8] = []
      for change in row { encoder.encode(change, into: &payload) }
      return payload
    }
    var fresh = LiveEncoder()
    var first: [UInt8] = []
    for change in replacing + counters + objects { fresh.encode(change, into: &first) }
    let tables = fresh.tables()
    let rest = [replacing, frontiers + objects].map { row in
      var payload: [UInt8] = []
      for change in row { fresh.encode(change, into: &payload) }
      return payload
    }
    return [
      Vector(
        name: "stream-from-its-beginning", subject: .stream(tables: nil, payloads: rows + [[]]),
        about: "Payloads that rely on those before; the last is empty.", isCanonical: true),
      Vector(
        name: "stream-from-tables", subject: .stream(tables: tables, payloads: rest),
        about: "A reader joins at the tables.", isCanonical: false),
      Vector(
        name: "stream-from-empty-tables", subject: .stream(tables: LiveEncoder().tables(), payloads: [rows[0]]),
        about: "The tables of a stream that has said nothing.", isCanonical: false),
      Vector(
        name: "stream-of-two-generations", subject: .stream(tables: nil, payloads: generations),
        about: "The first payload makes the tables weigh too much, so that the second begins again.",
        isCanonical: true, contentStart: 1),
    ]
  }

  /// The first payload defines so many deep objects that the tables weigh too much after it.
  private static let generations: [[UInt8]] = {
    var chain: [ObjectDefinition] = []
    for depth in 0..<63 {
      chain.append(ObjectDefinition(parent: chain.last?.id ?? .root, key: .integer(Int64(depth)), kind: .map))
    }
    let leaves = (0..<2100).map { ObjectDefinition(parent: chain[62].id, key: .integer($0), kind: .set) }
    var heavy = Samples.change(1, [], objects: chain + leaves)
    heavy.operations = leaves.map {
      Operation(object: $0.id, key: .integer(0), action: .remove(replacing: [], clearing: nil))
    }
    let after = heavy.lastCounter + 1
    var encoder = LiveEncoder()
    return [
      heavy, Samples.change(after, [.increment(1, birth: after)]),
      Samples.change(after + 1, [.increment(1, birth: after)]),
    ]
    .map { change in
      var payload: [UInt8] = []
      encoder.encode(change, into: &payload)
      return payload
    }
  }()

  // MARK: Snapshots

  private static var snapshots: [Vector] {
    var workload = Workload()
    for _ in 0..<200 { _ = workload.change(after: 3) }
    return [
      snapshot(
        "empty", "Nothing was ever written.",
        Snapshot(version: VersionVector(), frontier: [], latestStamp: Stamp(rawValue: 0), objects: [])),
      snapshot("workload", "Sets of many keys by one writer.", workload.snapshot),
      snapshot("many-keys", "As many keys of one object as make blocks, one of which holds an object.", manyKeys),
      snapshot(
        "moved-objects", "An object in a list and, hidden, where it was; one that was removed, and is held.", moved),
      snapshot("library", "Objects of every origin, conflicts and counters.", library),
    ]
      + (0..<3 as Range<UInt64>).map { seed in
        var dice = Dice(seed: seed)
        return snapshot("drawn-\(seed)", "Drawn at random.", dice.snapshot())
      }
  }

  private static func snapshot(_ name: String, _ about: String, _ snapshot: Snapshot) -> Vector {
    Vector(
      name: "snapshot-\(name)", subject: .snapshot(SnapshotCoding.encode(snapshot)), about: about, isCanonical: true)
  }

  private static let manyKeys: Snapshot = {
    var document = Document()
    var patch = Patch()
    document.begin(as: Samples.ada, now: Samples.stamp.milliseconds)
    for number in 0..<1025 as Range<Int64> { document.set(.null, for: .integer(number), in: .root, patch: &patch) }
    let object = document.assignObject(.map, for: .integer(500), in: .root, patch: &patch)
    document.set(.string("Dune"), for: "title", in: object, patch: &patch)
    _ = document.commit()
    return document.snapshot()
  }()

  private static let library: Snapshot = {
    let (ada, bob, stamp) = (Samples.ada, Samples.bob, Samples.stamp)
    func slot(_ key: Key, _ entries: Entry...) -> Snapshot.Slot {
      Snapshot.Slot(key: key, entries: entries, shares: [])
    }
    func entry(_ dot: Dot, _ value: Value, _ stamp: Stamp = Samples.stamp) -> Entry {
      Entry(dot: dot, stamp: stamp, value: value)
    }
    let (books, dune, tags) = (Samples.books, Samples.dune, Samples.tags)
    let solaris = ObjectDefinition(parent: books.id, key: "solaris", kind: .map)
    let chair = ObjectID.assigned(by: Dot(ada, 5))
    let parts = ObjectDefinition(parent: .assigned(by: Dot(bob, 2)), key: "parts", kind: .list)
    let partsText = ObjectDefinition(parent: .assigned(by: Dot(bob, 2)), key: "parts", kind: .text)
    let counted = Snapshot.Slot(
      key: "copies", entries: [],
      shares: [
        CounterShare(replica: ada, birth: 3, last: 6, total: -2, stamp: stamp),
        CounterShare(replica: bob, birth: 7, last: 7, total: .max, stamp: stamp.successor),
      ])
    let objects: [Snapshot.Object] = [
      Snapshot.Object(
        id: .root, origin: .root,
        slots: [
          slot("chair", entry(Dot(ada, 5), .object(.map))),
          slot("title", entry(Dot(ada, 1), .string("Dune")), entry(Dot(bob, 1), .string("Dune!"), stamp.successor)),
        ]),
      Snapshot.Object(id: books.id, origin: .derived(books), slots: []),
      Snapshot.Object(
        id: dune.id, origin: .derived(dune),
        slots: [
          slot("author", entry(Dot(ada, 2), .string("Frank Herbert"))), counted,
          slot("year", entry(Dot(bob, 9), .integer(1965))),
        ]),
      Snapshot.Object(
        id: solaris.id, origin: .derived(solaris),
        slots: [
          slot("author", entry(Dot(bob, 10), .string("Stanisław Lem"))),
          slot("year", entry(Dot(bob, 11), .integer(1961))),
        ]),
      Snapshot.Object(
        id: tags.id, origin: .derived(tags),
        slots: (0..<12).map { slot(.name("tag-\($0 + 10)"), entry(Dot(bob, UInt64(20 + $0)), .bool(true))) }),
      Snapshot.Object(
        id: chair, origin: .assigned(.map), slots: [slot("legs", entry(Dot(ada, 7), .integer(4)))]),
      Snapshot.Object(
        id: parts.id, origin: .derived(parts),
        slots: [1, 2, 10].map { slot(.integer($0), entry(Dot(bob, UInt64(40 + $0)), .double(1.5))) }),
      Snapshot.Object(
        id: partsText.id, origin: .derived(partsText), slots: [slot(.bytes([7]), entry(Dot(bob, 60), .null))]),
    ]
    return Snapshot(
      version: Samples.version, frontier: [Dot(ada, 7), Dot(bob, 300)], latestStamp: stamp.successor,
      objects: objects.sorted { $0.id < $1.id })
  }()
}
