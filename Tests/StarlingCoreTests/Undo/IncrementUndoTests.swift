import StarlingCore
import Testing

/// Rule 9: whoever undoes an increment sees again what it hid.
@Suite struct `Undoing an increment` {
  private var desk = Desk()

  private mutating func expectRoundTrip(
    _ key: Key = "n", in object: ObjectID = .root, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = desk.scene
    desk.edit { $0.increment(key, in: object, by: 2, patch: &$1) }
    let after = desk.scene
    #expect(before != after, sourceLocation: sourceLocation)
    for _ in 0..<3 {
      desk.undo()
      #expect(desk.scene == before, sourceLocation: sourceLocation)
      desk.redo()
      #expect(desk.scene == after, sourceLocation: sourceLocation)
    }
    desk.undo()
    #expect(desk.scene == before, sourceLocation: sourceLocation)
  }

  /// A map beneath the key, with a text and a list.
  private static func writeBelow(
    _ document: inout Document, _ patch: inout Patch, _ key: Key = "n", in object: ObjectID = .root
  ) {
    let map = document.declare(.map, for: key, in: object)
    document.set(.integer(1), for: "a", in: map, patch: &patch)
    let text = document.declare(.text, for: "t", in: map)
    document.insert("abc", at: 0, in: text, patch: &patch)
    document.mark(0..<2, "bold", value: .bool(true), in: text, patch: &patch)
    document.insert([.integer(1)], at: 0, in: document.declare(.list, for: "l", in: map), patch: &patch)
  }

  @Test mutating func `shows again one's own content that it hid`() throws {
    desk.edit { Self.writeBelow(&$0, &$1) }
    try expectRoundTrip()
  }

  @Test mutating func `shows again others' content that it hid`() throws {
    var other = Desk(1)
    try desk.hear(other.edit { Self.writeBelow(&$0, &$1) })
    try expectRoundTrip()
  }

  @Test mutating func `leaves content beneath that came since`() throws {
    var other = Desk(1)
    try other.hear(desk.edit { Self.writeBelow(&$0, &$1) })
    try other.hear(desk.edit { $0.increment("n", in: .root, by: 2, patch: &$1) })
    try desk.hear(
      other.edit { document, patch in
        document.set(.integer(9), for: "b", in: document.declare(.map, for: "n", in: .root), patch: &patch)
      })
    try other.hear(desk.undo())
    #expect(desk.scene == other.scene)
    #expect(desk.document.visible("n", in: .root) == .container(.map))
    #expect(desk.document.keyCount(in: .derived(parent: .root, key: "n", kind: .map)) == 4)
    #expect(desk.document.canonicalSnapshot() == other.document.canonicalSnapshot())
  }

  @Test mutating func `shows again a value that it hid`() throws {
    desk.set("n", .string("x"))
    try expectRoundTrip()
    desk.edit { document, patch in
      document.remove("n", in: .root, patch: &patch)
      document.increment("n", in: .root, by: 5, patch: &patch)
    }
    // The other's value comes after what was counted before, and does not take it away.
    var other = Desk(1)
    other.now += 500
    try desk.hear(other.set("n", .string("y")))
    desk.now += 1_000
    #expect(desk.value("n") == .string("y"))
    try expectRoundTrip()
    #expect(desk.value("n") == .string("y"))
    #expect(desk.document.count("n", in: .root) == 5)
  }

  /// Of an element that one's own count and another's value stand in.
  @Test mutating func `shows again in an element what stood there`() throws {
    desk.insert([.string("s1")], at: 0)
    var other = Desk(1)
    let element = Key.element(desk.document.element(at: 0, in: Desk.list)!)
    try expectRoundTrip(element, in: Desk.list)
    desk.edit { Self.writeBelow(&$0, &$1, element, in: Desk.list) }
    try expectRoundTrip(element, in: Desk.list)
    var patch = Patch()
    try other.document.merge(desk.document.snapshot(), patch: &patch)
    other.now = desk.now + 100
    desk.now += 200
    try desk.hear(other.edit { $0.increment(element, in: Desk.list, by: -1, patch: &$1) })
    #expect(desk.document.visible(element, in: Desk.list) == .count(-1))
    try expectRoundTrip(element, in: Desk.list)
    #expect(desk.document.visible(element, in: Desk.list) == .count(-1))
  }

  @Test mutating func `leaves the counter of somebody who counted since`() throws {
    var other = Desk(1)
    try other.hear(desk.set("n", .string("x")))
    try other.hear(desk.increment("n", by: 2))
    try desk.hear(other.increment("n", by: 3))
    try other.hear(desk.undo())
    #expect(desk.document.visible("n", in: .root) == .count(3))
    #expect(desk.document.canonicalSnapshot() == other.document.canonicalSnapshot())
  }
}
