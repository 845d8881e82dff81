import StarlingCore

/// How the log keeps a version: per entry, ascending by replica,
///
/// ```
/// 0                 8                 16
/// +-----------------+-----------------+
/// | replica         | counter         |   least significant byte first
/// +-----------------+-----------------+
/// ```
extension VersionVector {
  var storedBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entries.count * 16)
    for entry in entries {
      for word in [entry.replica.rawValue, entry.counter] {
        bytes.append(littleEndian: word)
      }
    }
    return bytes
  }

  /// Nil unless `bytes` are what `storedBytes` writes.
  init?(storedBytes bytes: [UInt8]) {
    guard bytes.count.isMultiple(of: 16) else { return nil }
    let words = bytes.withUnsafeBytes { buffer in
      stride(from: 0, to: buffer.count, by: 8).map {
        UInt64(littleEndian: buffer.loadUnaligned(fromByteOffset: $0, as: UInt64.self))
      }
    }
    let entries = stride(from: 0, to: words.count, by: 2).map {
      Entry(replica: ReplicaID(rawValue: words[$0]), counter: words[$0 + 1])
    }
    self.init(entries)
    guard self.entries == entries else { return nil }
  }
}
