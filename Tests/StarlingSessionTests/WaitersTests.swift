import StarlingCore
import Testing

@testable import StarlingSession

@Suite struct `Those who wait` {
  let library = DocumentID("library")!
  let other = DocumentID("other")!
  let written = Self.version(1, 3)

  static func version(_ replica: UInt64, _ counter: UInt64) -> VersionVector {
    VersionVector([VersionVector.Entry(replica: ReplicaID(rawValue: replica), counter: counter)])
  }

  func waiting(_ waits: Waiters.Wait...) -> Waiters {
    var waiters = Waiters()
    for (number, wait) in waits.enumerated() { waiters.add(wait, as: UInt64(number)) }
    return waiters
  }

  func members(durable: Int, inMemory: Int) -> Members {
    var members = Members(now: 0)
    for number in 0..<(durable + inMemory) {
      members.acknowledge(StoreID(rawValue: UInt64(number)), written, isDurable: number < durable, now: 1)
    }
    return members
  }

  @Test func `are expected back together by the log where it served them together`() {
    let wait = Waiters.Wait(for: .durable, in: library, version: written)
    var waiters = waiting(wait, wait, wait)
    var facts = Waiters.Facts()
    facts.durable = written
    #expect(!waiters.awaitsCompany)
    let count = waiters.writerCount
    _ = waiters.serve(library) { facts }
    waiters.noteServed(of: count)
    for (number, isExpected) in [true, true, true, false].enumerated() {
      #expect(waiters.awaitsCompany == isExpected)
      waiters.add(wait, as: UInt64(3 + number))
    }
    // Of an answer that serves nobody nobody is expected back.
    waiters.noteServed(of: waiters.writerCount)
    #expect(!waiters.awaitsCompany)
  }

  @Test func `are resumed once the log has what was written, in the order in which they came`() {
    var waiters = waiting(
      Waiters.Wait(for: .durable, in: library, version: written),
      Waiters.Wait(for: .durable, in: other, version: written),
      Waiters.Wait(for: .durable, in: library, version: Self.version(1, 2)),
      Waiters.Wait(for: .durable, in: library, version: Self.version(1, 4)))
    var facts = Waiters.Facts()
    let none = waiters.serve(library) { facts }
    #expect(none == [])
    facts.durable = written
    let some = waiters.serve(library) { facts }
    #expect(some == [.resume(0), .resume(2)])
    #expect(waiters.writerCount == 2)
  }

  @Test(arguments: 0...2, 0...2) func `for stores are resumed by as many as they wait for`(durable: Int, inMemory: Int)
  {
    var facts = Waiters.Facts()
    facts.members = members(durable: durable, inMemory: inMemory)
    for count in 0...5 {
      let received = Waiters.Wait(for: .received(count), in: library, version: written)
      #expect(facts.satisfy(received) == (durable + inMemory >= count))
      let replicated = Waiters.Wait(for: .replicated(count), in: library, version: written)
      #expect(facts.satisfy(replicated) == (durable >= count))
    }
  }

  @Test func `are late at their deadline, and hear how far it got`() {
    var waiters = waiting(
      Waiters.Wait(for: .replicated(2), in: library, version: written, until: .seconds(2)),
      Waiters.Wait(for: .capacity, in: library, until: .seconds(1)))
    var facts = Waiters.Facts()
    facts.members = members(durable: 1, inMemory: 1)
    facts.logTrouble = "disk full"
    let early = waiters.review(now: .milliseconds(999)) { _ in facts }
    #expect(early == [])
    let first = waiters.review(now: .seconds(1)) { _ in facts }
    #expect(
      first == [
        .late(
          1, .timedOut,
          "The time is over: too much of 'library' still waits for the log, which fails and is tried again (disk full)."
        )
      ])
    let second = waiters.review(now: .seconds(2)) { _ in facts }
    #expect(
      second == [
        .late(
          0, .timedOut,
          "The time is over: 1 of 2 durable stores have acknowledged what was written to 'library', "
            + "and 1 that keep it in memory alone.")
      ])
    #expect(waiters.timedOutCount == 2)
    #expect(waiters.writerCount == 0)
  }

  @Test func `for what is so at their deadline are resumed`() {
    var waiters = waiting(Waiters.Wait(for: .capacity, in: library, until: .seconds(1)))
    var facts = Waiters.Facts()
    facts.hasCapacity = true
    let effects = waiters.review(now: .seconds(1)) { _ in facts }
    #expect(effects == [.resume(0)])
    #expect(waiters.timedOutCount == 0)
  }

  @Test(arguments: [nil, 4, 5, 6])
  func `for a transaction wait no longer than one may stay open`(seconds: Int?) {
    let wait = Waiters.Wait.forTransaction(
      9, in: library, until: seconds.map { .seconds($0) }, timeout: .seconds(3), now: .seconds(2))
    #expect(wait.deadline == .seconds(min(seconds ?? 5, 5)))
    #expect(wait.lateness == (seconds ?? 6 > 5 ? .transactionOpen : .timedOut))
    var waiters = waiting(wait)
    #expect(waiters.awaitTransaction(in: library))
    #expect(!waiters.awaitTransaction(in: other))
    var facts = Waiters.Facts()
    facts.openTransaction = 9
    let open = waiters.serve(library) { facts }
    #expect(open == [])
    facts.openTransaction = 10
    let ended = waiters.serve(library) { facts }
    #expect(ended == [.resume(0)])
    #expect(!waiters.awaitTransaction(in: library))
  }

  @Test(arguments: [false, true], [false, true])
  func `for peers wait for a lease too, but not beyond their deadline`(isCaughtUp: Bool, isLeaseAwaited: Bool) {
    var waiters = waiting(Waiters.Wait(for: .caughtUp(withEveryPeer: true), in: library, until: .seconds(1)))
    var facts = Waiters.Facts()
    facts.isCaughtUpWithEveryPeer = isCaughtUp
    facts.isLeaseAwaited = isLeaseAwaited
    let early = waiters.review(now: .zero) { _ in facts }
    #expect(early == (isCaughtUp && !isLeaseAwaited ? [.resume(0)] : []))
    guard early.isEmpty else { return }
    let end = waiters.review(now: .seconds(1)) { _ in facts }
    #expect(
      end
        == (isCaughtUp
          ? [.resume(0)] : [.late(0, .timedOut, "The time is over: 'library' has not caught up with its peers.")]))
    // Nobody wrote anything that was not kept.
    #expect(waiters.timedOutCount == 0)
  }

  @Test func `for what the log is to keep fail with it, unless they have time and it may pass`() {
    let waits = [
      Waiters.Wait(for: .durable, in: library, version: written),
      Waiters.Wait(for: .durable, in: library, version: written, until: .seconds(1)),
      Waiters.Wait(for: .received(1), in: library, version: written),
      Waiters.Wait(for: .forgottenHere, in: other),
      Waiters.Wait(for: .forgotten(by: 1), in: other, until: .seconds(1)),
    ]
    var waiters = Waiters()
    for (number, wait) in waits.enumerated() { waiters.add(wait, as: UInt64(number)) }
    let retried = waiters.logFailed(isLost: false)
    #expect(
      retried == [
        .fail(0, .logFailed(isRetried: true)), .fail(3, .logFailed(isRetried: false)),
        .fail(4, .logFailed(isRetried: false)),
      ])
    let lost = waiters.logFailed(isLost: true)
    #expect(lost == [.fail(1, .logFailed(isRetried: false))])
    #expect(waits.map { Waiters.isInVain($0, isLogLost: false) } == [true, false, false, true, true])
    #expect(waits.map { Waiters.isInVain($0, isLogLost: true) } == [true, true, false, true, true])
  }

  @Test func `for a document that is forgotten are told so, and the caller that forgot it is resumed`() {
    var waiters = waiting(
      Waiters.Wait(for: .forgottenHere, in: library),
      Waiters.Wait(for: .received(1), in: library, version: written),
      Waiters.Wait(for: .forgotten(by: 1), in: library),
      Waiters.Wait(for: .received(1), in: other, version: written))
    let failed = waiters.forget(library)
    #expect(failed == [.fail(1, .documentForgotten(library))])
    let stored = waiters.storedForgotten(library)
    #expect(stored == [.resume(0)])
    var facts = Waiters.Facts()
    facts.forgottenCount = 1
    let told = waiters.review(now: .zero) { _ in facts }
    #expect(told == [.resume(2)])
  }

  @Test func `for what was given up wait for what takes its place`() {
    var waiters = waiting(Waiters.Wait(for: .durable, in: library, version: written))
    let again = Self.version(2, 1)
    waiters.replaceVersion(in: library, with: again)
    var facts = Waiters.Facts()
    facts.durable = again
    let effects = waiters.serve(library) { facts }
    #expect(effects == [.resume(0)])
  }

  /// Everything that may happen in four steps to those who wait for whatever there is.
  @Test func `are told once each, whatever happens in whatever order`() {
    let goals: [Waiters.Goal] = [
      .durable, .replicated(1), .capacity, .transaction(1), .caughtUp(withEveryPeer: false), .forgottenHere,
      .forgotten(by: 1),
    ]
    var good = Waiters.Facts()
    good.durable = written
    good.members = members(durable: 1, inMemory: 0)
    good.hasCapacity = true
    (good.isCaughtUpWithAnyPeer, good.forgottenCount) = (true, 1)
    var bad = Waiters.Facts()
    bad.openTransaction = 1
    let steps: [(inout Waiters) -> [Waiters.Effect]] = [
      { $0.serve(library) { good } }, { $0.serve(library) { bad } }, { $0.review(now: .zero) { _ in good } },
      { $0.review(now: .seconds(1)) { _ in bad } }, { $0.cancel([0, 3, 4, 7, 99]) }, { $0.logFailed(isLost: false) },
      { $0.logFailed(isLost: true) }, { $0.forget(library) }, { $0.storedForgotten(library) },
      { $0.close { _ in bad } },
    ]
    var worldCount = 0
    for world in 0..<(steps.count * steps.count * steps.count * steps.count) {
      var waiters = Waiters()
      var ended: [UInt64] = []
      var nextNumber: UInt64 = 0
      var code = world
      for step in 0..<4 {
        if step == 0 || step == 2 {
          for (index, goal) in goals.enumerated() {
            let deadline: Duration? = index % 2 == step / 2 ? .seconds(1) : nil
            waiters.add(
              Waiters.Wait(for: goal, in: library, version: written, until: deadline), as: nextNumber)
            nextNumber += 1
          }
        }
        let effects = steps[code % steps.count](&waiters)
        #expect(effects.map(\.number) == effects.map(\.number).sorted())
        ended += effects.map(\.number)
        code /= steps.count
      }
      ended += waiters.close { _ in good }.map(\.number)
      #expect(ended.sorted() == (0..<14).map { UInt64($0) }, "world \(world)")
      #expect(waiters.writerCount == 0)
      worldCount += 1
    }
    #expect(worldCount == 10_000)
  }
}
