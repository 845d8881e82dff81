public import StarlingCore

/// A run of changes that reads by itself, as the log keeps it and as answers carry it: a live
/// stream of one payload, from its beginning (Protocol/wire-format.md, "Batches").
///
/// ```
/// version  count  (change | history)*
/// ```
///
/// Changes in a row that only type and delete in one text are written as a `TextHistory`, by columns: a
/// quarter of a million of them take little more than their text. Who wants every change calls `decode`;
/// who only merges calls `parts` and gets such a row as the strokes it came to.
public enum Batch {
  /// - Complexity: O(operations + bytes of text)
  public static func encode(_ changes: some Sequence<Change>) -> [UInt8] {
    encode(parts: rows(in: Array(changes)))
  }

  /// - Complexity: O(operations outside of histories + strokes + bytes of text)
  public static func encode(_ parts: [Contribution]) -> [UInt8] {
    var found: [Contribution] = []
    var changes: [Change] = []
    for part in parts {
      switch part {
      case .change(let change): changes.append(change)
      case .history:
        found += rows(in: changes) + [part]
        changes = []
      }
    }
    return encode(parts: found + rows(in: changes))
  }

  /// The changes, with histories in place of those in a row that only type and delete in one text.
  private static func rows(in changes: [Change]) -> [Contribution] {
    var parts: [Contribution] = []
    var place = 0
    while place < changes.count {
      let history = TextHistory(prefixOf: changes[place...])
      let end = place + max(1, history?.stamps.count ?? 0)
      if let history, history.stamps.count >= historyChangeCountMin {
        parts.append(.history(history))
      } else {
        parts += changes[place..<end].map { .change($0) }
      }
      place = end
    }
    return parts
  }

  /// A history whose text, or whose definitions, no reader would take from a history goes change by change.
  private static func encode(parts: [Contribution]) -> [UInt8] {
    var encoder = LiveEncoder()
    var payload: [UInt8] = []
    var partCount = 0
    // However well it packs, no peer takes more.
    var textLeft = ChangeLimits.frameByteCountMax
    for part in parts {
      switch part {
      case .history(let history) where history.text.utf8.count <= textLeft && encoder.canCarry(history):
        textLeft -= history.text.utf8.count
        encoder.encode(history, into: &payload)
        partCount += 1
      case .history(let history):
        for change in history.changes { encoder.encode(change, into: &payload) }
        partCount += history.stamps.count
      case .change(let change):
        encoder.encode(change, into: &payload)
        partCount += 1
      }
    }
    var bytes: [UInt8] = [liveVersion]
    bytes.append(varint: partCount)
    return bytes + payload
  }

  /// The changes, those of histories one by one.
  public static func decode(_ bytes: [UInt8], limits: WireLimits = .standard) throws(WireError) -> [Change] {
    try Reader.read(bytes[...], atMost: limits.frameByteCountMax, limits: limits) {
      reader throws(WireError) -> [Change] in
      let count = try partCount(&reader)
      var changes: [Change] = []
      changes.reserveCapacity(count)
      var state = LiveDecoder.State()
      for _ in 0..<count {
        if reader.comes(historyHead) {
          changes.append(contentsOf: try state.history(&reader).changes)
        } else {
          changes.append(try state.change(&reader))
        }
      }
      return changes
    }
  }

  /// The changes, those of histories together.
  ///
  /// - Complexity: O(operations outside of histories + strokes + bytes of text)
  public static func parts(of bytes: [UInt8], limits: WireLimits = .standard) throws(WireError) -> [Contribution] {
    try Reader.read(bytes[...], atMost: limits.frameByteCountMax, limits: limits) {
      reader throws(WireError) -> [Contribution] in
      let count = try partCount(&reader)
      var parts: [Contribution] = []
      parts.reserveCapacity(count)
      var state = LiveDecoder.State()
      for _ in 0..<count {
        let isHistory = reader.comes(historyHead)
        parts.append(isHistory ? .history(try state.history(&reader)) : .change(try state.change(&reader)))
      }
      return parts
    }
  }

  static func partCount(_ reader: inout Reader) throws(WireError) -> Int {
    try reader.requireLiveVersion("batch")
    // A change is two bytes at least: its flags and an operation's head.
    return try reader.count(atMost: reader.limits.operationCountMax, ofSize: 2)
  }
}
