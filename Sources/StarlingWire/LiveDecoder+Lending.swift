public import StarlingCore

// Who merges changes as they are read keeps none of them: they are lent, one after another in the same memory.

extension LiveDecoder {
  /// Calls `body` with the changes of one payload, in order, each once it is read.
  ///
  /// - Throws: `WireError`, when `body` has had the changes before it; what `body` throws. Both break the stream.
  /// - Complexity: as `decode`; a change that `body` does not keep allocates no array of operations.
  public mutating func forEachChange(
    of payload: [UInt8], limits: WireLimits = .standard, _ body: (borrowing Change) throws -> Void
  ) throws {
    try breakUntilRead()
    var failure: (any Error)?
    try Reader.read(payload[...], atMost: limits.frameByteCountMax, limits: limits) { reader throws(WireError) in
      while failure == nil, !reader.isAtEnd { failure = try state.lendChange(&reader, to: body) }
      if failure != nil { try reader.skip(reader.remaining) }
    }
    if let failure { throw failure }
    isBroken = false
  }
}

extension Batch {
  /// Calls `body` with the changes, in order, each once it is read; with those of a history once it is.
  ///
  /// - Throws: `WireError`, when `body` has had the changes before it; what `body` throws.
  /// - Complexity: O(operations); outside of histories, no more than one change is in memory at a time.
  public static func forEachChange(
    of bytes: [UInt8], limits: WireLimits = .standard, _ body: (borrowing Change) throws -> Void
  ) throws {
    var failure: (any Error)?
    try Reader.read(bytes[...], atMost: limits.frameByteCountMax, limits: limits) { reader throws(WireError) in
      var state = LiveDecoder.State()
      for _ in 0..<(try partCount(&reader)) {
        if reader.comes(historyHead) {
          let changes = try state.history(&reader).changes
          do { for change in changes { try body(change) } } catch { failure = error }
        } else {
          failure = try state.lendChange(&reader, to: body)
        }
        if failure != nil { return try reader.skip(reader.remaining) }
      }
    }
    if let failure { throw failure }
  }
}

extension LiveDecoder.State {
  /// More is given back at once: one large change should not hold its memory for as long as the stream lasts.
  private static let spareCountMax = 64

  /// Reads a change and calls `body` with it.
  ///
  /// - Returns: What `body` threw.
  fileprivate mutating func lendChange(
    _ reader: inout Reader, to body: (borrowing Change) throws -> Void
  ) throws(WireError) -> (any Error)? {
    var operations: [Operation] = []
    swap(&operations, &spare)
    var lent = LentChange(change: try change(&reader, operations: consume operations))
    do { try body(lent.change) } catch { return error }
    var used: [Operation] = []
    swap(&used, &lent.change.operations)
    // If `body` kept the change, this leaves it its operations and makes room anew.
    used.removeAll(keepingCapacity: used.count <= Self.spareCountMax)
    swap(&used, &spare)
    return nil
  }
}

/// A change of which the compiler makes no copy on the way, so that its operations are its alone.
private struct LentChange: ~Copyable {
  var change: Change
}
