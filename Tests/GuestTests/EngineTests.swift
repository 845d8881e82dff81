import StarlingCore
import StarlingEngine
import StarlingModel
import Testing

// No `import Starling`: this is what is there where libzmq is not (Documentation/ApplePlatforms.md).

// ----
@Replicated final class Notes: Sendable {
  var title = ""
}

@MainActor func openNotes(over link: any PeerLink, keptIn log: any ChangeLog) async throws -> (ReplicaEngine, Notes) {
  let engine = ReplicaEngine(link: link, log: log)
  try await engine.start()
  let models = ModelSpace(try await engine.open(DocumentID("notes")!))
  return (engine, try models.model(Notes.self, named: "notes"))
}
// ----

@MainActor @Suite struct `Models over an engine that the program sets up` {
  private let network = MemoryNetwork()

  private final class Opened {
    var all: [Notes] = []
    var engines: [ReplicaEngine] = []
    var failure: (any Error)?
  }

  private func open(_ name: String, dialling other: String?, into opened: Opened) {
    let link = network.makeLink(named: name)
    Task {
      do {
        let (engine, notes) = try await openNotes(over: link, keptIn: MemoryLog())
        if let other {
          try await engine.connect(to: "memory:\(other)")
        } else {
          try await engine.bind("memory:\(name)")
        }
        opened.engines.append(engine)
        opened.all.append(notes)
      } catch {
        opened.failure = error
      }
    }
  }

  private func pass(until condition: () -> Bool) async -> Bool {
    for _ in 0..<100_000 where !condition() {
      network.run(for: .milliseconds(1))
      await Task.yield()
    }
    return condition()
  }

  @Test func `are kept in step over a link of the program's own`() async {
    let opened = Opened()
    open("phone", dialling: nil, into: opened)
    #expect(await pass { opened.all.count == 1 || opened.failure != nil })
    open("watch", dialling: "phone", into: opened)
    #expect(await pass { opened.all.count == 2 || opened.failure != nil })
    #expect(opened.failure == nil)
    opened.all.first?.title = "Milk"
    #expect(await pass { opened.all.last?.title == "Milk" })
  }
}
