import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `What a peer is known to hold` {
  var follower = Follower()
  var sender = Sender()

  init() { follower.join(follower.first, sender) }

  /// Frames may overtake each other: what a peer said it has, it has.
  @Test mutating func `is what it said, whatever else it says later`() {
    let replicas = (1...2).map { ReplicaID(rawValue: $0) }
    for replica in replicas {
      var have = sender.have()
      have.version = VersionVector([VersionVector.Entry(replica: replica, counter: 3)])
      follower.receive(have, from: follower.first)
    }
    #expect(follower.session.version(of: follower.first)?.entries.map(\.replica) == replicas)
  }

  /// One that was put back from a copy holds less than it said; it is not asked for the rest for ever.
  @Test mutating func `is what its answer says, and no more`() {
    _ = sender.write(1)
    var have = sender.have()
    have.version[ReplicaID(rawValue: 5)] = 3
    follower.receive(have, from: follower.first)
    let asked = follower.tick(after: .milliseconds(100)).wants
    _ = follower.receiveAnswer(of: sender, request: asked[0].request, from: follower.first)
    #expect(follower.session.version(of: follower.first) == sender.version)
  }
}
