import StarlingTestSupport
import StarlingCore
import Testing

@Suite struct `A change that nobody may merge` {
  private func refusal(_ change: Change, by document: Document = Document()) -> MergeError.Code? {
    var copy = document
    var patch = Patch()
    do throws(MergeError) {
      _ = try copy.merge(change, patch: &patch)
      return nil
    } catch {
      #expect(copy.snapshot() == document.snapshot())
      #expect(copy.rowCount == document.rowCount)
      #expect(patch.isEmpty)
      #expect(!error.description.isEmpty)
      copy.checkInvariants()
      return error.code
    }
  }

  private let other = ReplicaID(rawValue: 9)

  private func change(
    _ operations: [Operation] = [Operation(object: .root, key: "a", action: .set(.null, replacing: [], clearing: nil))],
    first: UInt64 = 1, frontier: [Dot] = [], objects: [ObjectDefinition] = []
  ) -> Change {
    Change(
      replica: ReplicaID(rawValue: 1), firstCounter: first, stamp: Stamp(rawValue: 1), frontier: frontier,
      objects: objects, operations: operations)
  }

  @Test func `has no operations`() {
    #expect(refusal(change([])) == .malformedChange)
  }

  @Test(arguments: [0, 1 << 63, .max] as [UInt64])
  func `has counters that are none`(_ first: UInt64) {
    #expect(refusal(change(first: first)) == .malformedChange)
  }

  @Test func `has counters that run out`() {
    let operation = Operation(object: .root, key: "a", action: .increment(1, birth: 1))
    #expect(refusal(change([operation, operation], first: 1 << 63 - 1)) == .malformedChange)
  }

  @Test func `has a frontier out of order, of its own, or of no operation`() {
    #expect(refusal(change(frontier: [Dot(other, 2), Dot(other, 1)])) == .malformedChange)
    #expect(refusal(change(frontier: [Dot(other, 2), Dot(other, 2)])) == .malformedChange)
    #expect(refusal(change(frontier: [Dot(ReplicaID(rawValue: 1), 1)])) == .malformedChange)
    #expect(refusal(change(frontier: [Dot(other, 0)])) == .malformedChange)
  }

  @Test func `adds to a share of the future or of nobody`() {
    #expect(refusal(change([Operation(object: .root, key: "n", action: .increment(1, birth: 2))])) == .malformedChange)
    #expect(refusal(change([Operation(object: .root, key: "n", action: .increment(1, birth: 0))])) == .malformedChange)
  }

  @Test func `overlaps what is merged`() {
    var group = Group(1)
    group.set(0, "a", .null)
    let operation = Operation(object: .root, key: "b", action: .set(.null, replacing: [], clearing: nil))
    #expect(refusal(change([operation, operation]), by: group.documents[0]) == .overlappingCounters)
  }

  @Test func `replaces or clears what it cannot have seen`() {
    let unseen = Dot(other, 1)
    let version = VersionVector([VersionVector.Entry(replica: other, counter: 1)])
    let own = VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: 1), counter: 1)])
    for action in [
      Action.set(.null, replacing: [unseen], clearing: nil), .remove(replacing: [unseen], clearing: nil),
      .set(.null, replacing: [], clearing: version), .remove(replacing: [], clearing: version),
      .remove(replacing: [Dot(ReplicaID(rawValue: 1), 1)], clearing: nil), .remove(replacing: [], clearing: own),
    ] {
      #expect(refusal(change([Operation(object: .root, key: "a", action: action)])) == .unseenDot)
    }
  }

  @Test func `writes beneath an object that it cannot have seen`() {
    let object = ObjectID.assigned(by: Dot(other, 1))
    let operation = Operation(object: object, key: "a", action: .set(.null, replacing: [], clearing: nil))
    #expect(refusal(change([operation])) == .unseenDot)
  }

  @Test func `writes beneath a derived object that it does not define`() {
    let outer = ObjectDefinition(parent: .root, key: "outer", kind: .map)
    let inner = ObjectDefinition(parent: outer.id, key: "inner", kind: .map)
    let operations = [
      Operation(object: .root, key: "a", action: .set(.null, replacing: [], clearing: nil)),
      Operation(object: inner.id, key: "a", action: .set(.null, replacing: [], clearing: nil)),
    ]
    #expect(refusal(change(operations)) == .undefinedObject)
    #expect(refusal(change(operations, objects: [inner])) == .undefinedObject)
    #expect(refusal(change(operations, objects: [outer])) == .undefinedObject)
    #expect(refusal(change(operations, objects: [outer, inner])) == nil)
  }

  @Test func `is not one that names what is gone, or comes too late`() throws {
    var group = Group(2)
    var loan = ObjectID.root
    group.write(0) { loan = $0.assignObject(.map, for: "loan", in: .root, patch: &$1) }
    let entry = group.log[0].last
    group.remove(0, "loan")
    let notes = ObjectDefinition(parent: loan, key: "notes", kind: .dictionary)
    let late = Change(
      replica: other, firstCounter: 1, stamp: Stamp(rawValue: 1), frontier: [group.log[1].last], objects: [notes],
      operations: [
        Operation(object: .root, key: "loan", action: .set(.null, replacing: [entry], clearing: nil)),
        Operation(object: loan, key: "who", action: .set(.null, replacing: [], clearing: nil)),
        Operation(object: notes.id, key: "k", action: .increment(1, birth: 3)),
        Operation(object: .root, key: "n", action: .increment(1, birth: 2)),
        Operation(object: .root, key: "nothing", action: .remove(replacing: [entry], clearing: VersionVector())),
      ])
    #expect(refusal(late, by: group.documents[0]) == nil)
    var patch = Patch()
    _ = try group.documents[0].merge(late, patch: &patch)
    #expect(patch.entries.map(\.key) == ["loan"])
    #expect(group.documents[0].snapshot().objects.map(\.id) == [.root])
    #expect(group.documents[0].keys(in: .root) == ["loan"])
  }
}

@Suite struct `A snapshot that contradicts itself` {
  /// A state with something of everything in it.
  private func rich() throws -> Snapshot {
    var group = Group(2)
    let books = group.documents[0].declare(.dictionary, for: "books", in: .root)
    let book = group.documents[0].declare(.map, for: "1", in: books)
    group.set(0, "title", .string("Dune"), in: book)
    group.increment(0, "copies", by: 2, in: book)
    group.increment(1, "n", by: 2)
    group.write(1) { document, patch in
      let loan = document.assignObject(.map, for: "loan", in: .root, patch: &patch)
      document.set(.integer(1), for: "x", in: loan, patch: &patch)
      document.set(.integer(1), for: "y", in: loan, patch: &patch)
    }
    group.set(0, "a", .integer(1))
    group.set(1, "a", .integer(2))
    group.increment(0, "n", by: 2)
    try group.sync()
    #expect(group.agrees)
    return group.documents[0].snapshot()
  }

  private func refuses(_ alter: (inout Snapshot) -> Void) throws -> Bool {
    var snapshot = try rich()
    _ = try Document(snapshot)
    alter(&snapshot)
    do throws(MergeError) {
      _ = try Document(snapshot)
      return false
    } catch {
      return error.code == .inconsistentSnapshot
    }
  }

  private func place(_ snapshot: Snapshot, _ origin: (Snapshot.Origin) -> Bool) -> Int {
    snapshot.objects.firstIndex { origin($0.origin) }!
  }

  private func isAssigned(_ origin: Snapshot.Origin) -> Bool {
    if case .assigned = origin { true } else { false }
  }

  private func isDerived(_ origin: Snapshot.Origin) -> Bool {
    if case .derived = origin { true } else { false }
  }

  @Test func `in its order is refused`() throws {
    #expect(try refuses { $0.objects.swapAt(0, 1) })
    #expect(try refuses { $0.objects.append($0.objects.last!) })
    #expect(try refuses { $0.objects[place($0) { $0 == .root }].slots.reverse() })
    #expect(try refuses { $0.frontier.reverse() })
    #expect(
      try refuses { snapshot in
        let root = place(snapshot) { $0 == .root }
        for slot in snapshot.objects[root].slots.indices {
          snapshot.objects[root].slots[slot].entries.reverse()
          snapshot.objects[root].slots[slot].shares.reverse()
        }
      })
  }

  @Test func `in what its version covers is refused`() throws {
    #expect(try refuses { $0.version = VersionVector() })
    #expect(try refuses { $0.version[Group.replica(1)] = 2 })
    #expect(try refuses { $0.frontier[0].counter += 1 })
    #expect(try refuses { $0.frontier[0].counter = 0 })
    #expect(try refuses { $0.latestStamp = Stamp(rawValue: 0) })
  }

  @Test func `in its shares is refused`() throws {
    for alter: (inout CounterShare) -> Void in [
      { $0.birth = 0 }, { $0.birth = $0.last + 1 }, { $0.last = 1 << 40 }, { $0.stamp = Stamp(rawValue: .max) },
    ] {
      #expect(
        try refuses { snapshot in
          let root = place(snapshot) { $0 == .root }
          let slot = snapshot.objects[root].slots.firstIndex { !$0.shares.isEmpty }!
          alter(&snapshot.objects[root].slots[slot].shares[0])
        })
    }
  }

  @Test func `in where its objects stand is refused`() throws {
    #expect(try refuses { $0.objects.remove(at: place($0) { $0 == .root }) }, "the assigned object has no entry")
    #expect(try refuses { $0.objects[place($0, isAssigned)].origin = .assigned(.set) })
    #expect(try refuses { $0.objects[place($0, isAssigned)].origin = .root })
    #expect(try refuses { $0.objects[place($0, isAssigned)].slots = [] })
    #expect(try refuses { $0.objects[place($0) { $0 == .root }].origin = .assigned(.map) })
    #expect(
      try refuses {
        $0.objects[place($0, isDerived)].origin = .derived(ObjectDefinition(parent: .root, key: "else", kind: .map))
      })
    #expect(
      try refuses { snapshot in
        for place in snapshot.objects.indices where isDerived(snapshot.objects[place].origin) {
          snapshot.objects[place].slots = []
        }
      }, "derived objects hold nothing")
    #expect(
      try refuses { snapshot in
        let outer = ObjectDefinition(parent: .root, key: "books", kind: .dictionary).id
        snapshot.objects.removeAll { $0.id == outer }
      }, "an ancestor is missing")
  }

  @Test func `by an object that stands in itself is refused`() {
    let entry = Entry(dot: Dot(Group.replica(0), 1), stamp: Stamp(rawValue: 1), value: .object(.map))
    let snapshot = Snapshot(
      version: VersionVector([VersionVector.Entry(replica: Group.replica(0), counter: 1)]), frontier: [entry.dot],
      latestStamp: Stamp(rawValue: 1),
      objects: [
        Snapshot.Object(
          id: .assigned(by: entry.dot), origin: .assigned(.map),
          slots: [Snapshot.Slot(key: "a", entries: [entry], shares: [])])
      ])
    #expect(throws: MergeError.self) { try Document(snapshot) }
  }

  @Test func `by an object with two entries is refused`() {
    let entry = Entry(dot: Dot(Group.replica(0), 1), stamp: Stamp(rawValue: 1), value: .object(.map))
    let snapshot = Snapshot(
      version: VersionVector([VersionVector.Entry(replica: Group.replica(0), counter: 1)]), frontier: [entry.dot],
      latestStamp: Stamp(rawValue: 1),
      objects: [
        Snapshot.Object(
          id: .root, origin: .root,
          slots: ["a", "b"].map { Snapshot.Slot(key: $0, entries: [entry], shares: []) })
      ])
    #expect(throws: MergeError.self) { try Document(snapshot) }
  }

  @Test func `stops nobody, whatever is altered in it`() throws {
    let good = try rich()
    var generator = Dice(seed: 21)
    var refused = 0
    for _ in 0..<2_000 {
      var snapshot = good
      for _ in 0..<Int.random(in: 1...3, using: &generator) { alter(&snapshot, using: &generator) }
      guard let document = try? Document(snapshot) else {
        refused += 1
        continue
      }
      document.checkInvariants()
      #expect(document.snapshot() == snapshot, "what is accepted is canonical")
      var (other, patch) = (try Document(good), Patch())
      try other.merge(snapshot, patch: &patch)
      other.checkInvariants()
    }
    print("\(refused) of 2000 altered snapshots were refused")
    #expect(refused > 500)
  }

  private func alter(_ snapshot: inout Snapshot, using generator: inout Dice) {
    guard let object = snapshot.objects.indices.randomElement(using: &generator) else { return }
    let dot = Dot(
      Group.replica(Int.random(in: 0..<3, using: &generator)), UInt64.random(in: 0..<12, using: &generator))
    switch Int.random(in: 0..<9, using: &generator) {
    case 0: snapshot.version[dot.replica] = dot.counter
    case 1: snapshot.frontier = Bool.random(using: &generator) ? [dot] : []
    case 2: snapshot.objects.remove(at: object)
    case 3: snapshot.objects[object].id = .assigned(by: dot)
    case 4: snapshot.objects[object].origin = .assigned(.map)
    default:
      guard let slot = snapshot.objects[object].slots.indices.randomElement(using: &generator) else { return }
      if let entry = snapshot.objects[object].slots[slot].entries.indices.randomElement(using: &generator) {
        if Bool.random(using: &generator) {
          snapshot.objects[object].slots[slot].entries[entry].dot = dot
        } else {
          snapshot.objects[object].slots[slot].entries[entry].value = .object(.map)
        }
      } else if let share = snapshot.objects[object].slots[slot].shares.indices.randomElement(using: &generator) {
        snapshot.objects[object].slots[slot].shares[share].birth = dot.counter
      }
    }
  }
}
