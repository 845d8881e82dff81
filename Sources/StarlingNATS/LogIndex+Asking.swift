#if NATS
  import StarlingCore
  import StarlingEngine

  // What is asked of a document. Each looks at all of its records, or at all that are not sealed.
  extension LogIndex.LoggedDocument {
    /// What a peer that holds `version` lacks, oldest first; nil below the log start.
    func records(after version: VersionVector, byteCountMax: Int) -> (records: [LogIndex.Record], isComplete: Bool)? {
      guard version.covers(logStart) else { return nil }
      return Self.page(of: records(beyond: version).lazy.filter { $0.lastCounter > version[$0.replica] }, byteCountMax)
    }

    /// What `version` covers and the snapshot does not, newest first.
    func records(before version: VersionVector, byteCountMax: Int) -> (records: [LogIndex.Record], isComplete: Bool) {
      let logStart = logStart
      let covered = allRecords.reversed().lazy.filter {
        $0.firstCounter <= version[$0.replica] && version[$0.replica] > logStart[$0.replica]
          && $0.lastCounter > logStart[$0.replica]
      }
      return Self.page(of: covered, byteCountMax)
    }

    /// What is stored of `writers` and `version` does not cover, oldest first, wherever the log starts.
    func records(
      by writers: Set<ReplicaID>, after version: VersionVector, byteCountMax: Int
    ) -> (records: [LogIndex.Record], isComplete: Bool) {
      let lacking = records(beyond: version, by: writers).lazy.filter {
        writers.contains($0.replica) && $0.lastCounter > version[$0.replica]
      }
      return Self.page(of: lacking, byteCountMax)
    }

    /// Whether the sealed records have something for a requester that holds `version`.
    func needsSealed(beyond version: VersionVector, by writers: Set<ReplicaID>? = nil) -> Bool {
      guard let sealed else { return false }
      return sealed.version.entries.contains {
        $0.counter > version[$0.replica] && writers?.contains($0.replica) ?? true
      }
    }

    private func records(
      beyond version: VersionVector, by writers: Set<ReplicaID>? = nil
    ) -> FlattenSequence<[[LogIndex.Record]]> {
      needsSealed(beyond: version, by: writers) ? allRecords : [records].joined()
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
