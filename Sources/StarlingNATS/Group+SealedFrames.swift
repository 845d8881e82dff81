#if NATS
  import StarlingEngine

  // Frames and notes between members that prove keys, on their way out and in.
  extension Group {
    // MARK: Out

    /// For all relays at once, and for each other member that may have everything. The rest are answered alone, as over
    /// sockets.
    func publishSealed(_ frame: [UInt8]) -> Bool {
      var isSent = true
      if !relays.isEmpty {
        isSent = transmit(frame, on: subjects.published(frame)) { sealedForRelays($0) }
      }
      for handle in readers {
        guard let member = accepted[handle]?.member else { continue }
        let isSentHere = transmit(frame, on: subjects.published(frame, only: member)) {
          sealed($0, as: .sealedOnly, to: handle)
        }
        isSent = isSent && isSentHere
      }
      return isSent
    }

    private func sealedForRelays(_ part: Envelope.Part) -> Envelope? {
      guard let key = broadcastKey else { return nil }
      var envelope = Envelope(.sealedPublished, from: own, session: key.number, counter: key.nextCounter)
      var plain: [UInt8] = []
      part.encode(into: &plain)
      guard let bytes = try? broadcastKey?.seal(plain, over: envelope.head) else { return nil }
      envelope.body = bytes[...]
      return envelope
    }

    func sealed(_ part: Envelope.Part, as kind: Envelope.Kind, to handle: PeerHandle) -> Envelope? {
      var plain: [UInt8] = []
      part.encode(into: &plain)
      return sealed(plain, as: kind, to: handle)
    }

    /// Nil where no sealed session stands.
    func sealed(_ plain: [UInt8], as kind: Envelope.Kind, to handle: PeerHandle) -> Envelope? {
      let number = dialled[handle]?.session ?? accepted[handle]?.session
      let counter = dialled[handle]?.seal?.session.nextCounter ?? accepted[handle]?.seal?.session.nextCounter
      guard let number, let counter else { return nil }
      var envelope = Envelope(kind, from: own, session: number, counter: counter)
      let bytes =
        dialled[handle] != nil
        ? try? dialled[handle]?.seal?.session.seal(plain, over: envelope.head)
        : try? accepted[handle]?.seal?.session.seal(plain, over: envelope.head)
      guard let bytes else { return nil }
      envelope.body = bytes[...]
      return envelope
    }

    // MARK: In

    /// What comes to a member that proves a key, apart from announcements and ends.
    func takeSealed(_ envelope: Envelope, over channel: Inbox.Channel, at now: ContinuousClock.Instant) {
      guard let security else { preconditionFailure("Only a member with keys takes what is sealed.") }
      switch (channel, envelope.kind) {
      case (.own, .keyedCall): accept(envelope, security, at: now)
      case (.own, .keyedAnswer): answeredWithKey(envelope, security)
      case (.own, .keyedRefusal): isRefusedWithKey(envelope)
      case (.own, .sealedUp):
        guard let (handle, bytes) = openUp(envelope, security) else { return }
        guard let frame = frame(bytes, of: envelope), let session = accepted[handle] else { return }
        bring(frame, from: handle, session)
      case (.own, .noteUp):
        if let (handle, bytes) = openUp(envelope, security) { takeNoteUp(bytes, from: handle) }
      case (.own, .sealedDown):
        guard let (handle, bytes) = openDown(envelope) else { return }
        if let frame = frame(bytes, of: envelope) { events.append(.direct(handle, frame)) }
      case (.own, .noteDown):
        if let (handle, bytes) = openDown(envelope) { takeNoteDown(bytes, from: handle) }
      case (.topic(let stem), .sealedPublished): takePublishedForRelays(envelope, over: stem)
      case (.only(let stem), .sealedOnly): takePublishedForUs(envelope, over: stem)
      case (.own, .call):
        if admit(envelope.sender, at: now) { note(.unsealed, of: envelope.sender) }
        say(.refuse, envelope.session, to: envelope.sender)
      case (.own, .answer), (.own, .up), (.own, .down), (.topic, .published): tally.messagesUnopened += 1
      default: tally.malformed += 1
      }
    }

    /// Opens what a member says that we dialled.
    private func openDown(_ envelope: Envelope) -> (PeerHandle, [UInt8])? {
      guard let (handle, session) = dialledSession(with: envelope.sender, envelope.session), session.seal != nil else {
        say(.hangUp, envelope.session, to: envelope.sender)
        return nil
      }
      let bytes = try? dialled[handle]?.seal?.session.open(
        Array(envelope.body), counter: envelope.counter, over: envelope.head)
      if bytes == nil { tally.messagesUnopened += 1 } else { dialled[handle]?.seal?.isHeard = true }
      return bytes.map { (handle, $0) }
    }

    /// Whether it was published under a key that its sender handed to us, and that we have not taken yet.
    func awaitsKey(_ envelope: Envelope) -> Bool {
      guard envelope.kind == .sealedPublished, let (_, session) = dialledSession(with: envelope.sender) else {
        return false
      }
      return envelope.session > session.seal?.broadcastKey?.number ?? 0
    }

    private func takePublishedForRelays(_ envelope: Envelope, over stem: [UInt8]) {
      guard !isCovered(stem), let (handle, session) = dialledSession(with: envelope.sender), session.isOpen,
        session.seal?.broadcastKey?.number == envelope.session
      else { return }
      let bytes = try? dialled[handle]?.seal?.broadcastKey?.open(
        Array(envelope.body), counter: envelope.counter, over: envelope.head)
      bringPublished(bytes, of: envelope, from: handle, over: stem)
    }

    private func takePublishedForUs(_ envelope: Envelope, over stem: [UInt8]) {
      guard !isCovered(stem), let (handle, session) = dialledSession(with: envelope.sender, envelope.session),
        session.seal != nil
      else { return }
      let bytes = try? dialled[handle]?.seal?.session.open(
        Array(envelope.body), counter: envelope.counter, over: envelope.head)
      bringPublished(bytes, of: envelope, from: handle, over: stem)
    }

    private func bringPublished(_ bytes: [UInt8]?, of envelope: Envelope, from handle: PeerHandle, over stem: [UInt8]) {
      guard let bytes else {
        tally.messagesUnopened += 1
        return
      }
      guard let frame = frame(bytes, of: envelope, stem: stem), isWanted(frame, over: stem) else { return }
      events.append(.published(handle, frame))
    }

    /// The frame that an opened part completes.
    private func frame(_ bytes: [UInt8], of envelope: Envelope, stem: [UInt8] = []) -> [UInt8]? {
      var envelope = envelope
      envelope.part = Envelope.Part(decoding: bytes[...])
      if envelope.part == nil { tally.malformed += 1 }
      return assemble(envelope, stem: stem)
    }
  }
#endif
