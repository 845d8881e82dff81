public import StarlingCore

/// A run of changes that reads by itself, as the log keeps it and as answers carry it: a live
/// stream of one payload, from its beginning (Protocol/wire-format.md, "Batches").
///
/// ```
/// version  count  change*
/// ```
public enum Batch {
  /// - Complexity: O(operations)
  public static func encode(_ changes: some Sequence<Change>) -> [UInt8] {
    let changes = Array(changes)
    var bytes: [UInt8] = [liveVersion]
    bytes.append(varint: changes.count)
    var encoder = LiveEncoder()
    for change in changes { encoder.encode(change, into: &bytes) }
    return bytes
  }

  public static func decode(_ bytes: [UInt8], limits: WireLimits = .standard) throws(WireError) -> [Change] {
    try Reader.read(bytes[...], atMost: limits.frameByteCountMax, limits: limits) {
      reader throws(WireError) -> [Change] in
      try reader.requireLiveVersion("batch")
      // A change is three bytes at least: its flags, an operation's head, and what that says.
      let count = try reader.count(atMost: reader.limits.operationCountMax, ofSize: 2)
      var changes: [Change] = []
      changes.reserveCapacity(count)
      var state = LiveDecoder.State()
      for _ in 0..<count { changes.append(try state.change(&reader)) }
      return changes
    }
  }
}
