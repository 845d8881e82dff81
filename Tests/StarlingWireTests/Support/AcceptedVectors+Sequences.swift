import StarlingCore
import StarlingWire

/// Lists and texts.
extension AcceptedVectors {
  static var sequences: [Vector] {
    var drawn = TypingDrawing(seed: 3)
    var encoder = LiveEncoder()
    var first: [UInt8] = []
    for change in typing { encoder.encode(change, into: &first) }
    let tables = encoder.tables()
    var second: [UInt8] = []
    // The cursor of the tables is where the last character was typed.
    for change in [change(40, insert("!", after: Dot(ada, 39))), change(41, removeRun(Dot(ada, 40)))] + elements {
      encoder.encode(change, into: &second)
    }
    return [
      batch("text", "Typing, deleting backwards and forwards, two writers.", typing),
      batch("history", "What somebody typed, by columns.", drawn.changes(90)),
      batch("histories", "Two histories, and between them what belongs to neither.", histories),
      batch("list", "Elements inserted, set in passing, set again, moved and removed.", elements),
      batch("marks", "Marks with every form of edge.", marks),
      batch("element-keys", "Objects and slots under elements.", elementKeys),
      batch("items-up-to-the-end", "The last item of all.", [lastItem]),
      Vector(
        name: "stream-of-sequences-from-tables", subject: .stream(tables: tables, payloads: [second]),
        about: "A reader joins where somebody types.", isCanonical: false),
      snapshot("text", "A text by two writers, with marks.", text),
      snapshot("list", "A list with an element that was moved and one in conflict.", list),
    ]
  }

  private static let (ada, bob) = (Samples.ada, Samples.bob)
  private static let notes = ObjectDefinition(parent: .root, key: "notes", kind: .text)
  private static let rows = ObjectDefinition(parent: .root, key: "rows", kind: .list)

  private static func change(
    _ first: UInt64, _ operations: (Key, Action)..., in object: ObjectDefinition = notes, by replica: ReplicaID = ada,
    frontier: [Dot] = []
  ) -> Change {
    Change(
      replica: replica, firstCounter: first, stamp: Stamp(rawValue: Samples.stamp.rawValue + first),
      frontier: frontier, objects: [object],
      operations: operations.map { Operation(object: object.id, key: $0, action: $1) })
  }

  private static func insert(_ text: String, after item: Dot) -> (Key, Action) {
    (.element(item), .insert(.text(Scalars(text)), side: .right))
  }

  private static func removeRun(_ first: Dot, count: UInt64 = 1) -> (Key, Action) {
    (.element(first), .removeRun(count: count))
  }

  // MARK: Changes

  private static let typing: [Change] = [
    change(1, insert("H", after: .origin)),
    change(2, insert("ä", after: Dot(ada, 1))),
    change(3, insert("–", after: Dot(ada, 2))),
    change(4, insert("🪶", after: Dot(ada, 3))),
    change(5, insert("llo, world", after: Dot(ada, 4))),
    // Backwards, one and then three.
    change(15, removeRun(Dot(ada, 14))),
    change(16, removeRun(Dot(ada, 11), count: 3)),
    change(17, insert("xyz", after: Dot(ada, 10))),
    // Forwards, one and then two.
    change(20, removeRun(Dot(ada, 2))),
    change(21, removeRun(Dot(ada, 3), count: 2)),
    change(1, (.element(Dot(ada, 6)), .insert(.text(Scalars("B")), side: .left)), by: bob, frontier: [Dot(ada, 21)]),
    change(2, insert("ob", after: Dot(bob, 1)), by: bob),
    change(22, removeRun(Dot(bob, 1), count: 3), insert("Ada, twice", after: .origin), frontier: [Dot(bob, 3)]),
    change(33, insert("ing", after: Dot(ada, 32))),
    change(36, insert("–", after: Dot(ada, 35)), insert("abc", after: Dot(ada, 36))),
  ]

  /// In the first every change is a replacement; in the second somebody holds a key down.
  private static let histories: [Change] = {
    var changes = (0..<5 as Range<UInt64>).map { round in
      change(
        1 + 4 * round, removeRun(Dot(bob, 1 + 10 * round), count: 10),
        insert("Grü", after: round == 0 ? Dot(bob, 70) : Dot(ada, 4 * round)))
    }
    changes.append(change(21, insert("!", after: Dot(ada, 20)), frontier: [Dot(bob, 80)]))
    for place in 0..<40 as Range<UInt64> {
      var held = change(22 + place, removeRun(Dot(bob, 200 - place)))
      held.stamp = Stamp(milliseconds: Samples.stamp.milliseconds + 1 + 33 * place)
      changes.append(held)
    }
    return changes
  }()

  private static let elements: [Change] = [
    change(
      42, (.element(.origin), .insert(.values([.string("a"), .object(.map), .integer(3)]), side: .right)), in: rows),
    change(45, (.element(Dot(ada, 44)), .insert(.values((0..<5).map { .integer($0) }), side: .right)), in: rows),
    // In passing, then into the table, then by its number.
    change(50, (.element(Dot(ada, 42)), .set(.string("b"), replacing: [Dot(ada, 42)], clearing: nil)), in: rows),
    change(51, (.element(Dot(ada, 42)), .set(.string("c"), replacing: [Dot(ada, 50)], clearing: nil)), in: rows),
    change(52, (.element(Dot(ada, 42)), .set(.string("d"), replacing: [Dot(ada, 51)], clearing: nil)), in: rows),
    change(53, (.element(Dot(ada, 47)), .increment(2, birth: 53)), in: rows),
    change(54, (.element(Dot(ada, 48)), .remove(replacing: [Dot(ada, 48)], clearing: nil)), in: rows),
    change(55, (.element(Dot(ada, 42)), .move(to: .end, replacing: [Dot(ada, 42)])), in: rows),
    change(
      56, (.element(Dot(ada, 42)), .move(to: Edge(.left, of: Dot(ada, 46)), replacing: [Dot(ada, 55)])), in: rows),
    change(57, (.element(Dot(ada, 43)), .move(to: Edge(.right, of: Dot(ada, 46)), replacing: [])), in: rows),
    change(58, (.element(Dot(ada, 48)), .removeRun(count: 2)), in: rows),
  ]

  private static let marks: [Change] = {
    func mark(_ start: Edge, _ end: Edge, _ rank: UInt64, _ value: Value, _ replacing: [Dot] = []) -> (Key, Action) {
      ("bold", .mark(MarkOperation(start: start, end: end, rank: rank, value: value, replacing: replacing)))
    }
    return [
      change(1, insert("Grüße", after: .origin)),
      change(6, mark(Edge(.left, of: Dot(ada, 1)), Edge(.left, of: Dot(ada, 4)), 1, .bool(true))),
      change(7, mark(.start, .end, 2, .null, [Dot(ada, 6)])),
      change(
        1,
        (
          .integer(4),
          .mark(
            MarkOperation(
              start: .start, end: Edge(.right, of: Dot(ada, 5)), rank: .max, value: .string("x"), replacing: []))
        ),
        by: bob, frontier: [Dot(ada, 7)]),
    ]
  }()

  private static let elementKeys: [Change] = {
    let title = ObjectDefinition(parent: rows.id, key: .element(Dot(ada, 1)), kind: .text)
    return [
      change(1, (.element(.origin), .insert(.values([.derived(.text)]), side: .right)), in: rows),
      Change(
        replica: ada, firstCounter: 2, stamp: Samples.stamp, frontier: [], objects: [rows, title],
        operations: [
          Operation(object: title.id, key: insert("Hi", after: .origin).0, action: insert("Hi", after: .origin).1)
        ]),
    ]
  }()

  private static let lastItem = change((1 << 63) - 2, insert("ab", after: .origin))

  // MARK: Snapshots

  private static let version = VersionVector([
    VersionVector.Entry(replica: ada, counter: 60), VersionVector.Entry(replica: bob, counter: 9),
  ])

  private static func snapshot(_ name: String, _ about: String, _ object: Snapshot.Object) -> Vector {
    let snapshot = Snapshot(
      version: version, frontier: [Dot(ada, 60), Dot(bob, 9)], latestStamp: Samples.stamp, objects: [object])
    return Vector(
      name: "snapshot-\(name)", subject: .snapshot(SnapshotCoding.encode(snapshot)), about: about, isCanonical: true)
  }

  private static func run(_ first: Dot, _ anchor: Edge, _ content: Snapshot.Run.Content) -> Snapshot.Run {
    Snapshot.Run(first: first, anchor: anchor, content: content)
  }

  private static let text = Snapshot.Object(
    id: notes.id, origin: .derived(notes), slots: [],
    sequence: Snapshot.Sequence(
      runs: [
        // Typed in front of what was first.
        run(Dot(ada, 30), Edge(.left, of: Dot(ada, 1)), .text(count: 5)),
        run(Dot(ada, 1), .start, .text(count: 3)),
        run(Dot(ada, 4), Edge(.right, of: Dot(ada, 3)), .removed(count: 2)),
        // Two writers in the middle of a run.
        run(Dot(ada, 20), Edge(.left, of: Dot(ada, 6)), .text(count: 1)),
        run(Dot(bob, 2), Edge(.left, of: Dot(ada, 6)), .text(count: 3)),
        run(Dot(ada, 6), Edge(.right, of: Dot(ada, 5)), .text(count: 1)),
        run(Dot(bob, 8), Edge(.right, of: Dot(ada, 2)), .text(count: 1)),
        run(Dot(bob, 9), .start, .text(count: 1)),
      ],
      text: Scalars("Ada: Grüße 🪶.xy"),
      marks: [
        Mark(
          dot: Dot(ada, 40), name: "bold", start: .start, end: Edge(.left, of: Dot(ada, 6)), rank: 1,
          value: .bool(true)),
        Mark(
          dot: Dot(ada, 41), name: "link", start: Edge(.left, of: Dot(bob, 2)), end: Edge(.right, of: Dot(bob, 5)),
          rank: 2, value: .string("starling:")),
        Mark(dot: Dot(bob, 7), name: "bold", start: Edge(.right, of: Dot(ada, 1)), end: .end, rank: 300, value: .null),
      ]))

  private static let list: Snapshot.Object = {
    func slot(_ counter: UInt64, _ entries: (Dot, Value)...) -> Snapshot.Slot {
      let entries = entries.map { Entry(dot: $0, stamp: Samples.stamp, value: $1) }
      return Snapshot.Slot(key: .element(Dot(ada, counter)), entries: entries, shares: [])
    }
    return Snapshot.Object(
      id: rows.id, origin: .derived(rows),
      slots: (42...46 as ClosedRange<UInt64>).map { slot($0, (Dot(ada, $0), .integer(Int64($0)))) }
        + [slot(48, (Dot(ada, 48), .string("a")), (Dot(bob, 1), .string("b"))), slot(52, (Dot(ada, 59), .null))],
      sequence: Snapshot.Sequence(runs: [
        run(Dot(ada, 42), .start, .elements(count: 2)),
        run(Dot(ada, 44), Edge(.right, of: Dot(ada, 43)), .removed(count: 1)),
        run(Dot(ada, 45), Edge(.right, of: Dot(ada, 44)), .elements(count: 2)),
        run(Dot(ada, 57), Edge(.right, of: Dot(ada, 46)), .moved(element: Dot(ada, 44), stamp: Samples.stamp)),
        run(Dot(ada, 48), Edge(.right, of: Dot(ada, 46)), .elements(count: 1)),
        run(Dot(ada, 52), Edge(.right, of: Dot(ada, 48)), .elements(count: 1)),
      ]))
  }()
}
