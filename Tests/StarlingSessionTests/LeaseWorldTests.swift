import StarlingCore
import StarlingSession
import StarlingWire
import Testing

/// A grantor and the processes that come and go at two places: one whose processes prove their end and tell the grantor
/// alone, and one, far away, whose processes prove nothing and tell everybody at once. Small enough to try every order
/// of what may happen.
private struct LeaseWorld {
  enum Step: Hashable {
    case start(Int), write(Int), close(Int), kill(Int)
    /// What a process said first arrives, or is lost with all that it said; its answer arrives, twice perhaps.
    case hear(Int), loseWords(Int), answer(Int), answerTwice(Int)
    /// Its connection is gone before the answer is said.
    case loseAnswer(Int)
    case commit, prove, crash, restart
    /// The grantor's store is copied, once, and put back later.
    case backUp, putBack
  }

  /// What a process says, in order.
  private enum Word: Hashable {
    case lease(Message.Lease.Request)
    case change(Dot)
  }

  private struct Place {
    var store: StoreID
    var user: String?
    var isProvable: Bool
    var isRunning = false
    var leaseClient = LeaseClient()
    var version = VersionVector()
    var said: [Word] = []
    var answers: [Message.Leased.Answer] = []
  }

  private let grantor = StoreID(rawValue: 99)
  private var book = LeaseTable(continues: true)
  private var stored: [LogLease] = []
  private var backup: (stored: [LogLease], durable: VersionVector)?
  private var version = VersionVector()
  private var durable = VersionVector()
  private var places: [Place]
  private var ended: [StoreID] = []
  private var nextStore: UInt64 = 2
  private var nextReplica: UInt64 = 10
  /// The writer of each operation that anybody else has ever seen.
  private var seen: [Dot: StoreID] = [:]
  private(set) var violation: String?
  private(set) var grantCount = 0
  private(set) var reuseCount = 0

  init() {
    places = [
      Place(store: StoreID(rawValue: 0), isProvable: true), Place(store: StoreID(rawValue: 1), isProvable: false),
    ]
  }

  /// What may happen now.
  var steps: [Step] {
    var steps: [Step] = []
    for (index, place) in places.enumerated() {
      if place.isRunning {
        steps += [.close(index), .kill(index)]
        if place.leaseClient.held != nil { steps.append(.write(index)) }
        if !place.answers.isEmpty { steps += [.answer(index), .answerTwice(index), .loseAnswer(index)] }
      } else if place.said.isEmpty {
        steps.append(.start(index))
      }
      if !place.said.isEmpty { steps += [.hear(index), .loseWords(index)] }
    }
    if durable != version { steps.append(.commit) }
    if !ended.isEmpty { steps.append(.prove) }
    return steps + [.crash, .restart, backup == nil ? .backUp : .putBack]
  }

  mutating func take(_ step: Step) {
    switch step {
    case .start(let index):
      places[index].store = StoreID(rawValue: nextStore)
      nextStore += 1
      places[index].isRunning = true
      places[index].leaseClient = LeaseClient()
      places[index].answers = []
      // It has just caught up.
      places[index].version = version
      perform(places[index].leaseClient.meet(grantor, hasWritten: false, now: .zero), at: index)
    case .write(let index): write(at: index)
    case .close(let index):
      perform(places[index].leaseClient.close(version: places[index].version), at: index)
      end(index)
    case .kill(let index): end(index)
    case .hear(let index): hear(places[index].said.removeFirst(), at: index)
    case .loseWords(let index): places[index].said = []
    case .answer(let index): answer(places[index].answers.removeFirst(), at: index)
    case .answerTwice(let index):
      let first = places[index].answers.removeFirst()
      answer(first, at: index)
      answer(first, at: index)
    case .loseAnswer(let index):
      if case .granted(let grant) = places[index].answers.removeFirst() {
        book.untold(grant, by: LeaseTable.Holder(store: places[index].store, user: places[index].user))
        settle()
      }
    case .commit:
      durable = version
      settle()
    case .prove: prove()
    case .crash:
      version = durable
      run(continues: false)
    case .restart:
      durable = version
      settle()
      run(continues: true)
    case .backUp: backup = (stored, durable)
    case .putBack:
      if let backup { (stored, durable, version) = (backup.stored, backup.durable, backup.durable) }
      run(continues: false)
    }
  }

  private mutating func end(_ index: Int) {
    places[index].isRunning = false
    if places[index].isProvable { ended.append(places[index].store) }
  }

  private mutating func run(continues: Bool) {
    book = LeaseTable(stored, continues: continues)
    remember()
    for index in places.indices {
      // Connections break, and what was on them goes.
      places[index].said = []
      places[index].answers = []
      guard places[index].isRunning else { continue }
      // Whatever the grantor lost, its holder says again.
      let held = places[index].leaseClient.held
      for dot in held.map({ own($0.grant.replica, at: index) }) ?? [] { places[index].said.append(.change(dot)) }
      perform(places[index].leaseClient.meet(grantor, hasWritten: false, now: .zero), at: index)
    }
  }

  private func own(_ replica: ReplicaID, at index: Int) -> [Dot] {
    let (mine, theirs) = (places[index].version[replica], version[replica])
    return mine > theirs ? (theirs + 1...mine).map { Dot(replica, $0) } : []
  }

  private mutating func write(at index: Int) {
    guard let grant = places[index].leaseClient.held?.grant else { return }
    let dot = Dot(grant.replica, places[index].version[grant.replica] + 1)
    note(dot, by: places[index].store, isSeen: !places[index].isProvable)
    places[index].version[grant.replica] = dot.counter
    places[index].said.append(.change(dot))
  }

  private mutating func note(_ dot: Dot, by store: StoreID, isSeen: Bool) {
    if let author = seen[dot], author != store { violation = "\(dot) by \(store) is another than \(author)'s" }
    if isSeen { seen[dot] = store }
  }

  // MARK: The grantor

  private mutating func hear(_ word: Word, at index: Int) {
    let holder = LeaseTable.Holder(store: places[index].store, user: places[index].user)
    switch word {
    case .change(let dot):
      guard dot.counter == version[dot.replica] + 1,
        book.admits(dot, from: holder.store, held: version[dot.replica], isProvable: { _ in false })
      else { return }
      // It passes on what it merges.
      note(dot, by: holder.store, isSeen: true)
      version[dot.replica] = dot.counter
    case .lease(.ask):
      let fresh = ReplicaID(rawValue: nextReplica)
      nextReplica += 1
      let answer = book.ask(by: holder, fresh: fresh, version: version)
      if case .granted(let grant) = answer {
        grantCount += 1
        if grant.number > 1 { reuseCount += 1 }
      }
      reply(answer, to: index)
    case .lease(.goOn(let grant)): reply(book.goOn(grant, by: holder), to: index)
    case .lease(.giveBack(let grant)):
      if let answer = book.giveBack(grant, by: holder) { reply(answer, to: index) }
    }
    settle()
  }

  private mutating func reply(_ answer: Message.Leased.Answer, to index: Int) {
    if places[index].isRunning { places[index].answers.append(answer) }
  }

  private mutating func prove() {
    for store in ended {
      // Its last words come before its end is known.
      if places.contains(where: { $0.store == store && !$0.said.isEmpty }) { continue }
      book.holderEnded(store, version: version)
      ended.removeAll { $0 == store }
    }
    settle()
  }

  private mutating func settle() {
    _ = book.settle(durable: durable, version: version)
    remember()
  }

  private mutating func remember() {
    if let entries = book.takeRemembered() { stored = entries }
  }

  // MARK: A process

  private mutating func answer(_ answer: Message.Leased.Answer, at index: Int) {
    if case .granted(let grant) = answer { _ = book.told(grant) }
    // What the grantor had merged when it answered has come as well.
    for entry in version.entries where places[index].leaseClient.held?.grant.replica != entry.replica {
      places[index].version[entry.replica] = entry.counter
    }
    perform(places[index].leaseClient.receive(answer, from: grantor), at: index)
  }

  private mutating func perform(_ effect: LeaseClient.Effect, at index: Int) {
    switch effect {
    case .say(let request, _): places[index].said.append(.lease(request))
    case .takeUp(let grant):
      if places[index].version[grant.replica] == grant.counter {
        places[index].leaseClient.tookUp()
      } else {
        perform(places[index].leaseClient.mayNotTakeUp(), at: index)
      }
    case .keepForGood: places[index].isProvable = false
    case .writeAsOneself, .nothing: break
    }
  }
}

@Suite struct `In every small world of a grantor and those who come and go` {
  /// Tries every row of so many steps from `world` on.
  private func explore(
    _ world: LeaseWorld, _ depth: Int, _ trace: [LeaseWorld.Step], _ counts: inout (worlds: Int, reuses: Int)
  ) {
    if let violation = world.violation { Issue.record("\(violation) after \(trace)") }
    guard depth > 0, world.violation == nil else {
      counts.worlds += 1
      counts.reuses += world.reuseCount
      return
    }
    for step in world.steps {
      var next = world
      next.take(step)
      explore(next, depth - 1, trace + [step], &counts)
    }
  }

  private func run(_ steps: [LeaseWorld.Step]) -> LeaseWorld {
    var world = LeaseWorld()
    for step in steps { world.take(step) }
    return world
  }

  @Test func `nobody writes a dot that another has written and somebody has seen`() {
    var counts = (worlds: 0, reuses: 0)
    explore(LeaseWorld(), 6, [], &counts)
    // From where something is written, and from where something was leased before.
    let begun: [LeaseWorld.Step] = [.start(0), .hear(0), .answer(0), .write(0)]
    explore(run(begun), 6, begun, &counts)
    let far: [LeaseWorld.Step] = [.start(1), .hear(1), .answer(1), .write(1)]
    explore(run(far), 6, far, &counts)
    let used = begun + [.hear(0), .commit, .close(0), .hear(0), .prove, .start(1), .hear(1), .answer(1), .write(1)]
    explore(run(used), 6, used, &counts)
    // From where the grantor has passed on what its disk has not, and from where it is behind a copy of itself.
    let passedOn = begun + [.hear(0), .kill(0)]
    explore(run(passedOn), 6, passedOn, &counts)
    let given: [LeaseWorld.Step] = begun + [.hear(0), .commit, .close(0), .hear(0)]
    let behind = given + [.backUp, .start(1), .hear(1), .answer(1), .write(1)]
    explore(run(behind), 6, behind, &counts)
    // From where a lease was said again, to nobody.
    let again: [LeaseWorld.Step] = [.start(0), .hear(0), .answer(0), .restart, .hear(0), .loseAnswer(0)]
    explore(run(again), 6, again, &counts)
    #expect(counts.worlds > 100_000)
    #expect(counts.reuses > 1000, "ids are leased again in those worlds")
  }
}
