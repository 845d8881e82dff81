import StarlingCore
import Testing

/// Which mark overrules which (Protocol/merge.md, "Texts").
@Suite struct `The rank of a mark` {
  @Test func `counts what its own change has written before it`() throws {
    var desk = Desk()
    desk.type("abcdef", at: 0)
    let merged = desk.document.version.operationCount
    let change = desk.edit { document, patch in
      document.set(.integer(1), for: "a", in: .root, patch: &patch)
      document.set(.integer(2), for: "b", in: .root, patch: &patch)
      document.mark(0..<2, "bold", value: .bool(true), in: Desk.text, patch: &patch)
    }
    let ranks = try #require(change).operations.compactMap { operation in
      if case .mark(let mark) = operation.action { mark.rank } else { nil }
    }
    #expect(ranks == [merged + 3])
  }

  /// Whoever has merged a mark ranks the next one above it, and so may forget it; but not where its writer made its
  /// rank up.
  @Test func `keeps a mark of null that the next one would not overrule`() throws {
    var (writer, first, second) = (Desk(0), Desk(1), Desk(2))
    let typed = writer.type("abcdef", at: 0)
    let marked = writer.mark(0..<4, "bold", .bool(true))
    var unmarked = writer.mark(0..<4, "bold", .null)!
    guard case .mark(var mark) = unmarked.operations[0].action else { return #expect(Bool(false), "no mark") }
    mark.rank = 1_000_000
    unmarked.operations[0].action = .mark(mark)
    for change in [typed, marked, unmarked] {
      try first.hear(change)
      try second.hear(change)
    }
    #expect(first.document.collectTombstones(stable: first.document.version) == 0)
    try second.hear(first.mark(0..<4, "bold", .bool(true)))
    #expect(first.scene == second.scene)
    #expect(first.document.digest() == second.document.digest())
  }

  /// The mark that comes back would rank below one that the third still holds.
  @Test func `is raised where a state had a mark of null forgotten`() throws {
    var (first, second, third) = (Desk(0), Desk(1), Desk(2))
    func tell(_ change: Change?, _ desks: inout (Desk, Desk)) throws {
      try desks.0.hear(change)
      try desks.1.hear(change)
    }
    var others = (second, third)
    try tell(first.type("abcdef", at: 0), &others)
    (second, third) = others
    others = (first, third)
    try tell(second.mark(0..<4, "bold", .bool(true)), &others)
    (first, third) = others
    others = (second, third)
    try tell(first.mark(2..<6, "bold", .null), &others)
    (second, third) = others
    others = (first, third)
    try tell(second.undo(), &others)
    (first, third) = others
    #expect(first.document.collectTombstones(stable: first.document.version) > 0)
    try third.hear(first.type("x", at: 6))
    var patch = Patch()
    try second.document.merge(first.document.snapshot(), patch: &patch)
    others = (first, third)
    try tell(second.redo(), &others)
    (first, third) = others
    for desk in [first, third] { #expect(desk.scene == second.scene) }
    #expect(second.scene.contains { $0.contains("0..<4") })
  }
}
