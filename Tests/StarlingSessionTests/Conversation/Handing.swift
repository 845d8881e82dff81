import StarlingCore
import StarlingWire

@testable import StarlingSession

/// What is handed to a replica.
enum Input: Hashable {
  case accept
  case opened(PeerHandle, isDialled: Bool, as: PeerIdentity)
  case closed(PeerHandle)
  case direct(Conversation.Letter, from: PeerHandle)
  case published(Conversation.Letter, from: PeerHandle)
  case tick
  case write(note: Int)
  /// The log has done what it was told; the same, and nobody hears of it; or it has not.
  case logged, loggedUnheard, refused
  case read
  /// The allowlist has this key from now on.
  case admit(key: String)
}

/// What comes of it: it depends on nothing but the replica, the input and the time, and so it is found out once for all
/// states in which the three are the same.
struct Handed {
  enum Output {
    case direct(Conversation.Letter, to: PeerHandle)
    case published(Conversation.Letter)
    case link(ValueReplica.Output)
  }

  /// One that waits for what was written; nil where there is nothing to wait for.
  struct Promise {
    let waiter: UInt64?
    let isReplicated: Bool
  }

  let seat: Conversation.Seat
  let outputs: [Output]
  let events: [EngineEvent]
  let served: [(waiter: UInt64, isSo: Bool)]
  let promises: [Promise]
  /// What it alone shows to be wrong.
  let violation: String?
  /// What it alone shows to be wrong where nothing was lost on its way.
  let lack: String?

  /// Whether others notice the outcome.
  var isNews: Bool { !outputs.isEmpty || !served.isEmpty || seat.replica.job != nil }
}

/// Hands inputs to copies of replicas, each once.
struct Handings {
  private struct Case: Hashable {
    let place: Int
    let replica: Int
    let now: Duration
    let input: Input
  }

  /// So many outcomes are kept; they hold the replicas that come of them.
  private static let countMax = 100_000

  var reflected = ReflectedHash()
  private var known: [Case: Handed] = [:]
  /// How often a replica really decided.
  private(set) var decisionCount = 0

  mutating func hand(_ input: Input, to seat: Conversation.Seat, at place: Int, now: Duration) -> Handed {
    let handing = Case(place: place, replica: seat.hash, now: now, input: input)
    if let handed = known[handing] { return handed }
    if known.count >= Self.countMax { known.removeAll(keepingCapacity: true) }
    let handed = decide(input, at: seat, now: now)
    known[handing] = handed
    return handed
  }

  private mutating func decide(_ input: Input, at seat: Conversation.Seat, now: Duration) -> Handed {
    decisionCount += 1
    var replica = seat.replica.copy()
    let promises = replica.hand(input, now: now)
    let events = replica.events
    replica.events = []
    let served = replica.takeServed()
    let outputs = replica.takeOutputs().map { output -> Handed.Output in
      switch output {
      case .direct(let bytes, let peer): .direct(Conversation.Letter(bytes, &reflected), to: peer)
      case .published(let bytes): .published(Conversation.Letter(bytes, &reflected))
      default: .link(output)
      }
    }
    let hash = reflected.hash(replica)
    let after = Conversation.Seat(replica, hash: hash)
    return Handed(
      seat: after, outputs: outputs, events: events, served: served, promises: promises,
      violation: Self.violation(of: input, from: seat, to: after, outputs),
      lack: Self.lack(after: input, from: seat, to: after))
  }
}

extension ValueReplica {
  /// - Returns: those who wait for what was written.
  fileprivate mutating func hand(_ input: Input, now: Duration) -> [Handed.Promise] {
    switch input {
    case .accept: _ = makeHandle()
    case .opened(let peer, let isDialled, let identity):
      let entry = identity.key.flatMap { allowlist[$0] }
      decide(now: now) { $0.opened(peer, isDialled: isDialled, as: identity, entry: entry) }
    case .closed(let peer): decide(now: now) { $0.closed(peer) }
    case .direct(let letter, let peer): decide(now: now) { $0.receive(direct: letter.bytes, from: peer) }
    case .published(let letter, let peer): decide(now: now) { $0.hear(published: [letter.bytes], from: peer) }
    case .tick: tick(now: now)
    case .write(let note):
      write(now: now) { document, patch in
        document.set(.integer(Int64(note)), for: Conversation.key(of: note), in: .root, patch: &patch)
        document.set(.integer(Int64(note)), for: "latest", in: .root, patch: &patch)
      }
      return [
        Handed.Promise(waiter: wait(for: .durable), isReplicated: false),
        Handed.Promise(waiter: wait(for: .replicated(1)), isReplicated: true),
      ]
    case .logged: finishJob(now: now)
    case .loggedUnheard:
      storeJob()
      refuseJob(now: now)
    case .refused: refuseJob(now: now)
    case .read: finishReading(now: now)
    case .admit(let key): allowlist[key] = Trust(name: key, role: .writes, documents: [.everything])
    }
    return []
  }
}
