import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingModel
import Testing

extension PresenceKey<String> {
  fileprivate static let field = PresenceKey("field")
}

extension PresenceKey<Int> {
  fileprivate static let cursor = PresenceKey("cursor", lifetime: .seconds(2))
}

@Suite struct `Presence beside a document` {
  /// A network of two engines in memory, in the test's time.
  private final class Two: Sendable {
    let network = MemoryNetwork()
    let engines = Guarded<[ReplicaEngine]>([])
    let spaces = Guarded<[ModelSpace]>([])

    init() throws {
      for name in ["ada", "bob"] {
        var configuration = EngineConfiguration()
        configuration.background = nil
        let network = network
        let engine = ReplicaEngine(
          link: network.makeLink(named: name), log: MemoryLog(), configuration: configuration,
          clock: EngineClock(wallMilliseconds: { 1_800_000_000_000 }, uptime: { network.now }))
        engines.withLock { $0.append(engine) }
        Task(executorPreference: network.executor) {
          try await engine.start()
          if name == "ada" { try await engine.bind("memory:ada") } else { try await engine.connect(to: "memory:ada") }
          let handle = try await engine.open(DocumentID("library")!)
          self.spaces.withLock { $0.append(ModelSpace(handle)) }
        }
        _ = network.run(timeout: .seconds(5)) {
          self.spaces.withLock { $0.count } == self.engines.withLock { $0.count }
        }
      }
      network.run(for: .seconds(1))
    }

    deinit {
      for engine in engines.withLock({ $0 }) {
        Task(executorPreference: network.executor) { try await engine.close() }
      }
      network.run(for: .seconds(5))
    }

    var presences: (Presence, Presence) {
      let spaces = spaces.withLock { $0 }
      return (spaces[0].presence, spaces[1].presence)
    }
  }

  @Test func `wakes the readers of its key, and no others`() throws {
    let two = try Two()
    let (here, there) = two.presences
    let field = Watch { there.others(.field).map(\.content) }
    let cursor = Watch { there.others(.cursor).map(\.content) }
    here[.field] = "title"
    two.network.run(for: .milliseconds(100))
    #expect(field.seen == [[], ["title"]])
    #expect(cursor.seen == [[]])
    here[.field] = "title"
    here[.cursor] = 7
    two.network.run(for: .milliseconds(100))
    #expect(field.runs == 2)
    #expect(cursor.seen == [[], [7]])
    here[.field] = nil
    two.network.run(for: .milliseconds(100))
    #expect(field.seen.last == [])
    #expect(here[.field] == nil)
    #expect(here[.cursor] == 7)
  }

  @Test func `is told apart by the peer that says it`() throws {
    let two = try Two()
    let (here, there) = two.presences
    here[.cursor] = 1
    there[.cursor] = 2
    two.network.run(for: .milliseconds(100))
    #expect(here.others(.cursor).map(\.content) == [2])
    #expect(there.others(.cursor).map(\.content) == [1])
    #expect(here.others(.cursor).map(\.id) != there.others(.cursor).map(\.id))
  }

  @Test func `of another type is left out`() throws {
    let two = try Two()
    let (here, there) = two.presences
    here[PresenceKey<Bool>("cursor")] = true
    two.network.run(for: .milliseconds(100))
    #expect(there.others(.cursor).isEmpty)
    #expect(there.others(PresenceKey<Bool>("cursor")).map(\.content) == [true])
  }

  @Test func `writes nothing into the document`() throws {
    let two = try Two()
    let version = two.spaces.withLock { $0[0].handle.version }
    two.presences.0[.field] = "title"
    two.network.run(for: .seconds(1))
    #expect(two.spaces.withLock { $0[0].handle.version } == version)
  }
}
