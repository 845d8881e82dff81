#if NATS
  /// Puts calls together from the messages of a stream, in the order of their sequences. What is not
  /// whole never was: whoever wrote it ended, or was displaced, before its last part.
  ///
  /// ```
  ///   ... | call | call | part part | opened | part | call |
  ///                       └ void: no last     └ void: no first
  /// ```
  struct CallReader {
    fileprivate struct Unfinished {
      var call: ReadCall
      /// Where the next part must stand.
      var next: UInt64
      /// Bytes so far, and as many of them as belong to the head and its length.
      var byteCount = 0
      var start: [UInt8] = []
      /// The byte count of the head, once it is known.
      var headByteCount: Int?
    }

    private var unfinished: Unfinished?

    /// - Returns: a call, with its last part.
    mutating func take(_ part: StreamPart, at sequence: UInt64) throws(StreamPart.Fault) -> ReadCall? {
      if part.first == sequence {
        unfinished = Unfinished(
          call: ReadCall(
            kind: part.kind, session: part.session, first: sequence, last: sequence, head: [],
            partByteCount: part.bytes.count, bodyByteCount: 0),
          next: sequence)
      }
      guard var current = unfinished, current.next == sequence, current.call.first == part.first,
        current.call.kind == part.kind, current.call.session == part.session
      else {
        unfinished = nil
        return nil
      }
      unfinished = nil
      let byteCount = part.bytes.count
      let isSized = part.isLast ? byteCount <= current.call.partByteCount : byteCount == current.call.partByteCount
      guard isSized, byteCount > 0 else { throw .damaged }
      try current.take(part.bytes)
      guard part.isLast else {
        current.next += 1
        unfinished = current
        return nil
      }
      return try current.finished(at: sequence)
    }
  }

  extension CallReader.Unfinished {
    fileprivate mutating func take(_ bytes: ArraySlice<UInt8>) throws(StreamPart.Fault) {
      byteCount += bytes.count
      var bytes = bytes
      if headByteCount == nil {
        let missing = bytes.prefix(StreamCall.prefixByteCount - start.count)
        start += missing
        bytes = bytes.dropFirst(missing.count)
        guard start.count == StreamCall.prefixByteCount else { return }
        var prefix = start[...]
        guard let count = prefix.takeNumber(4), count <= UInt64(StreamCall.headByteCountMax) else { throw .damaged }
        headByteCount = Int(count)
        start = []
      }
      guard let headByteCount else { return }
      call.head += bytes.prefix(headByteCount - call.head.count)
    }

    fileprivate consuming func finished(at sequence: UInt64) throws(StreamPart.Fault) -> ReadCall {
      guard let headByteCount, call.head.count == headByteCount else { throw .damaged }
      call.last = sequence
      call.bodyByteCount = byteCount - StreamCall.prefixByteCount - headByteCount
      return call
    }
  }
#endif
