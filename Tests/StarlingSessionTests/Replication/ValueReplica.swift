import StarlingCore
import StarlingWire

@testable import StarlingSession

/// A replica without an engine: a value that decides, a document, and a log that is a list.
struct ValueReplica: ~Copyable {
  static let document = DocumentID("library")!

  /// What is on its way to one peer.
  struct Parcel {
    let peer: PeerHandle
    let bytes: [UInt8]
    let isPublished: Bool
  }

  let name: UInt64
  var replication: Replication
  private(set) var content = Document()
  private(set) var records: [LogRecord] = []
  private(set) var events: [EngineEvent] = []
  private var gate = CausalGate()
  private var outbox: [Change] = []
  private var number: DocumentNumber?
  private var drawn: UInt64
  /// Those that follow what is published here.
  var subscribers: [PeerHandle] = []
  /// What was handed to the link.
  private(set) var sent: [Parcel] = []
  private(set) var dialled: [String] = []

  init(_ name: UInt64, isRelay: Bool = false) {
    self.name = name
    drawn = name << 32
    var policy = Replication.Policy()
    policy.isRelay = isRelay
    replication = Replication(policy, epoch: name)
    decide(now: .zero) {
      $0.begin(
        store: StoreID(rawValue: name), isDurable: true, replica: ReplicaID(rawValue: name),
        generations: GenerationTable(own: 0, []), forgotten: [])
    }
    var number: DocumentNumber?
    decide(now: .zero) { number = $0.host(Self.document, at: Version(), Replication.Remembered()) }
    self.number = number
  }

  private init(copying other: borrowing Self) {
    name = other.name
    replication = other.replication.copy()
    content = other.content
    records = other.records
    events = other.events
    gate = other.gate
    outbox = other.outbox
    number = other.number
    drawn = other.drawn
    subscribers = other.subscribers
    sent = other.sent
    dialled = other.dialled
  }

  func copy() -> Self { Self(copying: self) }

  mutating func takeSent() -> [Parcel] {
    defer { sent = [] }
    return sent
  }

  mutating func write(_ value: Int64, for key: Key, now: Duration) {
    var patch = Patch()
    content.begin(as: replication.documents[number!].replica, now: 1_000_000)
    content.set(.integer(value), for: key, in: .root, patch: &patch)
    if let change = content.commit() { outbox.append(change) }
    takeOutbox(now: now)
  }

  mutating func tick(now: Duration) {
    decide(now: now) { $0.tick() }
  }

  // MARK: Performing

  mutating func decide(now: Duration, _ input: (inout Replication) -> Void) {
    replication.moment = Replication.Moment(now: now, wall: 1_000_000)
    replication.numbers.refill {
      drawn += 1
      return drawn
    }
    input(&replication)
    var effects: [Replication.Effect] = []
    replication.exchangeEffects(for: &effects)
    for effect in effects { perform(effect, now: now) }
    log(now: now)
  }

  private mutating func perform(_ effect: Replication.Effect, now: Duration) {
    switch effect {
    case .say(let message, let peer): say(message, to: peer)
    case .send(let bytes, let peer): hand(bytes, to: peer, isHello: false)
    case .sayHeartbeat(let peer): say(replication.heartbeat(for: peer), to: peer)
    case .publish(let frame):
      for peer in subscribers { sent.append(Parcel(peer: peer, bytes: frame, isPublished: true)) }
    case .dial(let endpoint, let attempt):
      dialled.append(endpoint)
      let peer = PeerHandle.of(UInt64(dialled.count))
      decide(now: now) { $0.dialled(endpoint, attempt: attempt, as: peer) }
    case .merge(let changes, let peer, let number): merge(changes, from: peer, in: number, now: now)
    case .mergeParts(let parts, let peer, let number):
      merge(parts.flatMap(\.changes), from: peer, in: number, now: now)
    case .takeOutbox: takeOutbox(now: now)
    case .digest(let number):
      let digest = content.cut().digest()
      decide(now: now) { [version = content.version] in $0.digested((version, digest), number) }
    case .collectTombstones(let number, let stable): decide(now: now) { $0.collected(stable, in: number) }
    case .beat: decide(now: now) { $0.beat() }
    case .acknowledge(let number, let peer): decide(now: now) { $0.acknowledge(number, to: peer) { $0 } }
    case .answer(let want, let peer): answer(want, to: peer, now: now)
    case .discover: decide(now: now) { $0.discovered(nil, announced: []) }
    case .report(let event): events.append(event)
    default: break
    }
  }

  private mutating func say(_ message: Message, to peer: PeerHandle) {
    let isHello = if case .hello = message { true } else { false }
    hand(message.encoded(), to: peer, isHello: isHello)
  }

  private mutating func hand(_ bytes: [UInt8], to peer: PeerHandle, isHello: Bool) {
    replication.noteHandedOver(to: peer, isHello: isHello)
    sent.append(Parcel(peer: peer, bytes: bytes, isPublished: false))
  }

  private mutating func merge(_ changes: [Change], from peer: PeerHandle, in number: DocumentNumber, now: Duration) {
    var mayMerge = false
    decide(now: now) { mayMerge = $0.mayMerge(changes.map(\.last), from: peer, in: number, isAlive: { _ in true }) }
    guard mayMerge else { return }
    var merged = Merged()
    var patch = Patch()
    do throws(MergeError) {
      try gate.receive(changes, into: &content, patch: &patch, &merged.received)
    } catch {
      merged.end = error
    }
    merged.version = content.version
    merged.hasOutbox = !outbox.isEmpty
    decide(now: now) {
      $0.merged(merged, of: { changes.map { .change($0) } }, from: peer, in: number, level: { _ in 0 })
    }
  }

  private mutating func takeOutbox(now: Duration) {
    guard let number else { return }
    let changes = outbox
    outbox = []
    decide(now: now) { [version = content.version] in $0.wrote(changes, upTo: version, in: number) { nil } }
  }

  /// The log takes what waits for it, at once.
  private mutating func log(now: Duration) {
    guard replication.pipeline.begins(now: now) else { return }
    while let job = replication.pipeline.next(
      version: { [content] _ in content.version }, isWriting: { _ in false }, cut: { [content] _ in content.cut() })
    {
      if case .append(let group) = job { records += group.records }
      decide(now: now) { $0.logDone() }
    }
  }

  private mutating func answer(_ want: Message.Want, to peer: PeerHandle, now: Duration) {
    guard let number, replication.isWanted(want, by: peer) else { return }
    var course = replication.course(of: want, in: number)
    while true {
      switch course.step {
      case .page(let version, _):
        let lacking = records.filter { version[$0.replica] < $0.lastCounter }
        replication.note(.records(lacking, isComplete: true), on: &course, in: number)
      case .records(let records):
        for record in records {
          say(
            .changes(Message.Changes(document: want.document, request: want.request, batch: record.bytes)), to: peer)
          replication.noteAnswered(record.bytes.count, of: want.document, to: peer)
        }
        replication.sent(records, hasWaited: false, on: &course, in: number)
      case .handOver: return decide(now: now) { $0.handOver(number, answering: want, to: peer) }
      // Nothing is ever compacted here.
      case .state: return
      }
    }
  }
}

extension Contribution {
  fileprivate var changes: [Change] {
    switch self {
    case .change(let change): [change]
    case .history(let history): history.changes
    }
  }
}
