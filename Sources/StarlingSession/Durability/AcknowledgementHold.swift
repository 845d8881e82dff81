public import StarlingCore

/// Keeps what merges while a transaction is open out of acknowledgements until the transaction's change is durable
/// (Protocol/conversation.md, "Acknowledgements").
///
/// The change may be anchored on items whose removal merges before the change is committed. Whoever hears that this
/// store holds the removal, and not the change with it, collects the tombstone, and the change comes without its
/// anchor.
///
/// ```
///   open ── merge: V, V+1, ... ── committed: last dot ── durable covers the dot
///            └───────────── acknowledged: no more than V ────────────┘
/// ```
public struct AcknowledgementHold: Sendable {
  private struct Hold {
    /// What was merged before.
    let version: VersionVector
    /// The last operation of the latest change that it is for; nil while there is none.
    var last: Dot?
  }

  /// The first ends with the change that it is for. A second is for all changes after that until the first has ended,
  /// so that one transaction after the other holds nothing back for good.
  private var holds: [Hold] = []
  /// Whether something merged beside the transaction that is open; the last hold is for its change too.
  private var isOpen = false

  public init() {}

  /// Something is about to merge beside an open transaction.
  ///
  /// - Parameter version: what is merged so far.
  public mutating func mergesBesideTransaction(_ version: @autoclosure () -> VersionVector) {
    guard !isOpen else { return }
    isOpen = true
    if holds.count < 2 { holds.append(Hold(version: version())) }
  }

  /// The transaction has ended.
  ///
  /// - Parameter last: the last operation of its change; nil if it wrote nothing.
  public mutating func transactionEnded(_ last: @autoclosure () -> Dot?) {
    guard isOpen else { return }
    isOpen = false
    if let last = last() {
      holds[holds.count - 1].last = last
    } else if holds[holds.count - 1].last == nil {
      holds.removeLast()
    }
  }

  /// As much of what is durable as may be acknowledged.
  public mutating func acknowledgeable(of durable: VersionVector) -> VersionVector {
    while let last = holds.first?.last, durable.covers(last), !isOpen || holds.count > 1 { holds.removeFirst() }
    return holds.first.map { durable.intersection($0.version) } ?? durable
  }
}
