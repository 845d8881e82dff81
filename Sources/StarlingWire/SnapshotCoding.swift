public import StarlingCore

/// A document's state as bytes: equal snapshots are equal bytes (Protocol/wire-format.md, "Snapshots").
///
/// ```
/// version byte, version, frontier, latest stamp
/// standing objects   the root and assigned ones, ascending by id
/// derived objects    ascending by (number of the parent, key, kind)
/// slots              of each listed object in that order, ascending by key; then its sequence, if it is
///                    a list or a text
/// ```
///
/// Parents precede their children, so an object is numbered by its place and a derived one is
/// spelled by its parent's number, its key and its kind. Keys, dots, stamps and values are spelled
/// by what they have in common with the one before: the state of a thousand keys, each set a
/// hundred times, takes about ten bytes a key.
public enum SnapshotCoding {
  /// - Complexity: O(*n* log *n*) in objects, O(*n*) in slots.
  public static func encode(_ snapshot: Snapshot) -> [UInt8] {
    var writer = SnapshotWriter(version: snapshot.version, latestStamp: snapshot.latestStamp)
    writer.write(snapshot)
    return writer.bytes
  }

  /// The same of a cut. No more of it is held at a time than one object's keys and a few of its slots.
  package static func encode(_ cut: DocumentCut) -> [UInt8] {
    var writer = SnapshotWriter(version: cut.version, latestStamp: cut.latestStamp)
    writer.write(cut)
    return writer.bytes
  }

  /// A cut as this replica keeps it for itself, which only `open` reads: long texts lie there leaf by leaf.
  ///
  /// - Parameter spanCountMin: shorter ones are written as they travel.
  package static func encodeToKeep(
    _ cut: DocumentCut, spanCountMin: Int = StoredOrder.spanCountMin
  ) -> [UInt8] {
    guard cut.hasOrders(spanCountMin: spanCountMin) else { return encode(cut) }
    var writer = SnapshotWriter(version: cut.version, latestStamp: cut.latestStamp, isKept: true)
    writer.write(cut) { cut.order(of: $0, spanCountMin: spanCountMin) }
    return writer.bytes
  }

  /// Reads all of a snapshot that anybody may have sent, and validates all that can be validated of bytes.
  public static func decode(_ bytes: [UInt8], limits: WireLimits = .standard) throws(WireError) -> Snapshot {
    try Reader.read(bytes[...], atMost: limits.snapshotByteCountMax, limits: limits) {
      reader throws(WireError) -> Snapshot in
      var snapshot = SnapshotReader(reader)
      let result = try snapshot.read()
      reader = snapshot.reader
      return result
    }
  }
}

/// The version of the coding of snapshots that this program writes and reads.
let snapshotVersion: UInt8 = 1

/// That of snapshots that a replica keeps for itself, where one of its texts is long.
let keptSnapshotVersion: UInt8 = 2

let checksumByteCount = 8

/// How a standing object is spelled; from `firstKind` on it is assigned, of that kind, and listed.
enum StandingForm {
  /// Not part of the snapshot, named only as a parent.
  static let rootAsParent: UInt8 = 0
  static let root: UInt8 = 1
  static let assignedAsParent: UInt8 = 2
  static let firstKind: UInt8 = 3
  /// From here on it is assigned, of that kind, and was removed.
  static let firstOrphan: UInt8 = 16
}

/// The first byte of a slot, or, where it has other than one entry, of each entry.
///
/// ```
///  7     6 5       4     3 2       0
/// | value | stamp | dot   | key     |
/// ```
enum SlotHead {
  static let keyMask: UInt8 = 7
  static let dotMask: UInt8 = 3 << 3
  /// Replica number, distance from the version.
  static let wholeDot: UInt8 = 0 << 3
  /// The replica of the entry before.
  static let dotDifference: UInt8 = 1 << 3
  /// The dot right after that of the entry before.
  static let dotNext: UInt8 = 2 << 3
  /// Of a slot only: counts of entries and shares follow, and a head for each entry.
  static let counts: UInt8 = 3 << 3
  /// The stamp is not that of the entry before.
  static let stamp: UInt8 = 1 << 5
  static let valueMask: UInt8 = 3 << 6
  static let wholeValue: UInt8 = 0 << 6
  static let integerDifference: UInt8 = 1 << 6
  static let textEnding: UInt8 = 2 << 6
  static let sameValue: UInt8 = 3 << 6
}

/// What an entry is spelled against: the entry before it, in whatever slot.
struct EntryLine {
  /// The number of the replica in the version; -1 before the first entry.
  var replica = -1
  var counter: UInt64 = 0
  var stamp: Stamp
  var value = Value.null
  /// The latest integer and the latest text, whatever came between.
  var integer: Int64 = 0
  var text: [UInt8] = []

  /// As if the entry before had the dot right before that of `element`: the entry that the insertion
  /// of an element put there is then the next one.
  mutating func follow(_ element: ItemPlace) {
    replica = element.replica
    counter = element.counter - 1
  }
}
