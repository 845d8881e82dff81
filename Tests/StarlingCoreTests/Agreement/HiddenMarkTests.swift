import StarlingCore
import Testing

/// Rule 3, where nothing that a reader sees stands beneath the slot that is cleared.
@Suite struct `A clear above a text that shows nothing` {
  /// A text beneath a map beneath the root, to which one replica types and which the other has merged.
  private var group = Group(2)
  private let map = ObjectID.derived(parent: .root, key: "m", kind: .map)
  private let text = ObjectID.derived(
    parent: .derived(parent: .root, key: "m", kind: .map), key: "t", kind: .text)
  private let typed: Change?

  init() throws {
    typed = group.write(0) { document, patch in
      let text = Self.declare(in: &document)
      document.insert("ab", at: 0, in: text, patch: &patch)
    }
    try group.deliver(typed, to: 1)
  }

  private static func declare(in document: inout Document) -> ObjectID {
    document.declare(.text, for: "t", in: document.declare(.map, for: "m", in: .root))
  }

  private mutating func mark(by place: Int) -> Change? {
    group.write(place) { document, patch in
      document.mark(0..<1, "bold", value: .bool(true), in: Self.declare(in: &document), patch: &patch)
    }
  }

  /// A document that merges the changes in this order.
  private func merged(_ changes: [Change?]) throws -> Document {
    var document = Document()
    var patch = Patch()
    for change in changes { #expect(try document.merge(change!, patch: &patch) == .merged) }
    document.checkInvariants()
    return document
  }

  private func expectEqual(_ left: Document, _ right: Document) {
    #expect(left.version == right.version)
    #expect(left.canonicalSnapshot() == right.canonicalSnapshot())
    #expect(left.digest() == right.digest())
  }

  @Test mutating func `takes the marks in it that its writer saw`() throws {
    let removed = group.remove(0, "m")
    let marked = mark(by: 1)
    let removedToo = group.remove(1, "m")
    let early = try merged([typed, removed, marked, removedToo])
    let late = try merged([typed, marked, removedToo, removed])
    expectEqual(early, late)
    #expect(early.canonicalSnapshot().objects.isEmpty)
    var patch = Patch()
    var mergedState = try merged([typed, removed, marked])
    try mergedState.merge(group.documents[1].snapshot(), patch: &patch)
    expectEqual(mergedState, late)
    var (collectedEarly, collectedLate) = (early, late)
    collectedEarly.collectTombstones(stable: early.version)
    collectedLate.collectTombstones(stable: late.version)
    expectEqual(collectedEarly, collectedLate)
    #expect(collectedEarly.rowCount == Document().rowCount.with(collectedEarly))
  }

  @Test mutating func `leaves the marks that were put concurrently`() throws {
    let removed = group.remove(0, "m")
    let marked = mark(by: 1)
    let removedToo = group.write(1) { $0.set(.integer(1), for: "m", in: .root, patch: &$1) }
    let another = group.write(0) { $0.set(.integer(2), for: "m", in: .root, patch: &$1) }
    expectEqual(
      try merged([typed, removed, another, marked, removedToo]),
      try merged([typed, marked, removedToo, removed, another]))
  }

  /// Several levels down, beside a text that shows something, and in a text whose scalars somebody removed one by one.
  @Test mutating func `reaches every level`() throws {
    func declareDeep(_ document: inout Document) -> ObjectID {
      let inner = document.declare(.dictionary, for: "n", in: document.declare(.map, for: "m", in: .root))
      return document.declare(.text, for: .integer(3), in: inner)
    }
    let deep = group.write(0) { $0.insert("xyz", at: 0, in: declareDeep(&$0), patch: &$1) }
    try group.deliver(deep, to: 1)
    let emptied = group.write(0) { document, patch in
      document.removeItems(0..<3, in: declareDeep(&document), patch: &patch)
      document.removeItems(0..<2, in: Self.declare(in: &document), patch: &patch)
    }
    let marked = group.write(1) { document, patch in
      document.mark(1..<2, "bold", value: .bool(true), in: declareDeep(&document), patch: &patch)
      document.mark(0..<2, "bold", value: .null, in: Self.declare(in: &document), patch: &patch)
      document.mark(0..<1, "font", value: .integer(1), in: Self.declare(in: &document), patch: &patch)
    }
    let removed = group.remove(1, "m")
    let early = try merged([typed, deep, emptied, marked, removed])
    expectEqual(early, try merged([typed, deep, marked, removed, emptied]))
    #expect(early.canonicalSnapshot().objects.isEmpty)
  }

  /// What a snapshot brings is counted like what was written here.
  @Test mutating func `takes them also where the text came with a state`() throws {
    let removed = group.remove(0, "m")
    let marked = mark(by: 1)
    let removedToo = group.remove(1, "m")
    var restored = try Document(merged([typed, removed, marked]).snapshot())
    restored.checkInvariants()
    var patch = Patch()
    _ = try restored.merge(removedToo!, patch: &patch)
    restored.checkInvariants()
    expectEqual(restored, try merged([typed, marked, removedToo, removed]))
  }
}

extension DocumentExtent {
  /// The same but for names, which stay.
  fileprivate func with(_ document: Document) -> DocumentExtent {
    var extent = self
    extent.replicas = document.rowCount.replicas
    return extent
  }
}
