import StarlingCore
import StarlingEngine
import StarlingSession
import Testing

/// The relay gave it up for lost, and collected the tombstones that the writer has inserted at.
@Suite struct `A writer who returns after its anchors were collected` {
  private let text = ObjectID.derived(parent: .root, key: "text", kind: .text)
  private let list = ObjectID.derived(parent: .root, key: "list", kind: .list)

  private struct Group {
    let world = World()
    let disk = MemoryLog(store: StoreID(rawValue: 1), isDurable: true)
    let daemon: Node
    let local: Node
    let writer: Node

    init() throws {
      daemon = try Self.daemon(in: world, on: disk)
      local = try world.node("local", dialable: false, dialling: ["daemon"]) { $0.heartbeat = .seconds(10) }
      writer = try world.node(
        "writer", dialable: false, dialling: ["daemon"], as: "ada",
        log: MemoryLog(store: StoreID(rawValue: 2), isDurable: true)
      ) { $0.tick = .seconds(1) }
    }

    static func daemon(in world: World, on disk: MemoryLog) throws -> Node {
      try world.node("daemon", log: disk) { configuration in
        configuration.isRelay = true
        configuration.memberLifetime = .seconds(3600)
        configuration.heartbeat = .seconds(10)
        configuration.tick = .seconds(1)
        configuration.allowlist = { name, _ in Trust(name: name, role: .writes, documents: [.everything]) }
      }
    }

    func setWriterOnline(_ isOnline: Bool) throws {
      try world.perform { [engine = writer.engine] in await engine.setOnline(isOnline) }
    }
  }

  private func edit(_ handle: DocumentHandle, _ body: (inout Document, inout Patch) -> Void) {
    handle.write { document, patch in
      document.declare(.text, for: "text", in: .root)
      document.declare(.list, for: "list", in: .root)
      body(&document, &patch)
    }
  }

  @Test(arguments: [0, 1, 3])
  func `hands over what it inserted into a text, with the path of its anchor`(kept: Int) throws {
    let text = text
    let group = try Group()
    let (there, locals, writers) = (try group.daemon.open(), try group.local.open(), try group.writer.open())
    edit(locals) { $0.insert("abcdef", at: 0, in: text, patch: &$1) }
    #expect(group.world.run { writers.read { $0.text(in: text) } == "abcdef" })
    try group.setWriterOnline(false)
    edit(locals) { $0.removeItems(kept..<6, in: text, patch: &$1) }
    edit(writers) { $0.insert("X", at: 3, in: text, patch: &$1) }
    writers.set(7, for: "later")
    group.world.run(for: .seconds(4000))
    try group.setWriterOnline(true)
    group.world.run(for: .seconds(60))
    let expected = String("abc".prefix(kept)) + "X"
    for handle in [there, writers, locals] { #expect(handle.read { $0.text(in: text) } == expected) }
    #expect(there.value(of: "later") == .integer(7))
    #expect(there.version == writers.version && there.version == locals.version)
    #expect(there.digest() == writers.digest() && there.digest() == locals.digest())
    // Its log can be read again.
    group.daemon.vanish()
    let later = try Group.daemon(in: group.world, on: group.disk).open()
    #expect(later.version == there.version && later.digest() == there.digest())
  }

  @Test func `hands over what it inserted into a list, and what it moved and marked`() throws {
    let (text, list) = (text, list)
    let group = try Group()
    let (there, locals, writers) = (try group.daemon.open(), try group.local.open(), try group.writer.open())
    edit(locals) { document, patch in
      document.insert("abcdef", at: 0, in: text, patch: &patch)
      _ = document.insert((1...5).map { .integer($0) }, at: 0, in: list, patch: &patch)
    }
    #expect(group.world.run { writers.version == locals.version })
    try group.setWriterOnline(false)
    edit(locals) { document, patch in
      document.removeItems(1..<6, in: text, patch: &patch)
      document.removeItems(1..<5, in: list, patch: &patch)
    }
    edit(writers) { document, patch in
      document.mark(1..<4, "bold", value: .bool(true), in: text, patch: &patch)
      _ = document.insert([.integer(77)], at: 3, in: list, patch: &patch)
      document.move(from: 0, to: 5, in: list, patch: &patch)
    }
    group.world.run(for: .seconds(4000))
    try group.setWriterOnline(true)
    group.world.run(for: .seconds(60))
    #expect(there.version == writers.version && there.version == locals.version)
    #expect(there.digest() == writers.digest() && there.digest() == locals.digest())
    #expect(there.read { $0.count(in: list) } == 2)
  }
}
