#if NATS
  import StarlingEngine

  // Frames, on their way out and in. The cluster takes them at once; nothing is held back here.
  extension Group {
    // MARK: Out

    func publish(_ frame: [UInt8]) {
      guard !accepted.isEmpty, isAllowed(frame) else { return }
      let isSent =
        security != nil
        ? publishSealed(frame)
        : transmit(frame, on: subjects.published(frame)) { Envelope(.published, from: own, part: $0) }
      if isSent { tally.framesPublished += 1 } else { tally.framesUndelivered += 1 }
    }

    func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool {
      guard isAllowed(frame) else { return false }
      let isSent: Bool
      if let session = dialled[peer], session.isOpen {
        isSent = transmit(frame, on: subjects.inbox(of: session.member)) { part in
          session.seal == nil
            ? Envelope(.up, from: own, session: session.session, part: part) : sealed(part, as: .sealedUp, to: peer)
        }
      } else if let session = accepted[peer] {
        isSent = transmit(frame, on: subjects.inbox(of: session.member)) { part in
          session.seal == nil
            ? Envelope(.down, from: own, session: session.session, part: part) : sealed(part, as: .sealedDown, to: peer)
        }
      } else {
        isSent = false
      }
      if isSent { tally.framesSent += 1 } else { tally.framesUndelivered += 1 }
      return isSent
    }

    private func isAllowed(_ frame: [UInt8]) -> Bool {
      guard frame.count <= min(limits.frameByteCountMax, Int(UInt32.max)) else {
        tally.framesTooLarge += 1
        return false
      }
      return true
    }

    /// In as many parts as the server's `max_payload` makes of it; usually one.
    func transmit(_ frame: [UInt8], on subject: String, _ envelop: (Envelope.Part) -> Envelope?) -> Bool {
      guard isConnected, let connection else { return false }
      let capacity = connection.payloadByteCountMax - Envelope.headByteCountMax
      // A server to which we were moved may take less than the first one.
      guard capacity > 0 else { return false }
      lastFrame &+= 1
      if frame.count > capacity { tally.framesSplit += 1 }
      var offset = 0
      repeat {
        let end = min(offset + capacity, frame.count)
        let part = Envelope.Part(
          frame: lastFrame, byteCount: UInt32(frame.count), offset: UInt32(offset), bytes: frame[offset..<end])
        guard let envelope = envelop(part), connection.publish(envelope.encoded(), to: subject) else { return false }
        offset = end
      } while offset < frame.count
      writeFirst()
      return true
    }

    /// What has no frame in it. A loss is made good by the next heartbeat.
    func send(_ envelope: Envelope, on subject: String) {
      guard isConnected else { return }
      _ = connection?.publish(envelope.encoded(), to: subject)
      writeFirst()
    }

    func say(_ kind: Envelope.Kind, on subject: String) {
      send(Envelope(kind, from: own), on: subject)
    }

    func say(_ kind: Envelope.Kind, _ session: UInt64, to member: MemberID) {
      send(Envelope(kind, from: own, session: session), on: subjects.inbox(of: member))
    }

    // MARK: In

    /// From one who dialled us.
    func takeUp(_ envelope: Envelope) {
      guard let (handle, session) = acceptedSession(with: envelope.sender, envelope.session) else {
        return say(.refuse, envelope.session, to: envelope.sender)
      }
      guard let frame = assemble(envelope) else { return }
      bring(frame, from: handle, session)
    }

    func bring(_ frame: [UInt8], from handle: PeerHandle, _ session: AcceptedSession) {
      if !session.isAnnounced {
        accepted[handle]?.isAnnounced = true
        events.append(.opened(handle, dialled: false, as: session.identity))
      }
      events.append(.direct(handle, frame))
    }

    /// From a peer that we dialled.
    func takeDown(_ envelope: Envelope) {
      guard let (handle, session) = dialledSession(with: envelope.sender, envelope.session), session.isOpen else {
        return say(.hangUp, envelope.session, to: envelope.sender)
      }
      if let frame = assemble(envelope) { events.append(.direct(handle, frame)) }
    }

    func takePublished(_ envelope: Envelope, over stem: [UInt8]) {
      // A peer publishes that we did not dial, or it comes over a wider subscription too.
      guard let (handle, session) = dialledSession(with: envelope.sender), session.isOpen, !isCovered(stem),
        let frame = assemble(envelope, stem: stem), isWanted(frame, over: stem)
      else { return }
      events.append(.published(handle, frame))
    }

    func assemble(_ envelope: Envelope, stem: [UInt8] = []) -> [UInt8]? {
      guard let part = envelope.part else { return nil }
      let line = Assembly.Line(kind: envelope.kind, sender: envelope.sender, session: envelope.session, stem: stem)
      let frame = assembly.take(part, of: line)
      if frame != nil { tally.framesReceived += 1 }
      return frame
    }

    // MARK: Topics

    func subscribe(_ topic: [UInt8]) {
      topics[topic, default: 0] += 1
      guard topics[topic] == 1 else { return }
      let stem = Array(topic.prefix(Subjects.stemByteCount))
      stems[stem, default: 0] += 1
      guard stems[stem] == 1 else { return }
      if stem.count < Subjects.stemByteCount { shortStemCount += 1 }
      hear(stem)
    }

    func hear(_ stem: [UInt8]) {
      connection?.subscribe(to: subjects.subscribed(stem), as: .topic(stem: stem))
      if security != nil { connection?.subscribe(to: subjects.subscribed(stem, only: own), as: .only(stem: stem)) }
    }

    func unsubscribe(_ topic: [UInt8]) {
      guard let count = topics[topic] else { return }
      topics[topic] = count > 1 ? count - 1 : nil
      let stem = Array(topic.prefix(Subjects.stemByteCount))
      guard count == 1, let topicCount = stems[stem] else { return }
      stems[stem] = topicCount > 1 ? topicCount - 1 : nil
      guard topicCount == 1 else { return }
      if stem.count < Subjects.stemByteCount { shortStemCount -= 1 }
      connection?.unsubscribe(.topic(stem: stem))
      if security != nil { connection?.unsubscribe(.only(stem: stem)) }
      assembly.forget { [.published, .sealedPublished, .sealedOnly].contains($0.kind) && $0.stem == stem }
    }

    /// Whether what comes over `stem` comes over a shorter one as well.
    func isCovered(_ stem: [UInt8]) -> Bool {
      shortStemCount > 0 && (0..<stem.count).contains { stems[Array(stem.prefix($0))] != nil }
    }

    /// A subject says four bytes of a frame; a topic may be longer.
    func isWanted(_ frame: [UInt8], over stem: [UInt8]) -> Bool {
      topics[stem] != nil || topics.keys.contains { $0.starts(with: stem) && frame.starts(with: $0) }
    }
  }
#endif
