import StarlingCore
import Testing

/// Replicas collect tombstones when they like, so what one of them has forgotten must not tell in any other.
@Suite struct `A mark that takes away what nobody gives any more` {
  /// Both merged a bold range that the second made partly plain and the first undid: the plain mark is idle then, and
  /// the first has collected it.
  private var (first, second) = (Desk(0), Desk(1))

  init() throws {
    try second.hear(first.type("abcdef", at: 0))
    try second.hear(first.mark(0..<4, "bold", .bool(true)))
    try first.hear(second.mark(2..<6, "bold", .null))
    try second.hear(first.undo())
    #expect(first.document.collectTombstones(stable: first.document.version) > 0)
  }

  private func expectAgreement() {
    #expect(first.scene == second.scene)
    #expect(first.document.canonicalSnapshot() == second.document.canonicalSnapshot())
    #expect(first.document.digest() == second.document.digest())
  }

  @Test mutating func `hides nothing that is marked later`() throws {
    try second.hear(first.mark(1..<5, "bold", .bool(true)))
    #expect(first.scene.contains { $0.contains("1..<5") })
    expectAgreement()
  }

  @Test mutating func `hides nothing that is marked again`() throws {
    try second.hear(first.redo())
    expectAgreement()
  }

  @Test mutating func `hides nothing from where it was collected before it could be read`() throws {
    var third = Desk(2)
    var patch = Patch()
    try third.document.merge(first.document.snapshot(), patch: &patch)
    try second.hear(third.mark(1..<5, "bold", .bool(true)))
    first = third
    expectAgreement()
  }

  /// Where it is still known, what is marked again is plain where it was.
  @Test mutating func `still hides what it hid, where everybody knows it`() throws {
    var (first, second) = (Desk(0), Desk(1))
    try second.hear(first.type("abcdef", at: 0))
    try second.hear(first.mark(0..<4, "bold", .bool(true)))
    try first.hear(second.mark(2..<6, "bold", .null))
    try second.hear(first.undo())
    second.document.collectTombstones(stable: second.document.version)
    try second.hear(first.redo())
    #expect(first.scene.contains { $0.contains("0..<2") })
    (self.first, self.second) = (first, second)
    expectAgreement()
  }

  /// A replica that has not heard of it may still give what it takes away, under a lesser rank.
  @Test mutating func `is not collected before everybody heard of it`() throws {
    var (first, second) = (Desk(0), Desk(1))
    try second.hear(first.type("abcdef", at: 0))
    try second.hear(first.mark(0..<4, "bold", .bool(true)))
    let typed = first.type("ghi", at: 6)
    let taken = first.mark(0..<4, "bold", .null)
    let given = second.mark(0..<4, "bold", .integer(2))
    first.document.collectTombstones(stable: second.document.version)
    try second.hear(typed)
    try second.hear(taken)
    try first.hear(given)
    #expect(!second.scene.contains { $0.contains("0..<4") })
    (self.first, self.second) = (first, second)
    expectAgreement()
  }
}
