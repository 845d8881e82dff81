import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

/// Eight threads that set out together.
private func onEightThreads(_ body: @escaping @Sendable (Int) -> Void) {
  let starts = (0..<8).map { _ in Signal() }
  let ends = (0..<8).map { number in
    onThread {
      starts[number].wait()
      body(number)
    }
  }
  for start in starts { start.raise() }
  for end in ends { end.wait() }
}

@Suite struct `Eight threads that open a model at once` {
  @Test func `make one object by its key and lose no increment`() throws {
    for round in 0..<200 {
      let pair = Pair()
      let (here, there) = try pair.models(Stacks.self)
      onEightThreads { _ in
        for _ in 0..<5 { here.books.model(for: "dune").copies += 1 }
      }
      pair.exchange()
      let counts = [here, there].map { $0.books.model(for: "dune").copies.value }
      guard counts == [40, 40] else {
        Issue.record("\(counts) in place of 40, in round \(round)")
        return
      }
    }
  }

  @Test func `see one that is opened by its name as it is, and lose no write to it`() throws {
    let source = Pair.Replica(9)
    let original = try source.space.model(Library.self, named: "front-desk", isolation: nil)
    original.address.name = "Main Street"
    let ada = Author()
    ada.name = "Ada"
    original.owner = ada
    let changes = source.handle.takeOutbox()
    let lost = Guarded(0)
    let shown = Guarded(Set<String>())
    for _ in 0..<300 {
      let replica = Pair.Replica(1)
      replica.handle.merge(changes)
      onEightThreads { number in
        guard let library = try? replica.space.model(Library.self, named: "front-desk", isolation: nil) else { return }
        guard number == 0 else {
          return shown.withLock { shown in shown.formUnion([library.address.name, library.owner?.name ?? "nobody"]) }
        }
        library.owner?.name = "Grace"
      }
      let library = try replica.space.model(Library.self, named: "front-desk", isolation: nil)
      if library.owner?.name != "Grace" { lost.withLock { $0 += 1 } }
    }
    #expect(lost.withLock { $0 } == 0)
    #expect(shown.withLock { $0 }.isSubset(of: ["Main Street", "Ada", "Grace"]))
  }
}

@Replicated final class Stacks: Sendable {
  var books: ReplicatedDictionary<String, Book> = [:]
}
