import ArgumentParser
import Foundation
import Starling

/// A moment of a document's history, as a person names it.
enum Moment: ExpressibleByArgument {
  /// Right after a change: the beginning of its writer's replica id, and the counter of one of its operations.
  case change(writer: String, counter: UInt64)
  /// By the clocks of the writers, in milliseconds since 1970.
  case time(milliseconds: UInt64)

  private static let writerDigitsMin = 4

  init?(argument: String) {
    let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
    if parts.count == 2, let counter = UInt64(parts[1]), parts[0].count >= Self.writerDigitsMin, parts[0].count <= 16,
      parts[0].allSatisfy(\.isHexDigit)
    {
      self = .change(writer: parts[0].lowercased(), counter: counter)
      return
    }
    let fraction = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    guard let date = AllowedKey.date(argument) ?? (try? Date(argument, strategy: fraction)),
      date.timeIntervalSince1970 >= 0
    else { return nil }
    self = .time(milliseconds: UInt64((date.timeIntervalSince1970 * 1000).rounded()))
  }
}

extension ChangeSummary {
  /// What `Moment` reads: as much of the writer's id as tells writers apart, and the change's last operation.
  var shortID: String { "\(writer.description.prefix(8)):\(last.counter)" }

  func isNamed(byWriter writer: String, counter: UInt64) -> Bool {
    self.writer.description.hasPrefix(writer) && (first.counter...last.counter).contains(counter)
  }
}

/// Reads versions of a document out of the log of a member that has joined for this.
struct Past {
  private let replica: Replica
  private let id: DocumentID

  init(_ joined: Joined) {
    replica = joined.replica
    id = joined.document.id
  }

  /// A member in memory forgets what it has compacted; this one is to read all that came.
  static func configure(_ options: inout Replica.Options) { options.history = .everything }

  func document(at moment: Moment) async throws -> HistoricDocument {
    switch moment {
    case .change(let writer, let counter):
      return try await replica.engine.document(id, at: change(of: writer, counter).version)
    case .time(let milliseconds): return try await replica.engine.document(id, at: version(at: milliseconds))
    }
  }

  func present() async throws -> HistoricDocument { try await replica.engine.present(of: id) }

  /// What a change altered.
  func difference(of change: ChangeSummary) async throws -> JSONDifference {
    var before = change.version
    before[change.writer] = change.first.counter - 1
    return JSONDifference(
      from: try await replica.engine.document(id, at: before),
      to: try await replica.engine.document(id, at: change.version))
  }

  private func change(of writer: String, _ counter: UInt64) async throws -> ChangeSummary {
    var found: ChangeSummary?
    for try await change in replica.engine.history(of: id) where change.isNamed(byWriter: writer, counter: counter) {
      if let found, found.writer != change.writer {
        throw Failure(
          "Replicas \(found.writer) and \(change.writer) both begin with '\(writer)'; write more digits of one.")
      }
      found = change
    }
    guard let found else {
      throw Failure(
        "No change '\(writer):\(counter)' is in the history of '\(id)' that a log still holds. 'starling history' lists them."
      )
    }
    return found
  }

  /// All that was written until then. A stamp is greater than every one that its writer had seen, so this is a version
  /// at which a replica can stand.
  private func version(at milliseconds: UInt64) async throws -> VersionVector {
    var version = VersionVector()
    var (hasFound, first) = (false, UInt64.max)
    var cursor: HistoryCursor?
    repeat {
      let page = try await replica.engine.historyPage(of: id, from: cursor)
      version.merge(page.beginning)
      for change in page.changes {
        first = min(first, change.milliseconds)
        guard change.milliseconds <= milliseconds else { continue }
        hasFound = true
        version[change.writer] = max(version[change.writer], change.last.counter)
      }
      cursor = page.next
    } while cursor != nil
    guard hasFound || version.isEmpty else {
      throw Failure(
        "What stood there then is forgotten: the changes that a log still holds begin at "
          + "\(first == .max ? "the present state" : moment(milliseconds: first)).")
    }
    return version
  }
}
