#if NATS
  import StarlingCore
  import StarlingEngine

  extension LogSession {
    /// - Complexity: proportional to the document's bytes.
    func recover(_ name: DocumentID) throws(LogError) -> RecoveredDocument {
      guard let document = try readDocument(name) else { return RecoveredDocument(snapshot: nil, records: []) }
      let snapshot = try snapshot(of: name)
      let records = try records(Array(document.allRecords), of: name)
      return try withLists(of: document, RecoveredDocument(snapshot: snapshot, records: records))
    }

    /// The latest checkpoint and what came after it.
    ///
    /// - Complexity: O(checkpoint + records that it does not cover), whatever the log holds behind it.
    func recoverFromCheckpoint(_ name: DocumentID) throws(LogError) -> RecoveredDocument? {
      guard var document = index.documents[name], let checkpoint = document.checkpoint else { return nil }
      if document.needsSealed(beyond: checkpoint.version) { document = try readDocument(name) ?? document }
      let after = (document.isRead ? Array(document.allRecords) : document.records).filter {
        $0.lastCounter > checkpoint.version[$0.replica]
      }
      var head = checkpoint.version
      for record in after { head[record.replica] = max(head[record.replica], record.lastCounter) }
      guard head == document.head else { throw damaged(checkpoint.span, "a checkpoint") }
      var recovered = RecoveredDocument(
        snapshot: StoredSnapshot(version: checkpoint.version, bytes: try bytes(at: checkpoint.span)),
        records: try records(after, of: name))
      recovered.history = RecoveredDocument.HistoryBehind(
        logStart: document.logStart, byteCount: checkpoint.recordByteCount)
      return try withLists(of: document, recovered)
    }

    private func withLists(
      of document: LogIndex.LoggedDocument, _ recovered: RecoveredDocument
    ) throws(LogError) -> RecoveredDocument {
      var recovered = recovered
      if let span = document.members {
        guard let members = MembersBody.decode(try bytes(at: span)) else { throw damaged(span, "members") }
        recovered.members = members
      }
      if let span = document.leases {
        guard let leases = LeasesBody.decode(try bytes(at: span)) else { throw damaged(span, "leases") }
        recovered.leases = leases
      }
      return recovered
    }

    /// The document, with its sealed records.
    func readDocument(_ name: DocumentID) throws(LogError) -> LogIndex.LoggedDocument? {
      guard let sealed = index.documents[name]?.sealed, sealed.records == nil else { return index.documents[name] }
      var found: [LogIndex.Record] = []
      found.reserveCapacity(sealed.count)
      for piece in sealed.pieces {
        guard let records = RecordsBody.decode(try bytes(at: piece.span)), records.count == piece.count else {
          throw damaged(piece.span, "sealed records")
        }
        found += records
      }
      guard found.count == sealed.count else { throw damaged(sealed.pieces[0].span, "sealed records") }
      index.unseal(name, found)
      return index.documents[name]
    }

    func snapshot(of name: DocumentID) throws(LogError) -> StoredSnapshot? {
      guard let snapshot = index.documents[name]?.snapshot else { return nil }
      return StoredSnapshot(version: snapshot.version, bytes: try bytes(at: snapshot.span))
    }

    func records(in name: DocumentID, after version: VersionVector, byteCountMax: Int) throws(LogError) -> LogAnswer {
      guard var document = index.documents[name] else { return .records([], isComplete: true) }
      if document.needsSealed(beyond: version), version.covers(document.logStart) {
        document = try readDocument(name) ?? document
      }
      guard let page = document.records(after: version, byteCountMax: byteCountMax) else { return .belowLogStart }
      return .records(try records(page.records, of: name), isComplete: page.isComplete)
    }

    func records(in name: DocumentID, before version: VersionVector, byteCountMax: Int) throws(LogError) -> LogAnswer {
      guard let document = try readDocument(name) else { return .records([], isComplete: true) }
      let page = document.records(before: version, byteCountMax: byteCountMax)
      return .records(try records(page.records, of: name), isComplete: page.isComplete)
    }

    func records(
      in name: DocumentID, by writers: Set<ReplicaID>, after version: VersionVector, byteCountMax: Int
    ) throws(LogError) -> LogAnswer {
      guard var document = index.documents[name] else { return .records([], isComplete: true) }
      if document.needsSealed(beyond: version, by: writers) { document = try readDocument(name) ?? document }
      let page = document.records(by: writers, after: version, byteCountMax: byteCountMax)
      return .records(try records(page.records, of: name), isComplete: page.isComplete)
    }

    func records(_ entries: [LogIndex.Record], of name: DocumentID) throws(LogError) -> [LogRecord] {
      let bytes = try bytes(at: entries.map(\.span))
      return zip(entries, bytes).map { entry, bytes in
        LogRecord(
          document: name, replica: entry.replica, firstCounter: entry.firstCounter, lastCounter: entry.lastCounter,
          bytes: bytes)
      }
    }

    // MARK: Bytes

    /// How many bytes are asked for at once, beyond the first span.
    private static let byteCountAtOnce = 4 << 20

    func bytes(at span: StreamSpan) throws(LogError) -> [UInt8] {
      try bytes(at: [span])[0]
    }

    /// What stands at each of these places; neighbours in one message are read with it.
    func bytes(at spans: [StreamSpan]) throws(LogError) -> [[UInt8]] {
      var result: [[UInt8]] = []
      result.reserveCapacity(spans.count)
      var rest = spans[...]
      while let first = rest.first {
        var byteCount = first.byteCount
        let more = rest.dropFirst().prefix { span in
          byteCount += span.byteCount
          return byteCount <= Self.byteCountAtOnce
        }
        let batch = rest.prefix(1 + more.count)
        let parts = try parts(at: Set(batch.lazy.flatMap(\.sequences)).sorted())
        for span in batch {
          guard let bytes = Self.cut(span, from: parts) else { throw try missing(span) }
          result.append(bytes)
        }
        rest = rest.dropFirst(batch.count)
      }
      return result
    }

    private func parts(at sequences: [UInt64]) throws(LogError) -> [UInt64: StreamPart] {
      var parts: [UInt64: StreamPart] = [:]
      for (sequence, bytes) in try stream.messages(at: sequences) {
        guard let part = try? StreamPart(decoding: bytes, at: sequence) else {
          throw LogError.corrupt(stream, sequence, "is not what a log wrote")
        }
        parts[sequence] = part
      }
      return parts
    }

    /// Nil where one of its parts is gone, or is another.
    private static func cut(_ span: StreamSpan, from parts: [UInt64: StreamPart]) -> [UInt8]? {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(span.byteCount)
      for sequence in span.sequences {
        let range = span.range(at: sequence)
        guard let part = parts[sequence], part.first == span.first, range.upperBound <= part.bytes.count else {
          return nil
        }
        bytes += part.bytes.dropFirst(range.lowerBound).prefix(range.count)
      }
      return bytes
    }

    /// What was in the stream and is not any more: somebody else holds the log and compacted it, or the stream was
    /// damaged.
    private func missing(_ span: StreamSpan) throws(LogError) -> LogError {
      if let error = try displacement() { return error }
      return LogError.corrupt(stream, span.first, "is lost, at least in part")
    }

    private func damaged(_ span: StreamSpan, _ what: String) -> LogError {
      LogError.corrupt(stream, span.first, "holds \(what) that cannot be read")
    }
  }
#endif
