import Foundation
import Logging
import StarlingGuard

/// The outcome of writing to an audit log.
public struct AuditCounts: Sendable, Hashable {
  /// How many notes were written.
  public var written: UInt64 = 0
  /// Alike to what was written, or beyond what is written of one cause in a minute.
  public var omitted: UInt64 = 0
  /// Found no space, or could not be written to the file.
  public var lost: UInt64 = 0
}

/// Keeps a record of the peers that were let in, and of those that were not: as lines of a file, where there is one,
/// and of the program's log.
///
/// ```
///   any thread ── note ──► queue of so many ──► throttle ──► file, logger
/// ```
///
/// Whoever notes something never waits for a disk.
actor AuditLog {
  private struct Note: Sendable {
    let entry: AuditEntry
    let moment: Date
    let uptime: Duration
  }

  private static let queueCountMax = 1024

  private nonisolated let queue: AsyncStream<Note>.Continuation
  private nonisolated let notes: AsyncStream<Note>
  private nonisolated let lost = Guarded<UInt64>(0)
  private nonisolated let tally = Guarded(AuditCounts())
  private let logger: Logger
  private var file: AuditFile?
  private var throttle = AuditThrottle()
  private var lostTold: UInt64 = 0
  private var hasFailed = false
  private var work: Task<Void, Never>?
  private var ticking: Task<Void, Never>?

  init(file: consuming AuditFile?, logger: Logger) {
    self.file = file
    self.logger = logger
    (notes, queue) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(Self.queueCountMax))
  }

  /// A log that nobody closed ends too.
  deinit {
    queue.finish()
    ticking?.cancel()
  }

  /// Any thread.
  nonisolated var counts: AuditCounts {
    var counts = tally.withLock { $0 }
    counts.lost &+= lost.withLock { $0 }
    return counts
  }

  /// Any thread; returns at once.
  nonisolated func note(_ entry: AuditEntry) {
    let note = Note(entry: entry, moment: Date(), uptime: Self.uptime)
    if case .dropped = queue.yield(note) { lost.withLock { $0 &+= 1 } }
  }

  private static var uptime: Duration { ContinuousClock.now - start }
  private static let start = ContinuousClock.now

  // MARK: Life

  /// Begins to write what is noted.
  func start(_ explanation: String) {
    note(AuditEntry(.begun, explanation))
    work = Task { [weak self, notes] in
      for await note in notes { await self?.take(note) }
    }
    ticking = Task { [weak self] in
      while (try? await Task.sleep(for: .seconds(5))) != nil { await self?.pass() }
    }
  }

  /// Writes what was noted so far, and no more from then on.
  func close() async {
    note(AuditEntry(.ended, "The log ends."))
    queue.finish()
    ticking?.cancel()
    await work?.value
    write(throttle.end(), at: Date())
    file = nil
  }

  // MARK: Writing

  private func take(_ note: Note) {
    let admitted = throttle.admit(note.entry, now: note.uptime)
    if !admitted.contains(note.entry) { tally.withLock { $0.omitted &+= 1 } }
    write(admitted, at: note.moment)
    tellLost()
  }

  private func pass() {
    write(throttle.pass(now: Self.uptime), at: Date())
    tellLost()
  }

  private func tellLost() {
    let count = lost.withLock { $0 }
    guard count > lostTold else { return }
    write(
      throttle.admit(AuditEntry(.lost, "\(count - lostTold) lines were dropped."), now: Self.uptime), at: Date())
    lostTold = count
  }

  private func write(_ entries: [AuditEntry], at moment: Date) {
    guard !entries.isEmpty else { return }
    for entry in entries { logger.log(level: entry.level, "\(entry.sentence)") }
    do {
      try file?.append(entries.map { $0.line(at: moment) }.joined())
      hasFailed = false
      tally.withLock { $0.written &+= UInt64(entries.count) }
    } catch {
      tally.withLock { $0.lost &+= UInt64(entries.count) }
      if !hasFailed { logger.error("\(error) Until it can be written again, events are in this log alone.") }
      hasFailed = true
    }
  }
}
