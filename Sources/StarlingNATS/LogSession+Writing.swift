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
          head.countsBefore.append(UInt64(logged?.records.count ?? 0))
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
    }

    /// The snapshot counts with its last part, and from then on its records no more but for those to be kept; then
    /// there is space to be made. Records to be appended come in a call of their own: a session that ends between the
    /// two keeps the state without them.
    func compact(
      _ document: DocumentID, into snapshot: StoredSnapshot, keeping kept: [ReplicaID: UInt64],
      appending records: [LogRecord]
    ) throws(LogError) {
      let logged = index.documents[document]
      try snapshot.checkCovers(logged?.logStart ?? VersionVector())
      let left = logged?.records.count {
        SnapshotHead.leaves($0.replica, upTo: $0.lastCounter, at: snapshot.version, keeping: kept)
      }
      let head = SnapshotHead(
        document: document, countLeft: UInt64(left ?? 0), version: snapshot.version, kept: kept)
      let token = LogSubjects.token(of: .snapshot, document)
      let call = try write(StreamCall(kind: head.kind, head: head.encoded, body: snapshot.bytes), to: token)
      try take(call)
      try append(records)
      makeSpace()
    }

    /// What is left of the document's records, and others behind them, written as one call in place of all before.
    func retract(
      _ document: DocumentID, beyond counters: [ReplicaID: UInt64], appending records: [LogRecord]
    ) throws(LogError) {
      for record in records { try record.checkCounters() }
      let logged = index.documents[document] ?? LogIndex.LoggedDocument()
      try logged.logStart.checkRetractable(beyond: counters)
      for record in logged.records {
        try LogRecord.checkRetractable(
          record.replica, from: record.firstCounter, to: record.lastCounter, beyond: counters)
      }
      let left = logged.records.filter { $0.lastCounter <= counters[$0.replica] ?? .max }
      let added = records.filter { logged.stores($0.replica, upTo: $0.lastCounter) }
      try rewrite(try self.records(left, of: document) + added, of: document)
      makeSpace()
    }

    /// Stores the members of a document, in place of what was stored before.
    func remember(_ members: [LogMember], of document: DocumentID) throws(LogError) {
      try replace(.members, of: document, by: MembersBody.encode(members))
    }

    /// Which replica ids are leased, in place of what was stored before.
    func remember(leases: [LogLease], of document: DocumentID) throws(LogError) {
      try replace(.leases, of: document, by: LeasesBody.encode(leases))
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
