import ArgumentParser
import Foundation
import Starling
import StarlingSQLite
import StarlingTerminal

extension StarlingCommand {
  struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Copy a daemon's store into one file, while the daemon runs.",
      discussion: """
        The file holds the store as it stands at one moment, and is read and checked before it gets its name. It holds \
        documents alone: back up the directory of keys too.

          starling backup /var/lib/starling /backup/library.sqlite

        Status: 1 where there is no backup; standard error says why.
        """)

    @Argument(help: "The directory of the store.", completion: .directory) var directory: String
    @Argument(help: "The file to make.", completion: .file()) var file: String
    @Flag(help: "One JSON object.") var json = false

    func run() async throws {
      try await sayingWhatFails {
        let (from, to) = (absolutePath(directory), absolutePath(file))
        let report = try showing("Backing up '\(directory)'") { try SQLiteLog.backUp(from, to: to, progress: $0) }
        if json { put(report.json.description) } else { say("'\(file)' holds \(report.summary).") }
      }
    }
  }

  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a store of a backup, where there is none.",
      discussion: """
        A daemon that is started with the directory continues from the backup under a new replica id, and fetches what came \
        after it from the other members. What no other member has is lost.

          starling restore /backup/library.sqlite /var/lib/starling

        Status: 1 where nothing is restored; standard error says why.
        """)

    @Argument(help: "The file that starling backup made.", completion: .file()) var file: String
    @Argument(help: "The directory of the store; made if it is missing.", completion: .directory) var directory: String
    @Flag(help: "One JSON object.") var json = false

    func run() async throws {
      try await sayingWhatFails {
        let (from, to) = (absolutePath(file), absolutePath(directory))
        let report = try showing("Restoring '\(file)'") { try SQLiteLog.restore(from, to: to, progress: $0) }
        if json { put(report.json.description) } else { say("'\(directory)' holds \(report.summary).") }
      }
    }
  }

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Read all of a store or a backup, and name what is damaged.",
      discussion: """
        It compares every row with its checksum and counts them, and changes nothing. A daemon may be using the store.

          starling verify /var/lib/starling
          starling verify /backup/library.sqlite

        Status: 1 where something is damaged or missing.
        """)

    @Argument(help: "The directory of a store, or the file of a backup.", completion: .file()) var path: String
    @Flag(help: "One JSON object.") var json = false

    func run() async throws {
      try await sayingWhatFails {
        let place = absolutePath(path)
        let report = try showing("Reading '\(path)'") { try SQLiteLog.check(place, progress: $0) }
        if json {
          put(report.json.description)
        } else {
          for fault in report.faults { put("damaged  \(fault)") }
          for document in report.documents { put(document.line) }
          say(report.isWhole ? "'\(path)' is whole: \(report.summary)." : "'\(path)' is damaged.")
        }
        if !report.isWhole { throw ExitCode.failure }
      }
    }
  }
}

/// Shows on a terminal how far it is.
private func showing<Result>(_ title: String, _ body: (@escaping (Double) -> Void) throws -> Result) rethrows -> Result
{
  let display = ProgressDisplay(title)
  defer { display.end() }
  return try body { display.show(ProgressLine.Count(UInt64($0 * 100), of: 100, "per cent")) }
}

extension StoreReport {
  fileprivate var summary: String {
    let documents = documents.count { !$0.isForgotten }
    let operations = self.documents.reduce(0 as UInt64) { $0 &+ $1.operationCount }
    return "\(documents) \(documents == 1 ? "document" : "documents") with \(operations) "
      + "\(operations == 1 ? "operation" : "operations") in \(byteCount) bytes"
  }

  fileprivate var json: JSONValue {
    [
      "whole": .bool(isWhole), "store": store.map { .string($0.description) } ?? nil, "bytes": .integer(byteCount),
      "faults": .array(faults.map { .string($0.message) }),
      "documents": .array(
        documents.map {
          [
            "name": .string($0.name.name), "records": .integer(Int64($0.recordCount)),
            "operations": .unsigned($0.operationCount), "forgotten": .bool($0.isForgotten),
            "damage": $0.damage.map { .string($0.message) } ?? nil,
          ]
        }),
    ]
  }
}

extension StoreReport.Document {
  fileprivate var line: String {
    if let damage { return "damaged  \(name)  \(damage)" }
    if isForgotten { return "ok       \(name)  forgotten" }
    return "ok       \(name)  \(operationCount) operations, \(recordCount) records of \(byteCount) bytes"
  }
}
