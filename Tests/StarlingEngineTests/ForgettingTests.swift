import StarlingCore
import StarlingEngine
import Testing

@Suite struct `A document that is forgotten` {
  let world = World()
  let drafts = DocumentID("drafts")!

  private func relay(_ name: String, dialling peers: [String] = [], log: any ChangeLog = MemoryLog(isDurable: true))
    throws -> Node
  {
    try world.node(name, dialling: peers, log: log) { $0.isRelay = true }
  }

  private func forget(_ document: DocumentID, at node: Node, confirmedBy count: Int = 0) throws {
    try world.perform { try await node.engine.forget(document, confirmedBy: count, timeout: .seconds(5)) }
  }

  private func stored(_ document: DocumentID, in log: any ChangeLog) throws -> Int {
    try world.perform { try await log.recover(document).records.count }
  }

  @Test func `is gone from every log, and from every handle`() throws {
    let a = try relay("a")
    let b = try relay("b", dialling: ["a"])
    let process = try world.node("process", dialable: false, dialling: ["b"])
    let handles = [try a.open(drafts), try b.open(drafts), try process.open(drafts)]
    let other = try process.open()
    handles[2].set(1)
    other.set(2)
    #expect(world.run { handles[0].value() == .integer(1) })
    let seen = Box(0)
    handles[0].onPatch { patch in seen.change { $0 += patch.entries.count } }
    try forget(drafts, at: process, confirmedBy: 1)
    #expect(world.run { handles.allSatisfy { $0.isForgotten && $0.value() == nil } })
    world.run(for: .seconds(2))
    #expect(seen.value == 1)
    for node in [a, b, process] {
      #expect(try stored(drafts, in: node.log) == 0, "\(node.name)")
      #expect(try !node.status.documents.contains(drafts), "\(node.name)")
      #expect(try world.perform { await node.engine.forgottenDocuments } == [drafts])
    }
    // The others stand.
    #expect(try stored(Node.library, in: a.log) == 1)
    other.set(3)
    try process.flush(.replicated(1))
  }

  @Test func `takes no writes, and is not opened again`() throws {
    let a = try relay("a")
    let handle = try a.open(drafts)
    handle.set(1)
    handle.beginTransaction()
    handle.set(2)
    try forget(drafts, at: a)
    handle.endTransaction(message: nil)
    world.run(for: .seconds(1))
    #expect(handle.value() == nil)
    handle.set(3)
    #expect(handle.value() == nil)
    world.run(for: .seconds(1))
    #expect(try stored(drafts, in: a.log) == 0)
    let error = #expect(throws: ForgetError.self) { try a.open(drafts) }
    #expect(error?.code == .forgotten)
    // Once more is nothing new.
    try forget(drafts, at: a)
  }

  @Test func `is not brought back by a member that was away, and is deleted there`() throws {
    let (hereLog, thereLog) = (MemoryLog(isDurable: true), MemoryLog(isDurable: true))
    let a = try relay("a", log: hereLog)
    let b = try relay("b", dialling: ["a"], log: thereLog)
    try a.open(drafts).set(1)
    #expect(world.run { (try? stored(drafts, in: thereLog)) == 1 })
    try b.close()
    try forget(drafts, at: a)
    try a.close()
    // Both have restarted; the one that was away writes before it hears of it.
    let again = try relay("a", log: hereLog)
    let returned = try relay("b", log: thereLog)
    let handle = try returned.open(drafts)
    handle.set(2)
    try returned.flush(.durable, drafts)
    try world.perform { try await returned.engine.connect(to: "memory:a") }
    #expect(world.run { handle.isForgotten })
    world.run(for: .seconds(2))
    #expect(try stored(drafts, in: thereLog) == 0)
    #expect(try stored(drafts, in: hereLog) == 0)
    #expect(try !again.status.documents.contains(drafts))
  }

  @Test func `may be named by relays and by peers that need not prove anything, and by no other key`() throws {
    let allowlist: @Sendable (String, Bool) -> Trust? = { user, _ in
      Trust(name: user, role: Trust.Role(rawValue: user) ?? .reads, documents: [.everything])
    }
    let a = try world.node("a") {
      $0.isRelay = true
      $0.allowlist = allowlist
    }
    let handle = try a.open(drafts)
    handle.set(1)
    for role in ["reads", "writes"] {
      let node = try world.node(role, dialable: false, dialling: ["a"], as: role)
      world.run(for: .seconds(1))
      #expect(throws: FlushError.self) { try forget(drafts, at: node, confirmedBy: 1) }
      #expect(!handle.isForgotten)
      #expect(node.refusals.contains { $0.contains("only relays may") }, "\(node.refusals)")
    }
    let relay = try world.node("relay", dialable: false, dialling: ["a"], as: "relays")
    world.run(for: .seconds(1))
    try forget(drafts, at: relay, confirmedBy: 1)
    #expect(handle.isForgotten)
  }

  @Test func `is refused by name to a peer that still names it`() throws {
    // A log that cannot forget stands for a program that does not know how.
    let old = try relay("old", log: HeldLog())
    let kept = try old.open(drafts)
    kept.set(1)
    let a = try relay("a", dialling: ["old"])
    #expect(world.run { (try? stored(drafts, in: a.log)) == 1 })
    try forget(drafts, at: a)
    world.run(for: .seconds(5))
    #expect(old.refusals.contains { $0.contains("cannot forget 'drafts'") }, "\(old.refusals)")
    // Once on each of the two connections, however often it says where that stands.
    #expect((1...2).contains(old.refusals.count { $0.contains("was forgotten in this group") }), "\(old.refusals)")
    #expect(try !a.status.documents.contains(drafts))
    let error = #expect(throws: ForgetError.self) { try forget(drafts, at: old) }
    #expect(error?.code == .unsupported)
  }

  @Test func `is none that the replica keeps, and one of so many`() throws {
    let a = try world.node("a") { $0.mayForget = { $0 != Node.library } }
    #expect(#expect(throws: ForgetError.self) { try forget(Node.library, at: a) }?.code == .kept)
    for number in 0..<4096 { try forget(DocumentID("\(number)")!, at: a) }
    #expect(#expect(throws: ForgetError.self) { try forget(drafts, at: a) }?.code == .full)
  }

  @Test func `ends the waits of its writers`() throws {
    let a = try relay("a")
    try a.open(drafts).set(1)
    let waiting = world.begin { try await a.engine.flush(DocumentID("drafts")!, until: .replicated(1)) }
    world.run(for: .seconds(1))
    try forget(drafts, at: a)
    #expect(world.run { waiting.value != nil })
    #expect(throws: FlushError.self) { try waiting.value?.get() }
  }
}
