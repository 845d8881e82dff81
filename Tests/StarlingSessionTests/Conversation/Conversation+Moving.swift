import StarlingCore

@testable import StarlingSession

extension Conversation {
  /// - Parameter move: one that may happen now.
  mutating func perform(_ move: Move, _ handings: inout Handings) {
    switch move {
    case .open(let link): open(link, &handings)
    case .deliver(let link, let lane): deliver(link, lane, &handings)
    case .learn(let place, let peer):
      endings.removeAll { $0 == Ending(place: place, peer: peer) }
      hand(.closed(peer), to: place, &handings)
    case .logged(let place): hand(.logged, to: place, &handings)
    case .read(let place): hand(.read, to: place, &handings)
    case .start(let place): start(place, &handings)
    case .admit: admit(&handings)
    case .pass:
      budget.ticks -= 1
      passUntilNews(&handings)
    case .write(let place):
      budget.writes[place] -= 1
      write(at: place, &handings)
    case .cut(let link):
      budget.cuts -= 1
      cut(link)
    case .lose(let link, let lane):
      budget.losses -= 1
      links[link].queues[lane.rawValue].removeFirst()
    case .loggedUnheard(let place):
      budget.logFaults -= 1
      hand(.loggedUnheard, to: place, &handings)
    case .refused(let place):
      budget.logFaults -= 1
      hand(.refused, to: place, &handings)
    case .crash(let place):
      budget.crashes -= 1
      crash(place, &handings)
    case .stall(let place):
      budget.stalls -= 1
      endure(.standstill(of: place), &handings)
    case .fill(let place):
      budget.fullDisks -= 1
      endure(.fullDisk(of: place), &handings)
    }
  }

  /// Hands something to a replica, and carries what it says.
  @discardableResult
  mutating func hand(_ input: Input, to place: Int, _ handings: inout Handings) -> Handed? {
    guard let seat = seats[place] else { return nil }
    let handed = handings.hand(input, to: seat, at: place, now: now)
    seats[place] = handed.seat
    hasNews = hasNews || handed.isNews
    for output in handed.outputs { carry(output, from: place) }
    judge(place, before: seat, handed)
    for (waiter, isSo) in handed.served { end(waiter, isSo, at: place) }
    return handed
  }

  // MARK: Time

  /// The time goes on for all of them but one that stands still.
  mutating func pass(_ duration: Duration, _ handings: inout Handings) {
    now += duration
    for place in seats.indices where hardship != .standstill(of: place) { hand(.tick, to: place, &handings) }
  }

  /// The time goes on until others hear of something that was due, a heartbeat at the latest.
  private mutating func passUntilNews(_ handings: inout Handings) {
    hasNews = false
    let end = now + ConversationWorld.heartbeat
    repeat { pass(ConversationWorld.tick, &handings) } while !hasNews && now < end
  }

  // MARK: What they say

  private mutating func carry(_ output: Handed.Output, from place: Int) {
    switch output {
    case .direct(let letter, let peer):
      guard let link = link(of: peer, at: place), links[link].acceptor != nil else { return }
      let lane = links[link].dialler == place ? Lane.toDialled : .toDialler
      links[link].queues[lane.rawValue].append(letter)
      note(letter, to: links[link].receiver(lane))
    case .published(let letter):
      for link in links.indices where links[link].dialled == place && mayRead(link) {
        guard links[link].topics.contains(where: { letter.bytes.starts(with: $0) }) else { continue }
        links[link].queues[Lane.published.rawValue].append(letter)
      }
    case .link(.dial(let endpoint, let peer)):
      let dialled = world.members.firstIndex { $0.options.endpoint == endpoint }!
      links.append(Link(dialler: place, dialled: dialled, handle: peer))
    case .link(.hangUp(let peer)):
      guard let link = link(of: peer, at: place) else { return }
      disconnect(link, tells: links[link].dialler == place ? [links[link].dialled] : [links[link].dialler])
      if links[link].dialler == place { links[link].isGone = true }
    case .link(.subscribe(let topic, let peer)):
      if let link = link(of: peer, at: place) { links[link].topics.append(topic) }
    case .link(.unsubscribe(let topic, let peer)):
      if let link = link(of: peer, at: place) { links[link].topics.removeAll { $0 == topic } }
    // Of one that has just started: nobody hears it yet.
    case .link(.direct), .link(.published): break
    }
  }

  private func link(of peer: PeerHandle, at place: Int) -> Int? {
    links.indices.last {
      !links[$0].isGone
        && (links[$0].dialler == place && links[$0].handle == peer
          || links[$0].dialled == place && links[$0].acceptor == peer)
    }
  }

  /// Links let nobody subscribe who may not read.
  private func mayRead(_ link: Int) -> Bool {
    guard let acceptor = links[link].acceptor, let seat = seats[links[link].dialled] else { return false }
    // It is known as soon as it has said something.
    return !links[link].isAnnounced || seat.replica.replication.connections.trusts[acceptor].readsEverything
  }

  // MARK: Connections

  private mutating func open(_ link: Int, _ handings: inout Handings) {
    guard let handed = hand(.accept, to: links[link].dialled, &handings) else { return }
    links[link].acceptor = PeerHandle(rawValue: handed.seat.replica.handleCount)
    links[link].isAnnounced = false
    hand(.opened(links[link].handle, isDialled: true, as: .sameUser), to: links[link].dialler, &handings)
  }

  private mutating func deliver(_ link: Int, _ lane: Lane, _ handings: inout Handings) {
    let letter = links[link].queues[lane.rawValue].removeFirst()
    guard let acceptor = links[link].acceptor else { return }
    let place = links[link].receiver(lane)
    if lane == .toDialled, !links[link].isAnnounced {
      links[link].isAnnounced = true
      let identity = world.identity(of: links[link].dialler)
      hand(.opened(acceptor, isDialled: false, as: identity), to: place, &handings)
    }
    switch lane {
    case .toDialled: hand(.direct(letter, from: acceptor), to: place, &handings)
    case .toDialler: hand(.direct(letter, from: links[link].handle), to: place, &handings)
    case .published: hand(.published(letter, from: links[link].handle), to: place, &handings)
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

  /// From now on the strangers may do what a writer may.
  private mutating func admit(_ handings: inout Handings) {
    isAdmitted = true
    for place in seats.indices { admit(at: place, &handings) }
  }

  private mutating func admit(at place: Int, _ handings: inout Handings) {
    for stranger in world.strangers.sorted() where stranger != place {
      if let key = world.identity(of: stranger).key { hand(.admit(key: key), to: place, &handings) }
    }
  }

  // MARK: Runs

  mutating func start(_ place: Int, _ handings: inout Handings) {
    let member = world.members[place]
    // A process that keeps nothing comes back as another.
    let store = UInt64(world.names[place]) + (member.options.isDurable ? 0 : 100 * runs[place])
    let log = member.options.isDurable ? logs[place].log : ListLog()
    var replica = ValueReplica(store, member.options, log: log, run: runs[place], now: now)
    replica.decide(now: now) {
      if let endpoint = member.options.endpoint { $0.bind(endpoint) }
      for dialled in member.dials { $0.connect(to: world.members[dialled].options.endpoint!) }
    }
    for index in 0..<member.historyCount {
      replica.write(now: now) { [world] document, patch in
        document.set(.string(world.blob + "\(index)"), for: "blob", in: .root, patch: &patch)
      }
      while replica.job != nil { replica.finishJob(now: now) }
    }
    let outputs = replica.takeOutputs()
    seats[place] = Seat(replica, hash: handings.reflected.hash(replica))
    for output in outputs { carry(.link(output), from: place) }
    if isAdmitted { admit(at: place, &handings) }
  }

  /// Everything goes that its log has not.
  private mutating func crash(_ place: Int, _ handings: inout Handings) {
    guard let seat = seats[place] else { return }
    logs[place] = Kept(seat.replica.log, hash: handings.reflected.hash(seat.replica.log))
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

  private mutating func write(at place: Int, _ handings: inout Handings) {
    guard let seat = seats[place] else { return }
    let note = notes.count
    notes.append(Note(author: place, seen: Set(seat.shown.keys)))
    for promise in hand(.write(note: note), to: place, &handings)?.promises ?? [] {
      if let waiter = promise.waiter {
        waiting.append(Waiting(place: place, waiter: waiter, note: note, isReplicated: promise.isReplicated))
      } else {
        promised(note, to: place, promise.isReplicated)
      }
    }
  }

  private mutating func end(_ waiter: UInt64, _ isSo: Bool, at place: Int) {
    guard let index = waiting.firstIndex(where: { $0.place == place && $0.waiter == waiter }) else { return }
    let ended = waiting.remove(at: index)
    if isSo { promised(ended.note, to: place, ended.isReplicated) }
  }
}
