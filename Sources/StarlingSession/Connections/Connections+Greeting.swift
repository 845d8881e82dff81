public import StarlingCore
public import StarlingWire

// Greetings (Protocol/conversation.md, "Hello", "Generations").
//
// ```
//   hello ──► ourselves: hang up │ no common version: refuse │ admit ──► welcome ──► the same run: a reply if asked
//                                                                          └──► another run: forget, introduce, begin
// ```
extension Connections {
  /// What we say of ourselves to everybody.
  public struct Introduction: Hashable, Sendable {
    public var store: StoreID
    /// Drawn by every run for itself.
    public var epoch: UInt64
    public var agent: String
    public var isDurable: Bool
    public var grantsLeases: Bool

    public init(store: StoreID, epoch: UInt64, agent: String, isDurable: Bool, grantsLeases: Bool) {
      self.store = store
      self.epoch = epoch
      self.agent = agent
      self.isDurable = isDurable
      self.grantsLeases = grantsLeases
    }
  }

  // MARK: Said

  /// What the peer is told of us. The endpoints stand for as long as the connection does, once they were said.
  public mutating func greeting(
    for peer: PeerHandle, _ us: Introduction, _ endpoints: Endpoints, wantsReply: Bool
  ) -> Message.Hello {
    let relation = peers[peer]?.relation ?? .plain
    let isBelow = relation == .uplink || relation == .standby
    let told =
      isBelow ? [] : peers[peer]?.toldEndpoints ?? peers[peer]?.endpoint.map(endpoints.dialable) ?? endpoints.told
    peers[peer]?.toldEndpoints = told
    return Message.Hello(
      lowestVersion: Handshake.versions.lowerBound, highestVersion: Handshake.versions.upperBound,
      store: us.store, epoch: us.epoch, agent: us.agent, endpoints: told, isDurable: us.isDurable, relays: isRelay,
      grantsLeases: us.grantsLeases, wantsReply: wantsReply, isMeshPeer: relation == .meshPeer,
      notice: oneWayNotice(for: peer),
      generation: start(of: us)?.generation, knownStart: peers[peer]?.knownStart, shard: shard)
  }

  /// This run, where the log counts the starts of its store.
  func start(of us: Introduction) -> Message.Start? { generations.start(epoch: us.epoch) }

  // MARK: Heard

  /// A greeting came.
  public mutating func receive(
    _ hello: Message.Hello, from peer: PeerHandle, _ us: Introduction, _ endpoints: Endpoints
  ) -> [Effect] {
    if peers[peer] == nil { begin(peer, endpoints) }
    let ours = greeting(for: peer, us, endpoints, wantsReply: false)
    switch Handshake.judge(hello, ours: ours) {
    case .ourselves:
      // The end that dialled hangs up, once it has heard from the other who that is.
      if let endpoint = peers[peer]?.endpoint { return [.metOurselves(at: endpoint)] }
      return hello.wantsReply ? [.say(.hello(ours), to: peer)] : []
    case .refuse(let refusal):
      peers[peer]?.isRefused = true
      return [.tell(.refused(hello.store, explanation: refusal.explanation)), .refuse(peer, refusal)]
    case .welcome: return [.admit(peer, hello)]
    }
  }

  /// A peer is there that may be talked with.
  public mutating func welcome(
    _ hello: Message.Hello, from peer: PeerHandle, _ us: Introduction, _ endpoints: Endpoints, now: Duration
  ) -> [Effect] {
    var effects: [Effect] = []
    let isNew = peers[peer]?.hello?.epoch != hello.epoch
    peers[peer]?.tally.receivedHello()
    guard mayGreet(peer, hello, isNew: isNew, now: now, &effects) else { return effects }
    if isNew {
      let told = peers[peer]?.toldEndpoints
      if forget(peer, now: now) { effects.append(.forget(peer)) }
      begin(peer, endpoints, toldEndpoints: told)
    }
    peers[peer]?.hello = hello
    let isPutBack = heedGeneration(hello, from: peer, us, &effects)
    noteLink(to: peer, now: now)
    // Before it is told where the documents stand, and sent what others wrote.
    effects += [.met(peer, hello), .tellRelays]
    if hello.wantsReply || isPutBack { effects.append(.greet(peer, wantsReply: false)) }
    if isNew {
      if !peers.isReached(hello.store, besides: peer) {
        effects.append(.tell(.joined(hello.store, agent: hello.agent)))
      }
      effects += permissions(toldTo: peer) + [.newcomer(peer)]
    } else if !hello.wantsReply {
      return effects
    }
    // A peer that greets us again may have lost us in between, and with us what we asked for.
    return effects + [.begin(peer, serves: serves(peer), follows: follows(peer))]
  }

  /// Whether a greeting is heeded, after which the peer is told of every document. That of a key is heeded so often.
  private mutating func mayGreet(
    _ peer: PeerHandle, _ hello: Message.Hello, isNew: Bool, now: Duration, _ effects: inout [Effect]
  ) -> Bool {
    guard account(of: peer) != nil else { return true }
    switch trusts.noteGreeting(of: peer, isNew: isNew, now: now) {
    case .heeded: return true
    case .repeated: return false
    case .refused:
      effects.append(.countDenial)
      let what = "more than \(TrustTable.runCountMax) runs greeted on one connection"
      guard trusts.noteDenial(what, of: peer) else { return false }
      let explanation = "This key was refused: \(what). Connect again."
      effects += [
        .tell(.refused(hello.store, explanation: what)),
        .refuse(peer, Message.Refusal(code: .notWelcome, explanation: explanation)),
      ]
      return false
    }
  }

  /// Leaves the replica id where the peer has met a later start of this store, and notes which start of its own it is
  /// at.
  ///
  /// - Returns: whether the peer is to be told that it was put back.
  private mutating func heedGeneration(
    _ hello: Message.Hello, from peer: PeerHandle, _ us: Introduction, _ effects: inout [Effect]
  ) -> Bool {
    // Others may hold operations under our id that we do not have.
    if let known = hello.knownStart, let start = start(of: us), start.isBehind(known), trusts[peer].mayRelay {
      effects += [.tell(.rolledBack(from: known.generation, to: start.generation, toldBy: hello.store)), .rename]
      generations.leave(for: known)
      effects.append(.rememberGenerations)
      effects += peers.talking.map { .greet($0, wantsReply: false) }
    }
    guard let generation = hello.generation, trusts[peer].mayWrite else { return false }
    let theirs = Message.Start(generation: generation, epoch: hello.epoch)
    switch generations.meet(hello.store, named: trusts[peer].listedName ?? "", at: theirs) {
    case .known: break
    case .new: effects.append(.rememberGenerations)
    case .behind(let known):
      peers[peer]?.knownStart = known
      return true
    }
    peers[peer]?.knownStart = nil
    return false
  }

  // MARK: Refusals and leaves

  /// The peer said that it refuses something of ours.
  public mutating func receive(_ refusal: Message.Refusal, from peer: PeerHandle) -> [Effect] {
    if refusal.code == .incompatibleVersion { peers[peer]?.isRefused = true }
    return [.tell(.refused(peers[peer]?.hello?.store, explanation: refusal.explanation))]
  }

  /// What came could not be read. A peer that cannot even greet is another program, or speaks another protocol
  /// altogether: somebody dials where it should not.
  public mutating func receive(_ byteCount: Int, unreadable error: WireError, from peer: PeerHandle) -> [Effect] {
    var effects: [Effect] = []
    if let known = peers[peer], known.hello == nil, peers[peer]?.isNews(.foreign) == true {
      let who = known.endpoint.map { "who answers at '\($0)'" } ?? "who dialled here"
      let explanation = "\(who) is no peer of this kind: its greeting cannot be read. \(error)"
      effects.append(.tell(.refused(nil, explanation: explanation)))
    }
    let explanation = "A message of \(byteCount) bytes: \(error)"
    return effects + [.refuse(peer, Message.Refusal(code: .malformed, explanation: explanation))]
  }

  /// The connection is about to end, or to begin again.
  public func leaving(_ peer: PeerHandle) -> [Effect] {
    guard let store = peers[peer]?.hello?.store, !peers.isReached(store, besides: peer) else { return [] }
    return [.tell(.left(store))]
  }
}
