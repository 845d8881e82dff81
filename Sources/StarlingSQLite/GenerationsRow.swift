import GRDB
import StarlingCore
import StarlingEngine

/// The one row of `generations`.
///
/// ```
/// 0                8                16               24               32               40
/// +----------------+----------------+----------------+----------------+----------------+----------+
/// | own            | store          | generation     | epoch          | n              | n bytes  |
/// +----------------+----------------+----------------+----------------+----------------+----------+
///                  └─────── for each other store, least significant byte first; the bytes are its name
/// ```
///
/// The table came without a new format: a program that does not know it leaves it alone.
struct GenerationsRow {
  static let table =
    "CREATE TABLE IF NOT EXISTS generations(document INTEGER PRIMARY KEY, checksum INTEGER, bytes BLOB)"

  var generations: StoredGenerations

  func write(to db: Database) throws {
    try DocumentBytes.write(bytes, of: 0, to: "generations", db)
  }

  /// None where there are none, or where they are not as they were written: a store that counts from 0 again is told so
  /// by its peers.
  static func read(_ db: Database) throws -> StoredGenerations {
    guard try db.tableExists("generations"), let bytes = try DocumentBytes.read(of: 0, from: "generations", db) else {
      return StoredGenerations()
    }
    return generations(in: bytes[...]) ?? StoredGenerations()
  }

  private var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: generations.own)
    for other in generations.others {
      for word in [other.store.rawValue, other.generation, other.epoch, UInt64(other.name.utf8.count)] {
        bytes.append(littleEndian: word)
      }
      bytes += Array(other.name.utf8)
    }
    return bytes
  }

  private static func generations(in bytes: ArraySlice<UInt8>) -> StoredGenerations? {
    var rest = bytes
    guard let own = rest.takeWord() else { return nil }
    var others: [StoredGenerations.Other] = []
    while !rest.isEmpty {
      guard let store = rest.takeWord(), let generation = rest.takeWord(), let epoch = rest.takeWord(),
        let count = rest.takeWord(), count <= UInt64(rest.count)
      else { return nil }
      let name = String(decoding: rest.prefix(Int(count)), as: UTF8.self)
      rest.removeFirst(Int(count))
      others.append(
        StoredGenerations.Other(
          store: StoreID(rawValue: store), name: name, generation: generation, epoch: epoch))
    }
    return StoredGenerations(own: own, others: others)
  }
}
