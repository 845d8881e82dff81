import StarlingCore

// What is due by the clock.
extension Replication {
  /// When each thing is due next.
  struct Schedule: Sendable {
    var tick = Duration.zero
    var waiting = Duration.zero
    var heartbeat = Duration.zero
    var trustReview = Duration.zero
    var membership = Duration.zero
    var compact = Duration.zero
    /// Since when no document has changed, nor what is known of it.
    var calmSince: Duration?
    /// When each peer was last asked to say hello that spoke without having done so.
    var helloAsked = HandleTable<Duration>()
  }

  /// Batches may come by the thousand a second; what is due by the clock is looked at less often.
  private static let tickMin = Duration.milliseconds(5)
  /// An ask is repeated, or put to the next peer, after a multiple of this.
  private static let waitingInterval = Duration.milliseconds(40)
  private static let membershipInterval = Duration.milliseconds(250)

  /// How long a group must have been calm, and how rarely the clock is looked at then. Somebody who writes, or a message
  /// that comes, ends that at once; what is due by the clock comes so much later at most.
  private static let calmAfter = Duration.seconds(10)
  private static let calmTick = Duration.milliseconds(250)

  /// How often the next ticks are to come, where nothing else happens.
  ///
  /// - Parameter usual: how often while anything is awaited.
  package func tickInterval(usual: Duration) -> Duration {
    if pipeline.pauses { return min(usual, pipeline.policy.pause) }
    guard let calmSince = schedule.calmSince, now - calmSince >= Self.calmAfter, !isAwaiting else { return usual }
    return max(usual, min(Self.calmTick, policy.heartbeat / 4))
  }

  /// Whether something may be due with the next tick.
  private var isAwaiting: Bool {
    documents.isAwaiting || !asks.isEmpty || !opening.isEmpty || closed.isRoundUnderWay || !waiters.isEmpty
      || !connections.farewells.isEmpty || pipeline.isBusy || leaseReview.isSoon || isClosing
      || documents.count > policy.openDocumentCountMax
  }

  /// Called for every batch of events, and from time to time though nothing happens.
  package mutating func tick() {
    guard now >= schedule.tick else { return }
    schedule.calmSince = schedule.calmSince ?? now
    schedule.tick = now + Self.tickMin
    seeOff()
    tickActive()
    closeUnused()
    openInTurn()
    askInTurn()
    reviewWaiters()
    if now >= schedule.trustReview {
      schedule.trustReview = now + policy.trustInterval
      effects.append(.reviewTrust)
    }
    if now >= schedule.heartbeat {
      schedule.heartbeat = now + policy.heartbeat
      prepareBeat()
    }
    if now >= schedule.membership {
      schedule.membership = now + Self.membershipInterval
      tickMembership()
    }
    if leaseReview.isDue(now: now, heartbeat: policy.heartbeat), isGrantingLeases { effects.append(.reviewLeases) }
    if now >= schedule.compact {
      schedule.compact = now + policy.compactionInterval
      if let limit = policy.agingLimit(at: wall) { effects.append(.compactAgedLogs(before: limit)) }
    }
    if endpoints.isReviewDue(now: now, interval: policy.discoveryInterval) { effects.append(.discover) }
  }

  /// Reviews the documents that are active, and lets those go idle that await nothing. There may be thousands, and few
  /// are written or asked about at a time: the others cost nothing but a look in their turn
  /// (Documentation/Decisions/documents-come-to-rest.md).
  ///
  /// ```
  ///              written here, spoken of, opened, told of with a heartbeat
  ///   idle ──────────────────────────────────────────────────► active: reviewed with each tick
  ///      ▲                                                      │ ▲
  ///      ├──────── after a tick: nothing is awaited ◄───────────┤ │ after a while
  ///      └──────── after a tick: only time brings it on ◄───────┘ │
  ///                    waiting ───────────────────────────────────┘
  /// ```
  private mutating func tickActive() {
    if now >= schedule.waiting {
      schedule.waiting = now + Self.waitingInterval
      documents.activateWaiting(now: now)
    }
    for number in documents.active {
      let version = documents.look(at: number) { $0.pointee.version }
      carryOut(documents[number].session.tick(version: version, now: now), in: number)
      acknowledgeIfDue(number)
      if documents.look(at: number, { $0.pointee.isPresent }) { effects.append(.reviewPresence(number)) }
      reviewLeaseClient(of: number)
      tellProgress(of: number)
    }
    let isLogFailing = pipeline.failure != nil
    documents.review(isLogFailing: isLogFailing) { pipeline.durable(of: $0) }
  }
}
