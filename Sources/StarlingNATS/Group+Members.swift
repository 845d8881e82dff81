#if NATS
  import StarlingEngine
  import StarlingGuard

  /// Somebody of the group who was heard.
  final class Member {
    var lastHeard: ContinuousClock.Instant
    var isDialable = false
    /// What it says that its key is. A session proves it.
    var key: [UInt8]?
    /// Whether it is let in here: where members prove keys, whether its key is.
    var isLetIn = false
    /// Whether it is found as one that may be dialled.
    var isRelay = false
    /// What was told of it that keeps it out, and when.
    var told: [TurnedAway.Reason: ContinuousClock.Instant] = [:]

    init(lastHeard: ContinuousClock.Instant) {
      self.lastHeard = lastHeard
    }

    var isDialableHere: Bool { isDialable && isLetIn && isRelay }
  }

  // Members announce themselves once a heartbeat, and answer newcomers at once.
  extension Group {
    func bind(_ endpoint: String) throws(LinkError) -> String {
      try subjects.checkBindable(endpoint)
      guard isRunning else { throw LinkError(.misuse, "The link does not run: start it before '\(endpoint)'.") }
      isDialable = true
      announce()
      return subjects.endpoint(of: own)
    }

    /// Says that we are here.
    func announce() {
      sayHere(on: subjects.here)
    }

    private func sayHere(on subject: String) {
      guard let security else { return say(isDialable ? .here : .guest, on: subject) }
      send(
        Envelope(isDialable ? .keyedHere : .keyedGuest, from: own, body: security.publicKey), on: subject)
    }

    /// - Parameter isNews: said to everybody, so that a member that did not know of it answers.
    func hears(_ envelope: Envelope, isNews: Bool, at now: ContinuousClock.Instant) {
      let member = envelope.sender
      let wasDialable = members[member]?.isDialableHere
      guard admit(member, at: now) else { return }
      learnKey(of: envelope)
      if wasDialable == nil, isNews { sayHere(on: subjects.inbox(of: member)) }
      let isDialable = members[member]?.isDialableHere ?? false
      if wasDialable != isDialable { shareRoster() }
      if isDialable, let (handle, session) = dialledSession(with: member), !session.isOpen { call(handle) }
    }

    /// Whether we hear this member: known, or there is space for one more.
    func admit(_ member: MemberID, at now: ContinuousClock.Instant) -> Bool {
      guard members[member] == nil else { return true }
      guard members.count < limits.memberCountMax else {
        tally.membersRefused += 1
        return false
      }
      members[member] = Member(lastHeard: now)
      return true
    }

    /// A member is gone, and the sessions with it.
    func lose(_ member: MemberID, reason: String, tells: Bool) {
      guard members.removeValue(forKey: member) != nil else { return }
      endSessions(with: member, reason: reason, tells: tells)
      shareRoster()
    }

    /// What is due once a heartbeat.
    func beat(at now: ContinuousClock.Instant) {
      guard isConnected else { return }
      if let security { reviewKeys(by: security, at: now) }
      announce()
      for (member, known) in members where now - known.lastHeard > limits.silence {
        lose(member, reason: "\(member.text) said nothing for \(limits.silence).", tells: true)
      }
      for (handle, session) in dialled where !session.isOpen { call(handle) }
    }

    // MARK: The connection

    func connectionWasLost() {
      isConnected = false
      for handle in Array(dialled.keys) + Array(accepted.keys) {
        end(handle, reason: "The connection to the NATS server was lost.", tells: false)
      }
      unproved = []
      shareRoster()
    }

    func connectionIsBack(at now: ContinuousClock.Instant) {
      isConnected = true
      say(.returned, on: subjects.here)
      // They had no way to be heard; who is gone will be missed soon.
      for member in members.keys { members[member]?.lastHeard = now }
      announce()
      for handle in dialled.keys { call(handle) }
      shareRoster()
    }

    /// Tells other threads which members may be dialled.
    func shareRoster() {
      let endpoints =
        isConnected ? members.filter(\.value.isDialableHere).keys.map { subjects.endpoint(of: $0) }.sorted() : nil
      shared.roster.withLock { $0 = endpoints }
    }
  }
#endif
