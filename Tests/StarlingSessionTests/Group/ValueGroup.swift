import StarlingCore
import StarlingWire

@testable import StarlingSession

/// A group of replicas that are values, and all that is on its way between them. One seed gives one run; the time is a
/// number.
///
/// ```
///   replica ── outputs ──► fate: lost, late, twice ──► agenda ── arrives ──► replica
///                                                       └── the log is done, the tick, a connection opens
/// ```
final class ValueGroup {
  /// One store, through all its runs.
  struct Member {
    var options: ValueReplica.Options
    var dials: [Int]
    /// 0 for the first run of a store.
    var run: UInt64 = 0
    var store: UInt64
    var log = ListLog()
    var isFull = false
    var isStalled = false
    /// What came while it stood still.
    var kept: [Event] = []
    var isWriting = false
    var isReading = false
    /// The notes that it waits for.
    var waiting: [UInt64: Int] = [:]
  }

  struct Link {
    let dialler: Int
    let dialled: Int
    let handle: PeerHandle
    /// Of the one that is dialled, by which it knows the connection that stands; nil while none does.
    var acceptor: PeerHandle?
    var isAnnounced = false
    /// Grows with each connection: frames in flight on an earlier one are dropped.
    var connection = 0
    var topics: [[UInt8]] = []
    var isGone = false
  }

  enum Event {
    case tick(Int, run: UInt64)
    case open(link: Int)
    case arrive(link: Int, connection: Int, atDialler: Bool, [UInt8], isPublished: Bool)
    case closed(Int, run: UInt64, PeerHandle)
    case logDone(Int, run: UInt64)
    case read(Int, run: UInt64)
  }

  private final class Seat {
    var replica: ValueReplica?
    init(_ replica: consuming ValueReplica?) { self.replica = replica }
  }

  let shape: GroupShape
  private(set) var members: [Member] = []
  private var seats: [Seat] = []
  private var links: [Link] = []
  private var agenda = GroupAgenda()
  private var generator: SplitMix
  private(set) var now = 0
  private(set) var ledger = Ledger()
  private var cuts: Set<[Int]> = []
  private var isCalm = false
  /// Whether somebody's changes may be gone that others stand on.
  private var hasLost = false
  private(set) var violation: String?
  private(set) var handledCount = 0

  init(_ shape: GroupShape, seed: UInt64) {
    self.shape = shape
    generator = SplitMix(seed: seed)
    for (place, member) in shape.members.enumerated() {
      members.append(Member(options: member.options, dials: member.dials, store: UInt64(place + 1)))
      seats.append(Seat(nil))
    }
    for place in members.indices { start(place) }
  }

  private var clock: Duration { .milliseconds(now) }

  func isRunning(_ place: Int) -> Bool { seats[place].replica != nil }

  /// Shows a replica that runs.
  func look<Value>(at place: Int, _ body: (borrowing ValueReplica) -> Value) -> Value? {
    if seats[place].replica == nil { return nil }
    return body(seats[place].replica!)
  }

  // MARK: Time

  /// Until `end`, or `isOver` after some event.
  func run(until end: Int, isOver: () -> Bool = { false }) {
    while violation == nil, let (moment, event) = agenda.takeFirst(until: end) {
      now = max(now, moment)
      handle(event)
      if case .tick = event, isOver() { return }
    }
    now = max(now, end)
  }

  private func handle(_ event: Event) {
    switch event {
    case .tick(let place, let run):
      guard members[place].run == run, isRunning(place) else { return }
      agenda.add(event, at: now + 100)
      if !members[place].isStalled { tell(place) { $0.tick(now: $1) } }
    case .open(let link): open(link)
    case .arrive(let link, let connection, let atDialler, let bytes, let isPublished):
      let place = atDialler ? links[link].dialler : links[link].dialled
      if members[place].isStalled { return members[place].kept.append(event) }
      arrive(bytes, isPublished, link, connection, at: place, atDialler)
    case .closed(let place, let run, let peer):
      guard members[place].run == run else { return }
      if members[place].isStalled { return members[place].kept.append(event) }
      tell(place) { replica, now in replica.decide(now: now) { $0.closed(peer) } }
    case .logDone(let place, let run):
      guard members[place].run == run, isRunning(place) else { return }
      members[place].isWriting = false
      let isFull = members[place].isFull
      tell(place) { replica, now in
        if isFull { replica.refuseJob(now: now) } else { replica.finishJob(now: now) }
      }
    case .read(let place, let run):
      guard members[place].run == run, isRunning(place) else { return }
      members[place].isReading = false
      tell(place) { $0.finishReading(now: $1) }
    }
  }

  private func arrive(
    _ bytes: [UInt8], _ isPublished: Bool, _ place: Int, _ connection: Int, at member: Int, _ atDialler: Bool
  ) {
    let link = links[place]
    guard link.connection == connection, let acceptor = link.acceptor, !link.isGone else { return }
    let peer = atDialler ? link.handle : acceptor
    if !atDialler, !link.isAnnounced {
      links[place].isAnnounced = true
      tell(member) { replica, now in
        replica.decide(now: now) { $0.opened(peer, isDialled: false, as: .sameUser, entry: nil) }
      }
    }
    tell(member) { replica, now in
      replica.decide(now: now) {
        if isPublished { $0.hear(published: [bytes], from: peer) } else { $0.receive(direct: bytes, from: peer) }
      }
    }
  }

  /// Hands something to a replica, and carries what it says.
  private func tell(_ place: Int, _ body: (inout ValueReplica, Duration) -> Void) {
    guard seats[place].replica != nil else { return }
    handledCount += 1
    body(&seats[place].replica!, clock)
    carry(place)
  }

  private func carry(_ place: Int) {
    for (waiter, isSo) in seats[place].replica!.takeServed() {
      guard let note = members[place].waiting.removeValue(forKey: waiter) else { continue }
      if isSo { ledger.acknowledge(note) }
    }
    let run = members[place].run
    for output in seats[place].replica!.takeOutputs() {
      switch output {
      case .direct(let bytes, let peer):
        guard let link = link(of: peer, at: place) else { continue }
        send(bytes, isPublished: false, over: link, toDialler: links[link].dialler != place)
      case .published(let bytes):
        for link in links.indices where links[link].dialled == place && links[link].acceptor != nil {
          guard links[link].topics.contains(where: { bytes.starts(with: $0) }) else { continue }
          send(bytes, isPublished: true, over: link, toDialler: true)
        }
      case .dial(let endpoint, let peer):
        let dialled = members.firstIndex { $0.options.endpoint == endpoint }!
        links.append(Link(dialler: place, dialled: dialled, handle: peer))
        agenda.add(.open(link: links.count - 1), at: now + 1)
      case .hangUp(let peer):
        guard let link = link(of: peer, at: place) else { continue }
        disconnect(link, tellDialler: links[link].dialler != place, tellDialled: links[link].dialled != place)
        if links[link].dialler == place { links[link].isGone = true }
      case .subscribe(let topic, let peer): if let link = link(of: peer, at: place) { links[link].topics.append(topic) }
      case .unsubscribe(let topic, let peer):
        if let link = link(of: peer, at: place) { links[link].topics.removeAll { $0 == topic } }
      }
    }
    let (isWriting, isReading) = look(at: place) { ($0.job != nil, !$0.readings.isEmpty) }!
    if isWriting, !members[place].isWriting {
      members[place].isWriting = true
      agenda.add(.logDone(place, run: run), at: now + logDelay())
    }
    if isReading, !members[place].isReading {
      members[place].isReading = true
      agenda.add(.read(place, run: run), at: now + logDelay())
    }
    check(place)
  }

  private func logDelay() -> Int { isCalm ? 1 : Int.random(in: 0...shape.logDelayMax, using: &generator) }

  /// What may never be, at any moment.
  private func check(_ place: Int) {
    for event in seats[place].replica!.events {
      switch event {
      // Whoever gets no lease writes under an id of its own.
      case .renamed where members[place].options.leases: break
      case .diverged, .settled, .renamed, .refused, .disowned, .stranded, .rolledBack, .storeContested, .quarantined:
        violation = violation ?? "At \(now) ms replica \(place) reports: \(event)"
      default: break
      }
    }
    seats[place].replica!.events = []
  }

  // MARK: Connections

  private func link(of peer: PeerHandle, at place: Int) -> Int? {
    links.indices.last {
      !links[$0].isGone
        && (links[$0].dialler == place && links[$0].handle == peer
          || links[$0].dialled == place && links[$0].acceptor == peer)
    }
  }

  private func open(_ link: Int) {
    let (dialler, dialled) = (links[link].dialler, links[link].dialled)
    guard !links[link].isGone, links[link].acceptor == nil, isRunning(dialler) else { return }
    guard isRunning(dialled), !cuts.contains([dialler, dialled]), !cuts.contains([dialled, dialler]),
      !members[dialler].isStalled
    else { return agenda.add(.open(link: link), at: now + 100) }
    links[link].acceptor = seats[dialled].replica!.makeHandle()
    links[link].connection += 1
    links[link].isAnnounced = false
    let handle = links[link].handle
    tell(dialler) { replica, now in
      replica.decide(now: now) { $0.opened(handle, isDialled: true, as: .sameUser, entry: nil) }
    }
  }

  /// The connection ends; the one that dialled dials again.
  private func disconnect(_ link: Int, tellDialler: Bool, tellDialled: Bool) {
    guard let acceptor = links[link].acceptor else { return }
    links[link].acceptor = nil
    let (dialler, dialled) = (links[link].dialler, links[link].dialled)
    if tellDialler { agenda.add(.closed(dialler, run: members[dialler].run, links[link].handle), at: now + 1) }
    if tellDialled, links[link].isAnnounced {
      agenda.add(.closed(dialled, run: members[dialled].run, acceptor), at: now + 1)
    }
    agenda.add(.open(link: link), at: now + 100)
  }

  private func send(_ bytes: [UInt8], isPublished: Bool, over link: Int, toDialler: Bool) {
    let (dialler, dialled) = (links[link].dialler, links[link].dialled)
    guard links[link].acceptor != nil, !cuts.contains(toDialler ? [dialled, dialler] : [dialler, dialled]) else {
      return
    }
    let event = Event.arrive(
      link: link, connection: links[link].connection, atDialler: toDialler, bytes, isPublished: isPublished)
    guard !isCalm else { return agenda.add(event, at: now + 1) }
    if Int.random(in: 0..<100, using: &generator) < shape.lossPercentage { return }
    agenda.add(event, at: now + Int.random(in: 1...shape.delayMax, using: &generator))
    guard Int.random(in: 0..<100, using: &generator) < shape.doublingPercentage else { return }
    agenda.add(event, at: now + Int.random(in: 1...shape.delayMax, using: &generator))
  }

  // MARK: Life

  private func start(_ place: Int) {
    let member = members[place]
    var log = member.log
    if !member.options.isDurable { log = ListLog() }
    seats[place].replica = ValueReplica(member.store, member.options, log: log, run: member.run, now: clock)
    tell(place) { replica, now in
      replica.decide(now: now) { [dials = member.dials, shape] in
        if let endpoint = member.options.endpoint { $0.bind(endpoint) }
        for dialled in dials { $0.connect(to: shape.members[dialled].options.endpoint!) }
      }
    }
    agenda.add(.tick(place, run: member.run), at: now + 7 * (place + 1))
  }

  /// Everything goes that its log has not.
  private func end(_ place: Int, continuing: ReplicaID?) {
    members[place].log = seats[place].replica!.log
    members[place].log.cleanShutdownMarker = continuing
    seats[place].replica = nil
    members[place].run += 1
    // A process that keeps nothing comes back as another.
    if !members[place].options.isDurable { members[place].store += 100 }
    members[place].waiting = [:]
    members[place].kept = []
    (members[place].isStalled, members[place].isWriting, members[place].isReading) = (false, false, false)
    for link in links.indices where !links[link].isGone {
      let isDialler = links[link].dialler == place
      guard isDialler || links[link].dialled == place else { continue }
      disconnect(link, tellDialler: !isDialler, tellDialled: isDialler)
      if isDialler { links[link].isGone = true }
    }
  }

  // MARK: Steps

  func perform(_ step: GroupStep) {
    switch step {
    case .pass(let milliseconds): run(until: now + milliseconds)
    case .write(let place, let edit, let isReplicated): write(edit, at: place, isReplicated)
    case .cut(let from, let to): cuts.insert([from, to])
    case .join(let from, let to): cuts.remove([from, to])
    case .interrupt(let from, let to):
      for link in links.indices where links[link].dialler == from && links[link].dialled == to && !links[link].isGone {
        disconnect(link, tellDialler: true, tellDialled: true)
      }
    case .crash(let place, let isStored):
      guard isRunning(place) else { return }
      if isStored, !members[place].isFull { seats[place].replica!.storeJob() }
      hasLost = hasLost || !members[place].options.isDurable || look(at: place) { $0.isUnlogged } == true
      end(place, continuing: nil)
    case .leave(let place):
      guard isRunning(place), !members[place].isStalled else { return }
      tell(place) { replica, now in
        replica.takeOutbox(now: now)
        replica.decide(now: now) {
          $0.beginClosing()
          $0.leave()
        }
      }
      hasLost = hasLost || !members[place].options.isDurable || look(at: place) { $0.isUnlogged } == true
      let continuing = look(at: place) {
        $0.replication.pipeline.isWhole && $0.job == nil ? $0.replication.replica : nil
      }
      end(place, continuing: continuing ?? nil)
    case .restart(let place): if !isRunning(place) { start(place) }
    case .stall(let place): if isRunning(place) { members[place].isStalled = true }
    case .resume(let place): resume(place)
    case .fill(let place): members[place].isFull = members[place].options.isDurable
    case .free(let place): members[place].isFull = false
    }
  }

  private func resume(_ place: Int) {
    guard members[place].isStalled else { return }
    members[place].isStalled = false
    let kept = members[place].kept
    members[place].kept = []
    for event in kept { handle(event) }
  }

  private func write(_ edit: GroupEdit, at place: Int, _ isReplicated: Bool) {
    guard isRunning(place), !members[place].isStalled else { return }
    var notes: [Int] = []
    tell(place) { [self] replica, now in
      replica.write(now: now) { document, patch in
        edit.apply(to: &document, &patch) { document, patch in
          let note = ledger.next()
          notes.append(note)
          Ledger.write(note, to: &document, &patch)
        }
      }
      // What a process holds that keeps nothing is safe only once another has it.
      let goal = isReplicated || !members[place].options.isDurable ? Waiters.Goal.replicated(1) : .durable
      guard goal == .durable || members.indices.contains(where: { $0 != place && members[$0].options.isDurable }) else {
        return
      }
      for note in notes {
        if let waiter = replica.wait(for: goal) {
          members[place].waiting[waiter] = note
        } else {
          ledger.acknowledge(note)
        }
      }
    }
  }

  /// Nothing is in anybody's way any more: everybody is there.
  func heal() {
    isCalm = true
    cuts = []
    for place in members.indices {
      members[place].isFull = false
      resume(place)
      if !isRunning(place) { start(place) }
    }
  }

  // MARK: Rest

  /// What keeps the group from rest; nil where all hold the same and nothing waits for anything.
  func unrest() -> String? {
    for place in members.indices {
      guard let unrest = look(at: place, { $0.unrest(mayHold: hasLost) }) else {
        return "replica \(place) does not run"
      }
      if let unrest { return "replica \(place): \(unrest)" }
    }
    let first = look(at: 0) { ($0.content.version, $0.content.cut().digest()) }!
    for place in members.indices.dropFirst() {
      let other = look(at: place) { ($0.content.version, $0.content.cut().digest()) }!
      if other.0 != first.0 { return "replicas 0 and \(place) hold \(first.0) and \(other.0)" }
      if other.1 != first.1 { return "replicas 0 and \(place) hold other states at one version" }
    }
    return nil
  }
}
