import StarlingCore
import StarlingEngine
import Testing

@Suite struct `A peer that is reached by two connections` {
  let world = World()

  private func count(_ node: Node, where isWanted: (EngineEvent) -> Bool) -> Int {
    node.events.value.count(where: isWanted)
  }

  @Test func `joins once, leaves once, and is one peer`() throws {
    let here = try world.node("here")
    let there = try world.node("there", dialling: ["here"])
    try world.perform { [engine = here.engine] in try await engine.connect(to: "memory:there") }
    let (written, read) = (try here.open(), try there.open())
    written.set(1)
    #expect(world.run { read.value() == .integer(1) })
    world.run(for: .seconds(3))
    for node in [here, there] {
      #expect(try node.status.peers.count == 1)
      #expect(count(node) { if case .joined = $0 { true } else { false } } == 1)
      #expect(count(node) { if case .left = $0 { true } else { false } } == 0)
    }
    try there.close()
    world.run(for: .seconds(3))
    #expect(count(here) { if case .left = $0 { true } else { false } } == 1)
    #expect(try here.status.peers.isEmpty)
  }
}
