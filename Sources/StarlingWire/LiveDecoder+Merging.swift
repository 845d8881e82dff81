public import StarlingCore

// A caller that only merges keeps no change: each is merged once it is read, and plain sets in a row as their result.

extension LiveDecoder {
  /// Merges the changes of one payload, in order.
  ///
  /// - Returns: `merged` or `duplicate`; or what kept the first change that may not merge yet, after which none is
  ///   merged.
  /// - Throws: `MergeError`, when the changes before the one at fault are merged, but for plain sets of the same writer
  ///   right before it, which are refused with it; or `WireError`, which breaks the stream, when of those before it
  ///   some are merged and others not. No change ever is by half.
  /// - Complexity: O(operations); of plain sets in a row, only their result is looked up and stored.
  public mutating func merge(
    _ payload: [UInt8], into document: inout Document, patch: inout Patch, limits: WireLimits = .standard
  ) throws -> MergeOutcome {
    try breakUntilRead()
    var merging = Merging()
    try Reader.read(payload[...], atMost: limits.frameByteCountMax, limits: limits) { reader throws(WireError) in
      while !reader.isAtEnd { try state.mergeNext(&reader, &merging, into: &document, patch: &patch) }
      state.mergeSets(&merging, &reader, into: &document, patch: &patch)
    }
    isBroken = false
    return try merging.result.get()
  }
}

extension Batch {
  /// Merges the changes, in order.
  ///
  /// - Returns: `merged` or `duplicate`; or what kept the first change that may not merge yet, after which none is
  ///   merged.
  /// - Throws: `MergeError`, when the changes before the one at fault are merged, but for plain sets of the same writer
  ///   right before it, which are refused with it; or `WireError`, when of those before it some are merged and others
  ///   not. No change ever is by half.
  /// - Complexity: O(operations); of plain sets in a row, and of typing in a row, only their result is looked up and
  ///   stored.
  public static func merge(
    _ bytes: [UInt8], into document: inout Document, patch: inout Patch, limits: WireLimits = .standard
  ) throws -> MergeOutcome {
    var merging = Merging()
    try Reader.read(bytes[...], atMost: limits.frameByteCountMax, limits: limits) { reader throws(WireError) in
      var state = LiveDecoder.State()
      for _ in 0..<(try partCount(&reader)) {
        if reader.comes(historyHead) {
          state.mergeSets(&merging, &reader, into: &document, patch: &patch)
          let history = try state.history(&reader)
          merging.note { () throws(MergeError) in try document.merge(history, patch: &patch) }
        } else {
          try state.mergeNext(&reader, &merging, into: &document, patch: &patch)
        }
      }
      state.mergeSets(&merging, &reader, into: &document, patch: &patch)
    }
    return try merging.result.get()
  }
}

/// The result of merging so far. Once something was refused or has to wait, the rest is read and not merged.
struct Merging {
  private(set) var result = Result<MergeOutcome, MergeError>.success(.duplicate)
  private(set) var isOver = false

  @inline(__always)
  mutating func note(_ merge: () throws(MergeError) -> MergeOutcome) {
    if isOver { return }
    do throws(MergeError) {
      let outcome = try merge()
      switch outcome {
      case .duplicate: return
      case .merged: break
      case .notYet, .lacksAnchors: isOver = true
      }
      result = .success(outcome)
    } catch {
      isOver = true
      result = .failure(error)
    }
  }
}

extension LiveDecoder.State {
  /// Reads a change. It is merged, or waits among the `sets` for those that may follow it.
  fileprivate mutating func mergeNext(
    _ reader: inout Reader, _ merging: inout Merging, into document: inout Document, patch: inout Patch
  ) throws(WireError) {
    let head = try head(&reader)
    if isPlain(head, &reader) {
      if sets.isEmpty, head.operationCount == 1 {
        let start = reader.offset
        let set = try readPlainSet(named: head.firstCounter, of: head, &reader)
        note(head)
        if reader.isAtEnd, !load.isTooMuch {
          return try merge(only: set, of: head, &merging, at: start, &reader, into: &document, patch: &patch)
        }
        sets.begin(head)
        try wait(for: set, at: start, &reader)
      } else {
        if !sets.isEmpty, !sets.mayBeFollowed(by: head, writer: replicas[head.writer].id, held: document.version) {
          mergeSets(&merging, &reader, into: &document, patch: &patch)
        }
        try readPlainSets(head, &reader)
      }
      if !load.isTooMuch { return }
      mergeSets(&merging, &reader, into: &document, patch: &patch)
      self = Self()
    } else {
      mergeSets(&merging, &reader, into: &document, patch: &patch)
      let change = try change(head, &reader)
      merging.note { () throws(MergeError) in try document.merge(change, patch: &patch) }
    }
  }
}
