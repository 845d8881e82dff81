import StarlingCore
import Testing

@Suite struct `A path of tombstones` {
  /// The first, which does not know the second, has collected what the second has inserted at.
  private var group = Group(2)
  private let text = ObjectID.derived(parent: .root, key: "text", kind: .text)
  private var late: Change?

  /// - Parameter kept: how much of "abcdef" stands after the removal.
  private mutating func begin(keeping kept: Int, isUpToDate: Bool) throws {
    let text = text
    let typed = group.write(0) { document, patch in
      document.insert("abcdef", at: 0, in: document.declare(.text, for: "text", in: .root), patch: &patch)
    }
    try group.deliver(typed, to: 1)
    late = group.write(1) { $0.insert("X", at: 4, in: text, patch: &$1) }
    let removal = group.write(0) { $0.removeItems(kept..<6, in: text, patch: &$1) }
    #expect(group.documents[0].collectTombstones(stable: group.documents[0].version) > 0)
    if isUpToDate { try group.deliver(removal, to: 1) }
  }

  private mutating func merge() throws -> MergeOutcome {
    try group.documents[0].merge(try #require(late), patch: &group.patches[0])
  }

  private mutating func lacked() throws -> [Dot] {
    guard case .lacksAnchors(let dots) = try merge() else { return [] }
    return dots
  }

  private mutating func paths() throws -> [Change] {
    let isUpToDate = group.documents[1].version.covers(group.documents[0].version)
    return group.documents[1].removedPaths(to: try lacked(), isUpToDate: isUpToDate)
  }

  @Test(arguments: [0, 1, 3], [true, false])
  mutating func `brings back what an insertion is anchored on, and shows nothing`(kept: Int, isUpToDate: Bool) throws {
    try begin(keeping: kept, isUpToDate: isUpToDate)
    let paths = try paths()
    #expect(paths.reduce(0) { $0 + $1.counterCount } == (isUpToDate ? 5 - UInt64(kept) : 5))
    #expect(paths.count <= 2)
    let (version, digest) = (group.documents[0].version, group.documents[0].digest())
    var patch = Patch()
    #expect(try group.documents[0].adopt(removedPaths: paths, patch: &patch) == 5 - kept)
    group.documents[0].checkInvariants()
    #expect(patch.isEmpty && group.documents[0].version == version && group.documents[0].digest() == digest)
    #expect(try merge() == .merged)
    group.documents[0].checkInvariants()
    #expect(group.documents[0].text(in: text) == "abc".prefix(kept) + "X")
    // A second time it stores nothing.
    #expect(try group.documents[0].adopt(removedPaths: paths, patch: &patch) == 0)
    try group.sync()
    #expect(group.agrees)
    // It is read back as it was stored.
    let restored = try Document(group.documents[0].snapshot())
    #expect(restored.digest() == group.documents[0].digest())
  }

  @Test mutating func `is kept until everybody has merged what the sender holds`() throws {
    try begin(keeping: 1, isUpToDate: true)
    let paths = try paths()
    let expected = group.documents[1].version
    try group.documents[0].adopt(removedPaths: paths, expecting: expected, patch: &group.patches[0])
    #expect(group.documents[0].collectTombstones(stable: group.documents[0].version) == 0)
    #expect(try merge() == .merged)
    let text = text
    let removal = group.write(0) { $0.removeItems(0..<2, in: text, patch: &$1) }
    try group.deliver(removal, to: 1)
    for place in 0...1 { _ = group.documents[place].collectTombstones(stable: group.documents[0].version) }
    #expect(group.documents[0].snapshot().objects.allSatisfy { $0.sequence == nil })
    #expect(group.agrees)
  }

  @Test mutating func `is refused where it names what never came, or moves what is stored`() throws {
    try begin(keeping: 1, isUpToDate: false)
    let path = try #require(try paths().first)
    let digest = group.documents[0].digest()
    func expectRefusal(_ change: (inout Change) -> Void) {
      var (document, path, patch) = (group.documents[0], path, Patch())
      change(&path)
      #expect(throws: MergeError.self) { try document.adopt(removedPaths: [path], patch: &patch) }
      #expect(document.digest() == digest)
    }
    expectRefusal { $0.firstCounter = 1000 }
    expectRefusal { $0.firstCounter = .max }
    expectRefusal { $0.replica = ReplicaID(rawValue: 99) }
    expectRefusal { $0.operations[0].key = .element(Dot(path.replica, 1000)) }
    // "a" stands at the origin.
    expectRefusal { $0.operations[0].key = .element(Dot(path.replica, 3)) }
    expectRefusal { $0.operations[0].action = .insert(.text(Scalars("     ")), side: .left) }
    expectRefusal { $0.operations[0].action = .insert(.values([.null]), side: .right) }
    expectRefusal { $0.operations.append($0.operations[0]) }
    expectRefusal { $0.operations[0] = Operation(object: .root, key: "title", action: .increment(1, birth: 1)) }
    expectRefusal { $0.operations = [] }
  }

  @Test mutating func `has each item once, however many are anchored on it`() throws {
    let text = text
    let typed = group.write(0) { document, patch in
      let text = document.declare(.text, for: "text", in: .root)
      document.insert(String(repeating: "m", count: 1000), at: 0, in: text, patch: &patch)
      document.insert("abc", at: 500, in: text, patch: &patch)
    }
    try group.deliver(typed, to: 1)
    let items = (1...1003 as ClosedRange<UInt64>).map { Dot(Group.replica(0), $0) }
    let paths = group.documents[1].removedPaths(to: items, isUpToDate: false)
    #expect(paths.reduce(0) { $0 + $1.counterCount } == 1003)
    let removal = group.write(0) { $0.removeItems(0..<1003, in: text, patch: &$1) }
    try group.deliver(removal, to: 1)
    _ = group.documents[0].collectTombstones(stable: group.documents[0].version)
    #expect(try group.documents[0].adopt(removedPaths: paths, patch: &group.patches[0]) == 1003)
    group.documents[0].checkInvariants()
    #expect(group.documents[1].removedPaths(to: items, isUpToDate: true).count == paths.count)
  }
}
