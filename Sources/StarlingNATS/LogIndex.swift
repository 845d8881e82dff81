#if NATS
  import StarlingCore
  import StarlingEngine

  /// What stands in a log's stream, without the bytes: where each record, snapshot and list is, and
  /// what is said of it.
  ///
  /// It is made by reading the stream from its beginning, and kept up with each call. What was replaced or
  /// compacted counts no more, whether it is still in the stream or purged: purging only makes space.
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

    struct LoggedDocument {
      var snapshot: Snapshot?
      /// In the order of appending.
      var records: [Record] = []
      var members: StreamSpan?
      var leases: StreamSpan?
      /// How far each writer got, by the records and the log start.
      var head = VersionVector()
      /// The sequence of a call that found other records before it than were there when it was written; nil if none
      /// did.
      var lackingAt: UInt64?

      var logStart: VersionVector { snapshot?.version ?? VersionVector() }

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
      }
      return true
    }

    private mutating func take(_ head: RecordsHead, of call: ReadCall) {
      for (document, count) in zip(head.documents, head.countsBefore) {
        let isWhole = UInt64(documents[document]?.records.count ?? 0) == count
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
      var document = documents[head.document] ?? LoggedDocument()
      document.compact(into: Snapshot(version: head.version, kept: head.kept, span: call.body))
      document.lackingAt = UInt64(document.records.count) == head.countLeft ? nil : call.first
      documents[head.document] = document
    }

    // MARK: What still counts

    /// A part of what counts, as it can be written once more.
    enum Piece: Hashable {
      case opening
      case snapshot(DocumentID)
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
      for (name, document) in documents {
        if let snapshot = document.snapshot { places.append((.snapshot(name), snapshot.span.first)) }
        if let record = document.records.first?.span.first { places.append((.records(name), record)) }
        if let members = document.members { places.append((.members(name), members.first)) }
        if let leases = document.leases { places.append((.leases(name), leases.first)) }
      }
      return places.min { $0.sequence < $1.sequence }
    }

    /// How many messages hold what counts.
    ///
    /// - Complexity: O(records).
    var messageCount: UInt64 {
      var sequences: Set<UInt64> = []
      for document in documents.values {
        for span in [document.snapshot?.span, document.members, document.leases] {
          if let span { sequences.formUnion(span.sequences) }
        }
        for record in document.records { sequences.formUnion(record.span.sequences) }
      }
      return UInt64(sequences.count) + 1
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
      head = logStart
      lackingAt = nil
    }

    fileprivate mutating func append(_ record: LogIndex.Record) {
      records.append(record)
      head[record.replica] = max(head[record.replica], record.lastCounter)
    }

    fileprivate mutating func compact(into snapshot: LogIndex.Snapshot) {
      records.removeAll { !snapshot.leaves($0.replica, upTo: $0.lastCounter) }
      self.snapshot = snapshot
      head.merge(snapshot.version)
    }
  }

  // What is asked of a document. Each looks at all of its records.
  extension LogIndex.LoggedDocument {
    /// What a peer that holds `version` lacks, oldest first; nil below the log start.
    func records(after version: VersionVector, byteCountMax: Int) -> (records: [LogIndex.Record], isComplete: Bool)? {
      guard version.covers(logStart) else { return nil }
      return Self.page(of: records.lazy.filter { $0.lastCounter > version[$0.replica] }, byteCountMax)
    }

    /// What `version` covers and the snapshot does not, newest first.
    func records(before version: VersionVector, byteCountMax: Int) -> (records: [LogIndex.Record], isComplete: Bool) {
      let logStart = logStart
      let covered = records.reversed().lazy.filter {
        $0.firstCounter <= version[$0.replica] && version[$0.replica] > logStart[$0.replica]
          && $0.lastCounter > logStart[$0.replica]
      }
      return Self.page(of: covered, byteCountMax)
    }

    /// What is stored of `writers` and `version` does not cover, oldest first, wherever the log starts.
    func records(
      by writers: Set<ReplicaID>, after version: VersionVector, byteCountMax: Int
    ) -> (records: [LogIndex.Record], isComplete: Bool) {
      let lacking = records.lazy.filter { writers.contains($0.replica) && $0.lastCounter > version[$0.replica] }
      return Self.page(of: lacking, byteCountMax)
    }

    private static func page(
      of records: some Sequence<LogIndex.Record>, _ byteCountMax: Int
    ) -> (records: [LogIndex.Record], isComplete: Bool) {
      var page: [LogIndex.Record] = []
      var byteCount = 0
      for record in records {
        byteCount += record.span.byteCount
        guard page.isEmpty || byteCount <= byteCountMax else { return (page, false) }
        page.append(record)
      }
      return (page, true)
    }
  }
#endif
