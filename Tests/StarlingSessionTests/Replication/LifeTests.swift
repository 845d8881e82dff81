import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `Opening a document` {
  private let other = DocumentID("other")!

  @Test func `begins once, and is waited for until then`() throws {
    var replica = ValueReplica(1)
    guard case .begins = try replica.replication.open(other) else { return #expect(Bool(false), "it does not begin") }
    guard case .isUnderWay = try replica.replication.open(other) else {
      return #expect(Bool(false), "it begins again")
    }
    try replica.replication.recovered(other)
    let number = replica.replication.host(other, at: VersionVector(), Replication.Remembered())
    guard case .isOpen(number) = try replica.replication.open(other) else {
      return #expect(Bool(false), "it is not open")
    }
  }

  @Test func `fails for good where the log's content is damaged, and is tried again after another error`() throws {
    var replica = ValueReplica(1)
    _ = try replica.replication.open(other)
    replica.replication.failedToOpen(other, LogError(.busy, "later"))
    guard case .begins = try replica.replication.open(other) else { return #expect(Bool(false), "it is given up") }
    replica.replication.failedToOpen(other, LogError(.corrupt, "damaged"))
    #expect(throws: LogError.self) { _ = try replica.replication.open(other) }
    let damage = replica.replication.damageOfAll
    #expect(damage == nil, "another document is served")
  }

  @Test func `fails where it is forgotten before`() throws {
    var replica = ValueReplica(1)
    _ = try replica.replication.open(other)
    replica.replication.forget(other)
    #expect(throws: ForgetError.self) { try replica.replication.recovered(other) }
    #expect(throws: ForgetError.self) { _ = try replica.replication.open(other) }
  }
}

@Suite struct `A replica that begins` {
  private func begun(isDurable: Bool, refusal: LogError? = nil, keepsCheckpoints: Bool = true) -> ValueReplica {
    var replica = ValueReplica(1)
    replica.replication.pipeline.policy.compaction.checkpointByteCountMin = 1
    replica.decide(now: .zero) {
      $0.begin(
        store: StoreID(rawValue: 1), isDurable: isDurable, replica: nil, generations: GenerationTable(own: 0, []),
        forgotten: [], refusal: refusal, keepsCheckpoints: keepsCheckpoints)
    }
    return replica
  }

  @Test func `makes checkpoints for a log that can use them`() {
    #expect(begun(isDurable: true).replication.pipeline.policy.compaction.checkpointByteCountMin == 1)
    #expect(begun(isDurable: false).replication.pipeline.policy.compaction.checkpointByteCountMin == nil)
    let unable = begun(isDurable: true, keepsCheckpoints: false)
    #expect(unable.replication.pipeline.policy.compaction.checkpointByteCountMin == nil)
  }

  @Test func `with a log that can only be read for now promises nothing, and keeps what that accepts later`() {
    let refusal = LogError(.unwritable, "read only")
    let replica = begun(isDurable: false, refusal: refusal)
    #expect(!replica.replication.isDurable && replica.replication.identity.isDurable)
    #expect(replica.replication.pipeline.policy.compaction.checkpointByteCountMin == 1)
    let wait = Waiters.Wait(for: .durable, in: ValueReplica.document)
    let (refused, limited) = (
      replica.replication.promiseError(for: wait),
      replica.replication.promiseError(for: Waiters.Wait(for: .received(1), in: ValueReplica.document))
    )
    #expect(refused != nil && limited == nil)
  }
}

@Suite struct `A replica that closes` {
  private let peer = PeerHandle.of(1)

  @Test func `hears nobody any more`() {
    var replica = ValueReplica(1)
    replica.decide(now: .zero) { $0.beginClosing() }
    replica.decide(now: .zero) { [peer] in $0.opened(peer, isDialled: false, as: .sameUser, entry: nil) }
    replica.decide(now: .zero) { [peer] in
      $0.receive(direct: Message.goodbye.encoded(), from: peer)
      $0.hear(published: [[1, 2, 3]], from: peer)
    }
    #expect(replica.replication.counters.messagesReceived == 0 && replica.replication.counters.framesReceived == 0)
    #expect(replica.outputs.isEmpty)
  }

  @Test func `waits for nobody where nothing is leased`() {
    var replica = ValueReplica(1)
    replica.decide(now: .zero) { $0.beginClosing() }
    replica.decide(now: .zero) { $0.returnLeases() }
    let isReturning = replica.replication.isReturning
    #expect(!isReturning)
  }
}

@Suite struct `What is older than a log keeps` {
  @Test(arguments: [nil, 1, 10, Int.max] as [Int?]) func `is what was written before so many days`(days: Int?) {
    var policy = Replication.Policy()
    policy.historyDays = days
    let now: UInt64 = 5 * 86_400_000
    let limit: UInt64? = days == 1 ? 4 * 86_400_000 : nil
    #expect(policy.agingLimit(at: now) == limit)
  }
}
