import StarlingCore
import StarlingEngine
import StarlingWire
import Testing

@Suite struct `Written records` {
  @Test func `wait for one thing at most that the log is told beside them`() throws {
    let world = World()
    let log = HeldLog(MemoryLog(isDurable: true))
    let daemon = try world.node("daemon", log: log) { $0.isRelay = true }
    let kept = try daemon.open()
    let stranger = try Stranger("stranger", dialling: "daemon", in: world)
    stranger.say(Stranger.hello())
    for number in 0..<20 {
      let have = Message.Have(
        document: DocumentID("document-\(number)")!, version: VersionVector(), position: nil, digest: nil)
      stranger.say(.have(have))
    }
    log.holdAppends()
    kept.set(1)
    #expect(world.run { log.appendsWaiting == 1 })
    for number in 0..<20 {
      stranger.say(.lease(Message.Lease(document: DocumentID("document-\(number)")!, request: .ask)))
    }
    kept.set(2)
    world.run(for: .milliseconds(200))
    let before = log.stored.count
    log.letThrough()
    #expect(world.run { log.stored.dropFirst(before).count { $0 == "leases" } == 20 })
    let order = Array(log.stored.dropFirst(before))
    #expect(order.first == "records")
    #expect(order.dropFirst().firstIndex(of: "records").map { $0 <= 3 } == true, "\(order)")
  }
}
