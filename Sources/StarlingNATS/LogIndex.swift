#if NATS
  import StarlingCore
  import StarlingEngine

  /// What stands in a log's stream, without the bytes: where each record, snapshot and list is, and
  /// what is said of it.
  ///
  /// It is made by reading the stream from the last index that was written into it, or from its beginning, and kept up
  /// with each call. What was replaced or compacted counts no more, whether it is still in the stream or purged: purging
  /// only makes space.
  ///
  /// ```
  ///   | r r r r r r r r r r r | checkpoint | sealed | r r | index | r r r
  ///     └────── sealed ──────┘                       └─ records ──────┘      opening reads the index and what follows
  /// ```
  struct LogIndex {
    /// - Complexity: 56 bytes a record.
    struct Record {
      var replica: ReplicaID
      var firstCounter: UInt64
      var lastCounter: UInt64
      var span: StreamSpan
    }

    struct Snapshot {
      var version: VersionVector
      /// Beyond which counters the records of some writers stay although the version covers them.
      var kept: [ReplicaID: UInt64]
      var span: StreamSpan
    }

    /// A state beside the records that it covers.
    struct Checkpoint {
      var version: VersionVector
      /// The weight of those records, as the engine gave it.
      var recordByteCount: Int
      var span: StreamSpan
    }

    /// The records of a document that a checkpoint covered, before all others: where they stand is in the stream too,
    /// and read when somebody asks.
    struct Sealed {
      struct Piece {
        var count: Int
        var span: StreamSpan
      }

      var pieces: [Piece]
      var count: Int
      /// The sequence of the first of them.
      var first: UInt64
      /// How many messages hold them.
      var messageCount: UInt64
      /// How far each writer got in them.
      var version: VersionVector
      /// Once they were asked for.
      var records: [Record]?
    }

    struct LoggedDocument {
      var snapshot: Snapshot?
      var checkpoint: Checkpoint?
      var sealed: Sealed?
      /// Those that are not sealed, in the order of appending.
      var records: [Record] = []
      var members: StreamSpan?
      var leases: StreamSpan?
      /// How far each writer got, by the records and the log start.
      var head = VersionVector()
      /// The sequence of a call that found other records before it than were there when it was written; nil if none
      /// did.
      var lackingAt: UInt64?

      var logStart: VersionVector { snapshot?.version ?? VersionVector() }

      var recordCount: Int { (sealed?.count ?? 0) + records.count }

      /// Whether all records are here; otherwise they are to be read first.
      var isRead: Bool { sealed == nil || sealed?.records != nil }

      /// In the order of appending; only where they are here.
      var allRecords: FlattenSequence<[[Record]]> {
        precondition(isRead, "The records of a document were not read.")
        return [sealed?.records ?? [], records].joined()
      }

      /// Whether the log stores such a record beside its snapshot.
      func stores(_ replica: ReplicaID, upTo lastCounter: UInt64) -> Bool {
        snapshot?.leaves(replica, upTo: lastCounter) ?? true
      }
    }

    /// The last opening.
    struct Opening {
      var session: UInt64
      var sequence: UInt64
      var head: OpenedHead
    }

    /// The last close in good order.
    struct Closing {
      var session: UInt64
      var sequence: UInt64
      var head: ClosedHead
    }

    private(set) var documents: [DocumentID: LoggedDocument] = [:]
    private(set) var opening: Opening?
    private(set) var closing: Closing?
    /// Whether a call spoke of records that were not here: the stream is to be read from its beginning.
    private(set) var isBlind = false
    /// How often the store was started, and the known starts of others; and where that stands.
    private(set) var generations = StoredGenerations()
    private(set) var generationsAt: UInt64?
    /// The documents that are forgotten; and where their names stand.
    private(set) var forgotten: Set<DocumentID> = []
    private(set) var forgottenAt: UInt64?
    /// That the store is not here, or not yet.
    private(set) var move: MovedHead?

    /// Takes over what was written into the stream.
    mutating func restore(_ documents: [DocumentID: LoggedDocument], _ opening: Opening, _ closing: Closing?) {
      (self.documents, self.opening, self.closing) = (documents, opening, closing)
    }

    mutating func restore(_ generations: StoredGenerations, at sequence: UInt64) {
      (self.generations, generationsAt) = (generations, sequence)
    }

    mutating func restore(_ forgotten: [DocumentID], at sequence: UInt64) {
      (self.forgotten, forgottenAt) = (Set(forgotten), sequence)
    }

    // MARK: Reading a stream

    /// Takes in what the next call of the stream says.
    ///
    /// - Returns: false if its head says what no log writes.
    mutating func take(_ call: ReadCall) -> Bool {
      switch call.kind {
      case .opened:
        guard let head = OpenedHead(decoding: call.head) else { return false }
        opening = Opening(session: call.session, sequence: call.first, head: head)
      case .closed:
        guard let head = ClosedHead(decoding: call.head) else { return false }
        closing = Closing(session: call.session, sequence: call.last, head: head)
      case .records:
        guard let head = RecordsHead(decoding: call.head, bodyByteCount: call.bodyByteCount) else { return false }
        take(head, of: call)
      case .rewritten:
        guard let head = RecordsHead(decoding: call.head, bodyByteCount: call.bodyByteCount) else { return false }
        for document in head.documents {
          documents[document]?.removeRecords()
        }
        take(head, of: call)
      case .snapshot, .keepingSnapshot:
        guard let head = SnapshotHead(decoding: call.head, as: call.kind) else { return false }
        take(head, of: call)
      case .members:
        guard let head = DocumentHead(decoding: call.head) else { return false }
        documents[head.document, default: LoggedDocument()].members = call.body
      case .leases:
        guard let head = DocumentHead(decoding: call.head) else { return false }
        documents[head.document, default: LoggedDocument()].leases = call.body
      case .checkpoint:
        guard let head = CheckpointHead(decoding: call.head) else { return false }
        let checkpoint = Checkpoint(
          version: head.version, recordByteCount: Int(head.recordByteCount), span: call.body)
        documents[head.document, default: LoggedDocument()].checkpoint = checkpoint
      case .generations:
        guard let head = GenerationsHead(decoding: call.head) else { return false }
        (generations, generationsAt) = (head.generations, call.first)
      case .forgotten:
        guard let head = ForgottenHead(decoding: call.head) else { return false }
        (forgotten, forgottenAt) = (Set(head.documents), call.first)
        for name in head.documents { documents[name] = nil }
      case .moved:
        guard let head = MovedHead(decoding: call.head) else { return false }
        switch head.stage {
        case .coming:
          let opening = opening
          self = LogIndex()
          (self.opening, move) = (opening, head)
        case .here: move = nil
        case .gone: move = head
        }
      case .sealed, .index:
        // They say again what was read already.
        break
      }
      return true
    }

    // MARK: Sealing

    /// How many of the document's records are first and covered by its checkpoint.
    func sealableCount(of name: DocumentID) -> Int {
      guard let document = documents[name], let version = document.checkpoint?.version else { return 0 }
      return document.records.prefix { $0.lastCounter <= version[$0.replica] }.count
    }

    /// The first `count` records are sealed, as they stand in `span`.
    mutating func seal(_ count: Int, of name: DocumentID, at span: StreamSpan) {
      guard var document = documents.removeValue(forKey: name) else { return }
      let records = document.records.prefix(count)
      var sealed =
        document.sealed
        ?? Sealed(pieces: [], count: 0, first: records[0].span.first, messageCount: 0, version: VersionVector())
      sealed.pieces.append(Sealed.Piece(count: count, span: span))
      sealed.count += count
      var last: UInt64?
      for record in records {
        sealed.version[record.replica] = max(sealed.version[record.replica], record.lastCounter)
        for sequence in record.span.sequences where last.map({ sequence > $0 }) ?? true {
          sealed.messageCount += 1
          last = sequence
        }
      }
      sealed.messageCount += UInt64(span.sequences.count)
      sealed.records?.append(contentsOf: records)
      document.records.removeFirst(count)
      document.sealed = sealed
      documents[name] = document
    }

    /// The sealed records of the document are here.
    mutating func unseal(_ name: DocumentID, _ records: [Record]) {
      documents[name]?.sealed?.records = records
    }

    private mutating func take(_ head: RecordsHead, of call: ReadCall) {
      for (document, count) in zip(head.documents, head.countsBefore) {
        let isWhole = UInt64(documents[document]?.recordCount ?? 0) == count
        if !isWhole { documents[document, default: LoggedDocument()].lackingAt = call.first }
      }
      var offset = 0
      for entry in head.entries {
        let record = Record(
          replica: entry.replica, firstCounter: entry.firstCounter, lastCounter: entry.lastCounter,
          span: call.span(from: offset, byteCount: entry.byteCount))
        offset += entry.byteCount
        documents[head.documents[entry.document], default: LoggedDocument()].append(record)
      }
    }

    private mutating func take(_ head: SnapshotHead, of call: ReadCall) {
      var document = documents.removeValue(forKey: head.document) ?? LoggedDocument()
      if !document.compact(into: Snapshot(version: head.version, kept: head.kept, span: call.body)) { isBlind = true }
      document.lackingAt = UInt64(document.recordCount) == head.countLeft ? nil : call.first
      documents[head.document] = document
    }

    // MARK: What still counts

    /// A part of what counts, as it can be written once more.
    enum Piece: Hashable {
      case opening
      case generations
      case forgotten
      case snapshot(DocumentID)
      case checkpoint(DocumentID)
      case records(DocumentID)
      case members(DocumentID)
      case leases(DocumentID)
    }

    /// What stands first in the stream of all that counts, and the sequence where it begins; nothing before it does.
    ///
    /// - Complexity: O(documents).
    var first: (piece: Piece, sequence: UInt64)? {
      var places: [(piece: Piece, sequence: UInt64)] = []
      if let opening { places.append((.opening, opening.sequence)) }
      if let generationsAt { places.append((.generations, generationsAt)) }
      if let forgottenAt { places.append((.forgotten, forgottenAt)) }
      for (name, document) in documents {
        if let snapshot = document.snapshot { places.append((.snapshot(name), snapshot.span.first)) }
        if let checkpoint = document.checkpoint { places.append((.checkpoint(name), checkpoint.span.first)) }
        if let record = document.sealed?.first ?? document.records.first?.span.first {
          places.append((.records(name), record))
        }
        if let members = document.members { places.append((.members(name), members.first)) }
        if let leases = document.leases { places.append((.leases(name), leases.first)) }
      }
      return places.min { $0.sequence < $1.sequence }
    }

    /// How many messages hold what counts.
    ///
    /// - Complexity: O(records that are not sealed).
    var messageCount: UInt64 {
      var sequences: Set<UInt64> = []
      var sealedCount: UInt64 = 0
      for document in documents.values {
        sealedCount += document.sealed?.messageCount ?? 0
        for span in [document.snapshot?.span, document.checkpoint?.span, document.members, document.leases] {
          if let span { sequences.formUnion(span.sequences) }
        }
        for record in document.records { sequences.formUnion(record.span.sequences) }
      }
      return UInt64(sequences.count) + sealedCount + 3
    }

    // MARK: The closing mark

    /// The closing mark at the end of what was there before the last opening, if it says what the stream says.
    var standingMark: Closing? {
      guard let closing, let opening, closing.sequence == opening.sequence - 1,
        closing.head == mark(of: closing.head.replica)
      else { return nil }
      return closing
    }

    /// What a close says now.
    func mark(of replica: ReplicaID) -> ClosedHead {
      ClosedHead(
        replica: replica,
        heads: documents.compactMap { document, logged in
          let counter = logged.head[replica]
          return counter > 0 ? ClosedHead.Head(document: document, counter: counter) : nil
        })
    }
  }

  extension LogIndex.Snapshot {
    fileprivate func leaves(_ replica: ReplicaID, upTo lastCounter: UInt64) -> Bool {
      SnapshotHead.leaves(replica, upTo: lastCounter, at: version, keeping: kept)
    }
  }

  extension LogIndex.LoggedDocument {
    /// All of them come again, but for those that were taken back.
    fileprivate mutating func removeRecords() {
      records = []
      sealed = nil
      checkpoint = nil
      head = logStart
      lackingAt = nil
    }

    fileprivate mutating func append(_ record: LogIndex.Record) {
      // Not after it, but where a log was put together by hand: then it covers others than it did.
      if let version = checkpoint?.version, record.lastCounter <= version[record.replica] { checkpoint = nil }
      records.append(record)
      head[record.replica] = max(head[record.replica], record.lastCounter)
    }

    /// - Returns: false where which sealed records it leaves cannot be told.
    fileprivate mutating func compact(into snapshot: LogIndex.Snapshot) -> Bool {
      var isKnown = true
      if let sealed {
        if let former = sealed.records {
          records = former + records
        } else {
          isKnown = !sealed.version.entries.contains { snapshot.leaves($0.replica, upTo: $0.counter) }
        }
        self.sealed = nil
      }
      records.removeAll { !snapshot.leaves($0.replica, upTo: $0.lastCounter) }
      self.snapshot = snapshot
      if let version = checkpoint?.version, !version.stays(above: snapshot.version) { checkpoint = nil }
      head.merge(snapshot.version)
      return isKnown
    }

    /// Whether a snapshot at `version` removes all sealed records.
    func removesSealed(at version: VersionVector, keeping kept: [ReplicaID: UInt64]) -> Bool {
      guard let sealed else { return true }
      return !sealed.version.entries.contains {
        SnapshotHead.leaves($0.replica, upTo: $0.counter, at: version, keeping: kept)
      }
    }
  }
#endif
