/// How far the tombstone collection of a document has come, one sequence after the other.
///
/// ```
/// marks ──► removals: which are stable? ──► round 0, 1, … : which has nothing resting on it? ──► next sequence
/// ```
///
/// It says where to go on, and nothing that must hold: a document that was altered in between, or is another one, may
/// have more left than it would.
package struct TombstoneCollection: Sendable {
  /// What every member has durably merged, or less.
  package let stable: VersionVector
  /// How many items and marks went.
  package internal(set) var count = 0
  /// Of the sequence among all.
  private(set) var place = 0
  var step = Step.marks
  private var hasBegun = false
  /// Whether something went in this round.
  private var isShrinking = false

  enum Step: Equatable {
    case marks
    case removals
    case round(Int)
  }

  /// What something rested on may follow it, at once in all but contrived cases.
  private static var roundCountMax: Int { 8 }

  package init(stable: VersionVector) {
    self.stable = stable
  }

  /// - Returns: Whether this is the first call.
  mutating func begin() -> Bool {
    defer { hasBegun = true }
    return !hasBegun
  }

  mutating func note(_ gone: Int) {
    count += gone
    if gone > 0 { isShrinking = true }
  }

  /// - Returns: Whether another round may find something.
  mutating func endRound() -> Bool {
    defer { isShrinking = false }
    guard isShrinking, case .round(let round) = step, round + 1 < Self.roundCountMax else { return false }
    step = .round(round + 1)
    return true
  }

  mutating func endSequence() {
    place += 1
    step = .marks
    isShrinking = false
  }
}
