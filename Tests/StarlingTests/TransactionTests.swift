import Foundation
import Starling
import StarlingEngine
import StarlingTestSupport
import Synchronization
import Testing

private final class Flag: Sendable {
  private let state = Atomic(false)

  var isRaised: Bool { state.load(ordering: .acquiring) }

  func raise() { state.store(true, ordering: .releasing) }
}

@Suite(.timeLimit(.minutes(10))) struct `A write beside another thread's transaction` {
  /// What is on disk now, opened as after a crash.
  private func afterCrash<Result>(
    of name: String, in group: borrowing Group, _ body: (Replica) throws -> Result
  ) async throws -> Result {
    let copy = "\(name)-\(UInt32.random(in: .min ... .max))"
    try FileManager.default.copyItem(atPath: "\(group.path)/\(name)", toPath: "\(group.path)/\(copy)")
    let replica = try await group.open(copy) { $0.joinsThisMachine = false }
    let result = try body(replica)
    try await replica.close()
    return result
  }

  @Test func `is on disk once flush has returned`() async throws {
    let group = try Group()
    let replica = try await group.open("a") { $0.joinsThisMachine = false }
    let book = try replica.model(Book.self, named: "front-desk", isolation: nil)
    let (isOpen, mayEnd, hasWritten) = (Signal(), Signal(), Flag())
    let end = onThread {
      withTransaction(message: "Catalogue") {
        book.title = "Dune"
        isOpen.raise()
        mayEnd.wait()
        book.isAvailable = false
      }
    }
    isOpen.wait()
    let write = onThread {
      book.copies += 1
      hasWritten.raise()
    }
    let handle = replica.models.handle
    #expect(eventually { hasWritten.isRaised || handle.waitingWriterCount > 0 })
    if hasWritten.isRaised {
      try await replica.flush(until: .durable)
      // The process may end here.
      try await afterCrash(of: "a", in: group) { replica in
        let book = try replica.model(Book.self, named: "front-desk", isolation: nil)
        #expect(book.copies == 1)
      }
    }
    mayEnd.raise()
    write.wait()
    try await replica.flush(until: .durable)
    end.wait()
    try await afterCrash(of: "a", in: group) { replica in
      let book = try replica.model(Book.self, named: "front-desk", isolation: nil)
      #expect(book.title == "Dune" && !book.isAvailable && book.copies == 1)
    }
    let changes = try await replica.historyPage(isDetailed: true).changes
    #expect(changes.map(\.message) == [nil, "Catalogue"])
    #expect(changes.map(\.operationCount) == [1, 2])
    try await replica.close()
  }

  @Test func `by a task that began within it is a change of its own`() async throws {
    let group = try Group()
    let replica = try await group.open("a") { $0.joinsThisMachine = false }
    let book = try replica.model(Book.self, named: "front-desk", isolation: nil)
    let (hasEnded, mayGoOn) = AsyncStream<Void>.makeStream()
    let task = withTransaction(message: "Catalogue") {
      book.title = "Dune"
      return Task {
        for await _ in hasEnded { break }
        book.copies += 1
        try await replica.flush(until: .sent)
        try await replica.flush(until: .durable)
      }
    }
    mayGoOn.yield()
    try await task.value
    book.isAvailable = false
    try await replica.flush(until: .durable)
    let changes = try await replica.historyPage(isDetailed: true).changes
    #expect(changes.map(\.message) == [nil, nil, "Catalogue"])
    try await afterCrash(of: "a", in: group) { replica in
      let book = try replica.model(Book.self, named: "front-desk", isolation: nil)
      #expect(book.copies == 1)
    }
    try await replica.close()
  }
}
