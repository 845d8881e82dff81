package import StarlingCore
package import StarlingEngine

/// What a log should hold, said as plainly as possible.
package struct LogModel {
  package var snapshot: StoredSnapshot?
  package var records: [LogRecord]

  package init(snapshot: StoredSnapshot? = nil, records: [LogRecord] = []) {
    self.snapshot = snapshot
    self.records = records
  }

  package var logStart: VersionVector { snapshot?.version ?? VersionVector() }

  package mutating func compact(into snapshot: StoredSnapshot) {
    self.snapshot = snapshot
    records = records.filter { $0.lastCounter > snapshot.version[$0.replica] }
  }

  /// The answer to an asker at `version`; nil below the floor.
  package func answer(to version: VersionVector, byteCountMax: Int) -> (records: [LogRecord], isComplete: Bool)? {
    guard version.covers(logStart) else { return nil }
    let lacking = records.filter { $0.lastCounter > version[$0.replica] }
    var count = 0
    while count < lacking.count, count == 0 || lacking[...count].map(\.bytes.count).reduce(0, +) <= byteCountMax {
      count += 1
    }
    return (Array(lacking[..<count]), count == lacking.count)
  }

  /// What `version` covers, newest first.
  package func past(of version: VersionVector, byteCountMax: Int) -> (records: [LogRecord], isComplete: Bool) {
    let covered = records.reversed().filter {
      $0.firstCounter <= version[$0.replica] && version[$0.replica] > logStart[$0.replica]
    }
    var count = 0
    while count < covered.count, count == 0 || covered[...count].map(\.bytes.count).reduce(0, +) <= byteCountMax {
      count += 1
    }
    return (Array(covered[..<count]), count == covered.count)
  }

  package var head: VersionVector {
    var head = logStart
    for record in records { head[record.replica] = max(head[record.replica], record.lastCounter) }
    return head
  }
}

extension LogAnswer {
  /// As `LogModel.answer` says it.
  package var plain: (records: [LogRecord], isComplete: Bool)? {
    switch self {
    case .records(let records, let isComplete): (records, isComplete)
    case .belowLogStart: nil
    }
  }
}
