public import StarlingCore

/// A run of changes that reads by itself, as the log keeps it and as answers carry it: a live
/// stream of one payload, from its beginning (Protocol/wire-format.md, "Batches").
///
/// ```
/// version  count  (change | history)*
/// ```
///
/// Changes in a row that only type and delete in one text are written as a `TextHistory`, by columns: a
/// quarter of a million of them take little more than their text. A caller that wants every change calls `decode`;
/// one that only merges calls `parts` and gets such a row reduced to its strokes.
public enum Batch {
  /// - Complexity: O(operations + bytes of text)
  public static func encode(_ changes: some Sequence<Change>) -> [UInt8] {
    let changes = Array(changes)
    return encode(changes, in: changes.indices)
  }

  /// The changes at the places.
  package static func encode(_ changes: [Change], in places: Range<Int>) -> [UInt8] {
    var encoder = Encoder()
    return encoder.encode(changes, in: places)
  }

  /// One history.
  ///
  /// - Complexity: O(strokes + bytes of text)
  public static func encode(_ history: TextHistory) -> [UInt8] {
    var encoder = Encoder()
    return encoder.encode(history)
  }

  /// Writes batches one after another. Each reads by itself and is what `Batch.encode` writes; between two the encoder
  /// keeps which keys and objects it knows, so that none of them is hashed again
  /// (Documentation/Decisions/records-without-hashing.md).
  package struct Encoder: Sendable {
    private var encoder = LiveEncoder()
    /// Empty between two batches: memory.
    private var payload: [UInt8] = []
    private var partCount = 0
    /// However well it packs, no peer takes more.
    private var textLeft = ChangeLimits.frameByteCountMax

    private static let keptByteCountMax = 64 << 10

    package init() {}

    /// The changes at the places, with histories in place of those in a row that only type and delete in one text.
    package mutating func encode(_ changes: [Change], in places: Range<Int>) -> [UInt8] {
      changes.withBorrowed { borrowed in
        var place = places.lowerBound
        while place < places.upperBound {
          let history =
            borrowed[place].isOnSequence ? TextHistory(prefixOf: borrowed, in: place..<places.upperBound) : nil
          let end = place + max(1, history?.stamps.count ?? 0)
          if let history, history.stamps.count >= historyChangeCountMin {
            append(history)
          } else {
            for place in place..<end { encoder.encode(borrowed[place], into: &payload) }
            partCount += end - place
          }
          place = end
        }
      }
      return take()
    }

    package mutating func encode(_ history: TextHistory) -> [UInt8] {
      append(history)
      return take()
    }

    /// The changes at the places of the row.
    package mutating func encode(_ history: SetHistory, in places: Range<Int>) -> [UInt8] {
      var slots = LiveEncoder.RowSlots(of: history)
      partCount += encoder.encode(history, in: places, &slots, into: &payload)
      return take()
    }

    /// One whose text, or whose definitions, no reader would take from a history goes change by change.
    private mutating func append(_ history: TextHistory) {
      if history.text.utf8Count <= textLeft, encoder.canCarry(history) {
        textLeft -= history.text.utf8Count
        encoder.encode(history, into: &payload)
        partCount += 1
      } else {
        for change in history.changes { encoder.encode(change, into: &payload) }
        partCount += history.stamps.count
      }
    }

    /// How many keys, objects and writers it knows, for those who watch memory.
    package var keptCount: Int { encoder.state.keptCount }

    private mutating func take() -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(11 + payload.count)
      bytes.append(liveVersion)
      bytes.append(varint: partCount)
      bytes.append(contentsOf: payload)
      encoder.beginAgain()
      if payload.count <= Self.keptByteCountMax { payload.removeAll(keepingCapacity: true) } else { payload = [] }
      partCount = 0
      textLeft = ChangeLimits.frameByteCountMax
      return bytes
    }
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

  /// The changes, those of histories together, and those together that only set.
  ///
  /// - Complexity: O(operations outside of histories + strokes + bytes of text)
  public static func parts(of bytes: [UInt8], limits: WireLimits = .standard) throws(WireError) -> [Contribution] {
    try Reader.read(bytes[...], atMost: limits.frameByteCountMax, limits: limits) {
      reader throws(WireError) -> [Contribution] in
      let count = try partCount(&reader)
      var contributions = Contributions()
      var state = LiveDecoder.State()
      for _ in 0..<count {
        if reader.comes(historyHead) {
          contributions.append(try state.history(&reader))
        } else {
          try state.readChange(&reader, into: &contributions)
        }
      }
      return contributions.take()
    }
  }

  static func partCount(_ reader: inout Reader) throws(WireError) -> Int {
    try reader.requireLiveVersion("batch")
    // A change is two bytes at least: its flags and an operation's head.
    return try reader.count(atMost: reader.limits.operationCountMax, ofSize: 2)
  }
}
