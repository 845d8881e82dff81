import StarlingCore
import StarlingEngine
import StarlingLogTestSupport
import StarlingSQLite
import Testing

@Suite struct `A change log` {
  @Test(arguments: LogContract.all) func `in memory holds to what a log guarantees`(_ clause: LogContract) async throws
  {
    try await clause.check(MemoryHome())
  }

  @Test(arguments: LogContract.all) func `in a file holds to what a log guarantees`(_ clause: LogContract) async throws
  {
    try await clause.check(TestDirectory())
  }

  @Test(arguments: LogContract.keeping) func `in memory keeps what it is told to`(_ clause: LogContract) async throws {
    try await clause.check(MemoryHome())
  }

  @Test(arguments: LogContract.keeping) func `in a file keeps what it is told to`(_ clause: LogContract) async throws {
    try await clause.check(TestDirectory())
  }

  @Test(arguments: LogContract.checkpoints) func `in memory keeps checkpoints`(_ clause: LogContract) async throws {
    try await clause.check(MemoryHome())
  }

  @Test(arguments: LogContract.checkpoints) func `in a file keeps checkpoints`(_ clause: LogContract) async throws {
    try await clause.check(TestDirectory())
  }

  @Test(arguments: LogContract.retracting) func `in memory takes changes back`(_ clause: LogContract) async throws {
    try await clause.check(MemoryHome())
  }

  @Test(arguments: LogContract.retracting) func `in a file takes changes back`(_ clause: LogContract) async throws {
    try await clause.check(TestDirectory())
  }
}

/// The object stands for a disk, so a crash is a second opening.
private struct MemoryHome: LogHome {
  private let kept = MemoryLog(isDurable: true)

  func log() -> any ChangeLog { kept }
  func crashed() -> any LogHome { self }
  func another() -> any LogHome { MemoryHome() }
}

extension TestDirectory: LogHome {
  func log() -> any ChangeLog { log(durability: .full) }
  func crashed() throws -> any LogHome { try copied() }
  func another() -> any LogHome { TestDirectory() }
  var isCopiedByCrash: Bool { true }
}
