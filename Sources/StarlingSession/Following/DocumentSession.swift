public import StarlingCore
public import StarlingWire

/// Decides, for one document, which peers to follow, what to ask for, and what to merge. Performs nothing:
/// every call takes the moment and what stands, and returns what should happen.
///
/// Each peer that we follow is in one of three places:
/// ```
///             asked                    answer, resume
///   waiting ─────────► asking(request) ───────────────► following
///      ▲                   │ no answer in time               │ gap, unreadable frame,
///      └───────────────────┴─────────────────────────────────┘ behind for longer than patience
/// ```
/// One peer is asked first: its answer usually holds everything, so that the others have little to add and a joiner
/// does not receive a document once from each member. A peer that published what is lacking, or named it, comes before
/// others; where nothing comes soon the next is asked beside it, so that nobody is held up by a silent peer
/// (`AskingOrder`).
public struct DocumentSession: Sendable {
  /// What a caller should do, in order.
  public enum Effect: Sendable {
    case ask(PeerHandle, Message.Want)
    /// Tells the peer how much of its answer was taken.
    case credit(PeerHandle, Message.Credit)
    case merge([Contribution], from: PeerHandle)
    case mergeState(ValidatedSnapshot, from: PeerHandle)
    /// Stores tombstones that were asked for, until everything that the peer holds is merged everywhere.
    case adopt([Change], from: PeerHandle, expecting: VersionVector)
    /// The peer's bytes cannot be what it meant to send.
    case refuse(PeerHandle, Message.Refusal)
  }

  /// For so many anchors a peer is asked; a peer whose changes lack more makes them up.
  static let anchorCountMax = 4096
  /// So often a peer is asked for the path of one tombstone.
  static let pathCountMax = 4
  /// After so many an answer is waited for as long as after any more.
  static let failureCountWhenIdle = 3
  /// After so many asks in a row that the link did not take, the peer counts as one that does not answer.
  static let undeliveredCountMax = 5

  public let document: DocumentID
  let policy: Policy
  var peers = HandleTable<Followed>()
  /// Peers in `waiting`, in the order in which they will be asked.
  var queue: [PeerHandle] = []
  var nextRequest: UInt32 = 1
  let order: AskingOrder
  /// The parts of a state that arrived, and their sender. They outlive the connection: whoever has the same state may
  /// continue it.
  var assembly: SnapshotAssembly?
  var assemblyOwner: PeerHandle?
  /// Counts for whoever watches.
  public internal(set) var statistics = Statistics()

  /// When to be patient and when to ask again.
  public struct Policy: Sendable {
    /// How long a peer may be ahead before it is asked: frames may be on their way.
    public var patience: Duration
    /// How long an answer may keep silent; doubled for each failure, up to eight times.
    public var answerTimeout: Duration

    public init(patience: Duration = .milliseconds(250), answerTimeout: Duration = .seconds(2)) {
      self.patience = patience
      self.answerTimeout = answerTimeout
    }

    func patience(after failures: Int) -> Duration { patience * (1 << min(failures, 5)) }

    func timeout(after failures: Int) -> Duration {
      answerTimeout * (1 << min(failures, DocumentSession.failureCountWhenIdle))
    }

    /// After so long an ask without a word counts as unanswered, whatever else the peer answers.
    var timeoutBesideOthers: Duration { answerTimeout * 16 }
  }

  public struct Statistics: Hashable, Sendable {
    /// Times a followed stream was lost: frames missing or unreadable.
    public var gaps = 0
    /// Asks sent.
    public var pulls = 0
    /// Asks without an answer in time.
    public var timeouts = 0
  }

  public init(document: DocumentID, policy: Policy = Policy()) {
    self.document = document
    self.policy = policy
    order = AskingOrder(answerTimeout: policy.answerTimeout)
  }

  // MARK: Peers

  /// A peer can be followed from now on.
  ///
  /// - Parameters:
  ///   - version: what we hold.
  ///   - isTrustedWithState: whether states are taken from it.
  public mutating func follow(
    _ peer: PeerHandle, version: VersionVector, isTrustedWithState: Bool = true, account: String? = nil, now: Duration
  ) -> [Effect] {
    var followed = Followed()
    followed.account = account
    followed.isTrustedWithState = isTrustedWithState
    peers.set(followed, for: peer)
    queue.removeAll { $0 == peer }
    queue.append(peer)
    return askNext(version: version, now: now)
  }

  /// The peer is gone.
  public mutating func forget(_ peer: PeerHandle, version: VersionVector, now: Duration) -> [Effect] {
    peers.remove(peer)
    queue.removeAll { $0 == peer }
    return askNext(version: version, now: now)
  }

  /// Whether the peer is followed, or asked, or to be.
  public func isAwareOf(_ peer: PeerHandle) -> Bool { peers.place(of: peer) != nil }

  /// The same for all, ascending.
  public var known: [PeerHandle] { peers.handles }

  public func isFollowing(_ peer: PeerHandle) -> Bool {
    peers[peer]?.place == .following
  }

  /// Whether nothing is known to be lacking: every peer has answered, and none is ahead.
  public var isCaughtUp: Bool {
    peers.allSatisfy { $0.pointee.place == .following && $0.pointee.behindSince == nil }
  }

  /// How much has come of the state that a peer sends; nil where none is on its way.
  public var arriving: Message.Arrival? { assembly?.arrival }

  /// All that the peers that we follow said they hold.
  ///
  /// - Complexity: O(peers · length of the versions)
  public var versionOfPeers: VersionVector {
    peers.values.reduce(into: VersionVector()) { $0.merge($1.version) }
  }

  /// What the peer said it holds; nil for one that we do not follow.
  public func version(of peer: PeerHandle) -> VersionVector? {
    peers[peer]?.version
  }

  /// The same, and when it last said so; nil while it has said nothing.
  public func statement(of peer: PeerHandle) -> (version: VersionVector, saidAt: Duration)? {
    guard let followed = peers[peer], let saidAt = followed.saidAt else { return nil }
    return (followed.version, saidAt)
  }

  // MARK: What peers say

  /// A live frame. The hot path: nothing is allocated here for a frame in sequence.
  ///
  /// - Parameters:
  ///   - version: what is held; may lack what is in `contributions`.
  ///   - contributions: what is to be merged: what a frame in sequence brings is appended.
  package mutating func receive(
    _ frame: PublishedFrame, from peer: PeerHandle, version: VersionVector, now: Duration,
    into contributions: inout Contributions
  ) -> LiveOutcome {
    guard let place = peers.place(of: peer) else { return .nothing }
    switch peers[at: place].receiver.receive(frame, into: &contributions) {
    case .changes: return .changes
    case .nothing:
      // An ask that is under way hands the stream over.
      guard peers[at: place].place == .waiting || !peers[at: place].isAnnounced && peers[at: place].isAsked
      else { return .nothing }
      let effects = announce(peer, version: version, now: now)
      return effects.isEmpty ? .nothing : .effects(effects)
    case .lost:
      statistics.gaps += 1
      // An ask that is under way will hand the stream over; a second one would bring everything twice.
      if peers[at: place].isAsked { return .nothing }
      return .effects(askAgain(peer, version: version, now: now))
    }
  }

  public enum LiveOutcome: Sendable {
    case changes
    case effects([Effect])
    case nothing
  }

  @discardableResult
  public mutating func receive(_ have: Message.Have, from peer: PeerHandle, version: VersionVector, now: Duration)
    -> [Effect]
  {
    peers.update(peer) {
      $0.version.merge(have.version)
      $0.saidAt = now
      if let position = have.position { $0.position = position }
    }
    review(peer, version: version, now: now)
    return announce(peer, version: version, now: now)
  }

  /// The peer spoke of the document. If it was asked before it knew of it, that was in vain.
  private mutating func announce(_ peer: PeerHandle, version: VersionVector, now: Duration) -> [Effect] {
    guard let followed = peers[peer], followed.place != .following else { return [] }
    peers.update(peer) { $0.isAnnounced = true }
    if !followed.isAnnounced {
      peers.update(peer) { $0.failures = 0 }
      if case .asking(let request, let deadline) = followed.place, !followed.isHeldBack,
        !followed.wasAnnouncedWhenAsked, followed.heardAt == nil
      {
        // An answer that is on its way comes soon; otherwise the peer is asked again.
        let soon = min(deadline, now + policy.patience)
        peers.update(peer) { $0.place = .asking(request: request, deadline: soon) }
      }
    }
    return askNext(version: version, now: now)
  }

  /// A merge held something back for want of what it stands on; `peer`, which sent it, is asked.
  public mutating func miss(_ dots: [Dot], from peer: PeerHandle, version: VersionVector, now: Duration) -> [Effect] {
    guard peers[peer]?.place == .following, dots.contains(where: { !version.covers($0) }) else { return [] }
    for dot in dots where !version.covers(dot) {
      peers.update(peer) {
        $0.version.merge(VersionVector([VersionVector.Entry(replica: dot.replica, counter: dot.counter)]))
      }
    }
    review(peer, version: version, now: now)
    return []
  }

  /// A merge lacks a tombstone that was collected here. `peer`, which sent what stands on it, is asked for its state,
  /// or for the paths of the tombstones where states are not taken from it: once for each anchor (a few times, for
  /// paths), as long as the peer is followed. Where the answer came without the anchor, nobody has it, and the change
  /// is refused.
  public mutating func lackAnchors(
    _ anchors: [Dot], from peer: PeerHandle, version: VersionVector, now: Duration
  ) -> [Effect] {
    guard let followed = peers[peer] else { return [] }
    let wanted = anchors.filter { !followed.hasAnswered($0) }
    guard !wanted.isEmpty, followed.anchorsAnswered.count < Self.anchorCountMax else {
      let source = followed.isTrustedWithState ? "state does" : "tombstones do"
      let explanation = "A change of '\(document)' stands on \(anchors[0]), which your \(source) not have."
      return [.refuse(peer, Message.Refusal(code: .malformed, explanation: explanation))]
    }
    peers.update(peer) {
      $0.wantsState = true
      $0.noteWanted(wanted)
    }
    // Once more only after a while.
    if wanted.allSatisfy({ followed.anchorsAnswered[$0] != nil }) {
      peers.update(peer) { $0.askedForState = true }
    }
    // An ask under way ends first.
    guard followed.place == .following else { return [] }
    return askForState(peer, version: version, now: now)
  }

  /// The state of a peer that holds the same version is asked for, to compare: once.
  public mutating func takeState(of peer: PeerHandle, version: VersionVector, now: Duration) -> [Effect] {
    guard let followed = peers[peer], followed.isTrustedWithState else { return [] }
    peers.update(peer) { $0.wantsState = true }
    guard followed.place == .following else { return [] }
    return askForState(peer, version: version, now: now)
  }

  /// Time has passed: asks again where no answer came, and asks whoever has been ahead for too long.
  public mutating func tick(version: VersionVector, now: Duration) -> [Effect] {
    if queue.isEmpty, peers.allSatisfy({ !$0.pointee.isDue(version: version, now: now) }) { return [] }
    for peer in peers.handles {
      guard let followed = peers[peer] else { continue }
      switch followed.place {
      case .asking(_, let deadline) where deadline <= now:
        statistics.timeouts += 1
        // A peer that was asked before it knew of the document has not failed to deliver; nor has one that was out of
        // reach.
        let wasHeard = !(1...Self.undeliveredCountMax).contains(followed.undelivered)
        if wasHeard, followed.wasAnnouncedWhenAsked || !followed.isAnnounced {
          peers.update(peer) { $0.noteFailure(now: now) }
        }
        wait(peer)
      case .following:
        review(peer, version: version, now: now)
        if let since = peers[peer]?.behindSince, now - since >= policy.patience(after: followed.failures) { wait(peer) }
      case .asking, .waiting: break
      }
    }
    return askNext(version: version, now: now)
  }

  /// Whether nothing is lacking of what a peer said it holds. A peer that never spoke of the document was asked often
  /// enough: it speaks when it opens it.
  public var isSettled: Bool {
    peers.allSatisfy { followed in
      followed.pointee.place == .following
        ? followed.pointee.behindSince == nil
        : !followed.pointee.isAnnounced && followed.pointee.failures >= Self.failureCountWhenIdle
    }
  }

  /// Whether time alone brings nothing on soon: everybody is followed and nobody is ahead, or was asked in vain so
  /// often that it is a matter of seconds when it is asked again.
  public var isIdle: Bool {
    peers.allSatisfy { followed in
      followed.pointee.place == .following
        ? followed.pointee.behindSince == nil : followed.pointee.failures >= Self.failureCountWhenIdle
    }
  }

  /// Whether all who spoke of the document hold what is here, and no more.
  func areEven(with version: VersionVector) -> Bool {
    peers.allSatisfy { $0.pointee.place != .following && !$0.pointee.isAnnounced || $0.pointee.version == version }
  }

  /// Those that never spoke of it, though they were asked often enough.
  var silent: [PeerHandle] {
    peers.handles.filter { peers[$0]?.place != .following && peers[$0]?.isAnnounced == false }
  }

  /// Until when only what peers say brings it on: all who are asked have time left, and nobody else is to be asked. Nil
  /// where time may bring something on at any moment.
  var restsUntil: Duration? {
    guard queue.isEmpty else { return nil }
    var first = Self.never
    let rests = peers.allSatisfy { followed in
      switch followed.pointee.place {
      case .asking(_, let deadline):
        first = min(first, deadline)
        return true
      case .following: return followed.pointee.behindSince == nil
      case .waiting: return false
      }
    }
    return rests ? first : nil
  }
}
