public import StarlingCore

/// Peers that said goodbye, and whose streams are followed for a moment more. Performs nothing.
///
/// What a peer published last comes by a connection of its own, and may come after the goodbye that was sent behind it.
///
/// ```
///   goodbye ──── its streams are still followed: patience ────► seen off
/// ```
public struct Farewells: Sendable {
  /// One that said goodbye.
  public struct Leaver: Hashable, Sendable {
    public let peer: PeerHandle
    /// The peer's store, where it said so.
    public let store: StoreID?
    /// Where it said that it is dialled.
    public let endpoints: [String]

    public init(_ peer: PeerHandle, store: StoreID?, endpoints: [String]) {
      self.peer = peer
      self.store = store
      self.endpoints = endpoints
    }
  }

  /// How much later than a goodbye what was sent before it may come.
  static let patience = Duration.milliseconds(250)

  /// In the order of their goodbyes, which is that of their ends.
  private var leaving: [(leaver: Leaver, end: Duration)] = []

  public init() {}

  public var isEmpty: Bool { leaving.isEmpty }

  /// The peer said goodbye; said twice, the first time counts.
  public mutating func add(_ leaver: Leaver, now: Duration) {
    guard !leaving.contains(where: { $0.leaver.peer == leaver.peer }) else { return }
    leaving.append((leaver, now + Self.patience))
  }

  /// The peer is there again.
  ///
  /// - Returns: whether it had said goodbye a moment ago.
  public mutating func remove(_ peer: PeerHandle) -> Bool {
    let place = leaving.firstIndex { $0.leaver.peer == peer }
    if let place { leaving.remove(at: place) }
    return place != nil
  }

  /// Takes out those whose moment is over, in the order of their goodbyes.
  public mutating func takeLeft(by now: Duration) -> [Leaver] {
    let count = leaving.firstIndex { $0.end > now } ?? leaving.count
    defer { leaving.removeFirst(count) }
    return leaving[..<count].map(\.leaver)
  }
}
