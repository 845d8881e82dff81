import StarlingCore
import StarlingSession
import StarlingWire

// Our own changes on their way out: numbered and coded once, sent to whoever follows, handed to the log.
extension ReplicaEngine {
  /// A frame is closed once it holds this much, so that a large backlog goes out in many.
  private static let payloadByteCount = 32 << 10
  private static let changesPerRecordMax = 4096
  /// A record of several changes holds at most this much.
  private static let recordByteCount = 1 << 20
  /// Changes that travel together define at most so many objects, and one with more operations than that
  /// travels alone: what peers take at once (`ChangeLimits`) is for one change that is as large as may be.
  private static let partCountMax = 4096
  /// An outbox goes on in the memory of one that was published if that holds at most so many changes.
  private static let spareCountMax = 4096

  /// Takes what was written here since the last call, publishes it and queues it for the log.
  func publishOutbox(of hosted: HostedDocument) {
    // What is written meanwhile stands on what the log is still to be told.
    guard !pipeline.isRetracting(hosted.id) else { return }
    var changes: [Change] = []
    swap(&changes, &hosted.spareOutbox)
    let (origins, version) = hosted.handle.exchangeOutbox(for: &changes, &hosted.spareOperations)
    if let tracer = configuration.tracer,
      let work = TracedWork(hosted.id, changeCount: changes.count, lastDots: changes.lazy.map(\.last))
    {
      tracer.publishing(work, origins: origins) { send(changes, of: hosted) }
    } else if !changes.isEmpty {
      send(changes, of: hosted)
    }
    pipeline.note(version, of: hosted.id)
    if !changes.isEmpty { startLogging() }
    if waiters.awaitTransaction(in: hosted.id) { serveWaiters(of: hosted) }
    if hosted.spareOperations.count <= Self.spareCountMax { changes.giveBack(to: &hosted.spareOperations) }
    changes.removeAll(keepingCapacity: changes.capacity <= Self.spareCountMax)
    swap(&changes, &hosted.spareOutbox)
  }

  private func send(_ changes: [Change], of hosted: HostedDocument) {
    publish(changes, of: hosted, toSide: changes)
    var records: [LogRecord] = []
    append(changes, in: changes.indices, of: hosted.id, to: &records)
    noteOwn(records, in: hosted)
    enqueue(records, in: hosted)
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
    changes.withLent { changes in
      for place in changes.indices {
        let (former, formerPartCount) = (payload.count, partCount)
        stream.encoder.encode(changes[place], into: &payload)
        partCount += changes[place].change.objects.count + changes[place].change.operations.count
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
    guard isConfined || !endpoints.isEmpty || connections.trusts.hasPartialReaders else { return }
    let receivers = connections.receivers(in: hosted.id, audience, isConfined: isConfined)
    guard !receivers.isEmpty else { return }
    let message = Message.live(frame).encoded()
    for peer in receivers { send(message, to: peer) }
  }

  /// One change of ours, for the log.
  func records(of change: Change, in document: DocumentID) -> [LogRecord] {
    var records: [LogRecord] = []
    append([change], in: 0..<1, of: document, to: &records)
    return records
  }

  /// What merged, for the log.
  func records(of merged: DocumentHandle.Merged, in document: DocumentID) -> [LogRecord] {
    var records: [LogRecord] = []
    var place = 0
    for part in merged.histories {
      append(merged.received.merged, in: place..<part.place, of: document, to: &records)
      append(part.history, of: document, to: &records)
      place = part.place
    }
    append(merged.received.merged, in: place..<merged.received.merged.count, of: document, to: &records)
    return records
  }

  /// Runs of consecutive changes by one writer, each a self-contained batch.
  private func append(
    _ changes: [Change], in places: Range<Int>, of document: DocumentID, to records: inout [LogRecord]
  ) {
    changes.withLent { lent in
      var place = places.lowerBound
      while place < places.upperBound {
        var (end, last) = (place + 1, lent[place].change.lastCounter)
        while end < places.upperBound, end - place < Self.changesPerRecordMax,
          lent[end].change.replica == lent[place].change.replica, lent[end].change.firstCounter == last &+ 1
        {
          last = lent[end].change.lastCounter
          end += 1
        }
        appendRun(changes, in: place..<end, of: document, to: &records)
        place = end
      }
    }
  }

  /// One record for the run, or several where one would be too much for a peer to take at once.
  private func appendRun(
    _ changes: [Change], in places: Range<Int>, of document: DocumentID, to records: inout [LogRecord]
  ) {
    let bytes = batches.encode(changes, in: places)
    let (first, last, objectCount) = changes.withLent { lent in
      (
        lent[places.lowerBound].change.firstCounter, lent[places.upperBound - 1].change.last,
        places.reduce(0) { $0 + lent[$1].change.objects.count }
      )
    }
    if places.count > 1, bytes.count > Self.recordByteCount || objectCount > Self.partCountMax {
      let middle = places.lowerBound + places.count / 2
      appendRun(changes, in: places.lowerBound..<middle, of: document, to: &records)
      appendRun(changes, in: middle..<places.upperBound, of: document, to: &records)
      return
    }
    records.append(
      LogRecord(
        document: document, replica: last.replica, firstCounter: first, lastCounter: last.counter, bytes: bytes))
  }

  private func append(_ history: TextHistory, of document: DocumentID, to records: inout [LogRecord]) {
    let bytes = batches.encode(history)
    // Each of its changes would define them.
    if bytes.count > Self.recordByteCount || history.objects.count * history.stamps.count > Self.partCountMax {
      let changes = history.changes
      return appendRun(changes, in: changes.indices, of: document, to: &records)
    }
    let part = Contribution.history(history)
    records.append(
      LogRecord(
        document: document, replica: part.replica, firstCounter: part.firstCounter, lastCounter: part.lastCounter,
        bytes: bytes))
  }
}

extension [Change] {
  /// Empties those that have few operations, as most do: what one thread allocates and another frees costs both more than
  /// the operations do.
  fileprivate mutating func giveBack(to spares: inout [[Operation]]) {
    for place in indices where self[place].operations.count <= 2 {
      var operations: [Operation] = []
      swap(&operations, &self[place].operations)
      while !operations.isEmpty { operations.removeLast() }
      spares.append(operations)
    }
  }
}
