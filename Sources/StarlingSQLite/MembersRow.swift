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

  /// Nil if the row is not there or not as it was written.
  static func members(of document: Int64, _ db: Database) throws -> [LogMember]? {
    try DocumentBytes.read(of: document, from: "members", db).flatMap { members(in: $0[...]) }
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

  private static func members(in bytes: ArraySlice<UInt8>) -> [LogMember]? {
    var rest = bytes
    var members: [LogMember] = []
    while !rest.isEmpty {
      guard let store = rest.takeWord(), let heardAt = rest.takeWord(), let count = rest.takeWord(),
        count <= UInt64(rest.count / 16), let version = Version(storedBytes: Array(rest.prefix(Int(count) * 16)))
      else { return nil }
      rest.removeFirst(Int(count) * 16)
      members.append(LogMember(store: StoreID(rawValue: store), acknowledged: version, heardAt: heardAt))
    }
    return members
  }
}
