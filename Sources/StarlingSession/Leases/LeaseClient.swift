public import StarlingCore
public import StarlingWire

/// How a process that keeps nothing acquires a lease of a replica id for one document, and releases it
/// (Protocol/conversation.md, "Leases"). Performs nothing.
///
/// ```
///            a grantor is there  granted             everything is here that the id ever wrote
///   without ─────────────► asking ──────► offered ─────────────────────────────────────────────► holding
///                            │ no answer, │ not in time, or something is written already           │ over,
///                            ▼ nothing    ▼                                                        ▼ given back
///                            └────────────┴───────────────────────────────────────────────────► settled
/// ```
///
/// Settled, it writes under an id of its own, as it does before: nothing that is written waits for a lease.
public struct LeaseClient: Sendable {
  public enum Effect: Hashable, Sendable {
    case say(Message.Lease.Request, to: StoreID)
    /// To be tried, and answered by `tookUp`, `mayNotTakeUp` or, where something is not here yet, not at all.
    case takeUp(Message.LeaseGrant)
    /// What is written from now on is written under an id of one's own.
    case writeAsOneself
    /// The id is one's own from now on: it is leased to nobody else.
    case keepForGood
    case nothing
  }

  private enum Place {
    case without
    case asking(StoreID, again: Duration, until: Duration)
    case offered(StoreID, Message.LeaseGrant, until: Duration)
    case holding(StoreID, Message.LeaseGrant)
    case returning(StoreID, Message.LeaseGrant)
    case settled
  }

  private var place = Place.without

  /// How long an answer is waited for in all, and after what time it is asked for again.
  private static let patience: Duration = .seconds(10)
  private static let askingAgain: Duration = .milliseconds(500)

  public init() {}

  /// Whether the id to write under may still change for another.
  public var isAwaited: Bool {
    switch place {
    case .asking, .offered: true
    case .without, .holding, .returning, .settled: false
    }
  }

  /// The lease that is written under, and its grantor.
  public var held: (grantor: StoreID, grant: Message.LeaseGrant)? {
    if case .holding(let grantor, let grant) = place { (grantor, grant) } else { nil }
  }

  /// The grantor that is still to hear that its lease is released.
  public var returningTo: StoreID? {
    if case .returning(let grantor, _) = place { grantor } else { nil }
  }

  /// A peer that grants leases is there, for the first time or again.
  ///
  /// - Parameter hasWritten: whether something was written under an id of one's own, which is in the document then.
  public mutating func meet(_ grantor: StoreID, hasWritten: Bool, now: Duration) -> Effect {
    switch place {
    case .without where hasWritten: place = .settled
    case .without: return ask(grantor, until: now + Self.patience, now: now)
    case .holding(grantor, let grant): return .say(.goOn(grant), to: grantor)
    case .asking, .offered, .holding, .returning, .settled: break
    }
    return .nothing
  }

  private mutating func ask(_ grantor: StoreID, until: Duration, now: Duration) -> Effect {
    place = .asking(grantor, again: now + Self.askingAgain, until: until)
    return .say(.ask, to: grantor)
  }

  public mutating func receive(_ answer: Message.Leased.Answer, from sender: StoreID) -> Effect {
    switch (answer, place) {
    case (.returned(let grant), .returning(sender, let known)) where grant.isSame(as: known): place = .settled
    // The grantor no longer keeps that lease.
    case (.over, .returning(sender, _)), (.nothing, .returning(sender, _)): place = .settled
    case (.granted(let grant), .asking(sender, _, let until)):
      place = .offered(sender, grant, until: until)
      return .takeUp(grant)
    case (.granted(let grant), .offered(sender, let known, _)) where grant.isSame(as: known): return .nothing
    case (.granted(let grant), .holding(sender, let known)) where grant.isSame(as: known): return .nothing
    // It came too late.
    case (.granted(let grant), _): return .say(.giveBack(grant), to: sender)
    case (.nothing, .asking(sender, _, _)): place = .settled
    case (.nothing, .holding(sender, _)):
      place = .settled
      return .keepForGood
    case (.over(let grant), .holding(sender, let known)) where grant.replica == known.replica:
      place = .settled
      return .writeAsOneself
    case (.over(let grant), .offered(sender, let known, _)) where grant.replica == known.replica: place = .settled
    case (.nothing, _), (.over, _), (.returned, _): break
    }
    return .nothing
  }

  public mutating func tick(now: Duration) -> Effect {
    switch place {
    case .asking(_, _, let until) where until <= now: place = .settled
    case .asking(let grantor, let again, let until) where again <= now: return ask(grantor, until: until, now: now)
    case .offered(_, _, let until) where until <= now: return mayNotTakeUp()
    case .offered(_, let grant, _): return .takeUp(grant)
    case .without, .asking, .holding, .returning, .settled: break
    }
    return .nothing
  }

  public mutating func tookUp() {
    if case .offered(let grantor, let grant, _) = place { place = .holding(grantor, grant) }
  }

  /// Something was written since, or somebody else writes under that id.
  public mutating func mayNotTakeUp() -> Effect {
    guard case .offered(let grantor, let grant, _) = place else { return .nothing }
    place = .settled
    return .say(.giveBack(grant), to: grantor)
  }

  /// Somebody else wrote under the id that is held: it is not released, so that it is leased to nobody else.
  public mutating func lose() {
    place = .settled
  }

  /// Nothing more is written.
  ///
  /// - Parameter version: what is merged, own writes included.
  public mutating func close(version: VersionVector) -> Effect {
    switch place {
    case .holding(let grantor, var grant):
      grant.counter = version[grant.replica]
      place = .returning(grantor, grant)
      return .say(.giveBack(grant), to: grantor)
    case .offered(let grantor, let grant, _):
      place = .returning(grantor, grant)
      return .say(.giveBack(grant), to: grantor)
    case .without, .asking, .returning, .settled:
      place = .settled
      return .nothing
    }
  }
}

extension Message.LeaseGrant {
  fileprivate func isSame(as other: Message.LeaseGrant) -> Bool { replica == other.replica && number == other.number }
}
