import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `The stores for which a writer keeps its changes` {
  private let ada = ReplicaID(rawValue: 1)
  private let bob = ReplicaID(rawValue: 2)
  private let north = NamedStore(StoreID(rawValue: 7), name: "north")
  private let south = NamedStore(StoreID(rawValue: 8), name: "south")
  /// The key of "south" says that it is the store of "north".
  private let impostor = NamedStore(StoreID(rawValue: 7), name: "south")
  private let policy = Members.Policy(lifetime: .seconds(100), transientLifetime: .seconds(10), countMax: 3)

  private func version(_ counter: UInt64) -> VersionVector {
    VersionVector([VersionVector.Entry(replica: ada, counter: counter)])
  }

  private func remembered(_ name: NamedStore, _ counter: UInt64, heardAt: UInt64 = 0) -> LogMember {
    LogMember(store: name.store, acknowledged: version(counter), heardAt: heardAt)
  }

  @Test func `have what the last of them has acknowledged`() {
    var recipients = Recipients(openSince: .zero, now: 0)
    #expect(recipients.durable(by: [ada], now: 0).isEmpty)
    recipients.acknowledge(north, version(9), by: [ada, bob], now: 0)
    #expect(recipients.durable(by: [ada, bob], now: 0) == version(9))
    recipients.acknowledge(south, version(4), by: [ada, bob], now: 0)
    #expect(recipients.durable(by: [ada, bob], now: 0) == version(4))
    // What was acknowledged once stays so.
    recipients.acknowledge(south, version(2), by: [ada, bob], now: 0)
    #expect(recipients.durable(by: [ada, bob], now: 0) == version(4))
  }

  @Test func `have nothing that another key acknowledges for their store`() {
    var recipients = Recipients(openSince: .zero, now: 0)
    recipients.hear(north, now: 0)
    recipients.acknowledge(impostor, version(9), by: [ada], now: 0)
    #expect(recipients.durable(by: [ada], now: 0).isEmpty)
    #expect(recipients.remembered(remembered(north, 9), writers: [ada]).acknowledged.isEmpty)
    recipients.acknowledge(north, version(6), by: [ada], now: 0)
    #expect(recipients.durable(by: [ada], now: 0) == version(6))
  }

  @Test func `are known to a later run by the key that spoke for each`() {
    let told = [remembered(north, 9)]
    var recipients = Recipients(told, owner: { _ in north.name }, writers: [ada], openSince: .zero, now: 0)
    #expect(recipients.durable(by: [ada], now: 0) == version(9))
    recipients.hear(impostor, now: 0)
    #expect(recipients.durable(by: [ada], now: 0).isEmpty)
    // Where nobody knows whose it is, it is whose key speaks first.
    var unclaimed = Recipients(told, writers: [ada], openSince: .zero, now: 0)
    unclaimed.hear(north, now: 0)
    #expect(unclaimed.durable(by: [ada], now: 0) == version(9))
    unclaimed.hear(impostor, now: 0)
    #expect(unclaimed.durable(by: [ada], now: 0).isEmpty)
  }

  @Test func `are given up like members`() {
    var recipients = Recipients(
      [remembered(north, 3)], policy: policy, owner: { _ in north.name }, writers: [ada], openSince: .zero,
      now: 1_000_000)
    recipients.acknowledge(south, version(5), by: [ada], now: 1_000_000)
    #expect(recipients.durable(by: [ada], now: 1_010_000) == version(3))
    recipients.stand([north], now: 1_010_000)
    #expect(recipients.durable(by: [ada], now: 1_020_000) == version(3))
    recipients.stand([south], now: 1_110_000)
    #expect(recipients.durable(by: [ada], now: 1_110_001) == version(5))
  }

  @Test func `are so many at most`() {
    let told = (1...9).map { LogMember(store: StoreID(rawValue: $0), acknowledged: version($0), heardAt: 0) }
    var recipients = Recipients(told, policy: policy, writers: [ada], openSince: .zero, now: 0)
    #expect(recipients.durable(by: [ada], now: 0) == version(1))
    for number in 1...9 as ClosedRange<UInt64> {
      recipients.acknowledge(
        NamedStore(StoreID(rawValue: number), name: "key \(number)"), version(number), by: [ada], now: number)
    }
    #expect(recipients.durable(by: [ada], now: 9) == version(7))
  }
}

@Suite struct `The relays that a writer has met` {
  private let north = NamedStore(StoreID(rawValue: 7), name: "north")
  private let document = DocumentID("notes")!
  private let trust = Trust(name: "north", role: .relays, documents: [.everything])

  @Test func `take part in a document until they were silent about it for a minute`() {
    var relays = RelaysMet()
    relays.meet(north, trust, serving: .whole, now: .zero)
    #expect(relays.expected(in: document, openSince: .zero) == [north])
    relays.stand([north], lifetime: .seconds(1000), now: .seconds(59))
    #expect(relays.expected(in: document, openSince: .zero) == [north])
    relays.stand([north], lifetime: .seconds(1000), now: .seconds(60))
    #expect(relays.expected(in: document, openSince: .zero).isEmpty)
    // Of one that was opened later it had less time to speak.
    #expect(relays.expected(in: document, openSince: .seconds(1)) == [north])
  }

  @Test func `are waited for while they are away, and not for ever`() {
    var relays = RelaysMet()
    relays.meet(north, trust, serving: .whole, now: .zero)
    relays.stand([], lifetime: .seconds(1000), now: .seconds(1000))
    #expect(relays.expected(in: document, openSince: .zero) == [north])
    // The time that it was away is no time in which it was silent.
    relays.stand([north], lifetime: .seconds(1000), now: .seconds(1000))
    #expect(relays.expected(in: document, openSince: .zero) == [north])
    relays.stand([], lifetime: .seconds(1000), now: .seconds(2001))
    #expect(relays.expected(in: document, openSince: .zero).isEmpty)
  }

  @Test func `take no part in what they do not serve or may not have, nor once they relay nothing`() throws {
    var relays = RelaysMet()
    relays.meet(north, Trust(name: "north", role: .relays, documents: []), serving: .whole, now: .zero)
    #expect(relays.expected(in: document, openSince: .zero).isEmpty)
    let shards = try [#require(DocumentShard(1, of: 2)), #require(DocumentShard(2, of: 2))]
    let other = try #require(shards.first { !$0.contains(document) })
    relays.meet(north, trust, serving: other, now: .zero)
    #expect(relays.expected(in: document, openSince: .zero).isEmpty)
    relays.meet(north, trust, serving: .whole, now: .zero)
    #expect(relays.expected(in: document, openSince: .zero) == [north])
    relays.forget(named: "north")
    #expect(relays.expected(in: document, openSince: .zero).isEmpty)
  }
}
