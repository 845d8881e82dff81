import StarlingCore
import StarlingSession
import Testing

@testable import StarlingEngine

/// What is asked for between two turns of an engine.
@Suite struct `A flush that no turn has served` {
  let waiting = WaitingTasks()
  let flush = Flush(document: Node.library, goal: .durable, deadline: nil)

  /// Begins to wait, and returns once that is asked for.
  private func ask(whereCancelled: Bool = false) async -> Task<Void, any Error> {
    let (asked, isAsked) = AsyncStream<Void>.makeStream()
    let task = Task { [waiting, flush] in
      if whereCancelled { withUnsafeCurrentTask { $0?.cancel() } }
      try await waiting.wait(for: flush) { isAsked.yield() }
    }
    for await _ in asked { break }
    return task
  }

  @Test func `is taken once, and goes on once that is ended`() async throws {
    waiting.beginServing()
    let task = await ask()
    let taken = waiting.takeFlushes()
    #expect(taken.map(\.flush.document) == [Node.library])
    #expect(waiting.takeFlushes().isEmpty)
    waiting.end(try #require(taken.first).number, .success(()))
    try await task.value
  }

  @Test(arguments: [true, false])
  func `is served before it is cancelled, whenever its task was`(isCancelledBefore: Bool) async throws {
    waiting.beginServing()
    let task = await ask(whereCancelled: isCancelledBefore)
    task.cancel()
    // A turn that took what was asked for a moment earlier.
    #expect(waiting.takeCancelled().isEmpty)
    var taken = waiting.takeFlushes()
    while taken.isEmpty {
      await Task.yield()
      taken = waiting.takeFlushes()
    }
    let number = taken[0].number
    #expect(waiting.takeCancelled() == [number])
    #expect(waiting.takeCancelled().isEmpty)
    waiting.end(.cancel(number)) { _ in LogError(.misuse, "Nobody asks why.") }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `fails where there are no turns, and where there are none any more`() async throws {
    await #expect(throws: LogError.self) { try await waiting.wait(for: flush) {} }
    waiting.beginServing()
    let task = await ask()
    waiting.endServing()
    let error = await #expect(throws: FlushError.self) { try await task.value }
    #expect(error?.code == .closed)
    await #expect(throws: LogError.self) { try await waiting.wait(for: flush) {} }
  }
}
