import GRDB
import StarlingCore
import StarlingEngine

/// A row of `leases`: all replica ids leased for a document in one, since they are stored and read together.
///
/// ```
/// 0                8                16               24                32      33        33 + 4 + n
/// +----------------+----------------+----------------+----------------+-------+-------------------+
/// | replica        | number         | counter        | holder, or 0   | marks | n, of key | key   |   for each id,
/// +----------------+----------------+----------------+----------------+-------+-------------------+   least
///                                                                                                     significant byte
///                                                                                                     first
/// ```
/// Bit 0 of the marks says that there is a holder; bit 1 that there is a key, and only then `n` and the key follow.
struct LeasesRow {
  var document: Int64
  var leases: [LogLease]

  func write(to db: Database) throws {
    try DocumentBytes.write(bytes, of: document, to: "leases", db)
  }

  /// Nil if the row is not there or not as it was written.
  static func leases(of document: Int64, _ db: Database) throws -> [LogLease]? {
    try DocumentBytes.read(of: document, from: "leases", db).flatMap { leases(in: $0[...]) }
  }

  private static let hasHolder: UInt8 = 1
  private static let hasKey: UInt8 = 2

  private var bytes: [UInt8] {
    var bytes: [UInt8] = []
    for lease in leases {
      for word in [lease.replica.rawValue, lease.number, lease.counter, lease.holder?.rawValue ?? 0] {
        bytes.append(littleEndian: word)
      }
      bytes.append((lease.holder == nil ? 0 : Self.hasHolder) | (lease.user == nil ? 0 : Self.hasKey))
      guard let user = lease.user else { continue }
      bytes.append(littleEndian: UInt32(user.utf8.count))
      bytes += Array(user.utf8)
    }
    return bytes
  }

  private static func leases(in bytes: ArraySlice<UInt8>) -> [LogLease]? {
    var rest = bytes
    var leases: [LogLease] = []
    while !rest.isEmpty {
      guard let replica = rest.takeWord(), let number = rest.takeWord(), let counter = rest.takeWord(),
        let holder = rest.takeWord(), let marks = rest.popFirst()
      else { return nil }
      var user: String?
      if marks & hasKey != 0 {
        guard rest.count >= 4 else { return nil }
        let count = Int(rest.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
        rest.removeFirst(4)
        guard rest.count >= count else { return nil }
        user = String(decoding: rest.prefix(count), as: UTF8.self)
        rest.removeFirst(count)
      }
      leases.append(
        LogLease(
          replica: ReplicaID(rawValue: replica), number: number, counter: counter,
          holder: marks & hasHolder == 0 ? nil : StoreID(rawValue: holder), user: user))
    }
    return leases
  }
}
