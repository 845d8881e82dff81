#if NATS
  import StarlingCore
  import StarlingEngine

  // The index as the head of a call, and records as the body of one. Numbers are short (LEB128) but for sessions and
  // replicas, which are eight bytes; texts and versions are as in other heads. Reading takes all of the bytes, or gives
  // nil.
  //
  // ```
  //   index     | opening | marks, 1 | closing | generations | forgotten | n | document n times |
  //   opening   | session, 8 | sequence | byte count | head ... |    closing, generations, forgotten likewise
  //   document  | name | marks, 1 | head, a version | snapshot | checkpoint | members | leases | sealed | records |
  //   sealed    | count | first sequence | messages | version | n | count, span n times |
  //   records   | writers, 4 | replica, 8 ... | n | writer | first | last - first | span n times |
  //   span      | sequence of the call's first part | byte count of a part | offset | byte count |
  // ```
  //
  // The sequence of a record's span is written as the difference to the one before, plus 1; none goes back.
  extension LogIndex {
    private static let hasSnapshot: UInt8 = 1, hasCheckpoint: UInt8 = 2, hasMembers: UInt8 = 4, hasLeases: UInt8 = 8
    private static let hasSealed: UInt8 = 16
    private static let hasClosing: UInt8 = 1, hasGenerations: UInt8 = 2, hasForgotten: UInt8 = 4

    /// Nil where it cannot stand for what the stream says.
    var encoded: [UInt8]? {
      guard let opening, !isBlind, move == nil else { return nil }
      var bytes: [UInt8] = []
      bytes.append(opening.session, opening.sequence, opening.head.encoded)
      bytes.append(
        (closing == nil ? 0 : Self.hasClosing) | (generationsAt == nil ? 0 : Self.hasGenerations)
          | (forgottenAt == nil ? 0 : Self.hasForgotten))
      if let closing { bytes.append(closing.session, closing.sequence, closing.head.encoded) }
      if let generationsAt { bytes.append(0, generationsAt, GenerationsHead(generations).encoded) }
      if let forgottenAt { bytes.append(0, forgottenAt, ForgottenHead(forgotten).encoded) }
      bytes.append(short: UInt64(documents.count))
      for (name, document) in documents {
        guard document.lackingAt == nil else { return nil }
        bytes.append(text: name.name)
        bytes.append(
          (document.snapshot == nil ? 0 : Self.hasSnapshot) | (document.checkpoint == nil ? 0 : Self.hasCheckpoint)
            | (document.members == nil ? 0 : Self.hasMembers) | (document.leases == nil ? 0 : Self.hasLeases)
            | (document.sealed == nil ? 0 : Self.hasSealed))
        bytes.append(version: document.head)
        if let snapshot = document.snapshot {
          bytes.append(version: snapshot.version)
          bytes.append(short: UInt64(snapshot.kept.count))
          for (replica, counter) in snapshot.kept {
            bytes.append(number: replica.rawValue)
            bytes.append(short: counter)
          }
          bytes.append(snapshot.span)
        }
        if let checkpoint = document.checkpoint {
          bytes.append(version: checkpoint.version)
          bytes.append(short: UInt64(checkpoint.recordByteCount))
          bytes.append(checkpoint.span)
        }
        if let members = document.members { bytes.append(members) }
        if let leases = document.leases { bytes.append(leases) }
        if let sealed = document.sealed {
          bytes.append(short: UInt64(sealed.count))
          bytes.append(short: sealed.first)
          bytes.append(short: sealed.messageCount)
          bytes.append(version: sealed.version)
          bytes.append(short: UInt64(sealed.pieces.count))
          for piece in sealed.pieces {
            bytes.append(short: UInt64(piece.count))
            bytes.append(piece.span)
          }
        }
        bytes += RecordsBody.encode(document.records)
      }
      return bytes
    }

    init?(decoding bytes: [UInt8]) {
      self.init()
      var rest = bytes[...]
      guard let opened = rest.takeMark(), let head = OpenedHead(decoding: opened.head),
        let marks = rest.popFirst(),
        marks < 8
      else { return nil }
      var closing: Closing?
      if marks & Self.hasClosing != 0 {
        guard let closed = rest.takeMark(), let head = ClosedHead(decoding: closed.head) else { return nil }
        closing = Closing(session: closed.session, sequence: closed.sequence, head: head)
      }
      if marks & Self.hasGenerations != 0 {
        guard let stored = rest.takeMark(), let head = GenerationsHead(decoding: stored.head) else { return nil }
        restore(head.generations, at: stored.sequence)
      }
      if marks & Self.hasForgotten != 0 {
        guard let stored = rest.takeMark(), let head = ForgottenHead(decoding: stored.head) else { return nil }
        restore(head.documents, at: stored.sequence)
      }
      guard let count = rest.takeShort(), count <= UInt64(rest.count) else { return nil }
      var documents: [DocumentID: LoggedDocument] = [:]
      documents.reserveCapacity(Int(count))
      for _ in 0..<count {
        guard let name = rest.takeDocument(), let document = rest.takeLoggedDocument(), documents[name] == nil else {
          return nil
        }
        documents[name] = document
      }
      guard rest.isEmpty else { return nil }
      restore(
        documents, Opening(session: opened.session, sequence: opened.sequence, head: head), closing)
    }

    fileprivate static func takeDocument(from rest: inout ArraySlice<UInt8>) -> LoggedDocument? {
      var document = LoggedDocument()
      guard let marks = rest.popFirst(), marks < 32, let head = rest.takeVersion() else { return nil }
      document.head = head
      if marks & hasSnapshot != 0 {
        guard let version = rest.takeVersion(), let count = rest.takeShort(), count <= UInt64(rest.count) else {
          return nil
        }
        var kept: [ReplicaID: UInt64] = [:]
        for _ in 0..<count {
          guard let replica = rest.takeNumber(8), let counter = rest.takeShort() else { return nil }
          kept[ReplicaID(rawValue: replica)] = counter
        }
        guard let span = rest.takeSpan() else { return nil }
        document.snapshot = Snapshot(version: version, kept: kept, span: span)
      }
      if marks & hasCheckpoint != 0 {
        guard let version = rest.takeVersion(), let weight = rest.takeShort(), weight < 1 << 62,
          let span = rest.takeSpan()
        else { return nil }
        document.checkpoint = Checkpoint(version: version, recordByteCount: Int(weight), span: span)
      }
      if marks & hasMembers != 0 {
        guard let span = rest.takeSpan() else { return nil }
        document.members = span
      }
      if marks & hasLeases != 0 {
        guard let span = rest.takeSpan() else { return nil }
        document.leases = span
      }
      if marks & hasSealed != 0 {
        guard let sealed = rest.takeSealed() else { return nil }
        document.sealed = sealed
      }
      guard let records = RecordsBody.take(from: &rest) else { return nil }
      document.records = records
      return document
    }
  }

  /// Where records stand, in few bytes.
  enum RecordsBody {
    static func encode(_ records: some Collection<LogIndex.Record>) -> [UInt8] {
      var places: [ReplicaID: UInt64] = [:]
      var writers: [ReplicaID] = []
      for record in records where places[record.replica] == nil {
        places[record.replica] = UInt64(writers.count)
        writers.append(record.replica)
      }
      var bytes: [UInt8] = []
      bytes.append(number: UInt32(writers.count))
      for writer in writers { bytes.append(number: writer.rawValue) }
      bytes.append(short: UInt64(records.count))
      var former: UInt64 = 0
      for record in records {
        bytes.append(short: places[record.replica] ?? 0)
        bytes.append(short: record.firstCounter)
        bytes.append(short: record.lastCounter - record.firstCounter)
        // None goes back: records are in the order of appending.
        bytes.append(short: record.span.first - former)
        bytes.append(short: UInt64(record.span.partByteCount))
        bytes.append(short: UInt64(record.span.offset))
        bytes.append(short: UInt64(record.span.byteCount))
        former = record.span.first
      }
      return bytes
    }

    static func decode(_ bytes: [UInt8]) -> [LogIndex.Record]? {
      var rest = bytes[...]
      guard let records = take(from: &rest), rest.isEmpty else { return nil }
      return records
    }

    static func take(from rest: inout ArraySlice<UInt8>) -> [LogIndex.Record]? {
      guard let writerCount = rest.takeCount(of: 8) else { return nil }
      var writers: [ReplicaID] = []
      for _ in 0..<writerCount {
        guard let writer = rest.takeNumber(8) else { return nil }
        writers.append(ReplicaID(rawValue: writer))
      }
      guard let count = rest.takeShort(), count <= UInt64(rest.count / 7) else { return nil }
      var records: [LogIndex.Record] = []
      records.reserveCapacity(Int(count))
      var former: UInt64 = 0
      for _ in 0..<count {
        guard let writer = rest.takeShort(), writer < UInt64(writers.count), let first = rest.takeShort(), first >= 1,
          let more = rest.takeShort(), first + more < 1 << 63, let distance = rest.takeShort(),
          former + distance < 1 << 62,
          let span = rest.takeSpan(from: former + distance)
        else { return nil }
        former += distance
        records.append(
          LogIndex.Record(
            replica: writers[Int(writer)], firstCounter: first, lastCounter: first + more, span: span))
      }
      return records
    }
  }

  extension [UInt8] {
    fileprivate mutating func append(_ session: UInt64, _ sequence: UInt64, _ head: [UInt8]) {
      append(number: session)
      append(short: sequence)
      append(short: UInt64(head.count))
      self += head
    }

    fileprivate mutating func append(_ span: StreamSpan) {
      append(short: span.first)
      append(short: UInt64(span.partByteCount))
      append(short: UInt64(span.offset))
      append(short: UInt64(span.byteCount))
    }
  }

  extension ArraySlice<UInt8> {
    fileprivate mutating func takeMark() -> (session: UInt64, sequence: UInt64, head: [UInt8])? {
      guard let session = takeNumber(8), let sequence = takeShort(), sequence < 1 << 62, let byteCount = takeShort(),
        byteCount <= UInt64(count)
      else { return nil }
      defer { removeFirst(Int(byteCount)) }
      return (session, sequence, [UInt8](prefix(Int(byteCount))))
    }

    fileprivate mutating func takeLoggedDocument() -> LogIndex.LoggedDocument? { LogIndex.takeDocument(from: &self) }

    fileprivate mutating func takeSpan() -> StreamSpan? {
      guard let first = takeShort(), first < 1 << 62 else { return nil }
      return takeSpan(from: first)
    }

    /// The rest of one that begins at `first`.
    fileprivate mutating func takeSpan(from first: UInt64) -> StreamSpan? {
      guard let part = takeShort(), 1 <= part, part < 1 << 32, let offset = takeShort(), offset < 1 << 48,
        let byteCount = takeShort(), byteCount < 1 << 48
      else { return nil }
      return StreamSpan(first: first, partByteCount: Int(part), offset: Int(offset), byteCount: Int(byteCount))
    }

    fileprivate mutating func takeSealed() -> LogIndex.Sealed? {
      guard let total = takeShort(), total < 1 << 48, let first = takeShort(), first < 1 << 62,
        let messageCount = takeShort(), messageCount < 1 << 62, let version = takeVersion(), let count = takeShort(),
        count <= UInt64(self.count)
      else { return nil }
      var sealed = LogIndex.Sealed(
        pieces: [], count: Int(total), first: first, messageCount: messageCount, version: version)
      for _ in 0..<count {
        guard let pieceCount = takeShort(), pieceCount <= total, let span = takeSpan() else { return nil }
        sealed.pieces.append(LogIndex.Sealed.Piece(count: Int(pieceCount), span: span))
      }
      return sealed
    }
  }
#endif
