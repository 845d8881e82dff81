#if NATS
  import StarlingEngine

  // Keys that members show, and what is said in sealed sessions about the keys for what is published.
  extension Group {
    // MARK: What members show

    /// Takes over what an announcement says: whether the member may be dialled, and its key.
    func learnKey(of envelope: Envelope) {
      let member = envelope.sender
      let isKeyed = envelope.kind == .keyedHere || envelope.kind == .keyedGuest
      let isDialable = envelope.kind == .keyedHere || envelope.kind == .here
      guard let security else {
        members[member]?.isDialable = isDialable
        members[member]?.isLetIn = !isKeyed
        members[member]?.isRelay = true
        if isKeyed { note(.sealed, of: member) }
        return
      }
      guard isKeyed else {
        // Whoever showed a key once does not take that back.
        if members[member]?.key == nil { note(.unsealed, of: member) } else { tally.messagesUnopened += 1 }
        return
      }
      let key = Array(envelope.body)
      // A key that was proved stands as long as its session.
      if let proved = provedKey(of: member), proved != key {
        tally.messagesUnopened += 1
        return
      }
      let admission = security.admits(key)
      members[member]?.isDialable = isDialable
      members[member]?.key = key
      members[member]?.isLetIn = admission.isLetIn
      members[member]?.isRelay = admission.isRelay
      if !admission.isLetIn { refuseKey(of: member, admission) }
    }

    private func refuseKey(of member: MemberID, _ admission: NATSLink.Admission) {
      if note(.notAdmitted, of: member, user: admission.identity.key) { tally.keysRefused += 1 }
    }

    private func provedKey(of member: MemberID) -> [UInt8]? {
      dialledSession(with: member)?.1.seal?.key ?? acceptedSession(with: member)?.1.seal?.key
    }

    /// Tells why a member is kept out: each reason now, and again after a while.
    @discardableResult
    func note(_ reason: TurnedAway.Reason, of member: MemberID, user: String? = nil) -> Bool {
      let now = ContinuousClock.now
      guard let known = members[member], known.told[reason].map({ now - $0 >= limits.telling }) ?? true else {
        return false
      }
      members[member]?.told[reason] = now
      events.append(.turnedAway(TurnedAway(reason, user: user, address: subjects.endpoint(of: member))))
      return true
    }

    // MARK: Once a heartbeat

    /// Ends sessions whose keys are let in no more, and says again what may have been lost.
    func reviewKeys(by security: NATSLink.Security, at now: ContinuousClock.Instant) {
      dropUnproved(at: now)
      var isRosterNews = false
      for (member, known) in members {
        guard let key = known.key else { continue }
        let admission = security.admits(key)
        guard admission.isLetIn != known.isLetIn || admission.isRelay != known.isRelay else { continue }
        isRosterNews = true
        members[member]?.isLetIn = admission.isLetIn
        members[member]?.isRelay = admission.isRelay
        if admission.isLetIn {
          members[member]?.told[.notAdmitted] = nil
        } else {
          refuseKey(of: member, admission)
        }
      }
      for (handle, session) in accepted {
        guard let seal = session.seal else { continue }
        let admission = security.admits(seal.key)
        if !admission.isLetIn {
          revoke(handle, session, admission)
        } else if admission.access != seal.access {
          // What it may do else the engine says.
          accepted[handle]?.seal?.access = admission.access
          sort(handle, admission.access)
        }
      }
      for (handle, session) in dialled {
        guard let seal = session.seal else { continue }
        if !security.admits(seal.key).isLetIn {
          end(handle, reason: "The key of \(session.member.text) is let in no more.", tells: true)
        } else if !seal.isHeard {
          note(.here, to: handle)
        }
      }
      if isRosterNews { shareRoster() }
      if relays.isEmpty {
        (broadcastKey, isBroadcastKeyStale) = (nil, false)
      } else if isBroadcastKeyStale || broadcastKey?.isWorn != false {
        drawBroadcastKey()
      } else {
        for handle in relays where accepted[handle]?.seal?.takenKey != broadcastKey?.number { handOver(to: handle) }
      }
    }

    private func revoke(_ handle: PeerHandle, _ session: AcceptedSession, _ admission: NATSLink.Admission) {
      tally.keysRefused += 1
      let address = subjects.endpoint(of: session.member)
      events.append(.turnedAway(TurnedAway(.revoked, user: admission.identity.key, address: address)))
      end(handle, reason: "The key of \(session.member.text) is let in no more.", tells: true)
      // It must not open what is published from now on.
      if isBroadcastKeyStale, !relays.isEmpty { drawBroadcastKey() }
    }

    // MARK: Keys for what is published

    /// Puts a session among those that open what is published in that way.
    func sort(_ handle: PeerHandle, _ access: NATSLink.Admission.Access) {
      if access == .relays {
        relays.insert(handle)
      } else if relays.remove(handle) != nil {
        isBroadcastKeyStale = true
      }
      if access == .everything { readers.insert(handle) } else { readers.remove(handle) }
    }

    /// Says to one who proved its key that it is heard, and how it opens what is published.
    func greet(_ handle: PeerHandle) {
      guard relays.contains(handle) else { return note(.heard, to: handle) }
      if broadcastKey == nil { drawBroadcastKey() } else { handOver(to: handle) }
    }

    private func drawBroadcastKey() {
      lastBroadcastKey += 1
      isBroadcastKeyStale = false
      broadcastKey = BroadcastKey(number: lastBroadcastKey, key: Sealing.randomKey())
      tally.broadcastKeys += 1
      for handle in relays { handOver(to: handle) }
    }

    private func handOver(to handle: PeerHandle) {
      if let broadcastKey { note(broadcastKey.handover, to: handle) }
    }

    // MARK: Notes

    func note(_ note: SealedNote, to handle: PeerHandle) {
      let kind = dialled[handle] == nil ? Envelope.Kind.noteDown : .noteUp
      guard let member = dialled[handle]?.member ?? accepted[handle]?.member,
        let envelope = sealed(note.encoded(), as: kind, to: handle)
      else { return }
      send(envelope, on: subjects.inbox(of: member))
    }

    func takeNoteUp(_ bytes: [UInt8], from handle: PeerHandle) {
      switch SealedNote(decoding: bytes) {
      case .here: greet(handle)
      case .taken(let number): accepted[handle]?.seal?.takenKey = number
      case .heard, .key, nil: tally.malformed += 1
      }
    }

    func takeNoteDown(_ bytes: [UInt8], from handle: PeerHandle) {
      switch SealedNote(decoding: bytes) {
      case .heard: break
      case .key(let number, let key, let counter):
        if number > dialled[handle]?.seal?.broadcastKey?.number ?? 0 {
          dialled[handle]?.seal?.broadcastKey = ReceivedBroadcastKey(number: number, key: key, from: counter)
        }
        note(.taken(number: number), to: handle)
      case .here, .taken, nil: tally.malformed += 1
      }
    }
  }
#endif
