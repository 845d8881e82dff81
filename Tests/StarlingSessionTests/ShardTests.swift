import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `A daemon of one shard` {
  // Of two shards; of four they are of 3 and 2.
  private let ofOne = DocumentID("notes")!
  private let ofTwo = DocumentID("library")!
  private let one = DocumentShard(1, of: 2)!
  private let two = DocumentShard(2, of: 2)!
  private let peer = PeerHandle.of(1)

  private func connections(_ shard: DocumentShard, isRelay: Bool = true, meeting hello: Message.Hello) -> Connections {
    var connections = Connections(isRelay: isRelay, shard: shard)
    _ = connections.open(peer, as: .sameUser, isDialled: false, entry: nil, now: 0)
    connections.peers[peer] = PeerTable.Peer(endpoint: nil, relation: .plain)
    connections.peers[peer]?.hello = hello
    return connections
  }

  private func daemon(_ shard: DocumentShard, isMeshPeer: Bool = false) -> Message.Hello {
    Greeting.of(9, relays: true, isMeshPeer: isMeshPeer, shard: shard)
  }

  // MARK: What is spoken of

  @Test func `speaks of its documents alone, and is spoken to of them`() {
    for ours in [.whole, one, two] {
      for theirs in [.whole, one, two] {
        let connections = connections(ours, meeting: daemon(theirs))
        for document in [ofOne, ofTwo] {
          let isShared = ours.contains(document) && theirs.contains(document)
          #expect(connections.isShared(document, with: peer) == isShared)
          #expect(connections.listeners(in: document, isUnaskedToo: true) == (isShared ? [peer] : []))
        }
      }
    }
  }

  @Test func `says which it is, and one that has everything says nothing`() {
    for shard in [one, two, .whole] {
      var connections = Connections(isRelay: true, shard: shard)
      _ = connections.open(peer, as: .sameUser, isDialled: true, entry: nil, now: 0)
      connections.begin(peer, Endpoints())
      let us = Connections.Introduction(
        store: StoreID(rawValue: 1), epoch: 1, agent: "daemon", isDurable: true, grantsLeases: true)
      let hello = connections.greeting(for: peer, us, Endpoints(), wantsReply: true)
      #expect(hello.shard == shard)
      let bytes = Message.hello(hello).encoded()
      #expect((try? Message(decoding: bytes)) == .hello(hello))
    }
  }

  @Test func `counts each message about another's document, and says whose that is once`() {
    var connections = connections(one, meeting: Greeting.of(9))
    let first = connections.refuse(elsewhere: ofTwo, to: peer)
    let explanation = "'library' is served by the daemon of shard 2/2, and this is the one of 1/2."
    #expect(
      first == [.countElsewhere, .refuse(peer, Message.Refusal(code: .notWelcome, explanation: explanation))])
    #expect(connections.refuse(elsewhere: ofTwo, to: peer) == [.countElsewhere])
    // The document is ours, and the peer says itself that it does not serve it.
    var other = self.connections(one, meeting: daemon(two))
    #expect(other.refuse(elsewhere: ofOne, to: peer) == [.countElsewhere])
  }

  @Test func `does not count where a document of others is to be forgotten`() {
    var table = PeerTable()
    for (number, shard) in [(1, one), (2, two), (3, .whole)] as [(UInt64, DocumentShard)] {
      table[.of(number)] = PeerTable.Peer(endpoint: nil, relation: .plain)
      table[.of(number)]?.hello = Greeting.of(number, relays: true, shard: shard)
      table[.of(number)]?.sayForgotten(ofTwo)
    }
    #expect(table.forgottenCount(of: ofTwo) == 2)
  }

  // MARK: Who is like it

  @Test func `is a mesh peer of daemons of its shard, and of no others`() {
    for ours in [.whole, one, two] {
      for theirs in [.whole, one, two] {
        let connections = connections(ours, meeting: daemon(theirs, isMeshPeer: true))
        #expect(connections.audience(of: peer) == (ours == theirs ? .across : .everyone))
        #expect(connections.alike == (ours == theirs ? [peer] : []))
      }
    }
  }

  @Test func `is dialled back by a daemon of another shard, which no plan names`() {
    var (alike, other) = (daemon(one, isMeshPeer: true), daemon(.whole, isMeshPeer: true))
    (alike.endpoints, other.endpoints) = (["tcp://a:1"], ["tcp://a:1"])
    for (hello, endpoint) in [(alike, nil), (other, "tcp://a:1")] {
      let connections = connections(one, meeting: hello)
      #expect(connections.endpointToDialBack(peer, isDaemon: true) { _, _ in true } == endpoint)
    }
  }

  // MARK: Waiting

  @Test func `is waited for with its documents alone, also while it is away`() throws {
    var endpoints = Endpoints()
    for (number, shard) in [(1, one), (2, two)] as [(UInt64, DocumentShard)] {
      for case .dial(let endpoint, let attempt) in endpoints.dial("tcp://\(number):1", as: .byHand, now: .zero) {
        _ = endpoints.connected(endpoint, attempt: attempt, as: .of(number))
      }
      #expect(endpoints.peers(serving: ofOne).contains(.of(number)), "Nothing is known of it yet.")
      _ = endpoints.met(StoreID(rawValue: number), serving: shard, isMeshPeer: false, at: .of(number))
    }
    for _ in 0..<2 {
      #expect(endpoints.peers(serving: ofOne) == [.of(1)])
      #expect(endpoints.peers(serving: ofTwo) == [.of(2)])
      for number in [1, 2] as [UInt64] { endpoints.setUnreachable(.of(number), since: .seconds(1)) }
    }
    // It is dialled again, and has not said anything yet.
    for case .dial(let endpoint, let attempt) in endpoints.dialAgain(.of(2), now: .seconds(2)) ?? [] {
      _ = endpoints.connected(endpoint, attempt: attempt, as: .of(3))
    }
    #expect(endpoints.peers(serving: ofOne) == [.of(1)])
    #expect(endpoints.peers(serving: ofTwo) == [.of(3)])
  }

  // MARK: Its store

  @Test func `does not serve a store that holds documents of another`() throws {
    #expect(ShardError(starting: one, withStored: [ofOne]) == nil)
    #expect(ShardError(starting: .whole, withStored: [ofOne, ofTwo]) == nil)
    let error = try #require(ShardError(starting: one, withStored: [ofOne, ofTwo]))
    #expect(error.code == .stored)
    let words = "The store holds 1 of its 2 documents for other shards than 1/2: 'library' (2/2). "
    #expect(error.message.hasPrefix(words), "\(error)")
    let many = (0..<100).map { DocumentID("d\($0)")! }
    let count = many.count { !one.contains($0) }
    #expect(ShardError(starting: one, withStored: many)?.message.contains(" and \(count - 5) more. ") == true)
  }
}
