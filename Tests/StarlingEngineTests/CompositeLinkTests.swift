import StarlingCore
import StarlingGuard
import StarlingSession
import Testing

@testable import StarlingEngine

/// Sites of a daemon and two programs each. The daemons alone are in the cluster between.
///
/// ```
///   p0.0 ─┐                                 ┌─ p1.0
///         d0 ── c0 ═══ the cluster ═══ c1 ── d1
///   p0.1 ─┘                                 └─ p1.1
/// ```
private struct Sites {
  let world = World()
  private(set) var daemons: [Node] = []
  private(set) var clusterLinks: [MemoryLink] = []
  private(set) var composites: [CompositeLink] = []
  private(set) var programs: [(node: Node, document: DocumentHandle)] = []
  private let endpoints = Box<[String]>([])

  init(_ count: Int) throws {
    for site in 0..<count {
      try startDaemon(of: site, log: Self.log(UInt64(site + 1)), at: site)
      for place in 0..<2 {
        let log = Self.log(UInt64(100 + 2 * site + place))
        let node = try world.node("p\(site).\(place)", dialable: false, dialling: ["d\(site)"], log: log)
        programs.append((node, try node.open()))
      }
    }
    world.run(for: .seconds(5))
  }

  private static func log(_ number: UInt64) -> MemoryLog {
    MemoryLog(store: StoreID(rawValue: number), isDurable: true)
  }

  private mutating func startDaemon(of site: Int, log: any ChangeLog, at number: Int) throws {
    let cluster = world.network.makeLink(named: "c\(number)", as: .sameCluster)
    let made = Box<CompositeLink?>(nil)
    let (endpoints, own) = (endpoints, "cluster:\(number)")
    let daemon = try world.idleNode(
      "d\(site)", log: log,
      through: { link in
        let composite = CompositeLink(
          CompositeLink.Member("site", link) { $0.hasPrefix("memory:") },
          [CompositeLink.Member("cluster", cluster) { $0.hasPrefix("cluster:") }])
        made.change { $0 = composite }
        return composite
      }
    ) {
      $0.isRelay = true
      $0.gossips = true
      $0.mayDial = { $0.hasPrefix("cluster:") }
      $0.announced = { endpoints.value.filter { $0 != own } }
    }
    try world.perform {
      try await daemon.engine.start()
      try await daemon.engine.bind("memory:d\(site)")
      try await daemon.engine.bind(own)
    }
    endpoints.change { $0.append(own) }
    if site < daemons.count {
      daemons[site] = daemon
      clusterLinks[site] = cluster
      composites[site] = try #require(made.value)
    } else {
      daemons.append(daemon)
      clusterLinks.append(cluster)
      composites.append(try #require(made.value))
    }
  }

  /// Kills a daemon and starts another over the same log.
  mutating func restartDaemon(of site: Int) throws {
    let log = daemons[site].log
    let former = endpoints.value[site]
    daemons[site].vanish()
    clusterLinks[site].vanish()
    endpoints.change { $0.removeAll { $0 == former } }
    world.run(for: .seconds(1))
    try startDaemon(of: site, log: log, at: site + 10)
    world.run(for: .seconds(5))
  }

  func cut() {
    world.network.setFaultPlan { passage, _ in passage.from.hasPrefix("c") ? [] : [.milliseconds(1)] }
    for link in clusterLinks { link.interruptAll() }
  }

  func heal() { world.network.setFaultPlan(MemoryNetwork.calm) }

  func areEqual(timeout: Duration = .seconds(30)) throws -> Bool {
    let documents = try daemons.map { try $0.open() } + programs.map(\.document)
    return world.run(timeout: timeout) {
      Set(documents.map { $0.digestWithVersion()?.0 }).count == 1 && Set(documents.map(\.version)).count == 1
    }
  }
}

@Suite struct `A link of several` {
  @Test func `carries a change from site to site once`() throws {
    let sites = try Sites(3)
    let before = try sites.daemons.map { try $0.counters }
    sites.programs[0].document.set(7)
    #expect(try sites.areEqual())
    sites.world.run(for: .seconds(5))
    let after = try sites.daemons.map { try $0.counters }
    #expect(zip(before, after).map { $1.changesMerged - $0.changesMerged } == [1, 1, 1])
    #expect(zip(before, after).map { $1.pulls - $0.pulls } == [0, 0, 0])
    #expect(sites.programs.allSatisfy { $0.document.value() == .integer(7) })
  }

  @Test func `lets each site work while the cluster is cut, and all are equal afterwards`() throws {
    let sites = try Sites(2)
    sites.cut()
    for (index, program) in sites.programs.enumerated() {
      for count in 1...20 as ClosedRange<Int64> { program.document.set(count, for: .name("\(index) \(count)")) }
    }
    sites.world.run(for: .seconds(30))
    #expect(sites.programs[1].document.value(of: "0 20") == .integer(20), "within the site")
    #expect(sites.programs[2].document.value(of: "0 20") == nil, "across the cut")
    sites.heal()
    #expect(try sites.areEqual(timeout: .seconds(60)))
    #expect(sites.programs[2].document.value(of: "0 20") == .integer(20))
  }

  @Test func `takes up a daemon that was killed and came back elsewhere in the cluster`() throws {
    var sites = try Sites(2)
    sites.programs[0].document.set(1, for: "before")
    #expect(try sites.areEqual())
    try sites.restartDaemon(of: 0)
    sites.programs[0].document.set(2, for: "after")
    sites.programs[3].document.set(3, for: "from the other")
    #expect(try sites.areEqual(timeout: .seconds(60)))
    #expect(sites.programs[3].document.value(of: "after") == .integer(2))
    #expect(sites.programs[1].document.value(of: "from the other") == .integer(3))
  }

  @Test func `acknowledges what the other site's daemon has, and makes it stable`() throws {
    let sites = try Sites(2)
    sites.programs[0].document.set(7)
    try sites.programs[0].node.flush(.replicated(1))
    #expect(try sites.areEqual())
    sites.world.run(for: .seconds(30))
    let version = sites.programs[0].document.version
    for node in sites.daemons + sites.programs.map(\.node) { #expect(try node.stable == version, "\(node.name)") }
  }

  @Test func `counts what each of its links carried`() throws {
    let sites = try Sites(2)
    sites.programs[0].document.set(7)
    #expect(try sites.areEqual())
    let counters = sites.composites[0].counters
    #expect(Set(counters.keys) == ["site", "cluster"])
    for (name, one) in counters {
      #expect(one.framesReceived > 0 && one.framesSent > 0 && one.framesPublished > 0, "\(name)")
    }
  }

  @Test func `names the link that failed, and says which it has`() throws {
    let network = MemoryNetwork()
    let taken = network.makeLink(named: "taken")
    _ = try taken.bind("cluster:0")
    let link = CompositeLink(
      CompositeLink.Member("site", network.makeLink(named: "d")) { $0.hasPrefix("memory:") },
      [CompositeLink.Member("cluster", network.makeLink(named: "c")) { $0.hasPrefix("cluster:") }])
    let inUse = #expect(throws: LinkError.self) { _ = try link.bind("cluster:0") }
    #expect(inUse?.code == .inUse)
    #expect(inUse?.message.hasPrefix("The link 'cluster':") == true)
    let unknown = #expect(throws: LinkError.self) { _ = try link.connect(to: "carrier:pigeon") }
    #expect(unknown?.code == .endpoint)
    #expect(unknown?.message == "None of the links (site, cluster) understands 'carrier:pigeon'.")
  }

  @Test func `has all its links tick as often as it does`() {
    let network = MemoryNetwork()
    let links = ["site", "cluster"].map { TickedLink(network.makeLink(named: $0)) }
    let composite = CompositeLink(
      CompositeLink.Member("site", links[0]) { _ in true }, [CompositeLink.Member("cluster", links[1]) { _ in true }])
    composite.setTick(.milliseconds(250))
    composite.setTick(.milliseconds(50))
    for link in links { #expect(link.ticks.value == [.milliseconds(250), .milliseconds(50)]) }
  }
}

private final class TickedLink: WrappingLink {
  let wrapped: any PeerLink
  let ticks = Box<[Duration]>([])

  init(_ link: MemoryLink) {
    wrapped = link
  }

  func setTick(_ tick: Duration) { ticks.change { $0.append(tick) } }
}

@Suite struct `A passage between the threads of two links` {
  private let link = MemoryNetwork().makeLink(named: "link")

  @Test func `keeps the order of calls, and refuses what finds no space`() {
    let passage = LinkPassage(byteCountMax: 10)
    let made = Box<[Int]>([])
    for number in 0..<3 { #expect(passage.add(byteCount: 3) { _ in made.change { $0.append(number) } }) }
    #expect(!passage.add(byteCount: 3) { _ in })
    #expect(passage.add(byteCount: 0) { _ in made.change { $0.append(3) } }, "a call without a frame")
    for call in passage.takeCalls() { call(link) }
    #expect(made.value == [0, 1, 2, 3])
    #expect(passage.add(byteCount: 10) { _ in }, "all is taken")
  }

  @Test func `loses frames that find no space, and nothing that tells of connections`() {
    let passage = LinkPassage(byteCountMax: 130)
    let peer = PeerHandle(rawValue: 1)
    let lost = Box(0)
    let wakes = passage.arrive(
      [
        .opened(peer, dialled: true, as: .sameCluster), .direct(peer, [1, 2, 3]), .published(peer, [4, 5]),
        .closed(peer, reason: "gone"),
      ], onLost: { lost.change { $0 += 1 } })
    #expect(!wakes, "the engine does not run yet")
    #expect(lost.value == 1)
    #expect(passage.takeArrived().count == 3)
    passage.engineRuns()
    #expect(passage.arrive([.direct(peer, [1, 2, 3, 4])], onLost: {}))
  }

  @Test func `has a bound for empty frames too`() {
    let passage = LinkPassage(byteCountMax: 130)
    let lost = Box(0)
    let empty = LinkEvent.direct(PeerHandle(rawValue: 1), [])
    _ = passage.arrive(Array(repeating: empty, count: 100), onLost: { lost.change { $0 += 1 } })
    #expect(lost.value == 98)
  }

  @Test func `takes nothing after the end`() {
    let passage = LinkPassage(byteCountMax: 4)
    #expect(passage.close { _ in })
    #expect(!passage.add(byteCount: 0) { _ in })
    #expect(!passage.close { _ in })
    #expect(passage.takeCalls().count == 1)
  }

  @Test func `makes no call whose caller has gone away`() {
    let question = LinkQuestion<Int>()
    #expect(throws: LinkError.self) { try question.wait(timeout: .zero) }
    question.answer {
      Issue.record("Nobody waits.")
      return 1
    }
  }
}
