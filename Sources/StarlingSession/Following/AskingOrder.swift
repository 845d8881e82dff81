/// Decides which of the waiting peers is asked next for what a document lacks, and whether now.
///
/// ```
///   published it ─► claims to hold it ─► spoke of the document ─► never did        asked in this order;
///   ── who failed to deliver lately ──────────────────────────────────────►        behind all others
/// ```
/// One is asked at a time as long as it delivers. Beside one that is silent the next is asked after a fraction of the
/// time that an answer may take, and at once if more speaks for it than for all who are asked. Of connections of one
/// account one alone may be silent at a time: however many it opens, they keep nobody from being asked.
struct AskingOrder: Sendable {
  /// What speaks for asking a peer.
  enum Evidence: Int, Comparable, CaseIterable, Sendable {
    /// Frames of its stream wait to be read.
    case published
    /// It says that it holds what is lacking.
    case claims
    /// It spoke of the document.
    case announced
    case silent

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  struct Candidate: Sendable {
    var evidence = Evidence.silent
    /// When it last failed to deliver what it claims, if it did in a row up to now.
    var failedAt: Duration?
    /// The allowlist's name for the peer; nil for one that is trusted for where it is, or relays.
    var account: String?
  }

  struct Asked: Sendable {
    var candidate: Candidate
    var askedAt: Duration
    /// When the latest part of its answer came.
    var heardAt: Duration?
  }

  /// For so long a failure counts against a peer.
  static let memory: Duration = .seconds(60)
  /// At most so many are asked at the same time.
  static let askedCountMax = 8

  let answerTimeout: Duration

  /// After so long without a word the next is asked too.
  var step: Duration { answerTimeout / 16 }
  /// The same for one whose answer has begun.
  var pause: Duration { answerTimeout / 2 }

  /// The place of the peer to be asked now among those that wait, in the order in which they came; nil for none.
  ///
  /// - Complexity: O(*n* + *m*) in those that wait and those that are asked
  func next(of waiting: [Candidate], beside asked: [Asked], now: Duration) -> Int? {
    let silent = Set(asked.lazy.filter { $0.heardAt == nil }.compactMap(\.candidate.account))
    let eligible = waiting.indices.lazy.filter { waiting[$0].account.map { !silent.contains($0) } ?? true }
    guard asked.count < Self.askedCountMax,
      let best = eligible.min(by: { (rank(waiting[$0], now), $0) < (rank(waiting[$1], now), $1) })
    else { return nil }
    if asked.allSatisfy({ isSlow($0, now) }) { return best }
    let isBeforeAll = asked.allSatisfy {
      isSlow($0, now) || $0.heardAt == nil && rank(waiting[best], now) < rank($0.candidate, now)
    }
    return isBeforeAll ? best : nil
  }

  private func isSlow(_ asked: Asked, _ now: Duration) -> Bool {
    asked.heardAt.map { now - $0 >= pause } ?? (now - asked.askedAt >= step)
  }

  private func rank(_ candidate: Candidate, _ now: Duration) -> Int {
    let hasFailed = candidate.failedAt.map { now - $0 < Self.memory } ?? false
    return (hasFailed ? Evidence.allCases.count : 0) + candidate.evidence.rawValue
  }
}
