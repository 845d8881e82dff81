#if NATS
  import StarlingCore
  import StarlingEngine

  @testable import StarlingNATS

  // What comes by a cluster: messages of the link, and the stream of a log.

  extension FuzzedDecoder {
    static let ofCluster = [clusterMessage, clusterLog]

    /// Messages one after the other, whose parts are put together to frames.
    static let clusterMessage = FuzzedDecoder(name: "cluster-message") { bytes in
      var input = InputReader(bytes)
      var assembly = Assembly(frameByteCountMax: 1024, byteCountMax: 4096)
      var isRead = true
      for message in input.parts(atMost: 64) {
        guard let envelope = Envelope(decoding: message) else {
          isRead = false
          continue
        }
        try hold(envelope.encoded() == message, "A message of the cluster is not written as it was read")
        // What a seal holds, as if it had opened.
        if let note = SealedNote(decoding: Array(envelope.body)) {
          try hold(note.encoded()[...] == envelope.body, "A note is not written as it was read")
        }
        guard let part = envelope.part ?? Envelope.Part(decoding: envelope.body) else { continue }
        let line = Assembly.Line(kind: envelope.kind, sender: envelope.sender, session: envelope.session)
        if let frame = assembly.take(part, of: line) {
          try hold(frame.count == part.byteCount && frame.count <= 1024, "A frame has \(frame.count) bytes")
        }
        try hold(assembly.byteCount <= 4096, "\(assembly.byteCount) bytes wait for what is missing")
      }
      return isRead
    }

    /// The messages of a stream, with the checksum that no fuzzer finds, and the heads and bodies of the calls in it.
    static let clusterLog = FuzzedDecoder(name: "cluster-log") { bytes in
      var input = InputReader(bytes)
      var reader = CallReader()
      var isRead = false
      for (place, message) in input.parts(atMost: 64).enumerated() {
        let sequence = UInt64(place + 1)
        _ = try? StreamPart(decoding: message, at: sequence)
        var content = InputReader(message)
        let kind = StreamPart.Kind.allCases[content.next() % StreamPart.Kind.allCases.count]
        let (marks, before) = (content.next(), content.next())
        let part = StreamPart(
          kind, isLast: marks & 1 == 1, session: UInt64(marks >> 1), first: sequence - UInt64(min(before, place)),
          bytes: content.takeRest()[...])
        guard let decoded = try? StreamPart(decoding: part.encoded(), at: sequence) else {
          throw Broken("A part of a log's stream is not read again as it is written")
        }
        guard let call = try? reader.take(decoded, at: sequence) else { continue }
        if try readHead(of: call) { isRead = true }
      }
      return isRead
    }

    private static func readHead(of call: ReadCall) throws -> Bool {
      let head = call.head
      switch call.kind {
      case .opened: return try again(OpenedHead(decoding: head), head) { $0.encoded }
      case .closed: return ClosedHead(decoding: head) != nil
      case .records, .rewritten:
        return try again(RecordsHead(decoding: head, bodyByteCount: call.bodyByteCount), head) { $0.encoded }
      case .snapshot, .keepingSnapshot: return SnapshotHead(decoding: head, as: call.kind) != nil
      case .checkpoint: return try again(CheckpointHead(decoding: head), head) { $0.encoded }
      case .generations: return try again(GenerationsHead(decoding: head), head) { $0.encoded }
      case .forgotten: return ForgottenHead(decoding: head) != nil
      case .moved: return try again(MovedHead(decoding: head), head) { $0.encoded }
      case .index:
        guard let index = LogIndex(decoding: head) else { return false }
        try hold(index.encoded.flatMap { LogIndex(decoding: $0) } != nil, "An index is not read again as it is written")
        return true
      case .sealed:
        if let records = RecordsBody.decode(head) {
          let again = RecordsBody.decode(RecordsBody.encode(records))
          try hold(again?.count == records.count, "Sealed records are not read again as they are written")
          return true
        }
        return try again(DocumentHead(decoding: head), head) { $0.encoded }
      case .members:
        _ = MembersBody.decode(head)
        return try again(DocumentHead(decoding: head), head) { $0.encoded }
      case .leases:
        if let leases = LeasesBody.decode(head) {
          try hold(LeasesBody.encode(leases) == head, "Leases are not written as they were read")
          return true
        }
        return try again(DocumentHead(decoding: head), head) { $0.encoded }
      }
    }

    private static func again<Head>(_ head: Head?, _ bytes: [UInt8], _ encoded: (Head) -> [UInt8]) throws -> Bool {
      guard let head else { return false }
      try hold(encoded(head) == bytes, "The head of a call is not written as it was read: \(head)")
      return true
    }
  }
#else
  extension FuzzedDecoder {
    static let ofCluster: [FuzzedDecoder] = []
  }
#endif
