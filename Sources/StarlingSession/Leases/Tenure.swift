public import StarlingCore
public import StarlingWire

/// How a process that keeps nothing comes by a replica id on loan for one document, and gives it back
/// (Protocol/conversation.md, "Leases"). Performs nothing.
///
/// ```
///            a peer lends        granted             everything is here that the id ever wrote
///   without ─────────────► asking ──────► offered ─────────────────────────────────────────────► holding
///                            │ no answer, │ not in time, or something is written already           │ over,
///                            ▼ nothing    ▼                                                        ▼ given back
///                            └────────────┴───────────────────────────────────────────────────► settled
/// ```
///
/// Settled, it writes under an id of its own, as it does before: nothing that is written waits for a loan.
public struct Tenure: Sendable {
  public enum Effect: Hashable, Sendable {
    case say(Message.Lease.Request, to: StoreID)
    /// To be tried, and answered by `tookUp`, `mayNotTakeUp` or, where something is not here yet, not at all.
    case takeUp(Message.Loan)
    /// What is written from now on is written under an id of one's own.
    case writeAsOneself
    /// The id is one's own from now on: nobody will be lent it.
    case keepForGood
    case nothing
  }

  private enum Place {
    case without
    case asking(StoreID, again: Duration, until: Duration)
    case offered(StoreID, Message.Loan, until: Duration)
    case holding(StoreID, Message.Loan)
    case returning(StoreID, Message.Loan)
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

  /// The loan that is written under, and who lent it.
  public var held: (lessor: StoreID, loan: Message.Loan)? {
    if case .holding(let lessor, let loan) = place { (lessor, loan) } else { nil }
  }

  /// The lessor that is still to hear that its loan is given back.
  public var returningTo: StoreID? {
    if case .returning(let lessor, _) = place { lessor } else { nil }
  }

  /// A peer that lends is there, for the first time or again.
  ///
  /// - Parameter hasWritten: whether something was written under an id of one's own, which is in the document then.
  public mutating func meet(_ lessor: StoreID, hasWritten: Bool, now: Duration) -> Effect {
    switch place {
    case .without where hasWritten: place = .settled
    case .without: return ask(lessor, until: now + Self.patience, now: now)
    case .holding(lessor, let loan): return .say(.goOn(loan), to: lessor)
    case .asking, .offered, .holding, .returning, .settled: break
    }
    return .nothing
  }

  private mutating func ask(_ lessor: StoreID, until: Duration, now: Duration) -> Effect {
    place = .asking(lessor, again: now + Self.askingAgain, until: until)
    return .say(.ask, to: lessor)
  }

  public mutating func receive(_ answer: Message.Leased.Answer, from sender: StoreID) -> Effect {
    switch (answer, place) {
    case (.returned(let loan), .returning(sender, let known)) where loan.isSame(as: known): place = .settled
    // It is not the lessor's business any more.
    case (.over, .returning(sender, _)), (.nothing, .returning(sender, _)): place = .settled
    case (.granted(let loan), .asking(sender, _, let until)):
      place = .offered(sender, loan, until: until)
      return .takeUp(loan)
    case (.granted(let loan), .offered(sender, let known, _)) where loan.isSame(as: known): return .nothing
    case (.granted(let loan), .holding(sender, let known)) where loan.isSame(as: known): return .nothing
    // It came too late.
    case (.granted(let loan), _): return .say(.giveBack(loan), to: sender)
    case (.nothing, .asking(sender, _, _)): place = .settled
    case (.nothing, .holding(sender, _)):
      place = .settled
      return .keepForGood
    case (.over(let loan), .holding(sender, let known)) where loan.replica == known.replica:
      place = .settled
      return .writeAsOneself
    case (.over(let loan), .offered(sender, let known, _)) where loan.replica == known.replica: place = .settled
    case (.nothing, _), (.over, _), (.returned, _): break
    }
    return .nothing
  }

  public mutating func tick(now: Duration) -> Effect {
    switch place {
    case .asking(_, _, let until) where until <= now: place = .settled
    case .asking(let lessor, let again, let until) where again <= now: return ask(lessor, until: until, now: now)
    case .offered(_, _, let until) where until <= now: return mayNotTakeUp()
    case .offered(_, let loan, _): return .takeUp(loan)
    case .without, .asking, .holding, .returning, .settled: break
    }
    return .nothing
  }

  public mutating func tookUp() {
    if case .offered(let lessor, let loan, _) = place { place = .holding(lessor, loan) }
  }

  /// Something was written meanwhile, or somebody else writes under that id.
  public mutating func mayNotTakeUp() -> Effect {
    guard case .offered(let lessor, let loan, _) = place else { return .nothing }
    place = .settled
    return .say(.giveBack(loan), to: lessor)
  }

  /// Somebody else wrote under the id that is held: it is not given back, so that nobody is lent it.
  public mutating func lose() {
    place = .settled
  }

  /// Nothing more is written.
  ///
  /// - Parameter version: what is merged, own writes included.
  public mutating func close(version: Version) -> Effect {
    switch place {
    case .holding(let lessor, var loan):
      loan.counter = version[loan.replica]
      place = .returning(lessor, loan)
      return .say(.giveBack(loan), to: lessor)
    case .offered(let lessor, let loan, _):
      place = .returning(lessor, loan)
      return .say(.giveBack(loan), to: lessor)
    case .without, .asking, .returning, .settled:
      place = .settled
      return .nothing
    }
  }
}

extension Message.Loan {
  fileprivate func isSame(as other: Message.Loan) -> Bool { replica == other.replica && number == other.number }
}
