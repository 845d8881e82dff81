public import StarlingCore
public import StarlingWire

/// Decides of one document whether peers are told with a heartbeat where it stands.
///
/// What changed is told, and told again `repeatCount` times. Then nothing is said until something else changes, or
/// until it is the document's turn (`HeartbeatRound`): messages that were lost are noticed by their number
/// (`MessageTally`).
public struct DocumentHeartbeat: Sendable {
  /// What peers are told.
  public struct Statement: Sendable, Hashable {
    public var version: VersionVector
    public var digest: Digest?
    /// Where our streams stand.
    public var positions: [StreamPosition]
    public var arriving: Message.Arrival?
    /// What those behind this replica have durably merged.
    public var behind: [VersionVector?]

    public init(
      version: VersionVector, digest: Digest?, positions: [StreamPosition], arriving: Message.Arrival?,
      behind: [VersionVector?]
    ) {
      self.version = version
      self.digest = digest
      self.positions = positions
      self.arriving = arriving
      self.behind = behind
    }
  }

  /// Which peers are told of it now.
  public enum Telling: Sendable, Hashable {
    case nobody
    /// It changed lately.
    case followers
    /// It is its turn, and may have changed as well. Those are told too who did not ask, as they were at first: what told
    /// them may be lost.
    case everybody(isNews: Bool)

    public var isNews: Bool {
      switch self {
      case .nobody: false
      case .followers: true
      case .everybody(let isNews): isNews
      }
    }
  }

  /// How often the same is told again.
  public static let repeatCount = 2

  private var told: Statement?
  private var repeats = 0

  public init() {}

  /// - Parameter isTurn: whether the document is told of in any case.
  public mutating func tells(_ statement: Statement, isTurn: Bool) -> Telling {
    if told != statement {
      told = statement
      repeats = 0
      return isTurn ? .everybody(isNews: true) : .followers
    }
    repeats = min(repeats + 1, Self.repeatCount + 1)
    let isNews = repeats <= Self.repeatCount
    return isTurn ? .everybody(isNews: isNews) : isNews ? .followers : .nobody
  }
}

/// Which documents have their turn with a heartbeat, in their order, though nothing happens in them: one is looked at, or
/// of many so many that each has its turn within `beatCount` heartbeats. Peers are told of them more rarely, and within
/// as many: a daemon hears the turns of all its peers, so each has few.
public struct HeartbeatRound: Sendable {
  public static let beatCount = 4096
  /// Each how many heartbeats something is said though nothing happens.
  public static let quietInterval = 8

  /// The places whose turn it is.
  public struct Turns: Sendable {
    public var reviewed: [Range<Int>]
    public var told: [Range<Int>]
  }

  private var beat = 0
  private var (nextReviewed, nextTold) = (0, 0)

  public init() {}

  /// What has its turn with the next heartbeat, of `count` documents.
  public mutating func take(of count: Int) -> Turns {
    defer { beat = (beat + 1) % Self.quietInterval }
    let reviewed = Self.take(from: &nextReviewed, of: count, within: Self.beatCount)
    guard beat == 0 else { return Turns(reviewed: reviewed, told: []) }
    return Turns(
      reviewed: reviewed, told: Self.take(from: &nextTold, of: count, within: Self.beatCount / Self.quietInterval))
  }

  private static func take(from next: inout Int, of count: Int, within turnCount: Int) -> [Range<Int>] {
    guard count > 1 else { return [0..<count] }
    let share = (count + turnCount - 1) / turnCount
    let start = next < count ? next : 0
    let end = start + share
    next = end % count
    return end <= count ? [start..<end] : [start..<count, 0..<(end - count)]
  }
}
