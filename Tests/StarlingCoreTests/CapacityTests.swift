@testable import StarlingCore
import Testing

/// What nobody could receive is refused where it is written.
@Suite struct `A document that is as large as peers take` {
  private var document = Document()
  private var patch = Patch()

  /// - Returns: Why it was refused, if it was.
  @discardableResult
  private mutating func write(_ body: (inout Document, inout Patch) -> Void) -> OversizedWrite? {
    document.begin(as: Group.replica(0), now: 1_000)
    body(&document, &patch)
    let refusal = document.takeRefusal()
    _ = document.commit()
    document.checkInvariants()
    return refusal
  }

  private var snapshotEntryCount: Int {
    document.snapshot().objects.reduce(0) { $0 + 1 + $1.slots.count }
  }

  @Test mutating func `takes nothing more, and says so`() {
    document.capacity.entryCountMax = 100
    var refusal: OversizedWrite?
    var count = 0
    while refusal == nil, count < 1_000 {
      refusal = write { $0.set(.integer(1), for: .integer(Int64(count)), in: .root, patch: &$1) }
      count += 1
    }
    #expect(refusal?.part == .document && refusal?.limit == 100)
    #expect(refusal?.description.contains("go on in another document") == true)
    #expect(snapshotEntryCount > 90 && snapshotEntryCount <= 100)
    #expect(write { $0.increment("n", in: .root, by: 1, patch: &$1) }?.part == .document)
    #expect(
      write { document, patch in
        document.insert("a", at: 0, in: document.declare(.text, for: "t", in: .root), patch: &patch)
      }?.part == .document)
    #expect(snapshotEntryCount <= 100)
  }

  @Test mutating func `lets something go, and takes something else then`() {
    document.capacity.entryCountMax = 50
    for key in 0..<60 { write { $0.set(.integer(1), for: .integer(Int64(key)), in: .root, patch: &$1) } }
    #expect(write { $0.set(.integer(1), for: "more", in: .root, patch: &$1) } != nil)
    let refusal = write { document, patch in
      for key in 0..<10 { document.remove(.integer(Int64(key)), in: .root, patch: &patch) }
    }
    #expect(refusal == nil)
    patch = Patch()
    #expect(write { $0.set(.integer(1), for: "more", in: .root, patch: &$1) } == nil)
  }

  /// Others do not know of it yet: what they wrote is merged, or replicas would differ.
  @Test mutating func `merges what others added at the same time`() throws {
    document.capacity.entryCountMax = 20
    for key in 0..<30 { write { $0.set(.integer(1), for: .integer(Int64(key)), in: .root, patch: &$1) } }
    let full = snapshotEntryCount
    var other = Document()
    other.begin(as: Group.replica(1), now: 1_000)
    for key in 100..<130 { other.set(.integer(1), for: .integer(Int64(key)), in: .root, patch: &patch) }
    let change = other.commit()
    patch = Patch()
    #expect(try document.merge(change!, patch: &patch) == .merged)
    #expect(snapshotEntryCount == full + 30)
    #expect(write { $0.set(.integer(1), for: "more", in: .root, patch: &$1) }?.part == .document)
  }

  @Test(arguments: [true, false]) mutating func `counts the objects that others made`(inARow: Bool) throws {
    document.capacity.entryCountMax = 140
    write { $0.set(.integer(1), for: "first", in: .root, patch: &$1) }
    var history = SetHistory(replica: Group.replica(1), firstCounter: 1, frontier: [])
    for number in 0..<30 {
      var chain = [ObjectDefinition(parent: .root, key: .integer(Int64(number)), kind: .map)]
      for _ in 0..<3 { chain.append(ObjectDefinition(parent: chain.last!.id, key: "next", kind: .map)) }
      let slot = history.append("n", in: chain.last!.id, definedBy: chain, hint: .none)
      history.append(.integer(1), in: slot, replacing: .origin, stamp: Stamp(rawValue: 1), beginsChange: true)
    }
    if inARow {
      #expect(try document.merge(history, patch: &patch) == .merged)
    } else {
      for change in history.changes { #expect(try document.merge(change, patch: &patch) == .merged) }
    }
    #expect(write { $0.set(.integer(1), for: "more", in: .root, patch: &$1) }?.part == .document)
  }

  @Test mutating func `counts elements, runs, marks and what others wrote beside`() {
    document.capacity.entryCountMax = 60
    var count = 0
    while count < 100,
      write({ document, patch in
        document.insert([.integer(1)], at: 0, in: document.declare(.list, for: "l", in: .root), patch: &patch)
      }) == nil
    {
      count += 1
    }
    // Each is a slot, an element, and a run of its own.
    #expect(count > 10 && count <= 20)
  }
}

/// A state may say anything of anybody.
@Suite struct `A state that claims more operations of a replica than anybody writes` {
  private func claim(_ counter: UInt64, of replica: ReplicaID) throws -> Snapshot {
    var group = Group(2)
    group.set(1, "a", .integer(1))
    var snapshot = group.documents[1].snapshot()
    snapshot.version[replica] = counter
    if replica == Group.replica(1) { snapshot.frontier = [Dot(replica, counter)] }
    return snapshot
  }

  @Test(arguments: [1 << 62 + 1, 1 << 63 - 1, 1 << 63, UInt64.max] as [UInt64])
  func `is refused, and alters nothing`(_ counter: UInt64) throws {
    for replica in [Group.replica(0), Group.replica(1)] {
      for isBlank in [true, false] {
        var group = Group(1)
        if !isBlank { group.set(0, "b", .integer(2)) }
        let before = group.documents[0].snapshot()
        #expect(throws: MergeError.self) {
          try group.documents[0].merge(claim(counter, of: replica), patch: &group.patches[0])
        }
        if counter < 1 << 63 {
          #expect(throws: MergeError.self) {
            try group.documents[0].merge(
              Document(claim(counter, of: replica)), isHeard: true, patch: &group.patches[0])
          }
        }
        #expect(group.documents[0].snapshot() == before)
        #expect(group.set(0, "c", .integer(3)) != nil, "it goes on writing")
      }
    }
  }

  @Test func `leaves a replica enough to write if it is not refused`() throws {
    var group = Group(1)
    try group.documents[0].merge(claim(1 << 62, of: Group.replica(0)), patch: &group.patches[0])
    #expect(group.set(0, "c", .integer(3))?.firstCounter == 1 << 62 + 1)
  }

  /// What a store holds is opened whatever it says.
  @Test func `refuses what is written, rather than stop the program, where it stands in a store`() throws {
    var document = try Document(claim(1 << 63 - 1, of: Group.replica(0)))
    var patch = Patch()
    document.begin(as: Group.replica(0), now: 1_000)
    document.set(.integer(1), for: "b", in: .root, patch: &patch)
    document.remove("a", in: .root, patch: &patch)
    document.insert("x", at: 0, in: document.declare(.text, for: "t", in: .root), patch: &patch)
    #expect(document.takeRefusal()?.part == .counters)
    #expect(document.commit() == nil)
    document.begin(as: Group.replica(5), now: 1_000)
    document.set(.integer(1), for: "b", in: .root, patch: &patch)
    #expect(document.commit() != nil, "under another id it goes on")
  }
}
