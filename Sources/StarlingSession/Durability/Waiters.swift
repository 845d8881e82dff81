public import StarlingCore

/// The callers that wait in this replica: for what, until when, and what each is told. Performs nothing.
///
/// ```
///   wait ──► waiting ── what it waits for is so ─────────────► resume
///               ├────── its deadline has passed ─────────────► late, with how far it got
///               ├────── its task is cancelled ───────────────► cancel
///               └────── closed, forgotten, the log failed ───► fail
/// ```
///
/// A waiter is a number, which whoever performs gives it, keeps what goes on under, and is told of once. All calls
/// answer in the order of the numbers.
public struct Waiters: Sendable {
  public enum Goal: Hashable, Sendable {
    /// The log has accepted what was written.
    case durable
    /// So many other stores have what was written, durably or in memory alone.
    case received(Int)
    /// So many other stores have it durably.
    case replicated(Int)
    /// Less of the document waits for the log than may.
    case capacity
    /// The transaction of this number has ended.
    case transaction(UInt64)
    /// Everything that every dialled peer holds of the document is here, or that any of them holds.
    case caughtUp(withEveryPeer: Bool)
    /// The log has noted that the document is forgotten.
    case forgottenHere
    /// So many other stores have said that they forgot the document.
    case forgotten(by: Int)
  }

  /// One that waits.
  public struct Wait: Hashable, Sendable {
    public var document: DocumentID
    public var goal: Goal
    /// What was written, where the goal speaks of that.
    public var version: VersionVector
    /// Nil for as long as it takes.
    public var deadline: Duration?
    /// Why it is late when it is.
    public var lateness: Lateness

    public init(
      for goal: Goal, in document: DocumentID, version: VersionVector = VersionVector(),
      until deadline: Duration? = nil,
      lateness: Lateness = .timedOut
    ) {
      self.document = document
      self.goal = goal
      self.version = version
      self.deadline = deadline
      self.lateness = lateness
    }

    /// Waits for the end of a transaction: until the caller's deadline or for as long as a transaction may stay open,
    /// whichever is over first.
    public static func forTransaction(
      _ number: UInt64, in document: DocumentID, until deadline: Duration?, timeout: Duration, now: Duration
    ) -> Wait {
      let end = now + timeout
      guard let deadline, deadline <= end else {
        return Wait(for: .transaction(number), in: document, until: end, lateness: .transactionOpen)
      }
      return Wait(for: .transaction(number), in: document, until: deadline)
    }
  }

  public enum Lateness: Hashable, Sendable {
    /// The time that the caller gave is over.
    case timedOut
    /// The transaction stayed open for longer than one may.
    case transactionOpen
  }

  public enum Reason: Hashable, Sendable {
    /// The replica is closed.
    case closed
    case documentForgotten(DocumentID)
    /// - Parameter isRetried: whether a wait with a deadline may still see it work.
    case logFailed(isRetried: Bool)
  }

  public enum Effect: Hashable, Sendable {
    case resume(UInt64)
    /// With how far it got, for people.
    case late(UInt64, Lateness, String)
    case cancel(UInt64)
    case fail(UInt64, Reason)

    public var number: UInt64 {
      switch self {
      case .resume(let number), .late(let number, _, _), .cancel(let number), .fail(let number, _): number
      }
    }
  }

  private struct Waiter {
    let number: UInt64
    var wait: Wait
  }

  /// Ascending by number.
  private var waiters: [Waiter] = []
  /// How many of them wait for what was written: for a flush, capacity or the end of a transaction.
  public private(set) var writerCount = 0
  private var transactionCount = 0
  /// How many of them the log's latest answer has served.
  private var servedTogetherCount = 0
  /// How many of those were late.
  public private(set) var timedOutCount = 0

  public init() {}

  public var isEmpty: Bool { waiters.isEmpty }

  // MARK: Waiting

  /// - Parameter number: one that no other ever had.
  public mutating func add(_ wait: Wait, as number: UInt64) {
    let place = waiters.lastIndex { $0.number < number }.map { $0 + 1 } ?? 0
    precondition(place == waiters.count || waiters[place].number != number, "Two waiters have the number \(number).")
    waiters.insert(Waiter(number: number, wait: wait), at: place)
    count(wait, 1)
    checkInvariants()
  }

  func waits(for document: DocumentID) -> Bool { waiters.contains { $0.wait.document == document } }

  /// Whether anybody in the document waits for the end of a transaction.
  public func awaitTransaction(in document: DocumentID) -> Bool {
    guard transactionCount > 0 else { return false }
    return waiters.contains { $0.wait.document == document && $0.wait.goal.isTransaction }
  }

  /// Whether nobody should begin to wait while the log fails: it may be as long as a disk stays full, which is for
  /// days.
  ///
  /// - Parameter isLogLost: whether the log is not tried again.
  public static func isInVain(_ wait: Wait, isLogLost: Bool) -> Bool {
    switch wait.goal {
    case .durable: isLogLost || wait.deadline == nil
    case .forgottenHere, .forgotten: true
    case .received, .replicated, .capacity, .transaction, .caughtUp: false
    }
  }

  // MARK: What happens

  /// The log has accepted something, which `serve` tells them.
  public mutating func noteServed(of writerCountBefore: Int) {
    servedTogetherCount = max(0, writerCountBefore - writerCount)
  }

  /// Whether more are about to write and to wait: those that the log served together are likely to be back together.
  public var awaitsCompany: Bool { writerCount < servedTogetherCount }

  /// Something of the document is different: the log or another store has more of it, capacity is free, or a
  /// transaction has ended.
  public mutating func serve(_ document: DocumentID, _ facts: () -> Facts) -> [Effect] {
    guard writerCount > 0, waiters.contains(where: { $0.wait.document == document && $0.wait.goal.isOfWriter }) else {
      return []
    }
    let facts = facts()
    return end { waiter in
      guard waiter.wait.document == document, waiter.wait.goal.isOfWriter else { return nil }
      return facts.satisfy(waiter.wait) ? .resume(waiter.number) : nil
    }
  }

  /// The log has noted that the document is forgotten.
  public mutating func storedForgotten(_ document: DocumentID) -> [Effect] {
    end { $0.wait.document == document && $0.wait.goal == .forgottenHere ? .resume($0.number) : nil }
  }

  /// Looks after those that wait for other peers, and ends those whose deadline has passed.
  public mutating func review(now: Duration, _ facts: (DocumentID) -> Facts) -> [Effect] {
    guard !waiters.isEmpty else { return [] }
    return end { waiter in
      let wait = waiter.wait
      let isLate = wait.deadline.map { $0 <= now } ?? false
      guard isLate || wait.goal.isOfPeers else { return nil }
      let facts = facts(wait.document)
      // A lease is waited for as well, but its absence is no failure.
      if facts.satisfy(wait), isLate || !wait.goal.isCaughtUp || !facts.isLeaseAwaited { return .resume(waiter.number) }
      return isLate ? .late(waiter.number, wait.lateness, "The time is over: \(facts.standing(of: wait)).") : nil
    }
  }

  /// Their tasks were cancelled, which some of them may not have heard of before they ended.
  public mutating func cancel(_ numbers: [UInt64]) -> [Effect] {
    guard !numbers.isEmpty else { return [] }
    return end { numbers.contains($0.number) ? .cancel($0.number) : nil }
  }

  /// What was written to the document was given up, and `version` takes its place for those who wait.
  public mutating func replaceVersion(in document: DocumentID, with version: VersionVector) {
    for index in waiters.indices where waiters[index].wait.document == document {
      if !version.covers(waiters[index].wait.version) { waiters[index].wait.version = version }
    }
  }

  // MARK: What fails

  /// - Parameter isLost: whether the log is not tried again.
  public mutating func logFailed(isLost: Bool) -> [Effect] {
    end { waiter in
      guard Self.isInVain(waiter.wait, isLogLost: isLost) else { return nil }
      return .fail(waiter.number, .logFailed(isRetried: !isLost && waiter.wait.goal == .durable))
    }
  }

  /// The document was forgotten: nothing of what was written is left to wait for.
  public mutating func forget(_ document: DocumentID) -> [Effect] {
    end {
      $0.wait.document == document && $0.wait.goal.isOfWriter ? .fail($0.number, .documentForgotten(document)) : nil
    }
  }

  /// The replica is closed: whoever has caught up is told so, everybody else that it is too late.
  public mutating func close(_ facts: (DocumentID) -> Facts) -> [Effect] {
    end { waiter in
      let isThere = waiter.wait.goal.isCaughtUp && facts(waiter.wait.document).satisfy(waiter.wait)
      return isThere ? .resume(waiter.number) : .fail(waiter.number, .closed)
    }
  }

  /// Removes those for which there is an effect.
  private mutating func end(_ effect: (Waiter) -> Effect?) -> [Effect] {
    var effects: [Effect] = []
    for waiter in waiters {
      guard let effect = effect(waiter) else { continue }
      effects.append(effect)
      count(waiter.wait, -1)
      if case .late = effect, waiter.wait.goal.isOfWriter { timedOutCount += 1 }
    }
    if !effects.isEmpty {
      let ended = Set(effects.map(\.number))
      waiters.removeAll { ended.contains($0.number) }
      checkInvariants()
    }
    return effects
  }

  private mutating func count(_ wait: Wait, _ difference: Int) {
    if wait.goal.isOfWriter { writerCount += difference }
    if wait.goal.isTransaction { transactionCount += difference }
  }

  private func checkInvariants() {
    assert(zip(waiters, waiters.dropFirst()).allSatisfy { $0.number < $1.number })
    assert(writerCount == waiters.count { $0.wait.goal.isOfWriter })
    assert(transactionCount == waiters.count { $0.wait.goal.isTransaction })
  }
}

extension Waiters.Goal {
  /// Whether it is about what was written here, or will be.
  fileprivate var isOfWriter: Bool {
    switch self {
    case .durable, .received, .replicated, .capacity, .transaction: true
    case .caughtUp, .forgottenHere, .forgotten: false
    }
  }

  /// Whether what peers say brings it about, for which each tick looks.
  fileprivate var isOfPeers: Bool {
    switch self {
    case .caughtUp, .forgotten: true
    case .durable, .received, .replicated, .capacity, .transaction, .forgottenHere: false
    }
  }

  fileprivate var isTransaction: Bool { if case .transaction = self { true } else { false } }
  var isCaughtUp: Bool { if case .caughtUp = self { true } else { false } }
}
