import StarlingCore
import StarlingEngine

@testable import StarlingSQLite

/// What the conformance suite runs on: both logs, each in a home that outlives the process it simulates.
enum LogKind: CaseIterable, Sendable {
  case memory, sqlite

  func home() -> LogHome {
    switch self {
    case .memory: .memory(MemoryLog(isDurable: true))
    case .sqlite: .sqlite(TestDirectory())
    }
  }
}

enum LogHome {
  case memory(MemoryLog)
  case sqlite(TestDirectory)

  /// The log of one run of the process.
  func log() -> any ChangeLog {
    switch self {
    case .memory(let log): log
    case .sqlite(let directory): directory.log()
    }
  }

  /// The home as it is after the process dies now, whatever is open.
  func crashed() throws -> LogHome {
    switch self {
    case .memory: self
    case .sqlite(let directory): .sqlite(try directory.crashed())
    }
  }
}

/// What a log should hold, said as plainly as possible.
struct LogModel {
  var snapshot: StoredSnapshot?
  var records: [LogRecord] = []

  var floor: Version { snapshot?.version ?? Version() }

  mutating func fold(into snapshot: StoredSnapshot) {
    self.snapshot = snapshot
    records = records.filter { $0.lastCounter > snapshot.version[$0.replica] }
  }

  /// The answer to an asker at `version`; nil below the floor.
  func answer(to version: Version, byteCountMax: Int) -> (records: [LogRecord], isComplete: Bool)? {
    guard version.covers(floor) else { return nil }
    let lacking = records.filter { $0.lastCounter > version[$0.replica] }
    var count = 0
    while count < lacking.count, count == 0 || lacking[...count].map(\.bytes.count).reduce(0, +) <= byteCountMax {
      count += 1
    }
    return (Array(lacking[..<count]), count == lacking.count)
  }

  /// What `version` covers, newest first.
  func past(of version: Version, byteCountMax: Int) -> (records: [LogRecord], isComplete: Bool) {
    let covered = records.reversed().filter {
      $0.firstCounter <= version[$0.replica] && version[$0.replica] > floor[$0.replica]
    }
    var count = 0
    while count < covered.count, count == 0 || covered[...count].map(\.bytes.count).reduce(0, +) <= byteCountMax {
      count += 1
    }
    return (Array(covered[..<count]), count == covered.count)
  }

  var head: Version {
    var head = floor
    for record in records { head[record.replica] = max(head[record.replica], record.lastCounter) }
    return head
  }
}

extension LogAnswer {
  /// As `LogModel.answer` says it.
  var plain: (records: [LogRecord], isComplete: Bool)? {
    switch self {
    case .records(let records, let isComplete): (records, isComplete)
    case .belowFloor: nil
    }
  }
}
