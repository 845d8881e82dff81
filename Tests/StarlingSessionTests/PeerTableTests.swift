import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

/// Greetings and connections, for tests of what follows from them.
enum Greeting {
  static func of(
    _ store: UInt64, at endpoints: [String] = [], epoch: UInt64 = 1, relays: Bool = false, isMeshPeer: Bool = false,
    wantsReply: Bool = false, generation: UInt64? = nil, knownStart: Message.Start? = nil,
    versions: ClosedRange<UInt16> = Handshake.versions, shard: DocumentShard = .whole
  ) -> Message.Hello {
    Message.Hello(
      lowestVersion: versions.lowerBound, highestVersion: versions.upperBound, store: StoreID(rawValue: store),
      epoch: epoch, agent: "agent \(store)", endpoints: endpoints, isDurable: true, relays: relays,
      wantsReply: wantsReply, isMeshPeer: isMeshPeer, generation: generation, knownStart: knownStart, shard: shard)
  }
}

extension PeerHandle {
  static func of(_ number: UInt64) -> PeerHandle { PeerHandle(rawValue: number) }
}

@Suite struct `The peers of a replica` {
  private let library = DocumentID("library")!
  private let another = DocumentID("another")!

  private func peer(_ hello: Message.Hello? = nil, at endpoint: String? = nil) -> PeerTable.Peer {
    var peer = PeerTable.Peer(endpoint: endpoint, relation: .plain)
    peer.hello = hello
    return peer
  }

  private func table(_ hellos: [UInt64: Message.Hello?]) -> PeerTable {
    var table = PeerTable()
    for (number, hello) in hellos { table[.of(number)] = peer(hello) }
    return table
  }

  @Test func `stand in the order of their connections, however they came and went`() {
    var table = PeerTable()
    for number in [5, 1, 9, 3] as [UInt64] { table[.of(number)] = peer() }
    #expect(table.all == [.of(1), .of(3), .of(5), .of(9)])
    table[.of(5)] = nil
    table[.of(4)] = nil
    table[.of(9)] = peer(Greeting.of(7))
    #expect(table.all == [.of(1), .of(3), .of(9)])
    #expect(table.count == 3)
    #expect(table[.of(5)] == nil)
    #expect(table[.of(9)]?.hello?.store == StoreID(rawValue: 7))
    // What is said of one that has gone makes no other.
    table[.of(5)]?.interests.insert(library)
    #expect(table.count == 3)
  }

  @Test func `are altered where they are`() {
    var table = table([1: nil, 2: nil])
    table[.of(2)]?.tally.sentMessage()
    table[.of(2)]?.interests.insert(library)
    #expect(table[.of(1)]?.tally.nextCount == 1)
    #expect(table[.of(2)]?.tally.nextCount == 2)
    #expect(table[.of(2)]?.interests == [library])
  }

  @Test func `are reached by as many connections as name their store`() {
    let ada = StoreID(rawValue: 7)
    var table = table([1: Greeting.of(7), 2: nil, 3: Greeting.of(8), 4: Greeting.of(7)])
    #expect(table.connections(to: ada) == [.of(1), .of(4)])
    #expect(table.isReached(ada, besides: .of(1)))
    #expect(table.isReached(StoreID(rawValue: 8)))
    #expect(!table.isReached(StoreID(rawValue: 8), besides: .of(3)))
    #expect(!table.isAlone(ada))
    table[.of(3)] = nil
    #expect(table.isAlone(ada))
    #expect(table.talking == [.of(1), .of(4)])
  }

  @Test func `are greeted again that were dialled and neither answered nor refused`() {
    var table = PeerTable()
    table[.of(1)] = peer(at: "memory:a")
    table[.of(2)] = peer()
    table[.of(3)] = peer(Greeting.of(3), at: "memory:c")
    table[.of(4)] = peer(at: "memory:d")
    table[.of(4)]?.isRefused = true
    #expect(table.unanswered == [.of(1)])
  }

  @Test func `are relays that talk, while neither end has refused`() {
    var table = table([1: Greeting.of(1, relays: true), 2: Greeting.of(2), 3: Greeting.of(3, relays: true)])
    #expect(table.relays == [.of(1), .of(3)])
    table[.of(3)]?.isRefused = true
    #expect(table.relays == [.of(1)])
  }

  @Test func `hear of each thing once a connection`() {
    var table = table([1: nil])
    let outcome1 = table[.of(1)]?.isNews(.capacity)
    #expect(outcome1 == true)
    let outcome2 = table[.of(1)]?.isNews(.capacity)
    #expect(outcome2 == false)
    let outcome3 = table[.of(1)]?.isNews(.damage(library))
    #expect(outcome3 == true)
    let outcome4 = table[.of(1)]?.isNews(.damage(another))
    #expect(outcome4 == true)
    let outcome5 = table[.of(1)]?.isNews(.budget(.leases))
    #expect(outcome5 == true)
    let outcome6 = table[.of(1)]?.isNews(.budget(.leases))
    #expect(outcome6 == false)
    table[.of(1)] = peer()
    let outcome7 = table[.of(1)]?.isNews(.capacity)
    #expect(outcome7 == true)
    let outcome8 = table[.of(2)]?.isNews(.capacity)
    #expect(outcome8 == nil)
  }

  // MARK: Forgotten documents

  @Test func `are refused what is forgotten once after they were told, and twice at most`() {
    var table = table([1: nil, 2: nil])
    let outcome9 = table[.of(1)]?.refuseForgotten(library)
    #expect(outcome9 == true)
    let outcome10 = table[.of(1)]?.refuseForgotten(library)
    #expect(outcome10 == false)
    table[.of(2)]?.tellForgotten([library])
    let outcome11 = table[.of(2)]?.refuseForgotten(library)
    #expect(outcome11 == true)
    let outcome12 = table[.of(2)]?.refuseForgotten(library)
    #expect(outcome12 == false)
  }

  @Test func `count as one store that has forgotten, by however many connections it says so`() {
    var table = table([1: Greeting.of(7), 2: Greeting.of(7), 3: Greeting.of(8), 4: nil])
    for number in [1, 2, 4] as [UInt64] { table[.of(number)]?.sayForgotten(library) }
    #expect(table.forgottenCount(of: library) == 1)
    table[.of(3)]?.sayForgotten(library)
    #expect(table.forgottenCount(of: library) == 2)
    #expect(table.forgottenCount(of: another) == 0)
  }

  @Test func `keep nothing of a document that is forgotten`() {
    var table = table([1: nil])
    table[.of(1)]?.interests = [library, another]
    table[.of(1)]?.note(Message.Have(document: library, version: VersionVector(), position: nil, digest: nil))
    table[.of(1)]?.flow.begin(library, request: 1, now: .zero)
    table.forget(library)
    #expect(table[.of(1)]?.interests == [another])
    #expect(table[.of(1)]?.documents.isEmpty == true)
    #expect(table[.of(1)]?.flow.isUnderWay(library, request: 1) == false)
  }
}
