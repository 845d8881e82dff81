import StarlingCore
import StarlingSession
import StarlingWire

// Our own changes on their way out: numbered and coded once, sent to whoever follows, handed to the log.
extension ReplicaEngine {
  /// A frame is closed once it holds this much, so that a large backlog goes out in many.
  private static let payloadByteCount = 32 << 10
  private static let changesPerRecordMax = 1024
  /// A record of several changes holds at most this much.
  private static let recordByteCount = 1 << 20
  /// Changes that travel together define at most so many objects, and one with more operations than that
  /// travels alone: what peers take at once (`ChangeLimits`) is for one change that is as large as may be.
  private static let partCountMax = 4096

  /// Takes what was written here since the last call, publishes it and queues it for the log.
  func publishOutbox(of hosted: HostedDocument) {
    let (changes, origins, version) = hosted.handle.takeOutboxWithVersion()
    if let tracer = configuration.tracer,
      let work = TracedWork(hosted.id, changeCount: changes.count, lastDots: changes.lazy.map(\.last))
    {
      tracer.publishing(work, origins: origins) { send(changes, of: hosted) }
    } else if !changes.isEmpty {
      send(changes, of: hosted)
    }
    pending.versions[hosted.id] = version
    if !changes.isEmpty { startLogging() }
  }

  private func send(_ changes: [Change], of hosted: HostedDocument) {
    publish(changes, of: hosted, toSide: changes)
    enqueue(records(of: changes.map { .change($0) }, in: hosted.id), in: hosted)
  }

  /// Sends changes on our stream of the document; those `toSide` on our side's too, if anybody follows that.
  func publish(_ changes: [Change], of hosted: HostedDocument, toSide: [Change]) {
    publish(changes, on: &hosted.stream, of: hosted, to: .everyone)
    counters.changesPublished += changes.count
    guard hosted.side != nil, !toSide.isEmpty else { return }
    publish(toSide, on: &hosted.side!, of: hosted, to: .across)
  }

  private func publish(
    _ changes: [Change], on stream: inout OutgoingStream, of hosted: HostedDocument, to audience: Audience
  ) {
    var payload: [UInt8] = []
    var partCount = 0
    for change in changes {
      let (former, formerPartCount) = (payload.count, partCount)
      stream.encoder.encode(change, into: &payload)
      partCount += change.objects.count + change.operations.count
      if former > 0, payload.count > 2 * Self.payloadByteCount || partCount > Self.partCountMax {
        // What was there goes first: together the two might be more than a frame holds.
        send(Array(payload[..<former]), on: &stream, of: hosted, to: audience)
        payload.removeFirst(former)
        partCount -= formerPartCount
      }
      if payload.count >= Self.payloadByteCount {
        send(payload, on: &stream, of: hosted, to: audience)
        payload.removeAll(keepingCapacity: true)
        partCount = 0
      }
    }
    if !payload.isEmpty { send(payload, on: &stream, of: hosted, to: audience) }
  }

  private func send(
    _ payload: [UInt8], on stream: inout OutgoingStream, of hosted: HostedDocument, to audience: Audience
  ) {
    let frame = PublishedFrame(
      topic: stream.topic, stream: stream.position.stream,
      sequence: stream.position.sequence, payload: payload[...]
    ).encoded()
    stream.position.sequence += 1
    counters.framesPublished += 1
    counters.bytesPublished += frame.count
    transmit(frame, of: hosted, to: audience)
  }

  /// Sends a frame to whoever follows that stream of the document.
  func transmit(_ frame: [UInt8], of hosted: HostedDocument, to audience: Audience) {
    guard isOnline else { return }
    let isConfined = isConfined(hosted)
    if !isConfined { link.publish(frame) }
    guard isConfined || !endpoints.isEmpty || !proved.isEmpty else { return }
    // Those whom we dialled and who cannot dial us receive no publication, and neither do those who may not read all
    // of them: directly. So does a lessor that alone is told: anybody may subscribe.
    var message: [UInt8]?
    for (handle, peer) in peersInOrder
    where (isConfined || peer.endpoint != nil || !readsEverything(handle)) && peer.interests.contains(hosted.id)
      && serves(handle)
      && self.audience(of: handle) == audience && peer.relation != .standby
    {
      let bytes = message ?? Message.live(frame).encoded()
      message = bytes
      send(bytes, to: handle)
    }
  }

  /// Runs of consecutive changes by one writer, each a self-contained batch.
  func records(of parts: [Contribution], in document: DocumentID) -> [LogRecord] {
    var records: [LogRecord] = []
    var run: [Contribution] = []
    var (changeCount, lastCounter) = (0, UInt64(0))
    for part in parts {
      let isNext = run.last?.replica == part.replica && part.firstCounter == lastCounter + 1
      if !run.isEmpty, !isNext || changeCount + part.changeCount > Self.changesPerRecordMax {
        append(run, of: document, to: &records)
        (run, changeCount) = ([], 0)
      }
      run.append(part)
      changeCount += part.changeCount
      lastCounter = part.lastCounter
    }
    if !run.isEmpty { append(run, of: document, to: &records) }
    return records
  }

  /// One record for the run, or several where one would be too much for a peer to take at once.
  private func append(_ run: [Contribution], of document: DocumentID, to records: inout [LogRecord]) {
    let bytes = Batch.encode(run)
    let objectCount = run.reduce(0) { $0 + $1.definitionCount }
    if bytes.count > Self.recordByteCount || objectCount > Self.partCountMax {
      let parts = run.count > 1 ? run : run[0].changes.map { .change($0) }
      if parts.count > 1 {
        append(Array(parts[..<(parts.count / 2)]), of: document, to: &records)
        append(Array(parts[(parts.count / 2)...]), of: document, to: &records)
        return
      }
    }
    let (first, last) = (run[0], run[run.count - 1])
    records.append(
      LogRecord(
        document: document, replica: first.replica, firstCounter: first.firstCounter, lastCounter: last.lastCounter,
        bytes: bytes))
  }

  /// Tells those who follow where the document stands, once a heartbeat.
  func sendHeartbeat(_ hosted: HostedDocument) {
    let version = hosted.handle.version
    if hosted.versionAtLastHeartbeat == version, hosted.digest?.version != version {
      // It has rested for a heartbeat: the walk over all of it disturbs nobody.
      hosted.digest = hosted.handle.digestWithVersion().map { ($0.1, $0.0) }
    }
    hosted.versionAtLastHeartbeat = version
    var haves: [StreamPosition?: [UInt8]] = [:]
    for (handle, peer) in peersInOrder where peer.interests.contains(hosted.id) && serves(handle) {
      let position = position(of: hosted, toldTo: handle)
      let have = haves[position] ?? Message.have(hosted.have(at: position)).encoded()
      haves[position] = have
      send(have, to: handle)
    }
  }
}

extension Contribution {
  /// How many definitions its changes have.
  fileprivate var definitionCount: Int {
    switch self {
    case .change(let change): change.objects.count
    case .history(let history): history.objects.count * history.stamps.count
    }
  }
}
