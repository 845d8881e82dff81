import StarlingCore
import StarlingTestSupport
import Testing

@Suite struct `A state that is taken over whole` {
  /// The same state in two documents: taken over, and merged slot by slot, as into a document that has a patch.
  private struct Pair {
    var adopted = Document()
    var merged = Document()
    let hint: String

    init(_ snapshot: Snapshot, _ hint: String) throws {
      self.hint = hint
      var (brief, long) = (Patch(), Patch(removedObjects: [.assigned(by: Dot(ReplicaID(rawValue: 99), 1))]))
      try adopted.merge(snapshot, patch: &brief)
      try merged.merge(snapshot, patch: &long)
      compare()
      #expect(Set(brief.entries.map(Seen.init)) == Set(long.entries.map(Seen.init)), "\(hint)")
      #expect(Set(brief.sequences.map(\.object)) == Set(long.sequences.map(\.object)), "\(hint)")
      for sequence in brief.sequences {
        #expect(sequence.edits == [.insert(at: 0, count: adopted.count(in: sequence.object))], "\(hint)")
      }
    }

    func compare() {
      adopted.checkInvariants()
      #expect(adopted.snapshot() == merged.snapshot(), "\(hint)")
      #expect(adopted.canonicalSnapshot() == merged.canonicalSnapshot(), "\(hint)")
      #expect(adopted.digest() == merged.digest(), "\(hint)")
      #expect(adopted.rowCount == merged.rowCount, "\(hint)")
    }

    /// What follows alters both alike.
    mutating func goOn(with changes: [Change]) throws {
      for change in changes {
        var patches = (Patch(), Patch())
        let outcomes = try (adopted.merge(change, patch: &patches.0), merged.merge(change, patch: &patches.1))
        #expect(outcomes.0 == outcomes.1, "\(hint)")
        #expect(Set(patches.0.entries) == Set(patches.1.entries), "\(hint)")
        // In what order what a change removes is told depends on where the rows are.
        #expect(Set(patches.0.sequences.map(\.object)) == Set(patches.1.sequences.map(\.object)), "\(hint)")
      }
      compare()
      adopted.collectTombstones(stable: adopted.version)
      merged.collectTombstones(stable: merged.version)
      compare()
    }
  }

  /// What a patch says of a slot; of conflicts that are not, it may say that they changed.
  private struct Seen: Hashable {
    let object: ObjectID
    let key: Key
    let from: Visible
    let to: Visible

    init(_ entry: Patch.Entry) { (object, key, from, to) = (entry.object, entry.key, entry.from, entry.to) }
  }

  @Test(arguments: 0..<200) func `is what it is where it is merged`(seed: UInt64) throws {
    var world = RandomWorld(seed: seed, replicaCount: 3)
    for _ in 0..<24 { try world.step() }
    var pair = try Pair(world.documents[0].snapshot(), "seed \(seed)")
    try pair.goOn(with: world.log)
  }

  @Test(arguments: 0..<200) func `is that with its lists and texts`(seed: UInt64) throws {
    var world = SequenceWorld(seed: seed, replicaCount: 3, isThorough: false)
    for _ in 0..<20 { try world.step() }
    var pair = try Pair(world.documents[0].snapshot(), "seed \(seed)")
    try pair.goOn(with: world.log)
  }

  @Test func `leaves declared what was`() throws {
    var group = Group(1)
    let shelf = ObjectID.derived(parent: .root, key: "shelf", kind: .dictionary)
    group.write(0) { document, patch in
      document.declare(.dictionary, for: "shelf", in: .root)
      document.set(.integer(1), for: "a", in: shelf, patch: &patch)
    }
    var document = Document()
    document.declare(.dictionary, for: "shelf", in: .root)
    let box = document.declare(.map, for: "box", in: document.declare(.map, for: "crate", in: shelf))
    document.undeclare(.derived(parent: shelf, key: "crate", kind: .map))
    var patch = Patch()
    try document.merge(group.documents[0].snapshot(), patch: &patch)
    document.checkInvariants()
    #expect(document.snapshot() == group.documents[0].snapshot())
    #expect(document.isDeclared(box) && document.isDeclared(shelf))
    #expect(!document.isDeclared(.derived(parent: shelf, key: "crate", kind: .map)))
    document.begin(as: Group.replica(1), now: 1)
    document.set(.integer(2), for: "b", in: box, patch: &patch)
    #expect(document.commit() != nil)
    #expect(document.visible("b", in: box) != .absent)
  }

  @Test func `is not told where nobody hears`() throws {
    var group = Group(1)
    group.set(0, "a", .integer(1))
    var document = Document()
    var patch = Patch()
    try document.merge(Document(group.documents[0].snapshot()), isHeard: false, patch: &patch)
    #expect(patch.isEmpty)
    #expect(document.digest() == group.documents[0].digest())
    // Where something stands already it is.
    group.set(0, "a", .integer(2))
    try document.merge(Document(group.documents[0].snapshot()), isHeard: false, patch: &patch)
    #expect(patch.entries.count == 1)
  }

  @Test func `is merged where a change is open, which goes on`() throws {
    var group = Group(1)
    group.set(0, "a", .integer(1))
    var document = Document()
    var patch = Patch()
    document.begin(as: Group.replica(1), now: 1)
    document.set(.integer(2), for: "b", in: .root, patch: &patch)
    try document.merge(group.documents[0].snapshot(), patch: &patch)
    _ = document.commit()
    #expect(document.visible("a", in: .root) != .absent && document.visible("b", in: .root) != .absent)
    document.checkInvariants()
  }
}
