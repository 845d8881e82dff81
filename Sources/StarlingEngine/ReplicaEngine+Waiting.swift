public import StarlingCore
import StarlingGuard
import StarlingSession
import StarlingWire

/// How far a write must have come before `flush` returns.
public enum FlushGoal: Sendable, Hashable {
  /// Handed to the link. A frame may still be lost; peers that miss it will ask.
  case sent
  /// Accepted by this replica's log: on disk, for one that has a disk.
  case durable
  /// Held by this many other stores, be it in memory alone: it is lost if all of these processes end.
  case received(Int)
  /// Held durably by this many other stores, each on a disk of its own. Stores that keep it in memory alone do not count,
  /// nor do peers that may only read: what they say is no promise to anybody.
  case replicated(Int)
}

struct FlushWaiter {
  enum Goal: Hashable {
    case flush(FlushGoal)
    /// Less waits for the log than may.
    case room
    /// The transaction of this number has ended.
    case transaction(UInt64)
  }

  let document: DocumentID
  var version: Version
  let goal: Goal
  let deadline: Duration?
  /// What is said after the deadline.
  let late: FlushError.Code
  let continuation: CheckedContinuation<Void, any Error>
}

// Those who wait: until what they wrote has come far enough, or until they may write more.
//
// ```
//   flush, room ──► reached already: returns
//              └──► waiters ── log, acknowledgement ──► returns
//                      └────── time over, cancelled, log failed, closed ──► throws
// ```
extension ReplicaEngine {
  /// Returns once everything written to `document` before the call, by whatever thread, has come as far as `goal` says.
  /// What a transaction wrote that is still open is committed by its end, which is waited for: call this after
  /// `withTransaction`, not within it.
  ///
  /// - Parameter limit: how long to wait; nil for as long as it takes.
  /// While the log fails and is tried again, `.durable` waits for it where there is a limit, until that is over; without
  /// a limit it throws at once, since a disk may stay full for days.
  ///
  /// - Throws: `LogError` if the log failed and `.durable` can therefore not be promised, or the document is not open;
  ///   `FlushError` if the time is over, a transaction stays open or the engine is closed; `CancellationError` if the task
  ///   is cancelled. Nothing is taken back by any of them.
  public func flush(_ document: DocumentID, until goal: FlushGoal, atMost limit: Duration? = nil) async throws {
    let hosted = try running(document)
    let deadline = limit.map { clock.uptime() + $0 }
    try await waitForTransaction(in: hosted, hasWritten: true, until: deadline)
    publishOutbox(of: hosted)
    startLogging()
    if goal == .durable, let logError, isLogLost || limit == nil { throw promiseError(logError) }
    try await wait(for: .flush(goal), hosted.handle.version, in: hosted, until: deadline)
  }

  /// Returns once the transaction has ended that is open in the document now, if one is.
  ///
  /// - Parameter hasWritten: whether one counts only if it has written something.
  func waitForTransaction(in hosted: HostedDocument, hasWritten: Bool, until deadline: Duration? = nil) async throws {
    guard let number = hosted.handle.transactionToAwait(hasWritten: hasWritten) else { return }
    hosted.awaitsTransaction = true
    let timeout = clock.uptime() + configuration.transactionTimeout
    let isOurs = deadline.map { timeout < $0 } ?? true
    try await wait(
      for: .transaction(number), Version(), in: hosted, until: isOurs ? timeout : deadline,
      late: isOurs ? .transactionOpen : .timedOut)
    guard phase == .running else { throw FlushError(.closed, "The replica was closed while somebody waited for it.") }
  }

  /// Returns once less of `document` waits for the log than `EngineConfiguration.backlogByteCountMax`; at once where that
  /// is so already, which `DocumentHandle.hasRoom` tells without asking the engine.
  ///
  /// - Throws: `FlushError(.full)` at once where the engine's backpressure is to fail; otherwise as `flush`.
  public func room(in document: DocumentID, atMost limit: Duration? = nil) async throws {
    let hosted = try running(document)
    publishOutbox(of: hosted)
    startLogging()
    if configuration.backpressure == .fail, !hosted.handle.hasRoom {
      throw FlushError(
        .full,
        "\(hosted.handle.backlogByteCount) bytes of '\(document)' wait for the log, and "
          + "\(configuration.backlogByteCountMax) may. Write less at a time, or wait for room.")
    }
    try await wait(for: .room, Version(), in: hosted, until: limit.map { clock.uptime() + $0 })
  }

  private func running(_ document: DocumentID) throws -> HostedDocument {
    guard phase == .running, let hosted = documents[document] else {
      throw LogError(.misuse, "'\(document)' is not open.")
    }
    return hosted
  }

  private func wait(
    for goal: FlushWaiter.Goal, _ version: Version, in hosted: HostedDocument, until deadline: Duration?,
    late: FlushError.Code = .timedOut
  ) async throws {
    if isReached(goal, version, in: hosted) { return }
    let number = makeWaiterNumber()
    try await withTaskCancellationHandler {
      try Task.checkCancellation()
      try await withCheckedThrowingContinuation { continuation in
        waiters[number] = FlushWaiter(
          document: hosted.id, version: version, goal: goal, deadline: deadline, late: late, continuation: continuation)
      }
    } onCancel: {
      giveUp(number)
    }
  }

  func makeWaiterNumber() -> UInt64 {
    defer { nextWaiter += 1 }
    return nextWaiter
  }

  /// Whoever waits under that number waits no more. Any thread.
  nonisolated func giveUp(_ number: UInt64) {
    cancelled.withLock { $0.append(number) }
    link.wake()
  }

  private func isReached(_ goal: FlushWaiter.Goal, _ version: Version, in hosted: HostedDocument) -> Bool {
    switch goal {
    case .flush(.sent): true
    case .flush(.durable): hosted.durable.covers(version)
    case .flush(.received(let count)):
      hosted.members.count(having: version).durable + hosted.members.count(having: version).inMemory >= count
    case .flush(.replicated(let count)): hosted.members.count(having: version).durable >= count
    case .room: hosted.handle.hasRoom
    case .transaction(let number): !hosted.handle.isOpen(transaction: number)
    }
  }

  // MARK: Serving

  func serveWaiters(of hosted: HostedDocument) {
    guard !waiters.isEmpty else { return }
    for (number, waiter) in waitersInOrder
    where waiter.document == hosted.id && isReached(waiter.goal, waiter.version, in: hosted) {
      waiters[number] = nil
      waiter.continuation.resume()
    }
  }

  func serveCancelledWaiters() {
    let numbers = cancelled.withLock { numbers in
      defer { numbers = [] }
      return numbers
    }
    for number in numbers {
      waiters.removeValue(forKey: number)?.continuation.resume(throwing: CancellationError())
      forgetWaiters.removeValue(forKey: number)?.continuation.resume(throwing: CancellationError())
      synchronizing.removeValue(forKey: number)?.continuation.resume(returning: false)
    }
  }

  /// Ends those whose time is over.
  func serveLateWaiters(now: Duration) {
    guard !waiters.isEmpty else { return }
    for (number, waiter) in waitersInOrder {
      guard let deadline = waiter.deadline, deadline <= now else { continue }
      waiters[number] = nil
      counters.waitsTimedOut += 1
      waiter.continuation.resume(throwing: FlushError(waiter.late, "The time is over: \(standing(of: waiter))."))
    }
  }

  func failWaiters(_ error: any Error, where isMeant: (FlushWaiter) -> Bool = { _ in true }) {
    for (number, waiter) in waitersInOrder where isMeant(waiter) {
      waiters[number] = nil
      waiter.continuation.resume(throwing: error)
    }
  }

  func failWaiters(of document: DocumentID, _ error: any Error) {
    for (number, waiter) in waitersInOrder where waiter.document == document {
      waiters[number] = nil
      waiter.continuation.resume(throwing: error)
    }
  }

  private var waitersInOrder: [(key: UInt64, value: FlushWaiter)] { waiters.sorted { $0.key < $1.key } }

  /// How far it got, for people.
  private func standing(of waiter: FlushWaiter) -> String {
    switch waiter.goal {
    case .flush(.received(let count)):
      let held = documents[waiter.document]?.members.count(having: waiter.version) ?? (durable: 0, inMemory: 0)
      return "\(held.durable + held.inMemory) of \(count) stores have acknowledged what was written to "
        + "'\(waiter.document)'"
    case .flush(.replicated(let count)):
      let held = documents[waiter.document]?.members.count(having: waiter.version) ?? (durable: 0, inMemory: 0)
      let others = held.inMemory == 0 ? "" : ", and \(held.inMemory) that keep it in memory alone"
      return "\(held.durable) of \(count) durable stores have acknowledged what was written to '\(waiter.document)'"
        + others
    case .flush: return "the log has not accepted what was written to '\(waiter.document)'\(whyNot)"
    case .transaction:
      return "a transaction of '\(waiter.document)' is still open, and what it wrote is not committed. "
        + "Flush after withTransaction, not within it"
    case .room: return "too much of '\(waiter.document)' still waits for the log\(whyNot)"
    }
  }

  private var whyNot: String { logError.map { ", which fails and is tried again (\($0))" } ?? "" }

  // MARK: Room

  /// The log has accepted something: writers may go on, and peers are asked for more again.
  func roomMayHaveCome(in hosted: HostedDocument) {
    guard hosted.handle.hasRoom else { return }
    serveWaiters(of: hosted)
    guard !hosted.withheld.isEmpty else { return }
    let withheld = hosted.withheld.sorted { $0.key.rawValue < $1.key.rawValue }
    hosted.withheld = [:]
    for (peer, message) in withheld { say(message, to: PeerHandle(rawValue: peer.rawValue)) }
  }

  /// Whether presence is to be kept to oneself for now.
  func withholdsPresence(of hosted: HostedDocument) -> Bool {
    configuration.backpressure == .dropPresence && !hosted.handle.hasRoom
  }
}
