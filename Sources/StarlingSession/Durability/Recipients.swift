public import StarlingCore

/// The durable stores that are to have what this store wrote in a document, before its log may keep that in a state
/// alone; and how much of it each has. Kept by a writer from which somebody takes no states (Protocol/conversation.md,
/// "Own changes").
///
/// ```
///   store 7, as the key of "north" says    1 ─────────────────── 9
///   store 8, as the key of "south" says    1 ──────── 4                  the log keeps 5 and on
///   store 7, as the key of "south" says    1 ─────────── 6               nobody can say it for "north"
/// ```
public struct Recipients: Sendable {
  private struct Recipient {
    var heardAt: UInt64
    /// Whether an earlier run was told of it, and nobody knows whose key that was: it is the one that speaks first.
    var isUnclaimed = false
    /// Of each of our ids.
    var acknowledged: [ReplicaID: UInt64] = [:]

    mutating func acknowledge(_ version: VersionVector, by writers: Set<ReplicaID>) {
      for writer in writers { acknowledged[writer] = max(acknowledged[writer] ?? 0, version[writer]) }
    }
  }

  private let policy: Members.Policy
  private var recipients: [NamedStore: Recipient] = [:]
  /// When the document was opened.
  let openSince: Duration

  /// - Parameters:
  ///   - remembered: the other members of the document, as an earlier run was told of them.
  ///   - policy: how long one may be away, and how many are kept, as for members.
  ///   - owner: the owner of the key that has spoken for a store; nil where none is known, or several are.
  ///   - writers: our ids.
  ///   - now: milliseconds since 1970-01-01 UTC, as everywhere here but in `openSince`.
  public init(
    _ remembered: [LogMember] = [], policy: Members.Policy = Members.Policy(),
    owner: (StoreID) -> String? = { _ in nil }, writers: Set<ReplicaID> = [], openSince: Duration, now: UInt64
  ) {
    self.policy = policy
    self.openSince = openSince
    for member in remembered.prefix(policy.countMax) {
      let name = owner(member.store)
      var recipient = Recipient(heardAt: policy.heardAt(of: member, now: now), isUnclaimed: name == nil)
      recipient.acknowledge(member.acknowledged, by: writers)
      recipients[NamedStore(member.store, name: name ?? "")] = recipient
    }
  }

  /// Whether one of these has not spoken of the document.
  public func lacks(_ expected: [NamedStore]) -> Bool { expected.contains { recipients[$0] == nil } }

  /// What a later run is to be told of a member: of our ids no more than all say that speak for its store.
  public func remembered(_ member: LogMember, writers: Set<ReplicaID>) -> LogMember {
    var member = member
    for (name, recipient) in recipients where name.store == member.store {
      for writer in writers {
        member.acknowledged[writer] = min(member.acknowledged[writer], recipient.acknowledged[writer] ?? 0)
      }
    }
    return member
  }

  /// It spoke of the document.
  public mutating func hear(_ name: NamedStore, now: UInt64) {
    if recipients[name] == nil {
      let unclaimed = NamedStore(name.store, name: "")
      if let known = recipients[unclaimed], known.isUnclaimed {
        recipients[unclaimed] = nil
        recipients[name] = known
      } else {
        makeSpace()
      }
    }
    recipients[name, default: Recipient(heardAt: now)].heardAt = now
    recipients[name]?.isUnclaimed = false
  }

  /// It durably holds `version`.
  ///
  /// - Parameter writers: our ids.
  public mutating func acknowledge(
    _ name: NamedStore, _ version: VersionVector, by writers: Set<ReplicaID>, now: UInt64
  ) {
    hear(name, now: now)
    recipients[name]?.acknowledge(version, by: writers)
  }

  /// They are connected: those of them that take part are not given up then.
  public mutating func stand(_ connected: Set<NamedStore>, now: UInt64) {
    for place in recipients.indices where connected.contains(recipients[place].key) {
      recipients.values[place].heardAt = now
    }
  }

  /// Of each of our ids, as many operations as all of them have.
  ///
  /// - Complexity: O(recipients · ids)
  public mutating func durable(by writers: Set<ReplicaID>, now: UInt64) -> VersionVector {
    for (name, recipient) in recipients where policy.givesUp(heardAt: recipient.heardAt, isDurable: true, now: now) {
      recipients[name] = nil
    }
    return VersionVector(
      writers.compactMap { writer in
        let counters = recipients.values.lazy.map { $0.acknowledged[writer] ?? 0 }
        guard let counter = counters.min(), counter > 0 else { return nil }
        return VersionVector.Entry(replica: writer, counter: counter)
      })
  }

  private mutating func makeSpace() {
    guard recipients.count >= policy.countMax else { return }
    let oldest = recipients.min { first, second in
      (first.value.heardAt, first.key.store.rawValue, first.key.name)
        < (second.value.heardAt, second.key.store.rawValue, second.key.name)
    }
    if let oldest { recipients[oldest.key] = nil }
  }
}
