#if NATS
  import StarlingEngine

  /// What a session with a member that we dialled is sealed with.
  struct DialledSeal {
    /// The member's, as it proved.
    let key: [UInt8]
    var session: SealedSession
    /// Whether the member showed that it holds the session's keys after its answer; then it knows that we do.
    var isHeard = false
    /// What the member publishes for relays opens with this.
    var broadcastKey: ReceivedBroadcastKey?
  }

  /// What a session with a member that dialled us is sealed with.
  struct AcceptedSeal {
    /// The member's, as it proved.
    let key: [UInt8]
    let identity: PeerIdentity
    var access: NATSLink.Admission.Access
    var session: SealedSession
    /// The number of the last broadcast key that it has from us.
    var takenKey: UInt64 = 0
  }

  /// A call that was answered. It may be an old one, said again: only what its caller seals proves that it is there.
  struct UnprovedSession {
    let member: MemberID
    let session: UInt64
    let key: [UInt8]
    /// As it was given, for the same call again.
    let answer: [UInt8]
    var seal: SealedSession
    let since: ContinuousClock.Instant
  }

  // Handshakes between members that prove keys.
  //
  //   dialler                                             the one who bound
  //     keyedCall ──────────────────────────────────────►   key not let in: keyedRefusal
  //     open ◄───────────────────────────── keyedAnswer ──  unproved
  //     note: here, or a first frame ───────────────────►   standing; for a relay its broadcast key:
  //     note: taken ◄────────────────── note: heard, key ─
  extension Group {
    // MARK: Dialling

    /// Calls a member whose key is known and let in; the answer proves it.
    func call(_ handle: PeerHandle, with security: NATSLink.Security) {
      guard let dialling = dialled[handle], let known = members[dialling.member], known.isLetIn, let key = known.key
      else { return }
      if dialling.handshake?.calledKey != key {
        guard takeHandshake() else { return }
        let session = makeName()
        do {
          dialled[handle]?.handshake = try HandshakeCall(
            from: security.keys, to: key, ephemeral: .random(), in: context(session, by: own, to: dialling.member))
          dialled[handle]?.session = session
        } catch {
          tally.handshakesFailed += 1
          return
        }
      }
      guard let session = dialled[handle], let handshake = session.handshake else { return }
      send(
        Envelope(.keyedCall, from: own, session: session.session, body: handshake.message),
        on: subjects.inbox(of: session.member))
    }

    func answeredWithKey(_ envelope: Envelope, _ security: NATSLink.Security) {
      guard let (handle, session) = dialledSession(with: envelope.sender, envelope.session) else {
        return say(.hangUp, envelope.session, to: envelope.sender)
      }
      guard !session.isOpen, let handshake = session.handshake else { return }
      guard takeHandshake() else { return }
      guard let sealed = try? handshake.session(after: Array(envelope.body)) else {
        tally.handshakesFailed += 1
        return
      }
      let admission = security.admits(handshake.calledKey)
      guard admission.isLetIn else { return }
      dialled[handle]?.handshake = nil
      dialled[handle]?.isOpen = true
      dialled[handle]?.isRefusalTold = false
      dialled[handle]?.seal = DialledSeal(key: handshake.calledKey, session: sealed)
      tally.handshakes += 1
      events.append(
        .opened(handle, dialled: true, as: admission.identity(at: subjects.endpoint(of: session.member))))
      note(.here, to: handle)
    }

    /// The member says, so that nobody else could, that our key is not let in. Told once until a call is answered.
    func isRefusedWithKey(_ envelope: Envelope) {
      guard let (handle, session) = dialledSession(with: envelope.sender, envelope.session), !session.isOpen,
        let handshake = session.handshake
      else { return }
      guard handshake.isRefused(by: Array(envelope.body)) else {
        tally.handshakesFailed += 1
        return
      }
      guard !session.isRefusalTold else { return }
      dialled[handle]?.isRefusalTold = true
      events.append(.handshakeFailed(handle, endpoint: subjects.endpoint(of: session.member), .notAdmitted))
    }

    // MARK: Accepting

    func accept(_ envelope: Envelope, _ security: NATSLink.Security, at now: ContinuousClock.Instant) {
      let (member, session) = (envelope.sender, envelope.session)
      guard isDialable, admit(member, at: now) else { return }
      if let known = acceptedSession(with: member)?.1, session <= known.session {
        // Numbers of sessions rise; the one that stands was proved.
        if session < known.session { tally.messagesUnopened += 1 }
        return
      }
      if let known = unproved.first(where: { $0.member == member && $0.session == session }) {
        return answer(known)
      }
      guard takeHandshake() else { return }
      let read: HandshakeAnswer
      do {
        read = try HandshakeAnswer(
          reading: Array(envelope.body), by: security.keys, in: context(session, by: member, to: own))
      } catch {
        tally.handshakesFailed += 1
        note(.unproved, of: member)
        return
      }
      let admission = security.admits(read.callerKey)
      guard admission.isLetIn else {
        tally.keysRefused += 1
        note(.notAdmitted, of: member, user: admission.identity.key)
        return send(
          Envelope(.keyedRefusal, from: own, session: session, body: read.refusal()), on: subjects.inbox(of: member))
      }
      guard let (message, sealed) = try? read.answer(ephemeral: .random()) else {
        tally.handshakesFailed += 1
        return
      }
      if unproved.count >= max(1, limits.unprovedSessionCountMax) {
        unproved.removeFirst()
        tally.handshakesPutOff += 1
      }
      let made = UnprovedSession(
        member: member, session: session, key: read.callerKey, answer: message, seal: sealed, since: now)
      unproved.append(made)
      answer(made)
    }

    private func answer(_ session: UnprovedSession) {
      send(
        Envelope(.keyedAnswer, from: own, session: session.session, body: session.answer),
        on: subjects.inbox(of: session.member))
    }

    /// Opens what one says who dialled us. With the first that opens its session stands.
    func openUp(_ envelope: Envelope, _ security: NATSLink.Security) -> (PeerHandle, [UInt8])? {
      let (member, number) = (envelope.sender, envelope.session)
      if let (handle, _) = acceptedSession(with: member, number) {
        let bytes = try? accepted[handle]?.seal?.session.open(
          Array(envelope.body), counter: envelope.counter, over: envelope.head)
        if bytes == nil { tally.messagesUnopened += 1 }
        return bytes.map { (handle, $0) }
      }
      guard let place = unproved.firstIndex(where: { $0.member == member && $0.session == number }) else {
        say(.refuse, number, to: member)
        return nil
      }
      guard
        let bytes = try? unproved[place].seal.open(
          Array(envelope.body), counter: envelope.counter, over: envelope.head)
      else {
        tally.messagesUnopened += 1
        return nil
      }
      return isProved(unproved.remove(at: place), security).map { ($0, bytes) }
    }

    private func isProved(_ session: UnprovedSession, _ security: NATSLink.Security) -> PeerHandle? {
      let admission = security.admits(session.key)
      if let (handle, standing) = acceptedSession(with: session.member) {
        // Only its own key speaks for a member.
        guard standing.seal?.key == session.key, standing.session < session.session else {
          tally.handshakesFailed += 1
          return nil
        }
        end(handle, reason: "\(session.member.text) dialled again.", tells: false)
      }
      guard admission.isLetIn else {
        say(.refuse, session.session, to: session.member)
        return nil
      }
      let handle = PeerHandle(rawValue: makeName())
      accepted[handle] = AcceptedSession(
        member: session.member, session: session.session,
        seal: AcceptedSeal(
          key: session.key, identity: admission.identity(at: subjects.endpoint(of: session.member)),
          access: admission.access, session: session.seal))
      acceptedHandles[session.member] = handle
      sort(handle, admission.access)
      tally.handshakes += 1
      greet(handle)
      return handle
    }

    /// Drops those that prove nothing.
    func dropUnproved(at now: ContinuousClock.Instant) {
      let late = unproved.prefix { now - $0.since > limits.proving }
      unproved.removeFirst(late.count)
      for session in late { say(.refuse, session.session, to: session.member) }
    }

    // MARK: Helpers

    private func context(_ session: UInt64, by caller: MemberID, to called: MemberID) -> HandshakeContext {
      HandshakeContext(group: subjects.group, session: session, caller: caller, called: called)
    }

    private func takeHandshake() -> Bool {
      if handshakes.take(now: .now) { return true }
      tally.handshakesPutOff += 1
      return false
    }
  }
#endif
