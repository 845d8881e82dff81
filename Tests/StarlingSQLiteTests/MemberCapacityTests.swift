import StarlingCore
import StarlingEngine
import StarlingLogTestSupport
import Testing

@testable import StarlingSQLite

@Suite struct `A list of members` {
  /// So many ids that nobody wrote under.
  private func claim(_ count: UInt64) -> VersionVector {
    VersionVector((1...count).map { VersionVector.Entry(replica: ReplicaID(rawValue: $0), counter: 1) })
  }

  private func reopened(_ members: [LogMember]) async throws -> [LogMember] {
    let directory = TestDirectory()
    let log = directory.log()
    _ = try await log.open()
    try await log.append([record(ada, 1...3), record(bob, 1...4)])
    try await log.remember(members, of: library)
    try await log.close(continuing: ada)
    let later = directory.log()
    _ = try await later.open()
    let recovered = try await later.recover(library).members
    try await later.close(continuing: ada)
    return recovered
  }

  @Test func `that holds more than anybody can have acknowledged is read without that`() async throws {
    let honest = LogMember(store: StoreID(rawValue: 7), acknowledged: version([ada: 3, bob: 4]), heardAt: 5)
    let hostile = LogMember(store: StoreID(rawValue: 8), acknowledged: claim(70_000), heardAt: 6)
    let members = try await reopened([honest, hostile, honest])
    #expect(members.map(\.store) == [honest.store, hostile.store, honest.store])
    #expect(members.map(\.acknowledged) == [honest.acknowledged, VersionVector(), honest.acknowledged])
  }

  @Test func `that is far too large is read for its members alone`() async throws {
    let members = (0..<35).map {
      LogMember(store: StoreID(rawValue: 100 + UInt64($0)), acknowledged: claim(65_000), heardAt: 6)
    }
    let recovered = try await reopened(members)
    #expect(recovered.map(\.store) == members.map(\.store))
    #expect(recovered.allSatisfy { $0.acknowledged.isEmpty })
  }
}
