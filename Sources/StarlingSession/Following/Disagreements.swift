/// What to do about peers that hold an equal version of a document and another state (Protocol/conversation.md,
/// "Divergence"): first take their state, which heals what each of two may rightly have forgotten, then stop.
///
/// ```
///   agreeing ── digests differ ──► healing ── still after the patience ──► apart
///      ▲                              │
///      └───────── digests agree ──────┘
/// ```
public struct Disagreements: Sendable {
  public enum Verdict: Hashable, Sendable {
    case goOn
    /// Asks the peer for its state.
    case takeState
    /// Merges no more with this peer.
    case separate
  }

  /// How long the two may take to heal: each asks, merges and tells its digest again.
  public static let patience: Duration = .seconds(15)

  /// A state that comes when more was written already is merged like any other, and heals nothing: it is asked for
  /// again.
  private static let retryInterval: Duration = .seconds(4)

  private var since: [PeerHandle: Duration] = [:]
  private var askedAt: [PeerHandle: Duration] = [:]

  public init() {}

  /// A peer told the digest of the version that is held here.
  ///
  /// - Parameter isTrustedWithState: whether states are taken from it. Otherwise it is waited for: it may take ours.
  public mutating func compare(
    _ peer: PeerHandle, isEqual: Bool, isTrustedWithState: Bool, now: Duration
  ) -> Verdict {
    guard !isEqual else {
      forget(peer)
      return .goOn
    }
    let began = since[peer] ?? now
    since[peer] = began
    guard now - began < Self.patience else { return .separate }
    guard isTrustedWithState, askedAt[peer].map({ now - $0 >= Self.retryInterval }) ?? true else { return .goOn }
    askedAt[peer] = now
    return .takeState
  }

  /// The peer is gone.
  public mutating func forget(_ peer: PeerHandle) {
    since[peer] = nil
    askedAt[peer] = nil
  }
}
