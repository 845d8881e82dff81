import StarlingCore
import StarlingEngine

/// Daemons of one world that tell each other who is there, each started with one endpoint: that of the first.
struct DaemonGroup {
  let world = World()
  var daemons: [Node] = []

  init(_ count: Int, tier: (Int) -> EngineConfiguration.Tier = { _ in .either }) throws {
    for index in 0..<count { try add(tier: tier(index), dialling: index == 0 ? [] : ["d0"]) }
  }

  @discardableResult
  mutating func add(
    tier: EngineConfiguration.Tier = .either, dialling: [String] = ["d0"], dialable: Bool = true,
    _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) throws -> Node {
    let daemon = try world.node("d\(daemons.count)", dialable: dialable, dialling: dialling) {
      $0.isRelay = true
      $0.gossips = true
      $0.tier = tier
      $0.mayDial = { _ in true }
      configure(&$0)
    }
    daemons.append(daemon)
    return daemon
  }

  /// A process that talks to one daemon alone.
  func process(of daemon: Int, named name: String) throws -> (node: Node, document: DocumentHandle) {
    let node = try world.node(name, dialable: false, dialling: ["d\(daemon)"])
    return (node, try node.open())
  }

  /// What all engines did while `body` ran, until what it caused was over.
  func counted(_ nodes: [Node], for duration: Duration = .milliseconds(200), _ body: () throws -> Void) throws
    -> [EngineCounters]
  {
    let before = try nodes.map { try $0.counters }
    try body()
    world.run(for: duration)
    return try zip(nodes, before).map { node, before in
      var counters = try node.counters
      counters.framesReceived -= before.framesReceived
      counters.changesMerged -= before.changesMerged
      counters.pulls -= before.pulls
      return counters
    }
  }
}
