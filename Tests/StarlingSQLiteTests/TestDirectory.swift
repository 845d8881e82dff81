import Foundation
import StarlingCore
import StarlingEngine
import StarlingLogTestSupport
import Testing

@testable import StarlingSQLite

/// A directory of a test's own.
struct TestDirectory: Sendable {
  let path: String

  init() {
    path = Self.root + "/" + UUID().uuidString
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  /// Holds the directories of all tests, and goes with the process.
  private static let root: String = {
    atexit { try? FileManager.default.removeItem(atPath: TestDirectory.root) }
    return FileManager.default.temporaryDirectory.path + "/starling-\(UUID().uuidString)"
  }()

  var store: String { path + "/store" }
  var paths: LogPaths { LogPaths(directory: store) }

  /// The state of the disk at this moment, as a crash would leave it: whatever is open here is not
  /// closed there.
  func copied() throws -> TestDirectory {
    let copy = TestDirectory()
    try FileManager.default.copyItem(atPath: store, toPath: copy.store)
    return copy
  }

  static func bytes(of path: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Writes into the file that is there; it stays the same file.
  static func overwrite(_ path: String, with bytes: [UInt8]) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }
  static func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }
}

/// Runs a program to its end; nil if it cannot be run.
@discardableResult func run(_ program: String, _ arguments: [String]) -> Int32? {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: program)
  process.arguments = arguments
  process.standardOutput = FileHandle.nullDevice
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return nil }
  process.waitUntilExit()
  return process.terminationStatus
}

let machine = "0123456789abcdef0123456789abcdef"

extension TestDirectory {
  func log(durability: SQLiteLog.Durability = .full, on machine: String? = machine) -> SQLiteLog {
    SQLiteLog(directory: store, durability: durability, machine: machine)
  }

  /// A store that was closed in good order.
  static func closed(_ records: [LogRecord] = [record(ada, 1), record(bob, 1)]) async throws -> TestDirectory {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.append(records)
    try await log.close(continuing: ada)
    return directory
  }
}
