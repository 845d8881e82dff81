public import StarlingCore

/// Connections that work in one direction only, and the peers that follow over them (Protocol/conversation.md, "One-way
/// links").
///
/// A peer that dials and names endpoints is dialled back, and its stream comes by that second connection. Where the
/// second one does not come about, as behind a firewall, its stream comes by the first:
///
/// ```
///        A                                       B
///        │ ── dials, names endpoints ──────────► │  dials A, for `patience` in vain
///        │ ◄──────── want, acknowledge ───────── │  take: follows A over the connection that A made
///  give  │ ── live ────────────────────────────► │
///        │ ◄── dials A after all, want ───────── │  leave: follows A over its own connection again
///  stop  │
/// ```
public struct OneWayLinks: Sendable {
  public enum Turn: Hashable, Sendable {
    /// Follow the peer over the connection that it made, for it cannot be dialled.
    case take(PeerHandle)
    /// Follow it there no more, for it was dialled after all.
    case leave(PeerHandle)
    /// Serve the peer over the connection that we made: it asks there, for it cannot dial us.
    case give(PeerHandle)
    /// Serve it there no more, for it dialled us after all.
    case stop(PeerHandle)
  }

  /// How long a peer is dialled back before it is followed over the connection that it made, where heartbeats are so
  /// far apart: what was lost of a connection's first messages is said again with them.
  public static func patience(heartbeat: Duration) -> Duration { max(.seconds(3), heartbeat * 3) }

  private let patience: Duration

  private struct Link {
    var store: StoreID
    /// Whether we made the connection.
    var isDialled: Bool
    /// Whether whoever made it named endpoints, so that the other end is to dial those.
    var isDialable: Bool
    /// Since when no other connection brings the stream.
    var since: Duration
    var isOneWay = false
  }

  private var links: [PeerHandle: Link] = [:]
  /// Whether a peer that is to be dialled may not be: otherwise nothing is due by the clock.
  public private(set) var isUnsettled = false

  /// - Parameter patience: how long a peer is dialled back before it is followed over the connection that it made.
  public init(patience: Duration = .seconds(3)) {
    self.patience = patience
  }

  // MARK: Connections

  /// A greeting came by the connection, the first or another of the same run.
  public mutating func meet(
    _ peer: PeerHandle, store: StoreID, isDialled: Bool, isDialable: Bool, now: Duration
  ) {
    if let known = links[peer], known.store == store, known.isDialable == isDialable { return }
    isUnsettled = true
    links[peer] = Link(store: store, isDialled: isDialled, isDialable: isDialable, since: now)
  }

  /// The connection is gone, or another run of the peer speaks there.
  public mutating func end(_ peer: PeerHandle, now: Duration) {
    guard let ended = links.removeValue(forKey: peer), ended.isDialled else { return }
    isUnsettled = true
    for other in links.keys where links[other]?.store == ended.store { links[other]?.since = now }
  }

  // MARK: The end that accepted

  /// What is due by the clock, the peers ascending.
  ///
  /// - Parameter isAwaited: whether the store is one that this replica is to dial; others bring their changes
  ///   otherwise.
  /// - Complexity: O(*n* log *n*) in the connections.
  public mutating func review(now: Duration, isAwaited: (StoreID) -> Bool) -> [Turn] {
    let reached = Set(links.values.filter(\.isDialled).map(\.store))
    var taken = Set(links.values.filter { !$0.isDialled && $0.isOneWay }.map(\.store))
    var turns: [Turn] = []
    isUnsettled = false
    for (peer, link) in links.sorted(by: { $0.key < $1.key }) where !link.isDialled && link.isDialable {
      let isReached = reached.contains(link.store)
      isUnsettled = isUnsettled || !isReached
      if isReached || !isAwaited(link.store) {
        links[peer]?.since = now
        if link.isOneWay { turns.append(.leave(peer)) }
        links[peer]?.isOneWay = false
      } else if !link.isOneWay, now - link.since >= patience, taken.insert(link.store).inserted {
        links[peer]?.isOneWay = true
        turns.append(.take(peer))
      }
    }
    return turns
  }

  // MARK: The end that dialled

  /// The peer asked for a document, or acknowledged one, on that connection: it follows us there.
  public mutating func hearFollower(on peer: PeerHandle) -> [Turn] {
    guard let link = links[peer] else { return [] }
    if link.isDialled {
      guard link.isDialable, !link.isOneWay else { return [] }
      links[peer]?.isOneWay = true
      return [.give(peer)]
    }
    let given = links.filter { $0.value.store == link.store && $0.value.isDialled && $0.value.isOneWay }.keys
    for peer in given { links[peer]?.isOneWay = false }
    return given.sorted().map { .stop($0) }
  }

  // MARK: Known links

  /// Whether the stream of the connection is sent by the end that dialled, although it named endpoints.
  public func isOneWay(_ peer: PeerHandle) -> Bool { links[peer]?.isOneWay ?? false }

  /// The peers at the other ends of one-way links, ascending.
  public var peers: [PeerHandle] {
    links.filter(\.value.isOneWay).keys.sorted()
  }
}
