package import StarlingCore
package import StarlingEngine
package import Testing

package let library = DocumentID("library")!
package let garden = DocumentID("garden")!
package let ada = ReplicaID(rawValue: 0xFFFF_0000_0000_0001)
package let bob = ReplicaID(rawValue: 2)
package let carl = ReplicaID(rawValue: 3)
package let dora = ReplicaID(rawValue: 4)

package func version(_ counters: [ReplicaID: UInt64]) -> VersionVector {
  VersionVector(counters.map { VersionVector.Entry(replica: $0.key, counter: $0.value) })
}

/// A record whose bytes say what it is.
package func record(
  _ replica: ReplicaID, _ counters: ClosedRange<UInt64>, in document: DocumentID = library, padding: Int = 0
) -> LogRecord {
  LogRecord(
    document: document, replica: replica, firstCounter: counters.lowerBound, lastCounter: counters.upperBound,
    bytes: Array("\(document) \(replica) \(counters)".utf8) + [UInt8](repeating: 0x2E, count: padding))
}

package func record(_ replica: ReplicaID, _ counter: UInt64, in document: DocumentID = library, padding: Int = 0)
  -> LogRecord
{
  record(replica, counter...counter, in: document, padding: padding)
}

/// A snapshot whose bytes say where it stands.
package func snapshot(_ version: VersionVector) -> StoredSnapshot {
  StoredSnapshot(version: version, bytes: Array("state at \(version)".utf8))
}

/// Says in one line how two lists of records differ.
package func expectEqual(
  _ records: [LogRecord]?, _ expected: [LogRecord]?, _ comment: String = "",
  sourceLocation: SourceLocation = #_sourceLocation
) {
  func names(_ records: [LogRecord]?) -> String {
    records.map { "\($0.map { "\($0.document) \($0.replica):\($0.firstCounter)...\($0.lastCounter)" })" } ?? "none"
  }
  let isEqual = records == expected
  #expect(isEqual, "\(comment): \(names(records)) instead of \(names(expected))", sourceLocation: sourceLocation)
}

@discardableResult package func expectError(
  _ code: LogError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async -> LogError? {
  let error = await #expect(throws: LogError.self, sourceLocation: sourceLocation) { try await body() }
  #expect(error?.code == code, "\(error?.description ?? "")", sourceLocation: sourceLocation)
  return error
}
