import StarlingCore
import StarlingSession
import StarlingWire

// What arrives and merges, and what follows from it (Protocol/conversation.md, "Following", "Answers").
extension ReplicaEngine {
  func receivePublished(_ bytes: [UInt8], from peer: PeerHandle) {
    counters.framesReceived += 1
    let frame: PublishedFrame
    do {
      frame = try PublishedFrame(decoding: bytes)
    } catch {
      counters.malformed += 1
      return
    }
    guard frame.stream != PresencePayload.stream else { return receivePresence(frame.payload, from: peer) }
    for hosted in documentsByTopic[frame.topic] ?? [] where mayWrite(peer, hosted) {
      rouse(hosted)
      // More than the log keeps up with: the stream shows a gap later, and what is lacking is asked for then.
      guard hosted.handle.hasRoom else {
        counters.framesPutOff += 1
        continue
      }
      switch hosted.session.receive(frame, from: peer, version: hosted.handle.version, now: clock.uptime()) {
      case .merge(let changes):
        let last = changes.lazy.map(\.last)
        guard mayMerge(last, from: peer, in: hosted) else { continue }
        trace(hosted.id, changes.count, last) {
          let merged = hosted.handle.merge(changes, broughtBy: bringer(peer, in: hosted)) { renamed(hosted, to: $0) }
          settle(merged, of: changes.map { .change($0) }, from: peer, in: hosted)
        }
      case .effects(let effects): perform(effects, in: hosted)
      case .nothing: break
      }
    }
  }

  /// Whether changes up to these may merge that a peer brings: they are its own, nobody else's on loan, and within what
  /// its key may have the log keep.
  private func mayMerge(_ lastDots: some Sequence<Dot>, from peer: PeerHandle, in hosted: HostedDocument) -> Bool {
    ask { $0.mayLog(peer, in: hosted.id, now: clock.uptime(), &$1) } && areOwn(lastDots, from: peer, in: hosted)
      && keepToLoans(lastDots, from: peer, in: hosted)
  }

  /// Merges, in sight of the tracer if there is one.
  private func trace(
    _ document: DocumentID, _ changeCount: @autoclosure () -> Int, _ lastDots: some BidirectionalCollection<Dot>,
    _ merge: () -> Void
  ) {
    guard let tracer = configuration.tracer,
      let work = TracedWork(document, changeCount: changeCount(), lastDots: lastDots)
    else { return merge() }
    tracer.merging(work, merge)
  }

  func perform(_ effects: [DocumentSession.Effect], in hosted: HostedDocument) {
    for effect in effects {
      switch effect {
      case .ask(let peer, let want): invite(.want(want), from: peer, in: hosted)
      case .credit(let peer, let credit): invite(.credit(credit), from: peer, in: hosted)
      case .merge(let parts, let peer):
        let last = parts.lazy.map { Dot($0.replica, $0.lastCounter) }
        guard mayMerge(last, from: peer, in: hosted) else { continue }
        trace(hosted.id, parts.reduce(0) { $0 + $1.changeCount }, last) {
          let merged = hosted.handle.merge(parts, broughtBy: bringer(peer, in: hosted)) { renamed(hosted, to: $0) }
          settle(merged, of: parts, from: peer, in: hosted)
        }
      case .mergeState(let state, let peer):
        merge(state, from: peer, into: hosted)
      case .adopt(let paths, let peer, let expected): adopt(paths, from: peer, expecting: expected, into: hosted)
      case .refuse(let peer, let refusal):
        counters.malformed += 1
        refuse(peer, refusal)
      }
    }
  }

  /// Says what brings more of the document: now, or once the log keeps up.
  private func invite(_ message: Message, from peer: PeerHandle, in hosted: HostedDocument) {
    if hosted.handle.hasRoom {
      say(message, to: peer)
    } else {
      hosted.withheld[peer] = message
    }
  }

  private func merge(_ state: ProvedState, from peer: PeerHandle, into hosted: HostedDocument) {
    publishOutbox(of: hosted)
    do {
      if try settle(state, from: peer, in: hosted) { return }
      let merged = try hosted.handle.merge(state.document) { renamed(hosted, to: $0) }
      counters.snapshotsMerged += 1
      // What came as state is in no record, so it is durable only once it is folded. Those who follow
      // our stream learn from the next heartbeat that we are ahead, and ask.
      let adopted = merged.isAdopted ? StoredSnapshot(version: state.version, bytes: state.bytes) : nil
      pipeline.mergedState(in: hosted.id, adopting: adopted)
      // One of the same version may have brought back what was forgotten here.
      hosted.digest = nil
      settle(merged, of: [], from: peer, in: hosted)
    } catch {
      counters.malformed += 1
      refuse(
        peer,
        Message.Refusal(code: .malformed, explanation: "The state of '\(hosted.id)': \(error)"))
    }
  }

  /// Sees to what follows from a merge: the log, those who follow us, what is still missing.
  ///
  /// - Parameter parts: what came from the peer, of which some may have merged already.
  private func settle(
    _ merged: DocumentHandle.Merged, of parts: @autoclosure () -> [Contribution], from peer: PeerHandle,
    in hosted: HostedDocument
  ) {
    if !merged.missing.isEmpty {
      noteHeld(parts, from: peer, version: merged.version, in: hosted)
      noteHeld(of: peer, unheldCount: merged.received.unheldCount, in: hosted)
    }
    if !merged.isEmpty {
      let changeCount = merged.changeCount
      counters.changesMerged += changeCount
      counters.mergeBatch.add(changeCount)
      reportFarFutureStamps(of: merged, in: hosted)
      let records = records(of: merged, in: hosted.id)
      chargeForLog(records, of: peer)
      enqueue(records, in: hosted)
      if configuration.isRelay {
        let changes = merged.changes
        publish(changes, of: hosted, toSide: ofOurSide(changes, broughtBy: parts, from: peer, in: hosted))
      }
    }
    // Also captures the version that is durable once the records above are.
    publishOutbox(of: hosted)
    if let refused = merged.refused {
      counters.malformed += 1
      refuse(
        peer,
        Message.Refusal(code: .malformed, explanation: "A change of '\(hosted.id)': \(refused)"))
    }
    if !merged.anchorsLacking.isEmpty {
      perform(
        hosted.session.lackAnchors(
          merged.anchorsLacking, from: peer, version: merged.version, now: clock.uptime()), in: hosted)
    }
    if !merged.missing.isEmpty {
      perform(
        hosted.session.miss(merged.missing, from: peer, version: merged.version, now: clock.uptime()), in: hosted)
    }
  }

  private func reportFarFutureStamps(of merged: DocumentHandle.Merged, in hosted: HostedDocument) {
    let judge = HybridClock()
    let now = clock.wallMilliseconds()
    for part in merged.histories where part.history.stamps.max().map({ judge.isFarFuture($0, now: now) }) ?? false {
      reportFarFuture(part.history.replica, in: hosted)
    }
    merged.received.merged.withLent { changes in
      for place in changes.indices where judge.isFarFuture(changes[place].change.stamp, now: now) {
        reportFarFuture(changes[place].change.replica, in: hosted)
      }
    }
  }

  private func reportFarFuture(_ writer: ReplicaID, in hosted: HostedDocument) {
    counters.farFutureStamps += 1
    report(.farFutureStamp(hosted.id, writer))
  }
}
