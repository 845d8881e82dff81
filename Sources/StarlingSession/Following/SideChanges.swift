public import StarlingCore

/// Which changes of a document the mesh peers of a relay hear from it alone: all but what a mesh peer brought, now or
/// before, when it was held here (Protocol/conversation.md, "Daemons among themselves").
///
/// ```
///   from a mesh peer, held ──► noted ──┐
///   from a mesh peer, merged ──────────┼──► told to our side alone
///   from our side ─────────────────────┴──► told to mesh peers too
/// ```
public struct SideChanges: Sendable {
  /// So many held changes are noted.
  public static let heldCountMax = 10_000

  /// First dots of changes that mesh peers brought, and that were held when they came.
  private var held: Set<Dot> = []

  public init() {}

  /// A mesh peer brought these; some may not merge yet: the others hear of them from that peer.
  ///
  /// - Parameter version: what is merged.
  public mutating func noteHeld(_ parts: [Contribution], version: VersionVector) {
    for part in parts {
      switch part {
      case .change(let change): noteHeld(change, version: version)
      case .sets(let history):
        // Most have merged.
        if version.covers(Dot(history.replica, history.lastCounter)) { continue }
        for change in history.changes { noteHeld(change, version: version) }
      case .history: break
      }
    }
  }

  private mutating func noteHeld(_ change: Change, version: VersionVector) {
    guard !version.covers(change.last) else { return }
    // The gate drops what is too much for it, and tells nobody: to forget costs a frame that others know.
    if held.count >= Self.heldCountMax { held = [] }
    held.insert(Dot(change.replica, change.firstCounter))
  }

  /// The part of what merged that mesh peers are told.
  ///
  /// - Parameter parts: what a mesh peer brought; empty where it came from elsewhere.
  package mutating func ours(of merged: OrderedChanges, broughtBy parts: [Contribution]) -> OrderedChanges {
    if held.isEmpty, parts.isEmpty { return merged }
    var brought: [ReplicaID: ClosedRange<UInt64>] = [:]
    for part in parts {
      let range = part.firstCounter...max(part.firstCounter, part.lastCounter)
      let known = brought[part.replica] ?? range
      brought[part.replica] = min(known.lowerBound, range.lowerBound)...max(known.upperBound, range.upperBound)
    }
    func isBrought(_ replica: ReplicaID, _ counter: UInt64) -> Bool { brought[replica]?.contains(counter) ?? false }
    // Rows are mostly told to all or to none.
    if held.isEmpty,
      merged.rows.allSatisfy({
        isBrought($0.part.replica, $0.part.firstCounter) && isBrought($0.part.replica, $0.part.lastCounter)
      })
    {
      return OrderedChanges(merged.changes.filter { !isBrought($0.replica, $0.firstCounter) })
    }
    var changes = merged.oneByOne
    if !held.isEmpty { changes.removeAll { held.remove(Dot($0.replica, $0.firstCounter)) != nil } }
    return OrderedChanges(changes.filter { !isBrought($0.replica, $0.firstCounter) })
  }
}
