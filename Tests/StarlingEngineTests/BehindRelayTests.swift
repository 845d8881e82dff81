import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `Two clients of a relay` {
  private let text = ObjectID.derived(parent: .root, key: "text", kind: .text)

  private func log(_ number: UInt64) -> MemoryLog { MemoryLog(store: StoreID(rawValue: number), isDurable: true) }

  private func edit(_ handle: DocumentHandle, _ body: (inout Document, inout Patch) -> Void) {
    handle.write { document, patch in
      document.declare(.text, for: "text", in: .root)
      body(&document, &patch)
    }
  }

  private func boldRanges(_ handle: DocumentHandle) -> [Range<Int>] { handle.read { $0.marks(in: text).map(\.range) } }

  private func setOnline(_ isOnline: Bool, _ node: Node) throws {
    try node.world.perform { [engine = node.engine] in await engine.setOnline(isOnline) }
  }

  private struct Group {
    var world = World()
    var nodes: [Node] = []
    var handles: [DocumentHandle] = []
  }

  /// The relay, and "abc" at it and at both clients.
  private func group(restartable: [MemoryLog]) throws -> Group {
    var group = Group()
    for (name, log) in zip(["relay", "ada", "bob"], restartable) {
      let node = try group.world.node(
        name, dialable: name == "relay", dialling: name == "relay" ? [] : ["relay"], log: log
      ) { $0.isRelay = name == "relay" }
      group.nodes.append(node)
      group.handles.append(try node.open())
    }
    edit(group.handles[1]) { document, patch in document.insert("abc", at: 0, in: text, patch: &patch) }
    let handles = group.handles
    #expect(group.world.run { handles.allSatisfy { $0.read { $0.text(in: text) } == "abc" } })
    // Acknowledgements have made the round.
    group.world.run(for: .seconds(5))
    return group
  }

  private func expectAgreement(_ group: Group, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let handles = group.handles
    #expect(
      group.world.run { handles.allSatisfy { $0.version == handles[0].version } }, sourceLocation: sourceLocation)
    group.world.run(for: .seconds(10))
    #expect(Set(handles.map { $0.digest() }).count == 1, sourceLocation: sourceLocation)
    #expect(Set(handles.map(boldRanges)).count == 1, sourceLocation: sourceLocation)
    for node in group.nodes { #expect(try node.counters.divergences == 0, sourceLocation: sourceLocation) }
  }

  @Test func `see the same marks though one was away while the other took a mark away`() throws {
    let group = try group(restartable: [log(1), log(2), log(3)])
    try setOnline(false, group.nodes[2])
    edit(group.handles[2]) { document, patch in
      document.mark(0..<3, "bold", value: .bool(true), in: text, patch: &patch)
    }
    for value in [.bool(true), .null] as [Value] {
      edit(group.handles[1]) { document, patch in
        document.mark(0..<3, "bold", value: value, in: text, patch: &patch)
      }
    }
    group.world.run(for: .seconds(10))
    let adas = group.handles[1].version
    #expect(try group.nodes[1].stable != adas, "bob has not merged that")
    try setOnline(true, group.nodes[2])
    try expectAgreement(group)
    // And nothing is waited for any more.
    #expect(group.world.run { (try? group.nodes[1].stable) == group.handles[1].version })
  }

  @Test func `see the same marks though the relay and the one that is there were started again in between`() throws {
    let logs = [log(1), log(2), log(3)]
    var group = try group(restartable: logs)
    // Long enough for what was acknowledged to be stored.
    group.world.run(for: .seconds(70))
    try setOnline(false, group.nodes[2])
    edit(group.handles[2]) { document, patch in
      document.mark(0..<3, "bold", value: .bool(true), in: text, patch: &patch)
    }
    for value in [.bool(true), .null] as [Value] {
      edit(group.handles[1]) { document, patch in
        document.mark(0..<3, "bold", value: value, in: text, patch: &patch)
      }
    }
    group.world.run(for: .seconds(70))
    for place in [0, 1] {
      group.nodes[place].vanish()
      group.nodes[place] = try group.world.node(
        place == 0 ? "relay" : "ada", dialable: place == 0, dialling: place == 0 ? [] : ["relay"], log: logs[place]
      ) { $0.isRelay = place == 0 }
      group.handles[place] = try group.nodes[place].open()
    }
    group.world.run(for: .seconds(10))
    try setOnline(true, group.nodes[2])
    try expectAgreement(group)
  }

  @Test func `see the same marks though one had been given up and came back`() throws {
    let logs = [log(1), log(2), log(3)]
    var group = Group()
    for (name, log) in zip(["relay", "ada", "bob"], logs) {
      let node = try group.world.node(
        name, dialable: name == "relay", dialling: name == "relay" ? [] : ["relay"], log: log
      ) { configuration in
        configuration.isRelay = name == "relay"
        configuration.memberLifetime = .seconds(600)
        configuration.tick = .seconds(1)
      }
      group.nodes.append(node)
      group.handles.append(try node.open())
    }
    edit(group.handles[1]) { document, patch in document.insert("abc", at: 0, in: text, patch: &patch) }
    let handles = group.handles
    #expect(group.world.run { handles.allSatisfy { $0.read { $0.text(in: text) } == "abc" } })
    try setOnline(false, group.nodes[2])
    edit(group.handles[2]) { document, patch in
      document.mark(0..<3, "bold", value: .bool(true), in: text, patch: &patch)
    }
    group.world.run(for: .seconds(700))
    // The relay hears of the null and keeps it for the sake of ada, which forgets it.
    for value in [.bool(true), .null] as [Value] {
      edit(group.handles[1]) { document, patch in
        document.mark(0..<3, "bold", value: value, in: text, patch: &patch)
      }
    }
    group.world.run(for: .seconds(10))
    #expect(try group.nodes[1].stable == group.handles[1].version)
    try setOnline(true, group.nodes[2])
    try expectAgreement(group)
  }
}
