import StarlingCore
import StarlingWire

extension DocumentSession {
  /// What is known of a peer that is followed, or to be.
  struct Followed {
    var place = Place.waiting
    var receiver = StreamReceiver()
    /// What arrived of its answer, as `AnswerFlow` counts, and how many of them it was told of.
    var taken = 0
    var told = 0
    /// What the peer is known to hold, and when it last said that it does.
    var version = VersionVector()
    var saidAt: Duration?
    /// Where its stream stood when it last said so.
    var position: StreamPosition?
    /// Whether states are taken from it; its own changes are all that is asked for of one from which none are.
    var isTrustedWithState = true
    /// The peer's account; while it is asked, others of the same account are not.
    var account: String?
    /// Since when it has been ahead of us without an ask under way.
    var behindSince: Duration?
    /// Whether changes of the peer's stand on tombstones that were collected here, which only its state has.
    var wantsState = false
    /// Whether the latest ask was for that.
    var askedForState = false
    /// What its state, or the paths of tombstones are wanted for, and how many have come for each.
    var anchorsWanted: Set<Dot> = []
    var anchorsAnswered: [Dot: Int] = [:]
    /// How many asks in a row did not bring what the peer said it holds, and when the latest ended.
    var failures = 0
    var failedAt: Duration?
    /// Whether it ever spoke of the document, and whether it had when it was asked last.
    var isAnnounced = false
    var wasAnnouncedWhenAsked = false
    /// Whether the ask has not gone out yet, since others are before it (`AskWindow`).
    var isHeldBack = false
    /// How many asks in a row the link did not take.
    var undelivered = 0
    /// When it was asked last, and when the latest part of the answer came.
    var askedAt = Duration.zero
    var heardAt: Duration?

    var isAsked: Bool { if case .asking = place { true } else { false } }

    /// Whether time may bring something on.
    func isDue(version: VersionVector, now: Duration) -> Bool {
      switch place {
      case .asking(_, let deadline): deadline <= now
      case .following: behindSince != nil || isAhead(of: version)
      case .waiting: true
      }
    }

    /// Whether it has something that we lack.
    func isAhead(of version: VersionVector) -> Bool {
      if wantsState || !version.covers(self.version) { return true }
      guard let said = position else { return false }
      return receiver.position.map { $0.stream != said.stream || $0.sequence < said.sequence } ?? true
    }

    mutating func noteFailure(now: Duration) {
      failures += 1
      failedAt = now
    }

    func candidate(lacking version: VersionVector, now: Duration) -> AskingOrder.Candidate {
      let evidence: AskingOrder.Evidence =
        receiver.holdsFrames
        ? .published : !version.covers(self.version) ? .claims : isAnnounced ? .announced : .silent
      return AskingOrder.Candidate(evidence: evidence, failedAt: failures > 0 ? failedAt : nil, account: account)
    }

    mutating func noteWanted(_ anchors: [Dot]) {
      let countMax = isTrustedWithState ? anchorCountMax : Message.Want.lackingCountMax
      for dot in anchors where anchorsWanted.count < countMax { anchorsWanted.insert(dot) }
    }

    /// What was wanted came, or nothing will come of it.
    mutating func noteAnswer() {
      wantsState = false
      askedForState = false
      for dot in anchorsWanted { anchorsAnswered[dot, default: 0] += 1 }
      anchorsWanted = []
    }

    /// Whether nothing more is to be expected for the anchor. A peer whose version did not cover ours when it answered
    /// may have had to end a path early.
    func hasAnswered(_ anchor: Dot) -> Bool {
      anchorsAnswered[anchor, default: 0] >= (isTrustedWithState ? 1 : pathCountMax)
    }
  }

  /// Where a followed peer stands.
  enum Place: Hashable {
    case waiting
    case asking(request: UInt32, deadline: Duration)
    case following
  }
}
