import Dispatch
import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingLogTestSupport
import StarlingSimulatedDisk
import StarlingTestSupport
import Testing

@testable import StarlingSQLite

/// An engine over a file, without peers.
@Suite struct `Opening a document from a file` {
  private func engine(_ directory: TestDirectory) -> ReplicaEngine {
    ReplicaEngine(link: StillLink(), log: directory.log())
  }

  @Test func `replays no more, the longer its history is`() async throws {
    for count in [1000, 2000] {
      let directory = TestDirectory()
      let first = engine(directory)
      try await first.start()
      let handle = try await first.open(library)
      for number in 1...count {
        handle.write { $0.set(.integer(Int64(number)), for: "title", in: .root, patch: &$1) }
        // Forty to a group of records.
        if number.isMultiple(of: 40) { try await first.flush(library, until: .durable) }
      }
      try await first.flush(library, until: .durable)
      let digest = handle.digest()
      let crashed = try directory.copied()
      try await first.close()

      let closed = engine(directory)
      try await closed.start()
      let afterClose = try await closed.open(library)
      #expect(afterClose.digest() == digest && afterClose.replica == handle.replica)
      #expect(await closed.status().counters.recordsReplayed < 500)
      try await closed.close()

      // What a crash leaves may lack the checkpoint that was under way, and nothing else.
      let again = engine(crashed)
      try await again.start()
      #expect(try await again.open(library).digest() == digest)
      var changes = 0
      for try await _ in again.history(of: library, .oldestFirst) { changes += 1 }
      #expect(changes == count)
      try await again.close()
    }
  }
}

/// A disk takes longer to sync than the program for all the rest.
@Suite struct `Opening a store` {
  @Test func `syncs no more often than it must, however the store was left`() async throws {
    let disk = SimulatedDisk()
    func log() -> SQLiteLog {
      SQLiteLog(directory: disk.path("store"), durability: .full, machine: machine, on: disk.process())
    }
    let first = log()
    _ = try await first.open()
    try await first.append([record(ada, 1)])
    try await first.close(continuing: ada)
    // The marker is gone for good, the write-ahead log has its header, and the start stands in the database.
    let second = log()
    try await #expect(syncs(of: disk) { _ = try await second.open() } == 6)
    withExtendedLifetime(second) { disk.endProcesses() }
    // And what the process that was killed left in the write-ahead log.
    let third = log()
    try await #expect(syncs(of: disk) { _ = try await third.open() } == 7)
    withExtendedLifetime(third) {}
  }

  private func syncs(of disk: SimulatedDisk, _ body: () async throws -> Void) async rethrows -> Int {
    let count = disk.syncCount
    try await body()
    return disk.syncCount - count
  }
}

/// Connects nobody: its turns bring nothing.
private final class StillLink: PeerLink {
  private let thread = TurnThread()
  private let engine = Guarded(Engine())

  private struct Engine {
    var receive: (@Sendable ([LinkEvent]) -> Void)?
  }

  var executor: any SerialExecutor { thread }
  func start(tick: Duration, receive: @escaping @Sendable ([LinkEvent]) -> Void) throws {
    engine.withLock { $0.receive = receive }
  }
  func wake() { thread.queue.async { self.engine.withLock { $0.receive }?([]) } }
  func bind(_ endpoint: String) throws -> String { endpoint }
  func connect(to endpoint: String) throws -> PeerHandle { PeerHandle(rawValue: 1) }
  func disconnect(_ peer: PeerHandle) {}
  func subscribe(_ topic: [UInt8]) {}
  func unsubscribe(_ topic: [UInt8]) {}
  func subscribe(_ topic: [UInt8], at peer: PeerHandle) {}
  func unsubscribe(_ topic: [UInt8], at peer: PeerHandle) {}
  func publish(_ frame: [UInt8]) {}
  func send(_ frame: [UInt8], to peer: PeerHandle) -> Bool { false }
  func stop(linger: Duration) { engine.withLock { $0.receive = nil } }
}

/// An executor that says what runs on it.
private final class TurnThread: SerialExecutor {
  let queue = DispatchQueue(label: "a link of a test")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
