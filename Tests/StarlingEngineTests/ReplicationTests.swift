import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `Two replicas that dial each other` {
  let world = World()

  func pair() throws -> (Node, Node, DocumentHandle, DocumentHandle) {
    let left = try world.node("left", dialling: ["right"])
    let right = try world.node("right", dialling: ["left"])
    let pair = (left, right, try left.open(), try right.open())
    world.run(for: .seconds(1))
    return pair
  }

  @Test func `see each other's writes a frame later`() throws {
    let (_, _, here, there) = try pair()
    here.set(1)
    #expect(world.run(timeout: .milliseconds(5)) { there.value() == .integer(1) })
    there.set(2)
    #expect(world.run(timeout: .milliseconds(5)) { here.value() == .integer(2) })
  }

  @Test func `send each write once, and ask for nothing`() throws {
    let (left, right, here, there) = try pair()
    let before = (try left.counters, try right.counters)
    for value in 1...50 as ClosedRange<Int64> {
      here.set(value)
      world.run(for: .milliseconds(10))
    }
    #expect(there.value() == .integer(50))
    #expect(try left.counters.framesPublished - before.0.framesPublished == 50)
    #expect(try right.counters.framesReceived - before.1.framesReceived == 50)
    #expect(try right.counters.pulls == before.1.pulls)
    #expect(try right.counters.gaps == 0)
  }

  @Test func `send nothing for a write that changes nothing`() throws {
    let (left, right, here, there) = try pair()
    here.set(1)
    world.run(for: .seconds(2))
    let published = try left.counters.framesPublished
    here.set(1)
    there.set(1)
    here.write { document, patch in document.remove("nothing", in: .root, patch: &patch) }
    world.run(for: .seconds(2))
    #expect(try left.counters.framesPublished == published)
    #expect(try right.counters.framesPublished == 0)
  }

  @Test func `send a transaction as one frame`() throws {
    let (left, _, here, there) = try pair()
    here.beginTransaction()
    for value in 0..<10 as Range<Int64> { here.set(value, for: .integer(value)) }
    world.run(for: .seconds(2))
    #expect(try left.counters.framesPublished == 0)
    #expect(there.value(of: .integer(0)) == nil)
    here.endTransaction(message: "ten")
    #expect(world.run(timeout: .milliseconds(5)) { there.value(of: .integer(9)) == .integer(9) })
    #expect(try left.counters.framesPublished == 1)
  }

  @Test func `put writes made at one time into one frame`() throws {
    let (left, _, here, _) = try pair()
    for value in 1...100 as ClosedRange<Int64> { here.set(value) }
    world.run(for: .milliseconds(5))
    #expect(try left.counters.framesPublished == 1)
    #expect(try left.counters.changesPublished == 100)
  }

  @Test func `find by the heartbeat what no frame brought`() throws {
    let (_, right, here, there) = try pair()
    world.network.setFaultPlan { passage, _ in passage.isPublished ? [] : [.milliseconds(1)] }
    here.set(1)
    #expect(world.run(timeout: .seconds(2)) { there.value() == .integer(1) })
    #expect(try right.counters.gaps == 0)
  }

  @Test func `find by the next frame what one before did not bring`() throws {
    let (_, right, here, there) = try pair()
    world.network.setFaultPlan { passage, _ in passage.isPublished ? [] : [.milliseconds(1)] }
    here.set(1, for: "lost")
    world.run(for: .milliseconds(5))
    world.network.setFaultPlan(MemoryNetwork.calm)
    here.set(2)
    #expect(world.run(timeout: .milliseconds(20)) { there.value(of: "lost") == .integer(1) })
    #expect(try right.counters.gaps == 1)
  }

  @Test func `meet though greetings are lost`() throws {
    world.network.setFaultPlan { passage, now in
      passage.byteCount > 0 && now < .milliseconds(1500) ? [] : [.milliseconds(1)]
    }
    let (_, _, here, there) = try pair()
    here.set(1)
    #expect(world.run(timeout: .seconds(5)) { there.value() == .integer(1) })
  }

  @Test func `go on after a connection broke`() throws {
    let (left, right, here, there) = try pair()
    right.vanish()
    here.set(1)
    world.run(for: .seconds(1))
    #expect(try left.status.peers.isEmpty)
    let again = try world.node("right", dialling: ["left"])
    let there2 = try again.open()
    #expect(world.run { there2.value() == .integer(1) })
    #expect(there.value() == nil)
  }

  @Test func `catch up with each other after one worked offline`() throws {
    let (left, right, here, there) = try pair()
    try world.perform { await right.engine.setOnline(false) }
    let received = try right.counters.framesReceived
    here.set(1)
    there.set(2, for: "author")
    world.run(for: .seconds(5))
    #expect(there.value() == nil && here.value(of: "author") == nil)
    #expect(try right.counters.framesReceived == received)
    try world.perform { await right.engine.setOnline(true) }
    #expect(world.run { there.value() == .integer(1) && here.value(of: "author") == .integer(2) })
    #expect(throws: Never.self) { try left.flush(.received(1)) }
  }

  @Test func `keep documents apart`() throws {
    let (left, right, here, _) = try pair()
    let other = try left.open(DocumentID("other")!)
    let there = try right.open(DocumentID("other")!)
    here.set(1)
    other.set(2)
    #expect(world.run { there.value() == .integer(2) })
  }

  @Test func `tell the readers of what a merge altered, and of nothing else`() throws {
    let (_, _, here, there) = try pair()
    let keys = Box<[Key]>([])
    there.onPatch { patch in keys.change { $0.append(contentsOf: patch.entries.map(\.key)) } }
    here.set(1)
    world.run(for: .milliseconds(5))
    here.set(2, for: "author")
    world.run(for: .milliseconds(5))
    #expect(keys.value == ["title", "author"])
  }
}

@Suite struct `A replica that comes later` {
  let world = World()

  @Test func `receives what the log holds, as records`() throws {
    let early = try world.node("early")
    let here = try early.open()
    for value in 0..<2000 as Range<Int64> { here.set(value, for: .integer(value)) }
    world.run(for: .milliseconds(20))
    let late = try world.node("late", dialable: false, dialling: ["early"])
    let there = try late.open()
    #expect(world.run { there.version == here.version })
    #expect(try early.counters.snapshotsSent == 0)
    #expect(there.digest() == here.digest())
  }

  @Test func `is who changes are encoded for`() throws {
    let early = try world.node("early")
    let here = try early.open()
    here.set(1)
    try early.flush(.sent)
    #expect(try early.counters.changesPublished == 0)
    #expect(try early.counters.recordsLogged == 1)
    let late = try world.node("late", dialable: false, dialling: ["early"])
    let there = try late.open()
    #expect(world.run { there.value() == .integer(1) })
    here.set(2)
    #expect(world.run(timeout: .milliseconds(5)) { there.value() == .integer(2) })
    #expect(try early.counters.changesPublished == 1)
  }

  @Test func `follows a stream across what was encoded for nobody`() throws {
    let early = try world.node("early")
    let late = try world.node("late", dialable: false, dialling: ["early"])
    let (here, there) = (try early.open(), try late.open())
    world.run(for: .seconds(1))
    here.set(1)
    #expect(world.run { there.value() == .integer(1) })
    try world.perform { await late.engine.setOnline(false) }
    world.run(for: .seconds(1))
    #expect(try early.status.peers.isEmpty)
    here.set(2, for: "author")
    world.run(for: .seconds(1))
    #expect(try early.counters.changesPublished == 1)
    try world.perform { await late.engine.setOnline(true) }
    #expect(world.run { there.value(of: "author") == .integer(2) })
    here.set(3)
    #expect(world.run(timeout: .milliseconds(5)) { there.value() == .integer(3) })
    #expect(there.digest() == here.digest())
  }

  @Test func `receives the state where the log does not reach back`() throws {
    let early = try world.node("early") { $0.keepStateAlone(byteCountMin: 100) }
    let here = try early.open()
    for value in 0..<200 as Range<Int64> {
      here.set(value)
      world.run(for: .milliseconds(5))
    }
    let late = try world.node("late", dialable: false, dialling: ["early"])
    let there = try late.open()
    #expect(world.run { there.version == here.version })
    #expect(try early.counters.snapshotsSent == 1)
    #expect(try late.counters.snapshotsMerged == 1)
    #expect(there.value() == .integer(199))
    // And its own live stream goes on from there.
    here.set(1000)
    #expect(world.run(timeout: .milliseconds(5)) { there.value() == .integer(1000) })
  }

  @Test func `receives a large state in parts`() throws {
    let early = try world.node("early") { $0.keepStateAlone(byteCountMin: 100) }
    let here = try early.open()
    here.write { document, patch in
      for number in 0..<40 as Range<Int64> {
        document.set(
          .bytes([UInt8](repeating: UInt8(number), count: 20_000)), for: .integer(number), in: .root, patch: &patch)
      }
    }
    try early.flush(.durable)
    world.run(for: .seconds(1))
    let late = try world.node("late", dialable: false, dialling: ["early"])
    let there = try late.open()
    #expect(world.run { there.version == here.version })
    #expect(try late.counters.snapshotsMerged == 1)
    #expect(there.digest() == here.digest())
  }

  @Test func `receives what the log has not accepted yet`() throws {
    let log = HeldLog()
    let early = try world.node("early", log: log)
    let here = try early.open()
    log.holdAppends()
    here.set(1)
    world.run(for: .milliseconds(5))
    here.set(2, for: "author")
    world.run(for: .milliseconds(5))
    #expect(log.appendsWaiting == 1)
    let late = try world.node("late", dialable: false, dialling: ["early"])
    let there = try late.open()
    #expect(world.run { there.version == here.version })
  }

  @Test func `asks one peer and does not receive a document from each`() throws {
    let names = ["a", "b", "c"]
    let nodes = try names.map { name in try world.node(name, dialling: names.filter { $0 != name }) }
    let handles = try nodes.map { try $0.open() }
    for value in 0..<500 as Range<Int64> { handles[0].set(value, for: .integer(value)) }
    world.run(for: .seconds(3))
    let late = try world.node("late", dialable: false, dialling: names)
    let there = try late.open()
    #expect(world.run { there.version == handles[0].version })
    world.run(for: .seconds(3))
    #expect(try late.counters.changesMerged == 500)
    #expect(try late.counters.pulls == 3)
  }

  @Test func `is caught up when it has synchronized`() throws {
    let early = try world.node("early")
    let here = try early.open()
    here.set(1)
    let late = try world.node("late", dialable: false, dialling: ["early"])
    let there = try late.open()
    #expect(try world.perform { await late.engine.synchronize(Node.library) })
    #expect(there.version == here.version)
  }

  @Test func `is told that it could not synchronize`() throws {
    let late = try world.node("late", dialable: false, dialling: ["nobody"])
    _ = try late.open()
    let before = world.network.now
    #expect(try !world.perform { await late.engine.synchronize(Node.library, timeout: .seconds(1)) })
    #expect(world.network.now - before >= .seconds(1))
    #expect(world.network.now - before < .milliseconds(1100))
  }

  @Test func `synchronizes no further once it is cancelled`() throws {
    let late = try world.node("late", dialable: false, dialling: ["nobody"])
    _ = try late.open()
    let task = Task(executorPreference: world.network.executor) {
      await late.engine.synchronize(Node.library, timeout: .seconds(60))
    }
    world.run(for: .seconds(1))
    task.cancel()
    let before = world.network.now
    #expect(try !world.perform { await task.value })
    #expect(world.network.now - before < .milliseconds(50))
    // A caller that is cancelled before it asks does not begin.
    #expect(
      try !world.perform {
        withUnsafeCurrentTask { $0?.cancel() }
        return await late.engine.synchronize(Node.library, timeout: .seconds(60))
      })
    #expect(world.network.now - before < .milliseconds(100))
  }
}

@Suite struct `A relay` {
  let world = World()

  @Test func `passes on what clients write that nobody can dial`() throws {
    let relay = try world.node("relay") { $0.isRelay = true }
    let clients = try (0..<4).map { try world.node("client\($0)", dialable: false, dialling: ["relay"]) }
    let handles = try clients.map { try $0.open() }
    world.run(for: .seconds(1))
    for (number, handle) in handles.enumerated() { handle.set(Int64(number), for: .integer(Int64(number))) }
    #expect(
      world.run(timeout: .milliseconds(20)) {
        handles.allSatisfy { handle in
          (0..<4 as Range<Int64>).allSatisfy { handle.value(of: .integer($0)) == .integer($0) }
        }
      })
    #expect(try relay.counters.framesPublished >= 4)
    #expect(Set(handles.map(\.version)).count == 1)
    #expect(Set(handles.map { $0.digest() }).count == 1)
  }

  @Test func `opens what clients ask for, and answers at once`() throws {
    let relay = try world.node("relay") { $0.isRelay = true }
    let client = try world.node("client", dialable: false, dialling: ["relay"])
    let handle = try client.open()
    handle.set(1)
    world.run(for: .milliseconds(100))
    #expect(try relay.status.documents == [Node.library])
    let second = try world.node("second", dialable: false, dialling: ["relay"])
    let there = try second.open()
    #expect(world.run(timeout: .milliseconds(100)) { there.value() == .integer(1) })
    #expect(try second.counters.pulls == 1)
  }

  @Test func `opens no more than it may for clients, and says so once`() throws {
    let relay = try world.node("relay") {
      $0.isRelay = true
      $0.documentCountMax = 2
    }
    let client = try world.node("client", dialable: false, dialling: ["relay"])
    for number in 0..<5 { try client.open(DocumentID("document-\(number)")!).set(1) }
    world.run(for: .seconds(3))
    #expect(try relay.status.documents.count == 2)
    #expect(try relay.counters.documentsRefused >= 3)
    #expect(relay.refusals.count == 1)
    #expect(relay.refusals.first?.hasSuffix("2 documents are open, as many as may be for peers.") == true)
    #expect(client.refusals == relay.refusals)
    // Its own program opens what it will.
    let third = try relay.open(DocumentID("document-4")!)
    #expect(world.run { third.value() == .integer(1) })
  }

  @Test func `opens at its start what its log holds`() throws {
    let log = MemoryLog()
    let relay = try world.node("relay", log: log) { $0.isRelay = true }
    let client = try world.node("client", dialable: false, dialling: ["relay"])
    try client.open().set(1)
    try client.flush(.received(1))
    try client.close()
    try relay.close()
    let again = try world.node("relay", log: log) { $0.isRelay = true }
    #expect(try again.status.documents == [Node.library])
    let other = try world.node("other", dialable: false, dialling: ["relay"])
    let there = try other.open()
    #expect(world.run { there.value() == .integer(1) })
  }

  @Test func `is the only one who opens for others`() throws {
    let node = try world.node("node")
    let client = try world.node("client", dialable: false, dialling: ["node"])
    try client.open().set(1)
    world.run(for: .seconds(3))
    #expect(try node.status.documents.isEmpty)
  }
}
