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
    let bytes = bytes
    try db.cachedStatement(sql: "INSERT OR REPLACE INTO members(document, checksum, bytes) VALUES(?, ?, ?)")
      .execute(arguments: [document, Self.checksum(document, bytes), bytes.stored])
  }

  /// Nil if the row is not there or not as it was written.
  static func members(of document: Int64, _ db: Database) throws -> [LogMember]? {
    let statement = try db.cachedStatement(sql: "SELECT bytes, checksum FROM members WHERE document = ?")
    guard let row = try Row.fetchOne(statement, arguments: [document]) else { return nil }
    let bytes = try row.storedBytes(atIndex: 0)
    guard try row.decode(Int64.self, atIndex: 1) == checksum(document, bytes) else { return nil }
    return members(in: bytes[...])
  }

  private var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for member in members {
      for word in [member.store.rawValue, member.heardAt, UInt64(member.acknowledged.entries.count)] {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
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

  private static func checksum(_ document: Int64, _ bytes: [UInt8]) -> Int64 {
    var sum = CRC32C()
    sum.add(UInt64(bitPattern: document))
    sum.add(bytes)
    return Int64(sum.value)
  }
}

extension ArraySlice<UInt8> {
  /// Takes eight bytes off the front; nil if there are fewer.
  mutating func takeWord() -> UInt64? {
    guard count >= 8 else { return nil }
    defer { removeFirst(8) }
    return prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
