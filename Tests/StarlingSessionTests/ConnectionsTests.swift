import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `The connections of a replica` {
  private let library = DocumentID("library")!
  private let peer = PeerHandle.of(1)
  private let other = PeerHandle.of(2)

  /// A peer that has said who it is.
  private func met(
    _ hello: Message.Hello, at endpoint: String? = nil, told: [String]? = nil, relation: Relation = .plain,
    as trust: Trust = .sameUser, in connections: inout Connections, handle: PeerHandle? = nil
  ) {
    let handle = handle ?? peer
    connections.trusts.open(
      handle, as: trust == .sameUser ? .sameUser : .key("k\(handle.rawValue)"), isDialled: endpoint != nil,
      entry: trust, now: 0)
    connections.peers[handle] = PeerTable.Peer(endpoint: endpoint, relation: relation, toldEndpoints: told)
    connections.peers[handle]?.hello = hello
    connections.noteLink(to: handle, now: .zero)
  }

  private func connections(
    _ hello: Message.Hello, at endpoint: String? = nil, told: [String]? = nil, relation: Relation = .plain,
    as trust: Trust = .sameUser, isRelay: Bool = false
  ) -> Connections {
    var connections = Connections(isRelay: isRelay)
    met(hello, at: endpoint, told: told, relation: relation, as: trust, in: &connections)
    return connections
  }

  private let reader = Trust(name: "reader", role: .reads, documents: [.everything])
  private let writer = Trust(name: "writer", role: .writes, documents: [.everything])
  private let partial = Trust(name: "partial", role: .writes, documents: [DocumentPattern("library")!])

  // MARK: Which end follows the other

  @Test func `follow those that they dialled, and those that nobody can dial`() {
    #expect(connections(Greeting.of(7, at: ["tcp://b:1"]), at: "tcp://b:1").follows(peer))
    #expect(connections(Greeting.of(7)).follows(peer))
    // It is dialled back, and followed there.
    #expect(!connections(Greeting.of(7, at: ["tcp://b:1"])).follows(peer))
    #expect(!Connections().follows(peer))
  }

  @Test func `never follow a peer that may only read`() {
    #expect(!connections(Greeting.of(7), as: reader).follows(peer))
    #expect(connections(Greeting.of(7), as: writer).follows(peer))
  }

  @Test func `serve those that dialled, and those that cannot dial`() {
    #expect(connections(Greeting.of(7)).serves(peer))
    #expect(connections(Greeting.of(7), at: "tcp://b:1", told: []).serves(peer))
    #expect(connections(Greeting.of(7), at: "tcp://b:1").serves(peer))
    #expect(!connections(Greeting.of(7), at: "tcp://b:1", told: ["tcp://a:1"]).serves(peer))
    var silent = Connections()
    silent.peers[peer] = PeerTable.Peer(endpoint: nil, relation: .plain)
    #expect(!silent.serves(peer))
  }

  @Test func `agree at both ends of a connection on which end follows`() {
    for theirs in [[], ["tcp://b:1"]] {
      for ours in [[], ["tcp://a:1"]] {
        // We dialled them, and they accepted us.
        let dialled = connections(Greeting.of(7, at: theirs), at: "tcp://b:1", told: ours)
        let accepted = connections(Greeting.of(8, at: ours), told: theirs)
        #expect(dialled.follows(peer) == accepted.serves(peer))
        #expect(dialled.serves(peer) == accepted.follows(peer))
      }
    }
  }

  @Test func `follow over the connection of a peer that cannot be dialled, and tell of it`() {
    var connections = connections(Greeting.of(7, at: ["tcp://b:1"]))
    let outcome1 = connections.reviewOneWayLinks(nil, now: .seconds(2))
    #expect(outcome1.isEmpty)
    let link = OneWayLink(store: StoreID(rawValue: 7), isDialled: false, endpoints: ["tcp://b:1"])
    let outcome2 = connections.reviewOneWayLinks(nil, now: .seconds(3))
    #expect(outcome2 == [.tell(.oneWayLink(link)), .begin(peer, serves: false, follows: true)])
    #expect(connections.follows(peer))
    #expect(connections.oneWay == [link])
    #expect(connections.oneWayNotice(for: peer) == link.description)
    // It could be dialled after all.
    met(Greeting.of(7), at: "tcp://b:1", told: [], in: &connections, handle: other)
    let outcome3 = connections.reviewOneWayLinks(nil, now: .seconds(4))
    #expect(outcome3 == [.stopFollowing(peer)])
    #expect(!connections.follows(peer))
    #expect(connections.oneWayNotice(for: peer) == nil)
  }

  @Test func `serve over their own connection a peer that cannot dial them`() {
    var connections = connections(Greeting.of(7), at: "tcp://b:1", told: ["tcp://a:1"])
    let link = OneWayLink(store: StoreID(rawValue: 7), isDialled: true, endpoints: ["tcp://a:1"])
    let outcome4 = connections.hearFollower(peer)
    #expect(outcome4 == [.tell(.oneWayLink(link)), .begin(peer, serves: true, follows: false)])
    #expect(connections.serves(peer))
    let outcome5 = connections.hearFollower(peer)
    #expect(outcome5.isEmpty)
    let outcome6 = connections.forget(peer, now: .zero)
    #expect(outcome6)
    let outcome7 = connections.forget(peer, now: .zero)
    #expect(!outcome7)
    #expect(connections.oneWay.isEmpty)
  }

  // MARK: Streams

  @Test func `tell mesh peers of their own side alone, and only as a relay`() {
    let meshPeer = Greeting.of(7, relays: true, isMeshPeer: true)
    #expect(connections(meshPeer, isRelay: true).audience(of: peer) == .across)
    #expect(connections(meshPeer).audience(of: peer) == .everyone)
    #expect(connections(Greeting.of(7, isMeshPeer: true), isRelay: true).audience(of: peer) == .everyone)
    let upper = Greeting.of(7, relays: true)
    #expect(connections(upper, at: "tcp://b:1", relation: .uplink, isRelay: true).audience(of: peer) == .across)
    #expect(connections(upper, at: "tcp://b:1", isRelay: true).audience(of: peer) == .everyone)
  }

  @Test func `have relays beside them that are not below them`() {
    #expect(connections(Greeting.of(7, relays: true), at: "tcp://b:1").isBeside(peer))
    #expect(connections(Greeting.of(7, at: ["tcp://b:1"], relays: true)).isBeside(peer))
    #expect(connections(Greeting.of(7, relays: true, isMeshPeer: true)).isBeside(peer))
    #expect(!connections(Greeting.of(7, relays: true)).isBeside(peer))
    #expect(!connections(Greeting.of(7), at: "tcp://b:1").isBeside(peer))
  }

  @Test func `send frames to those alone that no publication reaches`() {
    var connections = connections(Greeting.of(7))
    connections.peers[peer]?.interests.insert(library)
    #expect(connections.receivers(in: library, .everyone, isConfined: false).isEmpty)
    #expect(connections.receivers(in: library, .everyone, isConfined: true) == [peer])
    #expect(connections.receivers(in: library, .across, isConfined: true).isEmpty)
    // One that was dialled and cannot dial.
    met(Greeting.of(8), at: "tcp://b:1", told: [], in: &connections, handle: other)
    #expect(connections.receivers(in: library, .everyone, isConfined: false).isEmpty)
    connections.peers[other]?.interests.insert(library)
    #expect(connections.receivers(in: library, .everyone, isConfined: false) == [other])
    // One that may not read all that is published.
    let third = PeerHandle.of(3)
    met(Greeting.of(9), as: partial, in: &connections, handle: third)
    connections.peers[third]?.interests.insert(library)
    #expect(connections.receivers(in: library, .everyone, isConfined: false) == [other, third])
    #expect(connections.listeners(in: library, isUnaskedToo: false) == [peer, other, third])
    connections.peers[other]?.relation = .standby
    #expect(connections.receivers(in: library, .everyone, isConfined: false) == [third])
  }

  // MARK: Relays

  @Test func `believe relays whose key may relay`() {
    var connections = connections(Greeting.of(7, relays: true), isRelay: true)
    met(Greeting.of(8, relays: true), as: writer, in: &connections, handle: other)
    met(Greeting.of(9), in: &connections, handle: .of(3))
    #expect(connections.trustedRelays == [peer])
    #expect(connections.isTrustedRelay(peer))
    #expect(!connections.isTrustedRelay(other))
    #expect(!connections.isTrustedRelay(.of(3)))
    #expect(!connections.isTrustedRelay(.of(4)))
  }
}
