#if NATS
  import StarlingEngine

  /// A member that we dial. A new session begins whenever the last one ended.
  final class DialledSession {
    let member: MemberID
    var session: UInt64
    /// Whether the member answered.
    var isOpen = false
    /// The call that was made, where members prove keys, until it is answered.
    var handshake: HandshakeCall?
    /// With an answer that proved the member's key.
    var seal: DialledSeal?
    /// Whether it was told that the member refuses our key.
    var isRefusalTold = false

    init(member: MemberID, session: UInt64) {
      self.member = member
      self.session = session
    }
  }

  /// A member that dialled us.
  final class AcceptedSession {
    let member: MemberID
    let session: UInt64
    /// Whether it was announced as opened: with the first frame.
    var isAnnounced = false
    /// Where members prove keys.
    var seal: AcceptedSeal?

    init(member: MemberID, session: UInt64, seal: AcceptedSeal? = nil) {
      self.member = member
      self.session = session
      self.seal = seal
    }

    var identity: PeerIdentity { seal?.identity ?? .sameCluster }
  }

  // Sessions: between two members at most one in each direction.
  //
  //   dialled:   calling ── answer ──► open ── refuse, silence, loss ──► calling, under another number
  //   accepted:  call ──► standing ── hang-up, silence, loss, another call ──► gone
  //
  // Where members prove keys, a call stands for nothing until its caller has sealed something (`Group+Handshakes`).
  extension Group {
    // MARK: Dialling

    func dial(_ endpoint: String) throws(LinkError) -> PeerHandle {
      let member = try subjects.member(at: endpoint)
      guard dialledSession(with: member) == nil else {
        throw LinkError(.misuse, "'\(endpoint)' is dialled already; one session in each direction is all there is.")
      }
      let handle = PeerHandle(rawValue: makeName())
      dialled[handle] = DialledSession(member: member, session: makeName())
      dialledHandles[member] = handle
      call(handle)
      return handle
    }

    /// Again once a heartbeat until it is answered.
    func call(_ handle: PeerHandle) {
      guard let session = dialled[handle], !session.isOpen else { return }
      if let security { return call(handle, with: security) }
      say(.call, session.session, to: session.member)
    }

    func answered(_ envelope: Envelope) {
      guard let (handle, _) = dialledSession(with: envelope.sender, envelope.session) else {
        return say(.hangUp, envelope.session, to: envelope.sender)
      }
      guard dialled[handle]?.isOpen == false else { return }
      dialled[handle]?.isOpen = true
      events.append(.opened(handle, dialled: true, as: .sameCluster))
    }

    func isRefused(_ envelope: Envelope) {
      guard let (handle, _) = dialledSession(with: envelope.sender, envelope.session) else { return }
      end(handle, reason: "\(envelope.sender.text) hung up.", tells: false)
    }

    func dialledSession(with member: MemberID) -> (PeerHandle, DialledSession)? {
      dialledHandles[member].flatMap { handle in dialled[handle].map { (handle, $0) } }
    }

    func dialledSession(with member: MemberID, _ session: UInt64) -> (PeerHandle, DialledSession)? {
      dialledSession(with: member).flatMap { $0.1.session == session ? $0 : nil }
    }

    // MARK: Accepting

    func accept(_ envelope: Envelope, at now: ContinuousClock.Instant) {
      guard isDialable, admit(envelope.sender, at: now) else { return }
      if let (handle, known) = acceptedSession(with: envelope.sender) {
        // An answer may be lost like anything else.
        if known.session == envelope.session { return say(.answer, envelope.session, to: envelope.sender) }
        end(handle, reason: "\(envelope.sender.text) dialled again.", tells: false)
      }
      let handle = PeerHandle(rawValue: makeName())
      accepted[handle] = AcceptedSession(member: envelope.sender, session: envelope.session)
      acceptedHandles[envelope.sender] = handle
      say(.answer, envelope.session, to: envelope.sender)
    }

    func isHungUpOn(_ envelope: Envelope) {
      guard let (handle, _) = acceptedSession(with: envelope.sender, envelope.session) else { return }
      end(handle, reason: "\(envelope.sender.text) hung up.", tells: false)
    }

    func acceptedSession(with member: MemberID) -> (PeerHandle, AcceptedSession)? {
      acceptedHandles[member].flatMap { handle in accepted[handle].map { (handle, $0) } }
    }

    func acceptedSession(with member: MemberID, _ session: UInt64) -> (PeerHandle, AcceptedSession)? {
      acceptedSession(with: member).flatMap { $0.1.session == session ? $0 : nil }
    }

    // MARK: Ending

    /// We hang up; who hangs up is not told.
    func disconnect(_ handle: PeerHandle) {
      if let session = dialled.removeValue(forKey: handle) {
        dialledHandles[session.member] = nil
        say(.hangUp, session.session, to: session.member)
        forgetParts(of: session.member)
      } else if let session = removeAccepted(handle) {
        say(.refuse, session.session, to: session.member)
      }
    }

    func endSessions(with member: MemberID, reason: String, tells: Bool) {
      unproved.removeAll { $0.member == member }
      if let handle = dialledHandles[member] { end(handle, reason: reason, tells: tells) }
      if let handle = acceptedHandles[member] { end(handle, reason: reason, tells: tells) }
    }

    /// A session is over, and what was under way in it. A member that we dial is called again.
    ///
    /// - Parameter tells: says so to the member, which may not know it.
    func end(_ handle: PeerHandle, reason: String, tells: Bool) {
      if let session = dialled[handle], session.isOpen {
        dialled[handle] = DialledSession(member: session.member, session: makeName())
        if tells { say(.hangUp, session.session, to: session.member) }
        events.append(.closed(handle, reason: reason))
        forgetParts(of: session.member)
      } else if let session = removeAccepted(handle) {
        if tells { say(.refuse, session.session, to: session.member) }
        if session.isAnnounced { events.append(.closed(handle, reason: reason)) }
      }
    }

    private func removeAccepted(_ handle: PeerHandle) -> AcceptedSession? {
      guard let session = accepted.removeValue(forKey: handle) else { return nil }
      acceptedHandles[session.member] = nil
      readers.remove(handle)
      if relays.remove(handle) != nil { isBroadcastKeyStale = true }
      forgetParts(of: session.member)
      return session
    }

    private func forgetParts(of member: MemberID) {
      assembly.forget { $0.sender == member }
    }
  }
#endif
