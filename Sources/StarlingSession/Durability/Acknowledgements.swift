package import StarlingCore

/// When a replica tells the peers that it follows what it durably holds of one document, and what
/// (Protocol/conversation.md, "Acknowledgements"). Performs nothing.
///
/// ```
///   due ─── at once, or once the interval has passed ──► told
///     ▲                                                    │ something is held back, or is durable since
///     └────────────────────────────────────────────────────┘
/// ```
package struct Acknowledgements: Sendable {
  /// What is told.
  package struct Statement: Sendable, Hashable {
    package var version: VersionVector
    /// What those behind this relay have durably merged: on its side, for relays beside it, and all, for everybody
    /// else.
    package var behindSide: VersionVector?
    package var behindAll: VersionVector?

    package func behind(isBeside: Bool) -> VersionVector? { isBeside ? behindSide : behindAll }
  }

  private var isMarked = false
  /// When the interval since the last one is over.
  private var next = Duration.zero
  private var behindSide: VersionVector?
  private var behindAll: VersionVector?
  /// What all were told last.
  private var told: Statement?

  package init() {}

  /// Something is to be told, be it again: more is durable, or somebody may have joined.
  package mutating func mark() { isMarked = true }

  /// What those behind this relay have durably merged, for the next acknowledgements.
  package mutating func stand(behindSide: VersionVector?, behindAll: VersionVector?) {
    (self.behindSide, self.behindAll) = (behindSide, behindAll)
  }

  /// As it was told last.
  package var behind: [VersionVector?] { [behindSide, behindAll] }

  /// Whether there is something to tell, at once or when the interval has passed. While the log fails nothing is
  /// promised.
  package func areDue(isLogFailing: Bool, durable: @autoclosure () -> VersionVector) -> Bool {
    isMarked && !isLogFailing && !durable().isEmpty
  }

  /// Whether the interval since the last one has passed.
  package func isDue(_ now: Duration) -> Bool { now >= next }

  /// What is told now to all, and whether that is what they were told last.
  ///
  /// - Parameters:
  ///   - interval: the least time between two.
  ///   - hold: as much of what is durable as may be told.
  package mutating func take(
    durable: VersionVector, isLogFailing: Bool, now: Duration, interval: Duration,
    hold: (VersionVector) -> VersionVector
  ) -> (statement: Statement, isRepeated: Bool)? {
    guard now >= next, areDue(isLogFailing: isLogFailing, durable: durable) else { return nil }
    next = now + interval
    let version = hold(durable)
    // What is held back is told as soon as it may be.
    isMarked = version != durable
    guard let statement = statement(version) else { return nil }
    defer { told = statement }
    return (statement, isRepeated: statement == told)
  }

  /// What is told to one alone who was told nothing yet.
  package func tell(durable: VersionVector, isLogFailing: Bool, hold: (VersionVector) -> VersionVector) -> Statement? {
    isLogFailing ? nil : statement(hold(durable))
  }

  private func statement(_ version: VersionVector) -> Statement? {
    version.isEmpty ? nil : Statement(version: version, behindSide: behindSide, behindAll: behindAll)
  }
}
