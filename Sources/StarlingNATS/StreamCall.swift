#if NATS
  /// What one call of the log writes, whole or not at all.
  ///
  /// ```
  ///   | byte count of the head, 4 | head ...                  | body ...                    |
  ///   |                           | what a log opens by       | what it reads when asked    |
  ///
  ///   parts   |────────── m ──────────|────────── m ──────────|── the rest ──|
  ///           sequence s                s + 1                   s + 2, which makes the call count
  /// ```
  ///
  /// All parts but the last have as many bytes as the first, so a place in the body tells which parts hold it.
  struct StreamCall {
    static let prefixByteCount = 4
    /// Of the head, which is held in memory while a log is opened: a million records and more.
    static let headByteCountMax = 1 << 28

    var kind: StreamPart.Kind
    var head: [UInt8]
    var body: [UInt8] = []

    private var byteCount: Int { Self.prefixByteCount + head.count + body.count }

    /// How many of its bytes the first message holds, if a message holds `byteCountMax`.
    func partByteCount(byteCountMax: Int) -> Int {
      min(byteCount, max(1, byteCountMax - StreamPart.headByteCount))
    }

    /// How many messages say it.
    func messageCount(byteCountMax: Int) -> Int {
      let part = partByteCount(byteCountMax: byteCountMax)
      return (byteCount + part - 1) / part
    }

    /// The messages that say it, in their order.
    ///
    /// - Parameters:
    ///   - first: the sequence that the first of them will have.
    ///   - byteCountMax: of a message.
    func messages(of session: UInt64, from first: UInt64, byteCountMax: Int) -> some Sequence<[UInt8]> {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(byteCount)
      bytes.append(number: UInt32(head.count))
      bytes += head
      bytes += body
      let partByteCount = partByteCount(byteCountMax: byteCountMax)
      return stride(from: 0, to: bytes.count, by: partByteCount).lazy.map { [bytes] start in
        let end = min(start + partByteCount, bytes.count)
        return StreamPart(
          kind, isLast: end == bytes.count, session: session, first: first, bytes: bytes[start..<end]
        ).encoded()
      }
    }
  }

  /// A call as it stands in a stream. Of its bytes only the head is here.
  struct ReadCall {
    var kind: StreamPart.Kind
    var session: UInt64
    /// The sequences of its first part and of its last.
    var first: UInt64
    var last: UInt64
    var head: [UInt8]
    var partByteCount: Int
    var bodyByteCount: Int

    /// Where some bytes of the body stand.
    func span(from offset: Int, byteCount: Int) -> StreamSpan {
      StreamSpan(
        first: first, partByteCount: partByteCount, offset: StreamCall.prefixByteCount + head.count + offset,
        byteCount: byteCount)
    }

    var body: StreamSpan { span(from: 0, byteCount: bodyByteCount) }
  }

  /// Where some bytes of a call stand in a stream.
  struct StreamSpan: Hashable {
    /// The sequence of the call's first part.
    var first: UInt64
    /// Of each part but the last.
    var partByteCount: Int
    /// Of the first byte, among the bytes of all parts.
    var offset: Int
    var byteCount: Int

    /// The sequences of the parts that hold them; none of no bytes.
    var sequences: Range<UInt64> {
      guard byteCount > 0 else { return first..<first }
      let begin = first + UInt64(offset / partByteCount)
      return begin..<first + UInt64((offset + byteCount - 1) / partByteCount) + 1
    }

    /// What it takes of the part at `sequence`: a range of its bytes.
    func range(at sequence: UInt64) -> Range<Int> {
      let start = Int(sequence - first) * partByteCount
      return max(offset, start) - start..<min(offset + byteCount, start + partByteCount) - start
    }
  }
#endif
