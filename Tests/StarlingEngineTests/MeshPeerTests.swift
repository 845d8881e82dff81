import StarlingCore
import StarlingEngine
import Testing

@Suite struct `Daemons that were given one endpoint` {
  @Test(arguments: [2, 5, 16]) func `find all the others, and each dials each`(count: Int) throws {
    let group = try DaemonGroup(count)
    group.world.run(for: .seconds(5))
    for daemon in group.daemons {
      let status = try daemon.status
      #expect(status.daemons == EngineStatus.Daemons(isUpper: true, hereCount: count - 1, goneCount: 0))
      #expect(Set(status.peers.filter(\.isDialled).map(\.store)).count == count - 1, "\(daemon.name)")
    }
  }

  @Test func `deliver a change to each of them once`() throws {
    let group = try DaemonGroup(8)
    let writer = try group.process(of: 3, named: "writer")
    let reader = try group.process(of: 6, named: "reader")
    group.world.run(for: .seconds(6))
    let counted = try group.counted(group.daemons + [reader.node]) { writer.document.set(7) }
    #expect(counted.dropLast().map(\.changesMerged) == Array(repeating: 1, count: 8))
    #expect(counted.map(\.framesReceived) == Array(repeating: 1, count: 9))
    #expect(counted.map(\.pulls) == Array(repeating: 0, count: 9))
    #expect(reader.document.value() == .integer(7))
  }

  @Test func `do so where one comes before another on which it rests`() throws {
    let group = try DaemonGroup(3)
    let first = try group.process(of: 0, named: "first")
    let second = try group.process(of: 1, named: "second")
    group.world.run(for: .seconds(6))
    group.world.network.setFaultPlan { passage, _ in
      [.milliseconds(passage.from == "d0" && passage.to == "d2" ? 50 : 1)]
    }
    let counted = try group.counted(group.daemons) {
      first.document.set(7)
      #expect(group.world.run { second.document.value() == .integer(7) })
      // The third daemon has this one long before the one above.
      second.document.set(8)
    }
    #expect(counted.map(\.changesMerged) == [2, 2, 2])
    #expect(counted.map(\.framesReceived) == [2, 2, 2])
  }

  @Test func `are not parted by the end of the one that all were given`() throws {
    let group = try DaemonGroup(4)
    let (left, right) = (try group.process(of: 1, named: "left"), try group.process(of: 2, named: "right"))
    group.world.run(for: .seconds(5))
    group.daemons[0].vanish()
    left.document.set(1)
    #expect(group.world.run { right.document.value() == .integer(1) })
    group.world.run(for: .seconds(30))
    #expect(try group.daemons[1].status.daemons == EngineStatus.Daemons(isUpper: true, hereCount: 2, goneCount: 1))
    #expect(group.daemons[1].events.value.contains { if case .daemon(_, .gone) = $0 { true } else { false } })
  }

  @Test func `find one that comes back somewhere else, and hear of one that leaves`() throws {
    var group = try DaemonGroup(3)
    group.world.run(for: .seconds(5))
    let log = group.daemons[2].log
    try group.daemons[2].close()
    group.world.run(for: .seconds(2))
    #expect(try group.daemons[1].status.daemons?.hereCount == 1)
    #expect(group.daemons[1].events.value.contains { if case .daemon(_, .left) = $0 { true } else { false } })
    // The same store at another endpoint.
    let back = try group.world.node("elsewhere", dialling: ["d0"], log: log) {
      $0.isRelay = true
      $0.gossips = true
      $0.mayDial = { _ in true }
    }
    group.daemons[2] = back
    group.world.run(for: .seconds(5))
    for daemon in group.daemons {
      #expect(try daemon.status.daemons?.hereCount == 2, "\(daemon.name)")
      #expect(try Set(daemon.status.peers.filter(\.isDialled).map(\.store)).count == 2, "\(daemon.name)")
    }
    #expect(try group.daemons[1].status.peers.contains { $0.endpoint == "memory:elsewhere" })
  }

  @Test func `come together again after a parting that lasted longer than anybody counts as here`() throws {
    let group = try DaemonGroup(4)
    let (left, right) = (try group.process(of: 1, named: "left"), try group.process(of: 2, named: "right"))
    group.world.run(for: .seconds(5))
    // Two and two; the one that all were given is on the left.
    let isLeft: @Sendable (String) -> Bool = { ["d0", "d1", "left"].contains($0) }
    group.world.network.setFaultPlan { passage, _ in
      isLeft(passage.from) == isLeft(passage.to) ? [.milliseconds(1)] : []
    }
    for daemon in group.daemons { daemon.link.interruptAll() }
    group.world.run(for: .seconds(60))
    #expect(try group.daemons[3].status.daemons?.goneCount == 2)
    left.document.set(1, for: "left")
    right.document.set(2, for: "right")
    group.world.network.setFaultPlan(MemoryNetwork.calm)
    #expect(
      group.world.run(timeout: .seconds(60)) {
        left.document.value(of: "right") == .integer(2) && right.document.value(of: "left") == .integer(1)
      })
  }

  @Test func `dial none that they may not dial`() throws {
    var group = try DaemonGroup(2)
    let strict = try group.add { $0.mayDial = { $0 != "memory:d1" } }
    group.world.run(for: .seconds(5))
    #expect(try strict.status.peers.filter(\.isDialled).map(\.endpoint) == ["memory:d0"])
    #expect(try strict.status.daemons?.hereCount == 2)
  }

  @Test func `try what somebody calls out, if they may, and give it up where nobody answers`() throws {
    var group = try DaemonGroup(2)
    let called = Box(["memory:nowhere", "memory:forbidden", "memory:d1"])
    let listening = try group.add(dialling: []) {
      $0.announced = { called.value }
      $0.mayDial = { $0 != "memory:forbidden" }
    }
    _ = try group.world.node("forbidden") { $0.isRelay = true }
    group.world.run(for: .seconds(5))
    #expect(try listening.status.daemons?.hereCount == 2)
    #expect(try Set(listening.status.peers.compactMap(\.endpoint)) == ["memory:d0", "memory:d1"])
    called.change { $0 = [] }
    group.world.run(for: .seconds(20))
    _ = try group.world.node("nowhere") { $0.isRelay = true }
    group.world.run(for: .seconds(5))
    #expect(try Set(listening.status.peers.compactMap(\.endpoint)) == ["memory:d0", "memory:d1"])
  }

  @Test func `also serve one that nobody can dial`() throws {
    var group = try DaemonGroup(3)
    let hidden = try group.add(dialable: false)
    let writer = try group.process(of: 1, named: "writer")
    let document = try hidden.open()
    group.world.run(for: .seconds(6))
    #expect(try hidden.status.daemons?.isUpper == false)
    writer.document.set(1, for: "there")
    document.set(2, for: "back")
    #expect(group.world.run { document.value(of: "there") == .integer(1) })
    #expect(group.world.run { writer.document.value(of: "back") == .integer(2) })
  }
}

@Suite struct `Two tiers of daemons` {
  /// Three upper ones, three lower ones, and a process of each.
  private static func group() throws -> (DaemonGroup, processes: [(node: Node, document: DocumentHandle)]) {
    let group = try DaemonGroup(6) { $0 < 3 ? .upper : .lower }
    let processes = try (0..<6).map { try group.process(of: $0, named: "p\($0)") }
    group.world.run(for: .seconds(10))
    return (group, processes)
  }

  @Test func `link each lower daemon to two upper ones, and to no other`() throws {
    let (group, _) = try Self.group()
    let stores = try group.daemons.map { try $0.status.store }
    for lower in group.daemons[3...] {
      let dialled = try lower.status.peers.filter(\.isDialled)
      #expect(Set(dialled.map(\.store)).count == 2)
      #expect(dialled.allSatisfy { stores[..<3].contains($0.store) })
      #expect(try lower.status.daemons?.isUpper == false)
    }
    for upper in group.daemons[..<3] {
      #expect(try Set(upper.status.peers.filter { $0.isDialled && $0.isRelay }.map(\.store)).count == 2)
    }
  }

  @Test(arguments: 0..<6) func `deliver a change once to each daemon, and back to the lower one that sent it`(
    writer: Int
  ) throws {
    let (group, processes) = try Self.group()
    let counted = try group.counted(group.daemons) { processes[writer].document.set(7) }
    #expect(counted.map(\.changesMerged) == Array(repeating: 1, count: 6))
    #expect(counted.map(\.pulls) == Array(repeating: 0, count: 6))
    let expected = (0..<6).map { $0 == writer && $0 >= 3 ? 2 : 1 }
    #expect(counted.map(\.framesReceived) == expected)
    for process in processes { #expect(process.document.value() == .integer(7)) }
  }

  @Test func `part nobody by the loss of an upper one`() throws {
    for lost in 0..<3 {
      let (group, processes) = try Self.group()
      group.daemons[lost].vanish()
      let others = (0..<6).filter { $0 != lost }
      for index in others { processes[index].document.set(Int64(index), for: Key.name("k\(index)")) }
      let areTogether = group.world.run(timeout: .seconds(5)) {
        others.allSatisfy { reader in
          others.allSatisfy { processes[reader].document.value(of: Key.name("k\($0)")) == .integer(Int64($0)) }
        }
      }
      #expect(areTogether, "without d\(lost)")
      // Afterwards changes come once again.
      group.world.run(for: .seconds(30))
      let alive = others.map { group.daemons[$0] }
      let writer = others.last!
      let counted = try group.counted(alive) { processes[writer].document.set(99) }
      #expect(counted.map(\.pulls) == Array(repeating: 0, count: 5), "without d\(lost)")
      #expect(counted.reduce(0) { $0 + $1.framesReceived } == 6, "without d\(lost)")
    }
  }

  @Test func `come of themselves where there are more than sixteen`() throws {
    let group = try DaemonGroup(20)
    group.world.run(for: .seconds(15))
    let statuses = try group.daemons.map { try $0.status }
    #expect(statuses.count { $0.daemons?.isUpper == true } == 16)
    #expect(statuses.allSatisfy { $0.daemons?.hereCount == 19 })
    for status in statuses where status.daemons?.isUpper == false {
      #expect(status.peers.count(where: \.isDialled) == 2)
    }
    let (left, right) = (try group.process(of: 0, named: "left"), try group.process(of: 19, named: "right"))
    group.world.run(for: .seconds(3))
    left.document.set(5)
    #expect(group.world.run { right.document.value() == .integer(5) })
  }
}
