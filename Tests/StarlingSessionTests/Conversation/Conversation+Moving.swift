import StarlingCore
import StarlingWire

@testable import StarlingSession

extension Conversation {
  /// - Returns: false where that cannot happen now.
  @discardableResult
  mutating func make(_ move: Move, _ reflected: inout ReflectedHash) -> Bool {
    guard progress.contains(move) || chances.contains(move) else { return false }
    perform(move, &reflected)
    return true
  }

  /// - Parameter move: one that may happen now.
  mutating func perform(_ move: Move, _ reflected: inout ReflectedHash) {
    switch move {
    case .open(let link): open(link, &reflected)
    case .deliver(let link, let lane): deliver(link, lane, &reflected)
    case .learn(let place, let peer):
      endings.removeAll { $0 == Ending(place: place, peer: peer) }
      hand(to: place, &reflected) { replica, now in replica.decide(now: now) { $0.closed(peer) } }
    case .logged(let place): hand(to: place, &reflected) { $0.finishJob(now: $1) }
    case .read(let place): hand(to: place, &reflected) { $0.finishReading(now: $1) }
    case .start(let place): start(place, &reflected)
    case .pass:
      budget.ticks -= 1
      pass(world.tick, &reflected)
    case .write(let place):
      budget.writes[place] -= 1
      write(at: place, &reflected)
    case .cut(let link):
      budget.cuts -= 1
      cut(link)
    case .lose(let link, let lane):
      budget.losses -= 1
      links[link].queues[lane.rawValue].removeFirst()
    case .loggedUnheard(let place):
      budget.logFaults -= 1
      hand(to: place, &reflected) {
        $0.storeJob()
        $0.refuseJob(now: $1)
      }
    case .refused(let place):
      budget.logFaults -= 1
      hand(to: place, &reflected) { $0.refuseJob(now: $1) }
    case .crash(let place):
      budget.crashes -= 1
      crash(place)
    }
  }

  /// The time goes on for all of them.
  mutating func pass(_ duration: Duration, _ reflected: inout ReflectedHash) {
    now += duration
    for place in seats.indices where seats[place] != nil { hand(to: place, &reflected) { $0.tick(now: $1) } }
  }

  /// Hands something to a copy of a replica, and carries what it says.
  private mutating func hand(
    to place: Int, _ reflected: inout ReflectedHash, _ body: (inout ValueReplica, Duration) -> Void
  ) {
    guard let seat = seats[place] else { return }
    var replica = seat.replica.copy()
    body(&replica, now)
    let served = replica.takeServed()
    let outputs = replica.takeOutputs()
    let events = replica.events
    replica.events = []
    seats[place] = Seat(replica, hash: reflected.hash(replica))
    for output in outputs { carry(output, from: place, &reflected) }
    judge(place, before: seat, events)
    for (waiter, isSo) in served { end(waiter, isSo, at: place) }
  }

  // MARK: What they say

  private mutating func carry(_ output: ValueReplica.Output, from place: Int, _ reflected: inout ReflectedHash) {
    switch output {
    case .direct(let bytes, let peer):
      guard let link = link(of: peer, at: place), links[link].acceptor != nil else { return }
      let lane = links[link].dialler == place ? Lane.toDialled : .toDialler
      links[link].queues[lane.rawValue].append(Letter(bytes, &reflected))
    case .published(let bytes):
      for link in links.indices where links[link].dialled == place && links[link].acceptor != nil {
        guard links[link].topics.contains(where: { bytes.starts(with: $0) }) else { continue }
        links[link].queues[Lane.published.rawValue].append(Letter(bytes, &reflected))
      }
    case .dial(let endpoint, let peer):
      let dialled = world.members.firstIndex { $0.options.endpoint == endpoint }!
      links.append(Link(dialler: place, dialled: dialled, handle: peer))
    case .hangUp(let peer):
      guard let link = link(of: peer, at: place) else { return }
      disconnect(link, tells: links[link].dialler == place ? [links[link].dialled] : [links[link].dialler])
      if links[link].dialler == place { links[link].isGone = true }
    case .subscribe(let topic, let peer):
      if let link = link(of: peer, at: place) { links[link].topics.append(topic) }
    case .unsubscribe(let topic, let peer):
      if let link = link(of: peer, at: place) { links[link].topics.removeAll { $0 == topic } }
    }
  }

  private func link(of peer: PeerHandle, at place: Int) -> Int? {
    links.indices.last {
      !links[$0].isGone
        && (links[$0].dialler == place && links[$0].handle == peer
          || links[$0].dialled == place && links[$0].acceptor == peer)
    }
  }

  // MARK: Connections

  private mutating func open(_ link: Int, _ reflected: inout ReflectedHash) {
    var acceptor: PeerHandle?
    hand(to: links[link].dialled, &reflected) { replica, _ in acceptor = replica.makeHandle() }
    links[link].acceptor = acceptor
    links[link].isAnnounced = false
    let handle = links[link].handle
    hand(to: links[link].dialler, &reflected) { replica, now in
      replica.decide(now: now) { $0.opened(handle, isDialled: true, as: .sameUser, entry: nil) }
    }
  }

  private mutating func deliver(_ link: Int, _ lane: Lane, _ reflected: inout ReflectedHash) {
    let letter = links[link].queues[lane.rawValue].removeFirst()
    guard let acceptor = links[link].acceptor else { return }
    let place = links[link].receiver(lane)
    let peer = lane == .toDialled ? acceptor : links[link].handle
    let isFirst = lane == .toDialled && !links[link].isAnnounced
    if isFirst { links[link].isAnnounced = true }
    hand(to: place, &reflected) { replica, now in
      if isFirst { replica.decide(now: now) { $0.opened(peer, isDialled: false, as: .sameUser, entry: nil) } }
      replica.decide(now: now) {
        if lane == .published {
          $0.hear(published: [letter.bytes], from: peer)
        } else {
          $0.receive(direct: letter.bytes, from: peer)
        }
      }
    }
  }

  private mutating func cut(_ link: Int) { disconnect(link, tells: [links[link].dialler, links[link].dialled]) }

  /// The connection ends with everything that is on it; each end learns of it on its own.
  private mutating func disconnect(_ link: Int, tells places: [Int]) {
    guard let acceptor = links[link].acceptor else { return }
    let (dialler, dialled) = (links[link].dialler, links[link].dialled)
    if places.contains(dialler) { endings.append(Ending(place: dialler, peer: links[link].handle)) }
    if places.contains(dialled), links[link].isAnnounced { endings.append(Ending(place: dialled, peer: acceptor)) }
    links[link].acceptor = nil
    links[link].queues = [[], [], []]
  }

  // MARK: Runs

  mutating func start(_ place: Int, _ reflected: inout ReflectedHash) {
    let member = world.members[place]
    // A process that keeps nothing comes back as another.
    let store = UInt64(world.names[place]) + (member.options.isDurable ? 0 : 100 * runs[place])
    let log = member.options.isDurable ? logs[place] : ListLog()
    let replica = ValueReplica(store, member.options, log: log, run: runs[place], now: now)
    seats[place] = Seat(replica, hash: 0)
    hand(to: place, &reflected) { [world] replica, now in
      replica.decide(now: now) {
        if let endpoint = member.options.endpoint { $0.bind(endpoint) }
        for dialled in member.dials { $0.connect(to: world.members[dialled].options.endpoint!) }
      }
      for index in 0..<member.historyCount {
        replica.write(now: now) { document, patch in
          document.set(.string(world.blob + "\(index)"), for: "blob", in: .root, patch: &patch)
        }
        while replica.job != nil { replica.finishJob(now: now) }
      }
    }
  }

  /// Everything goes that its log has not.
  private mutating func crash(_ place: Int) {
    guard let seat = seats[place] else { return }
    logs[place] = seat.replica.log
    seats[place] = nil
    runs[place] += 1
    endings.removeAll { $0.place == place }
    waiting.removeAll { $0.place == place }
    for link in links.indices where !links[link].isGone {
      let isDialler = links[link].dialler == place
      guard isDialler || links[link].dialled == place else { continue }
      disconnect(link, tells: [isDialler ? links[link].dialled : links[link].dialler])
      if isDialler { links[link].isGone = true }
    }
  }

  // MARK: Writing

  private mutating func write(at place: Int, _ reflected: inout ReflectedHash) {
    guard let seat = seats[place] else { return }
    let note = notes.count
    notes.append(Note(author: place, seen: Self.notes(in: seat.replica.content)))
    var waiters: [(UInt64?, isReplicated: Bool)] = []
    hand(to: place, &reflected) { replica, now in
      replica.write(now: now) { document, patch in
        document.set(.integer(Int64(note)), for: Self.key(of: note), in: .root, patch: &patch)
        document.set(.integer(Int64(note)), for: "latest", in: .root, patch: &patch)
      }
      waiters = [(replica.wait(for: .durable), false), (replica.wait(for: .replicated(1)), true)]
    }
    for (waiter, isReplicated) in waiters {
      if let waiter {
        waiting.append(Waiting(place: place, waiter: waiter, note: note, isReplicated: isReplicated))
      } else {
        promised(note, to: place, isReplicated)
      }
    }
  }

  private mutating func end(_ waiter: UInt64, _ isSo: Bool, at place: Int) {
    guard let index = waiting.firstIndex(where: { $0.place == place && $0.waiter == waiter }) else { return }
    let ended = waiting.remove(at: index)
    if isSo { promised(ended.note, to: place, ended.isReplicated) }
  }

  static func key(of note: Int) -> Key { .name("note \(note)") }

  /// Found by their names, whatever versions say.
  static func notes(in document: borrowing Document) -> Set<Int> {
    var notes: Set<Int> = []
    for key in document.keys(in: .root) {
      guard case .name(let name) = key, name.hasPrefix("note "), let note = Int(name.dropFirst(5)) else { continue }
      notes.insert(note)
    }
    return notes
  }
}
