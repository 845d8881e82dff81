#if NATS
  import StarlingCore
  import StarlingEngine

  extension LogSession {
    /// How many messages that count no more are let be.
    private static let leftover: UInt64 = 64

    /// Gives back what counts no more. A stream is shortened from its beginning alone; where something that counts
    /// stands in the way, it is written once more, while that gives back more than it takes.
    ///
    /// ```
    ///   | a | . . . . . | b | . . . |            a and b count
    ///                   | b | . . . | a |        a written again, and all before b purged
    /// ```
    ///
    /// What fails is left for the next time.
    ///
    /// - Complexity: O(1) messages for each that counts no more, amortized.
    func makeSpace() {
      // While the store comes here, the message that says so must stay.
      guard index.move == nil, last - spaceMadeAt >= Self.leftover / 2, let begin = index.first else { return }
      let count = index.messageCount
      // As many as count may be dead before all is looked at again.
      spaceMadeAt = last
      stream.purge(before: begin.sequence)
      while let (piece, sequence) = index.first, last - sequence > 2 * count + Self.leftover {
        guard (try? rewrite(piece)) != nil else { return }
      }
      if let first = index.first, first.sequence > begin.sequence { stream.purge(before: first.sequence) }
    }

    private func rewrite(_ piece: LogIndex.Piece) throws(LogError) {
      switch piece {
      case .opening:
        guard let opening = index.opening else { return }
        try take(try write(StreamCall(kind: .opened, head: opening.head.encoded), to: LogSubjects.session))
      case .generations: try write(index.generations)
      case .forgotten: try write(forgotten: index.forgotten)
      case .snapshot(let name):
        guard let document = index.documents[name], let snapshot = document.snapshot else { return }
        let head = SnapshotHead(
          document: name, countLeft: UInt64(document.recordCount), version: snapshot.version, kept: snapshot.kept)
        try rewrite(head.kind, of: name, head.encoded, try bytes(at: snapshot.span))
      case .records(let name):
        guard let document = try readDocument(name) else { return }
        let checkpoint = try checkpointCall(of: name) { _ in true }
        try rewrite(try records(Array(document.allRecords), of: name), of: name)
        if let checkpoint { try rewrite(checkpoint, of: name) }
      case .checkpoint(let name):
        if let checkpoint = try checkpointCall(of: name, where: { _ in true }) { try rewrite(checkpoint, of: name) }
      case .members(let name):
        guard let span = index.documents[name]?.members else { return }
        try rewrite(.members, of: name, DocumentHead(document: name).encoded, try bytes(at: span))
      case .leases(let name):
        guard let span = index.documents[name]?.leases else { return }
        try rewrite(.leases, of: name, DocumentHead(document: name).encoded, try bytes(at: span))
      }
    }

    /// The document's checkpoint as it would be written once more; nil where there is none, or not such a one.
    func checkpointCall(
      of name: DocumentID, where isWanted: (VersionVector) -> Bool
    ) throws(LogError) -> StreamCall? {
      guard let checkpoint = index.documents[name]?.checkpoint, isWanted(checkpoint.version) else { return nil }
      let head = CheckpointHead(
        document: name, recordByteCount: UInt64(checkpoint.recordByteCount), version: checkpoint.version)
      return StreamCall(kind: .checkpoint, head: head.encoded, body: try bytes(at: checkpoint.span))
    }

    func rewrite(_ call: StreamCall, of document: DocumentID) throws(LogError) {
      try take(try write(call, to: LogSubjects.token(of: call.kind, document)))
    }

    /// These are all records of the document from here on.
    func rewrite(_ records: [LogRecord], of name: DocumentID) throws(LogError) {
      var head = RecordsHead()
      head.documents = [name]
      head.countsBefore = [0]
      head.entries = records.map { record in
        RecordsHead.Entry(
          document: 0, replica: record.replica, firstCounter: record.firstCounter, lastCounter: record.lastCounter,
          byteCount: record.bytes.count)
      }
      let body = Array(records.map(\.bytes).joined())
      stateByteCountSinceIndex += body.count
      try rewrite(.rewritten, of: name, head.encoded, body)
    }

    private func rewrite(
      _ kind: StreamPart.Kind, of document: DocumentID, _ head: [UInt8], _ body: [UInt8]
    ) throws(LogError) {
      try rewrite(StreamCall(kind: kind, head: head, body: body), of: document)
    }
  }
#endif
