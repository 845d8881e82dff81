import StarlingCore

@testable import StarlingWire

// A document's state: read whole, validated and opened, and the keys in it. A fuzzer finds no checksum, so the inputs come
// without one and are given theirs.

extension FuzzedDecoder {
  static let snapshot = FuzzedDecoder(name: "snapshot") { bytes in
    let bytes = checked(bytes)
    guard let snapshot = try? SnapshotCoding.decode(bytes) else { return false }
    let again = SnapshotCoding.encode(snapshot)
    try hold((try? SnapshotCoding.decode(again)) == snapshot, "A snapshot is not read again as it is written")
    guard var document = try? Document(snapshot) else { return false }
    document.checkInvariants()
    try SnapshotLaw.check(document)
    // What anybody sent merges into what is there already.
    var patch = Patch()
    var present = Document()
    #if DEBUG
      present.checksEveryCall = false
      document.checksEveryCall = false
    #endif
    present.begin(as: ReplicaID(rawValue: 7), now: 1)
    present.set(.integer(1), for: "a", in: .root, patch: &patch)
    present.insert("abc", at: 0, in: present.declare(.text, for: "t", in: .root), patch: &patch)
    _ = present.commit()
    if (try? present.merge(snapshot, patch: &patch)) != nil {
      present.checkInvariants()
      try SnapshotLaw.check(present)
    }
    return true
  }

  static let openedSnapshot = FuzzedDecoder(name: "opened-snapshot") { bytes in
    let bytes = checked(bytes)
    let whole = (try? SnapshotCoding.decode(bytes)).flatMap { try? Document($0) }
    guard let validated = try? SnapshotCoding.validate(bytes) else {
      try hold(whole == nil, "A snapshot is refused where it is validated, and read where it is read whole")
      return false
    }
    guard let whole else { throw Broken("A snapshot is validated that is refused where it is read whole") }
    try hold(validated.document.digest() == whole.digest(), "A validated snapshot is another state than one read whole")
    let opened = try SnapshotCoding.open(bytes)
    try hold(opened.version == whole.version, "An opened snapshot has another version")
    try hold(opened.digest() == whole.digest(), "An opened snapshot is another state than one read whole")
    try hold(
      opened.canonicalSnapshot() == whole.canonicalSnapshot(), "What is left in the bytes reads otherwise than before")
    return true
  }

  /// The keys of three groups below each other, each with its form before it.
  static let keyLine = FuzzedDecoder(name: "key-line") { bytes in
    let version = VersionVector(
      (1...3 as ClosedRange<UInt64>).map { VersionVector.Entry(replica: ReplicaID(rawValue: $0), counter: 9) })
    var keys: [[Key]] = []
    do throws(WireError) {
      keys = try Reader.read(bytes[...], atMost: bytes.count, limits: .standard) {
        reader throws(WireError) -> [[Key]] in
        var line = KeyLine(version: version)
        var groups: [[Key]] = []
        while !reader.isAtEnd {
          line.beginGroup()
          var group: [Key] = []
          for _ in 0..<(try reader.byte() & 15) where !reader.isAtEnd {
            let start = reader.offset
            group.append(try line.read(try reader.byte() & 7, at: start, &reader))
          }
          groups.append(group)
        }
        return groups
      }
    } catch {
      return false
    }
    for group in keys {
      try hold(zip(group, group.dropFirst()).allSatisfy { $0 < $1 }, "Keys that were read do not ascend: \(group)")
    }
    // Written, in the shortest of all forms, they are the same keys.
    var writer = KeyLine(version: version)
    var written: [UInt8] = []
    for group in keys {
      writer.beginGroup()
      written.append(UInt8(group.count))
      for key in group {
        var tail: [UInt8] = []
        let form = writer.write(key, into: &tail)
        written += [form] + tail
      }
    }
    let again = try Reader.read(written[...], atMost: written.count, limits: .standard) {
      reader throws(WireError) -> [[Key]] in
      var line = KeyLine(version: version)
      var groups: [[Key]] = []
      while !reader.isAtEnd {
        line.beginGroup()
        var group: [Key] = []
        for _ in 0..<(try reader.byte()) {
          let start = reader.offset
          group.append(try line.read(try reader.byte(), at: start, &reader))
        }
        groups.append(group)
      }
      return groups
    }
    try hold(again == keys, "Keys are not read again as they are written")
    return true
  }

  private static func checked(_ bytes: [UInt8]) -> [UInt8] {
    let sum = bytes.checksum
    return bytes + (0..<checksumByteCount).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
  }
}

/// A document is what its snapshot says.
enum SnapshotLaw {
  static func check(_ document: Document) throws {
    let digest = document.digest()
    let bytes = SnapshotCoding.encode(document.snapshot())
    let copy: Document
    do {
      copy = try Document(try SnapshotCoding.decode(bytes))
    } catch {
      throw Broken("A document's own snapshot is refused: \(error)")
    }
    try hold(copy.version == document.version, "A document's snapshot has another version")
    try hold(copy.digest() == digest, "A document's snapshot is another state")
  }
}
