#if NATS
  import StarlingCore
  import StarlingEngine

  extension LogSession {
    /// So few records are not worth a call of their own.
    private var sealedCountMin: Int { Int(max(1, messageCountPerIndex / 8)) }
    /// So many bytes of states are read once more at most, when a log is opened.
    static let stateByteCountMin = 1 << 20

    /// What an index would hold.
    private var indexEntryCount: UInt64 {
      index.documents.values.reduce(1) { $0 + 1 + UInt64($1.records.count + ($1.sealed?.pieces.count ?? 0)) }
    }

    /// Writes the index into the stream where opening it would read more than that takes.
    ///
    /// What fails is left for the next time: the stream is read from an index before, or from its beginning.
    ///
    /// - Complexity: O(1) bytes for each message since the last index, amortized.
    func writeIndexIfDue() {
      let messageCount = last - indexedAt
      guard index.move == nil else { return }
      guard messageCount >= nextIndexAfter || stateByteCountSinceIndex > nextIndexAfterStateBytes else { return }
      weighIndex()
      if messageCount >= nextIndexAfter || stateByteCountSinceIndex > nextIndexAfterStateBytes { try? writeIndex() }
    }

    /// What is read at an opening beside the index is to weigh no more than that.
    private func weighIndex() {
      let entryCount = indexEntryCount
      nextIndexAfter = messageCountPerIndex + entryCount / 4
      nextIndexAfterStateBytes = Self.stateByteCountMin + 64 * Int(entryCount)
    }

    /// Whether the log is left without one where little was written since the last.
    func writeLastIndex() {
      if last - indexedAt >= messageCountPerIndex / 8 { try? writeIndex() }
    }

    func writeIndex() throws(LogError) {
      defer { (indexedAt, stateByteCountSinceIndex) = (last, 0) }
      for name in index.documents.keys.sorted(by: { $0.name < $1.name }) {
        let count = index.sealableCount(of: name)
        guard count >= sealedCountMin, let document = index.documents[name] else { continue }
        let call = StreamCall(
          kind: .sealed, head: DocumentHead(document: name).encoded,
          body: RecordsBody.encode(document.records.prefix(count)))
        let written = try write(call, to: LogSubjects.token(of: .sealed, name))
        index.seal(count, of: name, at: written.body)
      }
      guard let head = index.encoded, head.count <= StreamCall.headByteCountMax else { return }
      _ = try write(
        StreamCall(kind: .index, head: head), to: LogSubjects.index, beforeLast: LogSubjects.indexPart)
      weighIndex()
    }
  }

  extension LogStream {
    /// The last index that was written into the stream, and where it ends.
    ///
    /// - Returns: nil where there is none that can be read: then the stream says all itself.
    func lastIndex() throws(LogError) -> (index: LogIndex, last: UInt64)? {
      guard let message = try lastMessage(of: LogSubjects.index),
        let end = try? StreamPart(decoding: message.bytes, at: message.sequence), end.kind == .index, end.isLast
      else { return nil }
      var calls = CallReader()
      var found: LogIndex?
      try readAll(behind: end.first - 1, through: message.sequence) { message throws(LogError) in
        guard let part = try? StreamPart(decoding: message.bytes, at: message.sequence),
          let call = try? calls.take(part, at: message.sequence), call.first == end.first
        else { return }
        found = LogIndex(decoding: call.head)
      }
      return found.map { ($0, message.sequence) }
    }
  }
#endif
