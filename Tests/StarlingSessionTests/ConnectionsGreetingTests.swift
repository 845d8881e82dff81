import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `A greeting among connections` {
  private let peer = PeerHandle.of(1)
  private let us = Connections.Introduction(
    store: StoreID(rawValue: 1), epoch: 10, agent: "us", isDurable: true, grantsLeases: false)
  private let endpoints = Endpoints(bound: ["tcp://us:1"])

  private func connections(as trust: Trust = .sameUser, isRelay: Bool = false) -> Connections {
    var connections = Connections(isRelay: isRelay)
    open(peer, as: trust, in: &connections)
    return connections
  }

  private func open(_ peer: PeerHandle, as trust: Trust = .sameUser, in connections: inout Connections) {
    let identity = trust == .sameUser ? PeerIdentity.sameUser : .key("k\(peer.rawValue)")
    _ = connections.open(peer, as: identity, isDialled: false, entry: trust, now: 0)
    connections.begin(peer, endpoints)
  }

  /// What follows from a greeting of one that may be talked with.
  private func welcome(
    _ hello: Message.Hello, in connections: inout Connections, from peer: PeerHandle? = nil, now: Duration = .zero
  ) -> [Connections.Effect] {
    let peer = peer ?? self.peer
    let heard = connections.receive(hello, from: peer, us, endpoints)
    #expect(heard == [.admit(peer, hello)])
    return connections.welcome(hello, from: peer, us, endpoints, now: now)
  }

  @Test func `introduces a newcomer before it is told of documents`() {
    var connections = connections()
    let hello = Greeting.of(7, wantsReply: true)
    let effects = welcome(hello, in: &connections)
    #expect(
      effects == [
        .forget(peer), .met(peer, hello), .tellRelays, .greet(peer, wantsReply: false),
        .tell(.joined(StoreID(rawValue: 7), agent: "agent 7")), .newcomer(peer),
        .begin(peer, serves: true, follows: true),
      ])
  }

  @Test func `of the same run brings back what was lost, where a reply is asked for`() {
    var connections = connections()
    _ = welcome(Greeting.of(7), in: &connections)
    let silent = welcome(Greeting.of(7), in: &connections)
    #expect(silent == [.met(peer, Greeting.of(7)), .tellRelays])
    let asked = Greeting.of(7, wantsReply: true)
    let again = welcome(asked, in: &connections)
    #expect(
      again == [
        .met(peer, asked), .tellRelays, .greet(peer, wantsReply: false), .begin(peer, serves: true, follows: true),
      ])
  }

  @Test func `of another run begins again with nothing of the former`() {
    var connections = connections()
    _ = welcome(Greeting.of(7), in: &connections)
    connections.peers[peer]?.interests = [DocumentID("library")!]
    let effects = welcome(Greeting.of(7, epoch: 2), in: &connections)
    #expect(effects.first == .forget(peer))
    #expect(connections.peers[peer]?.interests.isEmpty == true)
    // What it heard of our endpoints stands for as long as the connection does.
    #expect(connections.peers[peer]?.toldEndpoints == ["tcp://us:1"])
  }

  @Test func `of a store that is here already joins nobody`() {
    var connections = connections()
    let other = PeerHandle.of(2)
    open(other, in: &connections)
    _ = welcome(Greeting.of(7), in: &connections)
    let effects = welcome(Greeting.of(7), in: &connections, from: other)
    #expect(!effects.contains(.tell(.joined(StoreID(rawValue: 7), agent: "agent 7"))))
    #expect(connections.leaving(other).isEmpty)
    _ = connections.forget(peer, now: .zero)
    #expect(connections.leaving(other) == [.tell(.left(StoreID(rawValue: 7)))])
  }

  @Test func `of our own run ends the connection, or is answered where we did not make it`() {
    var connections = connections()
    let ours = connections.greeting(for: peer, us, endpoints, wantsReply: true)
    let effects = connections.receive(ours, from: peer, us, endpoints)
    guard case .say(.hello(let reply), to: peer) = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(reply.store == us.store && !reply.wantsReply)
    connections.peers[peer] = PeerTable.Peer(endpoint: "tcp://us:1", relation: .plain)
    let dialled = connections.receive(ours, from: peer, us, endpoints)
    #expect(dialled == [.metOurselves(at: "tcp://us:1")])
  }

  @Test func `of no common version is refused, and heard no more`() {
    var connections = connections()
    let effects = connections.receive(Greeting.of(7, versions: 8...9), from: peer, us, endpoints)
    guard case .tell(.refused(StoreID(rawValue: 7), let told)) = effects.first,
      case .refuse(peer, let refusal) = effects.last
    else {
      Issue.record("\(effects)")
      return
    }
    #expect(effects.count == 2)
    #expect(refusal.code == .incompatibleVersion && refusal.explanation == told)
    #expect(connections.peers[peer]?.isRefused == true)
  }

  @Test func `that cannot be read is told of once`() throws {
    var connections = connections()
    let error = try #require(throws: WireError.self) { try Message(decoding: [1, 2, 3]) }
    let first = connections.receive(3, unreadable: error, from: peer)
    let second = connections.receive(3, unreadable: error, from: peer)
    #expect(first.count == 2 && second.count == 1)
    #expect(Array(first.suffix(1)) == second)
    guard case .refuse(peer, let refusal) = second.first else {
      Issue.record("\(second)")
      return
    }
    #expect(refusal.code == .malformed)
  }

  @Test func `tells a reader that it may not write`() {
    var connections = connections(as: Trust(name: "reader", role: .reads, documents: [.everything]))
    let effects = welcome(Greeting.of(7), in: &connections)
    let refusals = effects.filter { if case .refuse(peer, _) = $0 { true } else { false } }
    #expect(refusals.count == 1)
    #expect(effects.last == .begin(peer, serves: true, follows: false))
  }

  @Test func `of a key is heeded so often, and of so many runs`() {
    var connections = connections(as: Trust(name: "writer", role: .writes, documents: [.everything]))
    _ = welcome(Greeting.of(7), in: &connections)
    let repeated = welcome(Greeting.of(7, wantsReply: true), in: &connections, now: .milliseconds(100))
    #expect(repeated.isEmpty)
    let later = welcome(Greeting.of(7, wantsReply: true), in: &connections, now: .seconds(1))
    #expect(later.contains(.begin(peer, serves: true, follows: true)))
    for run in 2...TrustTable.runCountMax {
      let effects = welcome(Greeting.of(7, epoch: UInt64(run)), in: &connections, now: .seconds(run))
      #expect(effects.last == .begin(peer, serves: true, follows: true))
    }
    let refused = welcome(Greeting.of(7, epoch: 99), in: &connections, now: .seconds(99))
    #expect(refused.first == .countDenial)
    #expect(refused.count == 3)
    let again = welcome(Greeting.of(7, epoch: 100), in: &connections, now: .seconds(100))
    #expect(again == [.countDenial])
  }

  // MARK: Generations

  @Test func `of a store that was put back tells it so`() {
    var connections = connections()
    let first = welcome(Greeting.of(7, generation: 5), in: &connections)
    #expect(first.contains(.rememberGenerations))
    let effects = welcome(Greeting.of(7, epoch: 2, generation: 4), in: &connections)
    #expect(effects.contains(.greet(peer, wantsReply: false)))
    #expect(!effects.contains(.rememberGenerations))
    let reply = connections.greeting(for: peer, us, endpoints, wantsReply: false)
    #expect(reply.knownStart == Message.Start(generation: 5, epoch: 1))
    // It has gone on since.
    _ = welcome(Greeting.of(7, epoch: 2, generation: 6), in: &connections)
    #expect(connections.peers[peer]?.knownStart == nil)
  }

  @Test func `that knows a later start of ours has us go on under other ids, and tell everybody`() {
    var connections = connections()
    connections.generations = GenerationTable(own: 3)
    let other = PeerHandle.of(2)
    open(other, in: &connections)
    _ = welcome(Greeting.of(8), in: &connections, from: other)
    let known = Message.Start(generation: 7, epoch: 9)
    let effects = welcome(Greeting.of(7, knownStart: known), in: &connections)
    #expect(
      Array(effects.prefix(6)) == [
        .forget(peer), .tell(.rolledBack(from: 7, to: 3, toldBy: StoreID(rawValue: 7))), .rename,
        .rememberGenerations, .greet(peer, wantsReply: false), .greet(other, wantsReply: false),
      ])
    #expect(connections.generations.own == 8)
    // Said once more, it is behind what we are at now.
    let again = welcome(Greeting.of(7, wantsReply: true, knownStart: known), in: &connections)
    #expect(!again.contains(.rename))
  }

  @Test func `is believed of our starts from relays alone`() {
    var connections = connections(as: Trust(name: "writer", role: .writes, documents: [.everything]))
    connections.generations = GenerationTable(own: 3)
    let effects = welcome(
      Greeting.of(7, knownStart: Message.Start(generation: 7, epoch: 9)), in: &connections)
    #expect(!effects.contains(.rename))
    #expect(connections.generations.own == 3)
  }
}
