package import StarlingCore

/// When a replica tells the peers that it follows what it durably holds of one document, and what (Protocol/conversation.md,
/// "Acknowledgements"). Performs nothing.
///
/// ```
///   owed ── at once, or once the interval has passed ──► told
///     ▲                                                    │ something is held back, or is durable since
///     └────────────────────────────────────────────────────┘
/// ```
package struct Acknowledgements: Sendable {
  /// What is told.
  package struct Statement: Sendable, Hashable {
    package var version: Version
    /// What those behind this relay have durably merged: on its side, for relays beside it, and all, for everybody else.
    package var behindSide: Version?
    package var behindAll: Version?

    package func behind(isBeside: Bool) -> Version? { isBeside ? behindSide : behindAll }
  }

  private var isMarked = false
  /// When the interval since the last one is over.
  private var next = Duration.zero
  private var behindSide: Version?
  private var behindAll: Version?

  package init() {}

  /// Something is to be told, be it again: more is durable, or somebody may have joined.
  package mutating func mark() { isMarked = true }

  /// What those behind this relay have durably merged, for the next acknowledgements.
  package mutating func stand(behindSide: Version?, behindAll: Version?) {
    (self.behindSide, self.behindAll) = (behindSide, behindAll)
  }

  /// As it was told last.
  package var behind: [Version?] { [behindSide, behindAll] }

  /// Whether there is something to tell, at once or when the interval has passed. While the log fails nothing is promised.
  package func areOwed(isLogFailing: Bool, durable: @autoclosure () -> Version) -> Bool {
    isMarked && !isLogFailing && !durable().isEmpty
  }

  /// Whether the interval since the last one has passed.
  package func isDue(_ now: Duration) -> Bool { now >= next }

  /// What is told now to all.
  ///
  /// - Parameters:
  ///   - interval: the least time between two.
  ///   - hold: as much of what is durable as may be told.
  package mutating func take(
    durable: Version, isLogFailing: Bool, now: Duration, interval: Duration, hold: (Version) -> Version
  ) -> Statement? {
    guard now >= next, areOwed(isLogFailing: isLogFailing, durable: durable) else { return nil }
    next = now + interval
    let version = hold(durable)
    // What is held back is told as soon as it may be.
    isMarked = version != durable
    return statement(version)
  }

  /// What is told to one alone who was told nothing yet.
  package func tell(durable: Version, isLogFailing: Bool, hold: (Version) -> Version) -> Statement? {
    isLogFailing ? nil : statement(hold(durable))
  }

  private func statement(_ version: Version) -> Statement? {
    version.isEmpty ? nil : Statement(version: version, behindSide: behindSide, behindAll: behindAll)
  }
}
