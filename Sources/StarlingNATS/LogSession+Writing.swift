#if NATS
  import StarlingCore
  import StarlingEngine

  extension LogSession {
    /// One call on the stream, whatever the number of records.
    func append(_ records: [LogRecord]) throws(LogError) {
      for record in records { try record.checkCounters() }
      var head = RecordsHead()
      var body: [UInt8] = []
      var places: [DocumentID: Int] = [:]
      for record in records {
        // What the snapshot covers, and did not have to keep, is not stored again.
        let logged = index.documents[record.document]
        guard logged?.stores(record.replica, upTo: record.lastCounter) ?? true else { continue }
        let place = places[record.document] ?? head.documents.count
        if place == head.documents.count {
          places[record.document] = place
          head.documents.append(record.document)
          head.countsBefore.append(UInt64(logged?.recordCount ?? 0))
        }
        head.entries.append(
          RecordsHead.Entry(
            document: place, replica: record.replica, firstCounter: record.firstCounter,
            lastCounter: record.lastCounter, byteCount: record.bytes.count))
        body += record.bytes
      }
      guard let document = head.documents.first else { return }
      let token = head.documents.count == 1 ? LogSubjects.token(of: .records, document) : LogSubjects.shared
      try take(try write(StreamCall(kind: .records, head: head.encoded, body: body), to: token))
      writeIndexIfDue()
    }

    /// The snapshot counts with its last part, and from then on its records no more but for those to be kept; then
    /// there is space to be made. Records to be appended come in a call of their own: a session that ends between the
    /// two keeps the state without them.
    func compact(
      _ document: DocumentID, into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64],
      appending records: [LogRecord]
    ) throws(LogError) {
      var logged = index.documents[document]
      try snapshot.checkCovers(logged?.logStart ?? VersionVector())
      let removesSealed = logged?.removesSealed(at: snapshot.version, keeping: kept) ?? true
      if !removesSealed { logged = try readDocument(document) }
      let sealedLeft = removesSealed ? 0 : logged?.sealed?.records?.count { isLeft($0) } ?? 0
      let left = sealedLeft + (logged?.records.count { isLeft($0) } ?? 0)
      func isLeft(_ record: LogIndex.Record) -> Bool {
        SnapshotHead.leaves(record.replica, upTo: record.lastCounter, at: snapshot.version, keeping: kept)
      }
      let head = SnapshotHead(
        document: document, countLeft: UInt64(left), version: snapshot.version, kept: kept)
      let token = LogSubjects.token(of: .snapshot, document)
      let call = try write(StreamCall(kind: head.kind, head: head.encoded, body: snapshot.bytes), to: token)
      stateByteCountSinceIndex += snapshot.bytes.count
      try take(call)
      try append(records)
      makeSpace()
      writeIndexIfDue()
    }

    /// What is left of the document's records, and others behind them, written as one call in place of all before.
    func retract(
      _ document: DocumentID, beyond counters: [ReplicaID: UInt64], appending records: [LogRecord]
    ) throws(LogError) {
      for record in records { try record.checkCounters() }
      let logged = try readDocument(document) ?? LogIndex.LoggedDocument()
      try logged.logStart.checkRetractable(beyond: counters)
      for record in logged.allRecords {
        try LogRecord.checkRetractable(
          record.replica, from: record.firstCounter, to: record.lastCounter, beyond: counters)
      }
      let left = logged.allRecords.filter { $0.lastCounter <= counters[$0.replica] ?? .max }
      let added = records.filter { logged.stores($0.replica, upTo: $0.lastCounter) }
      let checkpoint = try checkpointCall(of: document) { !$0.isRetracted(beyond: counters) }
      try rewrite(try self.records(left, of: document) + added, of: document)
      if let checkpoint { try rewrite(checkpoint, of: document) }
      makeSpace()
    }

    /// Beside the records, which all stay.
    func checkpoint(_ document: DocumentID, at state: StoredSnapshot, recordByteCount: Int) throws(LogError) {
      let logged = index.documents[document]
      try state.checkStands(
        in: LogExtent(logStart: logged?.logStart ?? VersionVector(), head: logged?.head ?? VersionVector()))
      let head = CheckpointHead(
        document: document, recordByteCount: UInt64(max(0, recordByteCount)), version: state.version)
      try rewrite(StreamCall(kind: .checkpoint, head: head.encoded, body: state.bytes), of: document)
      stateByteCountSinceIndex += state.bytes.count
      makeSpace()
      writeIndexIfDue()
    }

    /// Stores the members of a document, in place of what was stored before.
    func remember(_ members: [LogMember], of document: DocumentID) throws(LogError) {
      try replace(.members, of: document, by: MembersBody.encode(members))
    }

    /// Which replica ids are leased, in place of what was stored before.
    func remember(leases: [LogLease], of document: DocumentID) throws(LogError) {
      try replace(.leases, of: document, by: LeasesBody.encode(leases))
    }

    /// A greater number of its own that is stored stays.
    func remember(_ generations: StoredGenerations) throws(LogError) {
      var generations = generations
      generations.own = max(generations.own, index.generations.own)
      try write(generations)
      makeSpace()
    }

    /// Removes all of the document but its name.
    func forget(_ document: DocumentID) throws(LogError) {
      try write(forgotten: index.forgotten.union([document]))
      makeSpace()
      writeIndexIfDue()
    }

    func write(_ generations: StoredGenerations) throws(LogError) {
      try take(
        try write(
          StreamCall(kind: .generations, head: GenerationsHead(generations).encoded), to: LogSubjects.shared))
    }

    func write(forgotten documents: Set<DocumentID>) throws(LogError) {
      try take(
        try write(StreamCall(kind: .forgotten, head: ForgottenHead(documents).encoded), to: LogSubjects.shared))
    }

    /// All of a store that comes from elsewhere is here, or this one is gone.
    func write(_ move: MovedHead) throws(LogError) {
      try take(try write(StreamCall(kind: .moved, head: move.encoded), to: LogSubjects.session))
    }

    private func replace(_ kind: StreamPart.Kind, of document: DocumentID, by body: [UInt8]) throws(LogError) {
      let token = LogSubjects.token(of: kind, document)
      let head = DocumentHead(document: document)
      let call = try write(StreamCall(kind: kind, head: head.encoded, body: body), to: token)
      try take(call)
      makeSpace()
    }

    func take(_ call: ReadCall) throws(LogError) {
      guard index.take(call) else { preconditionFailure("A call of \(call.kind) was written that cannot be read.") }
    }
  }
#endif
