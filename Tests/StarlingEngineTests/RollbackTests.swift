import StarlingCore
import StarlingEngine
import StarlingSession
import StarlingWire
import Testing

/// By means that leave its clean-shutdown marker true, as a snapshot of the disk below the file system.
@Suite struct `A store that was put back from a copy` {
  private let world = World()
  private let disks = (
    daemon: MemoryLog(store: StoreID(rawValue: 1), isDurable: true),
    cid: MemoryLog(store: StoreID(rawValue: 2), isDurable: true)
  )

  private func daemon() throws -> Node {
    try world.node("daemon", log: disks.daemon) { $0.isRelay = true }
  }

  private func cid() throws -> Node { try world.node("cid", log: disks.cid) }

  private func ada(on disk: MemoryLog, dialling peers: [String]) throws -> Node {
    try world.node("ada", dialable: false, dialling: peers, log: disk)
  }

  private func rollbacks(of node: Node) -> Int {
    node.events.value.count { if case .rolledBack = $0 { true } else { false } }
  }

  /// Ada's store as it was after its first run. The daemon has met the second run, and Cid has what the third wrote.
  private func copy(cid: DocumentHandle, keeping id: inout ReplicaID) throws -> MemoryLog {
    let disk = MemoryLog(store: StoreID(rawValue: 3), isDurable: true)
    let first = try ada(on: disk, dialling: ["daemon"])
    let handle = try first.open()
    id = handle.replica
    handle.set(1, for: "first")
    try first.flush(.replicated(1))
    try first.close()
    let copy = MemoryLog(restoring: disk)
    let second = try ada(on: disk, dialling: ["daemon"])
    #expect(try second.open().replica == id)
    world.run(for: .seconds(2))
    try second.close()
    let third = try ada(on: disk, dialling: ["cid"])
    let later = try third.open()
    #expect(later.replica == id)
    later.set(2, for: "third")
    #expect(world.run { cid.value(of: "third") == .integer(2) })
    try third.close()
    return copy
  }

  @Test(arguments: [false, true])
  func `leaves its id as soon as it meets a peer that has met a later start, before a reader can write`(
    isDaemonRestarted: Bool
  ) throws {
    var daemon = try daemon()
    _ = try daemon.open()
    let cid = try cid()
    let cids = try cid.open()
    var id = ReplicaID(rawValue: 0)
    let copy = try copy(cid: cids, keeping: &id)
    if isDaemonRestarted {
      daemon.vanish()
      daemon = try self.daemon()
    }
    let kept = try daemon.open()
    kept.set(5, for: "news")
    let put = try ada(on: copy, dialling: ["daemon"])
    let handle = try put.open()
    handle.onPatch { _ in if handle.value(of: "observed") == nil { handle.set(9, for: "observed") } }
    #expect(world.run { handle.value(of: "news") == .integer(5) })
    #expect(handle.replica != id && handle.version[id] == 1)
    #expect(rollbacks(of: put) == 1)
    handle.set(3, for: "fourth")
    #expect(world.run { kept.value(of: "fourth") == .integer(3) })
    try world.perform { [engine = cid.engine] in try await engine.connect(to: "memory:daemon") }
    #expect(world.run(timeout: .seconds(20)) { kept.digest() == cids.digest() && kept.digest() == handle.digest() })
    for document in [kept, cids, handle] {
      #expect(document.value(of: "third") == .integer(2) && document.value(of: "fourth") == .integer(3))
      #expect(document.value(of: "first") == .integer(1) && document.value(of: "observed") == .integer(9))
    }
    for node in [daemon, cid, put] {
      #expect(!node.events.value.contains { if case .settled = $0 { true } else { false } })
    }
    // Its next start is one that nobody doubts.
    let fresh = handle.replica
    try put.close()
    let again = try ada(on: copy, dialling: ["daemon"])
    let last = try again.open()
    world.run(for: .seconds(2))
    #expect(last.replica == fresh && rollbacks(of: again) == 0)
  }

  @Test func `is told so by the end that dialled, too`() throws {
    let disk = MemoryLog(store: StoreID(rawValue: 3), isDurable: true)
    try world.perform {
      _ = try await disk.open()
      try await disk.close(continuing: ReplicaID(rawValue: 42))
    }
    let copy = MemoryLog(restoring: disk)
    let first = try world.node("first", log: disk)
    _ = try first.open()
    let dialler = try world.node("dialler", dialling: ["first"], log: disks.daemon)
    _ = try dialler.open()
    world.run(for: .seconds(2))
    try first.close()
    let put = try world.node("put", log: copy)
    let handle = try put.open()
    #expect(handle.replica == ReplicaID(rawValue: 42))
    try world.perform { [engine = dialler.engine] in try await engine.connect(to: "memory:put") }
    #expect(world.run { handle.replica != ReplicaID(rawValue: 42) })
    world.run(for: .seconds(5))
    #expect(rollbacks(of: put) == 1 && rollbacks(of: dialler) == 0)
  }

  @Test func `keeps its id where nobody but a writer says so, and where it was only started again`() throws {
    let disk = MemoryLog(store: StoreID(rawValue: 3), isDurable: true)
    let configure: (inout EngineConfiguration) -> Void = { configuration in
      configuration.allowlist = { name, _ in Trust(name: name, role: .writes, documents: [.everything]) }
    }
    let first = try world.node("first", log: disk, configure)
    let handle = try first.open()
    let id = handle.replica
    let liar = try Stranger("liar", dialling: "first", as: "mallory", in: world)
    liar.say(
      .hello(
        Message.Hello(
          lowestVersion: 1, highestVersion: 1, store: StoreID(rawValue: 5), epoch: 1, agent: "liar", endpoints: [],
          isDurable: true, relays: true, wantsReply: true,
          knownStart: Message.Start(generation: 1000, epoch: 5))))
    world.run(for: .seconds(1))
    #expect(handle.replica == id && rollbacks(of: first) == 0)
    let daemon = try daemon()
    try world.perform { [engine = first.engine] in try await engine.connect(to: "memory:daemon") }
    world.run(for: .seconds(1))
    try first.close()
    let second = try world.node("second", dialling: ["daemon"], log: disk)
    let again = try second.open()
    world.run(for: .seconds(1))
    try second.close()
    let third = try world.node("third", dialling: ["daemon"], log: disk)
    world.run(for: .seconds(1))
    #expect(try again.replica == id && third.open().replica == id)
    #expect([first, second, third, daemon].allSatisfy { rollbacks(of: $0) == 0 })
  }
}
