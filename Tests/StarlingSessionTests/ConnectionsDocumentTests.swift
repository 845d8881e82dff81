import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

extension Connections.Library {
  /// One in which so many documents are open.
  static func of(_ count: Int, most: Int = 10, isOpen: Bool = false, isDamaged: Bool = false) -> Self {
    Self(count: count, countMax: most, isOpen: isOpen, isDamaged: isDamaged)
  }
}

@Suite struct `What a peer says of a document` {
  private let library = DocumentID("library")!
  private let peer = PeerHandle.of(1)
  private let ours = ReplicaID(rawValue: 7)

  private func connections(as role: Trust.Role = .relays, relation: Relation = .plain) -> Connections {
    var connections = Connections(isRelay: true)
    _ = connections.open(
      peer, as: .key("key"), isDialled: false, entry: Trust(name: "Ada", role: role, documents: [.everything]), now: 0)
    connections.peers[peer] = PeerTable.Peer(endpoint: nil, relation: relation)
    connections.peers[peer]?.hello = Greeting.of(9)
    return connections
  }

  private func version(_ counter: UInt64) -> VersionVector {
    VersionVector([VersionVector.Entry(replica: ours, counter: counter)])
  }

  private func have(_ counter: UInt64, digest: Digest? = nil) -> Message.Have {
    Message.Have(
      document: library, version: version(counter), position: StreamPosition(stream: 3, sequence: 4), digest: digest)
  }

  private func standing(_ counter: UInt64, digest: Digest? = nil) -> Connections.Standing {
    Connections.Standing(replica: ours, version: version(counter), digest: digest)
  }

  private let one = Digest(high: 1, low: 1)
  private let two = Digest(high: 2, low: 2)

  @Test func `is followed as it is said`() {
    var connections = connections()
    var disagreements = Disagreements()
    let effects = connections.judge(have(1), from: peer, in: standing(1), &disagreements, now: .zero)
    #expect(effects == [.receive(have(1))])
  }

  @Test func `shows that somebody else writes under our id, where the peer may write`() {
    var disagreements = Disagreements()
    var writers = connections(as: .writes)
    let ahead = writers.judge(have(2), from: peer, in: standing(1), &disagreements, now: .zero)
    #expect(ahead == [.rename, .receive(have(2))])
    var readers = connections(as: .reads)
    let read = readers.judge(have(2), from: peer, in: standing(1), &disagreements, now: .zero)
    #expect(read == [.receive(have(2))])
  }

  @Test func `has its state asked for where it differs at our version, and is left apart in the end`() {
    var connections = connections()
    var disagreements = Disagreements()
    func judge(_ theirs: Digest, at now: Duration) -> [Connections.StandingEffect] {
      connections.judge(
        have(1, digest: theirs), from: peer, in: standing(1, digest: one), &disagreements, now: now)
    }
    let equal = judge(one, at: .zero)
    #expect(equal == [.receive(have(1, digest: one))])
    let first = judge(two, at: .zero)
    #expect(first == [.takeState, .receive(have(1, digest: two))])
    let apart = judge(two, at: Disagreements.patience)
    guard case .separate(StoreID(rawValue: 9), let refusal)? = apart.first else {
      Issue.record("\(apart)")
      return
    }
    #expect(apart.count == 1 && refusal.code == .digestMismatch)
    // Nothing is merged with it any more, whatever it says.
    let later = judge(one, at: .seconds(99))
    #expect(later.isEmpty)
  }

  @Test func `tells of no stream that is not taken`() {
    var connections = connections(relation: .standby)
    var disagreements = Disagreements()
    let effects = connections.judge(have(1), from: peer, in: standing(1), &disagreements, now: .zero)
    guard case .receive(let heard)? = effects.first else {
      Issue.record("\(effects)")
      return
    }
    #expect(heard.position == nil && heard.version == version(1))
  }

  // MARK: Opening

  private func open(
    _ library: Connections.Library, in connections: inout Connections
  ) -> (Bool, [Connections.Effect]) {
    var effects: [Connections.Effect] = []
    let mayOpen = connections.mayOpen(self.library, for: peer, in: library, &effects)
    return (mayOpen, effects)
  }

  @Test func `has it opened while there is capacity, and is told once that there is none`() {
    var connections = connections(as: .writes)
    let (isOpened, none) = open(.of(9), in: &connections)
    #expect(isOpened && none.isEmpty)
    let (isFull, effects) = open(.of(10), in: &connections)
    #expect(!isFull && effects.count == 3 && effects.first == .countUnopened)
    let (_, silent) = open(.of(10), in: &connections)
    #expect(silent == [.countUnopened])
    // What is open needs no capacity.
    #expect(open(.of(10, isOpen: true), in: &connections).0)
  }

  @Test func `opens nothing for a reader, and nothing that is damaged`() {
    var readers = connections(as: .reads)
    let (isOpened, effects) = open(.of(0), in: &readers)
    #expect(!isOpened && effects == [.countUnopened])
    var writers = connections(as: .writes)
    let (isServed, refused) = open(.of(0, isDamaged: true), in: &writers)
    #expect(!isServed && refused.count == 1)
    let (_, silent) = open(.of(0, isDamaged: true), in: &writers)
    #expect(silent.isEmpty)
  }

  // MARK: Forgetting

  @Test func `that is forgotten is answered with that, as far as the peer may read`() {
    var connections = connections()
    let told = connections.tell(forgotten: [library], to: peer)
    #expect(told == [.say(.forget([library]), to: peer)])
    let refused = connections.refuse(forgotten: library, to: peer)
    #expect(refused.first == .say(.forget([library]), to: peer) && refused.count == 2)
    let again = connections.refuse(forgotten: library, to: peer)
    #expect(again.isEmpty)
    let stranger = connections.tell(forgotten: [library], to: .of(2))
    #expect(stranger.isEmpty)
  }

  // MARK: Dialling back

  @Test func `is dialled back at the first endpoint that may be dialled, where it may relay`() {
    var connections = connections()
    connections.peers[peer]?.hello = Greeting.of(9, at: ["tcp://a:1", "tcp://b:1"], isMeshPeer: true)
    func endpoint(isDaemon: Bool = false) -> String? {
      connections.endpointToDialBack(peer, isDaemon: isDaemon) { $0 == "tcp://b:1" && $1 == "key" }
    }
    #expect(endpoint() == "tcp://b:1")
    // Daemons dial their mesh peers by plan.
    #expect(endpoint(isDaemon: true) == nil)
    connections.peers[peer]?.isRefused = true
    #expect(endpoint() == nil)
  }
}

@Suite struct `The changes of a relay's own side` {
  private let replica = ReplicaID(rawValue: 7)

  private func change(_ counter: UInt64) -> Change {
    let operation = Operation(object: .root, key: .name("a"), action: .remove(replacing: [], clearing: nil))
    return Change(
      replica: replica, firstCounter: counter, stamp: Stamp(rawValue: 1), frontier: [], objects: [],
      operations: [operation])
  }

  private func version(_ counter: UInt64) -> VersionVector {
    VersionVector([VersionVector.Entry(replica: replica, counter: counter)])
  }

  @Test func `are all that no mesh peer brought`() {
    var side = SideChanges()
    let changes = [change(1), change(2)]
    let all = side.ours(of: OrderedChanges(changes), broughtBy: [])
    #expect(all.changes == changes)
    let rest = side.ours(of: OrderedChanges(changes), broughtBy: [.change(change(2))])
    #expect(rest.changes == [change(1)])
  }

  @Test func `are not those that a mesh peer brought before, and that were held until now`() {
    var side = SideChanges()
    side.noteHeld([.change(change(1)), .change(change(3))], version: version(1))
    // The first was merged already, and is no held one.
    let merged = side.ours(of: OrderedChanges([change(1), change(2), change(3)]), broughtBy: [])
    #expect(merged.changes == [change(1), change(2)])
    // It was noted once.
    let again = side.ours(of: OrderedChanges([change(3)]), broughtBy: [])
    #expect(again.changes == [change(3)])
  }
}
