import GRDB
import StarlingCore
import StarlingEngine

/// A row of `members`: all members of a document in one, since they are stored and read together.
///
/// ```
/// 0                8                16               24                24 + 16 n
/// +----------------+----------------+----------------+-----------------+
/// | store          | heardAt        | n, of entries  | acknowledged    |   for each member,
/// +----------------+----------------+----------------+-----------------+   least significant byte first
/// ```
struct MembersRow {
  var document: Int64
  var members: [LogMember]

  func write(to db: Database) throws {
    try DocumentBytes.write(bytes, of: document, to: "members", db)
  }

  /// A row of more bytes than that was written before there was a bound to what members may say.
  private static let byteCountMax = 32 << 20

  /// Nil if the row is not there or not as it was written. A member that acknowledged more than `entryCountMax`
  /// entries, which nobody does who holds the document, comes without an acknowledgement; so do all of a row that is
  /// far too large.
  static func members(of document: Int64, entryCountMax: Int, _ db: Database) throws -> [LogMember]? {
    let byteCount = try DocumentBytes.count(of: document, from: "members", db)
    guard byteCount > byteCountMax else {
      return try DocumentBytes.read(of: document, from: "members", db).flatMap {
        members(in: $0[...], entryCountMax: entryCountMax)
      }
    }
    // To validate so much takes long, and no acknowledgement is taken from what is not validated.
    return try DocumentBytes.readUnproved(of: document, from: "members", db).flatMap {
      members(in: $0[...], entryCountMax: 0)
    }
  }

  private var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for member in members {
      for word in [member.store.rawValue, member.heardAt, UInt64(member.acknowledged.entries.count)] {
        bytes.append(littleEndian: word)
      }
      bytes += member.acknowledged.storedBytes
    }
    return bytes
  }

  private static func members(in bytes: ArraySlice<UInt8>, entryCountMax: Int) -> [LogMember]? {
    var rest = bytes
    var members: [LogMember] = []
    while !rest.isEmpty {
      guard let store = rest.takeWord(), let heardAt = rest.takeWord(), let count = rest.takeWord(),
        count <= UInt64(rest.count / 16)
      else { return nil }
      let acknowledged = count > UInt64(entryCountMax) ? [] : Array(rest.prefix(Int(count) * 16))
      guard let version = VersionVector(storedBytes: acknowledged) else { return nil }
      rest.removeFirst(Int(count) * 16)
      members.append(LogMember(store: StoreID(rawValue: store), acknowledged: version, heardAt: heardAt))
    }
    return members
  }
}
