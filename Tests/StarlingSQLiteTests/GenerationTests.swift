import GRDB
import StarlingCore
import StarlingEngine
import Testing

@testable import StarlingSQLite

@Suite struct `The starts of a store` {
  private let home = TestDirectory()

  private func open(
    continuing replica: UInt64 = 7, _ body: (any ChangeLog) async throws -> Void = { _ in }
  ) async throws -> StoredGenerations {
    let log = home.log()
    let opened = try await log.open()
    try await body(log)
    try await log.close(continuing: ReplicaID(rawValue: replica))
    return opened.generations
  }

  @Test func `are counted, also after a crash`() async throws {
    #expect(try await open().own == 1)
    #expect(try await open().own == 2)
    var log: (any ChangeLog)? = home.log()
    #expect(try await log?.open().generations.own == 3)
    log = nil
    #expect(try await open().own == 4)
  }

  @Test func `are kept with what is known of others, and never lowered`() async throws {
    let others = [
      StoredGenerations.Other(store: StoreID(rawValue: 1), name: "ada", generation: 5, epoch: .max),
      StoredGenerations.Other(store: StoreID(rawValue: .max), name: "", generation: 1, epoch: 0),
    ]
    _ = try await open { try await $0.remember(StoredGenerations(own: 9, others: others)) }
    #expect(try await open { try await $0.remember(StoredGenerations(own: 3, others: others)) }.others == others)
    #expect(try await open() == StoredGenerations(own: 11, others: others))
  }

  @Test func `are counted from now on in a store that has none`() async throws {
    #expect(try await open().own == 1)
    do {
      let queue = try DatabaseQueue(path: home.paths.database)
      try await queue.write { try $0.execute(sql: "DROP TABLE generations") }
      try queue.close()
    }
    #expect(try await open().own == 1)
    #expect(try await open().own == 2)
  }
}
