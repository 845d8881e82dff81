#if NATS
  /// Frames that travel in parts, because the server takes only so much at once (`max_payload`).
  ///
  /// ```
  ///   frame  | 0 ........ | m ........ | 2m ... |        m: what a message holds
  ///   parts    offset 0     offset m     offset 2m       in this order, on one line
  /// ```
  ///
  /// A part that does not go on where the last one of its line ended says that one was lost, and the
  /// frame with it. Nothing is reserved for bytes that are only promised.
  struct Assembly {
    /// What frames come one after the other on: a session, or a sender's publications under one subscription.
    struct Line: Hashable {
      var kind: Envelope.Kind
      var sender: MemberID
      var session: UInt64 = 0
      var stem: [UInt8] = []
    }

    private struct Partial {
      var frame: UInt32
      var bytes: [UInt8]
    }

    private let frameByteCountMax: Int
    private let byteCountMax: Int
    private var partials: [Line: Partial] = [:]
    /// Of all partials.
    private(set) var byteCount = 0
    /// Frames that will never be whole.
    private(set) var lostCount: UInt64 = 0

    init(frameByteCountMax: Int, byteCountMax: Int) {
      self.frameByteCountMax = frameByteCountMax
      self.byteCountMax = byteCountMax
    }

    /// - Returns: the frame, with its last part.
    /// - Complexity: O(bytes of the part), amortized.
    mutating func take(_ part: Envelope.Part, of line: Line) -> [UInt8]? {
      var partial = Partial(frame: part.frame, bytes: [])
      if part.offset == 0 {
        if forget(line) { lostCount += 1 }
      } else {
        guard let begun = partials.removeValue(forKey: line) else { return nil }
        byteCount -= begun.bytes.count
        partial = begun
      }
      guard part.frame == partial.frame, part.offset == partial.bytes.count, part.byteCount <= frameByteCountMax,
        byteCount + partial.bytes.count + part.bytes.count <= byteCountMax
      else {
        lostCount += 1
        return nil
      }
      partial.bytes += part.bytes
      if partial.bytes.count == part.byteCount { return partial.bytes }
      byteCount += partial.bytes.count
      partials[line] = partial
      return nil
    }

    /// Drops what is unfinished on a line. False if there was nothing.
    @discardableResult
    mutating func forget(_ line: Line) -> Bool {
      // As it nearly always is.
      if partials.isEmpty { return false }
      guard let partial = partials.removeValue(forKey: line) else { return false }
      byteCount -= partial.bytes.count
      return true
    }

    /// Drops what is unfinished on every line for which `isOver` returns true.
    mutating func forget(where isOver: (Line) -> Bool) {
      for line in partials.keys.filter(isOver) { forget(line) }
    }
  }
#endif
