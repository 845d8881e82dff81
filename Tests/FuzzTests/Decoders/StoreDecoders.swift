import Foundation
import GRDB
import StarlingCore
import StarlingEngine
import StarlingGuard

@testable import StarlingSQLite

// What stands in a store, which a disk or another program may have changed: rows whose checksum holds, and the files
// beside the database.

extension FuzzedDecoder {
  /// The first byte chooses the table.
  static let storedRows = FuzzedDecoder(name: "stored-rows", byteCountPerByte: 8192) { bytes in
    var input = InputReader(bytes)
    let choice = input.next() % 5
    let bytes = input.takeRest()
    return try rows.withLock { store in
      try store.database.write { db in
        switch choice {
        case 0:
          try DocumentBytes.write(bytes, of: 1, to: "members", db)
          guard let members = try MembersRow.members(of: 1, entryCountMax: 8, db) else { return false }
          try MembersRow(document: 2, members: members).write(to: db)
          try hold(
            try MembersRow.members(of: 2, entryCountMax: 8, db) == members, "Members are not read again as written")
        case 1:
          try DocumentBytes.write(bytes, of: 1, to: "leases", db)
          guard let leases = try LeasesRow.leases(of: 1, db) else { return false }
          try LeasesRow(document: 2, leases: leases).write(to: db)
          try hold(try LeasesRow.leases(of: 2, db) == leases, "Leases are not read again as written")
        case 2:
          try DocumentBytes.write(bytes, of: 0, to: "generations", db)
          let generations = try GenerationsRow.read(db)
          try GenerationsRow(generations: generations).write(to: db)
          try hold(try GenerationsRow.read(db) == generations, "Generations are not read again as written")
        case 3:
          guard let version = VersionVector(storedBytes: bytes) else { return false }
          try hold(version.storedBytes == bytes, "A version is not written as it was read")
        default:
          return try readRecords(bytes)
        }
        return true
      }
    }
  }

  /// The bytes of a record and of a checkpoint, as a log reads them when it is opened.
  private static func readRecords(_ bytes: [UInt8]) throws -> Bool {
    let isBatch = try FuzzedDecoder.batch.check(bytes)
    return try FuzzedDecoder.openedSnapshot.check(bytes) || isBatch
  }

  /// The write-ahead log and what stands beside it; the first byte chooses the file.
  static let storeFiles = FuzzedDecoder(name: "store-files", byteCountPerByte: 8192) { bytes in
    var input = InputReader(bytes)
    let choice = input.next() % 3
    let bytes = input.takeRest()
    let text = String(decoding: bytes, as: UTF8.self)
    switch choice {
    case 0:
      guard let mark = CommitMark(text) else { return false }
      try hold(mark.text == text, "A mark is not written as it was read")
    case 1:
      return CleanShutdownMarker.replica(in: text) != nil
    default:
      return try files.withLock { scratch in
        try Data(sealed(bytes)).write(to: URL(filePath: scratch.path))
        guard let log = try WriteAheadLog(scratch.path, on: SystemDisk()) else { return false }
        try hold(log.committedByteCount <= log.byteCount, "More is committed than there is")
        _ = WriteAheadLog.fault(in: log, CommitMark(salts: log.salts ?? 0, frameCount: log.committedFrameCount), .full)
        return log.salts != nil
      }
    }
    return true
  }

  /// With the checksum of a write-ahead log's header, which no fuzzer finds.
  private static func sealed(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count >= 32, bytes[31] & 1 == 0 else { return bytes }
    var bytes = bytes
    bytes.replaceSubrange(0..<4, with: [0x37, 0x7F, 0x06, 0x83])
    func word(_ place: Int) -> UInt32 { bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    var (first, second) = (UInt32(0), UInt32(0))
    for place in stride(from: 0, to: 24, by: 8) {
      first &+= word(place) &+ second
      second &+= word(place + 4) &+ first
    }
    for (place, sum) in [(24, first), (28, second)] {
      for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * byte)) }
    }
    return bytes
  }

  private static let rows = Guarded(RowStore())
  private static let files = Guarded(ScratchFile())
}

/// A database in memory with the tables that rows stand in.
private struct RowStore: Sendable {
  let database: DatabaseQueue

  init() {
    do {
      database = try DatabaseQueue()
      try database.write { db in
        for statement in Schema.statements { try db.execute(sql: statement) }
        try db.execute(sql: GenerationsRow.table)
      }
    } catch {
      preconditionFailure("No database in memory: \(error)")
    }
  }
}

private struct ScratchFile: Sendable {
  let path = FileManager.default.temporaryDirectory.appending(path: "starling-fuzz-\(getpid())").path
}
