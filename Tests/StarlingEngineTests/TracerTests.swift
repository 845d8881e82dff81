import StarlingCore
import StarlingEngine
import Testing

@Suite struct `A tracer` {
  /// Notes what it sees.
  private final class Notes: EngineTracer {
    struct Seen: Equatable {
      var isPublication: Bool
      var work: TracedWork
      var origins: [String] = []
    }

    private let notes = Box<[Seen]>([])
    private let caller = Box<String?>(nil)

    var seen: [Seen] { notes.value }

    func calls(_ name: String?) { caller.change { $0 = name } }

    func origin() -> (any Sendable)? { caller.value }

    func publishing(_ work: TracedWork, origins: [any Sendable], _ body: () -> Void) {
      body()
      notes.change { $0.append(Seen(isPublication: true, work: work, origins: origins.compactMap { $0 as? String })) }
    }

    func merging(_ work: TracedWork, _ body: () -> Void) {
      body()
      notes.change { $0.append(Seen(isPublication: false, work: work)) }
    }
  }

  @Test func `sees the same changes where they are published and where they merge`() throws {
    let world = World()
    let (here, there) = (Notes(), Notes())
    let left = try world.node("left") { $0.tracer = here }
    let right = try world.node("right", dialling: ["left"]) { $0.tracer = there }
    let (written, read) = (try left.open(), try right.open())
    world.run(for: .seconds(1))
    here.calls("a request")
    written.set(1)
    written.set(2, for: "other")
    #expect(world.run { read.value(of: "other") == .integer(2) })
    let published = try #require(here.seen.first)
    #expect(here.seen.count == 1)
    #expect(published.isPublication && published.work.changeCount == 2)
    #expect(published.origins == ["a request", "a request"])
    #expect(published.work.first == Dot(written.replica, 1) && published.work.last == Dot(written.replica, 2))
    #expect(there.seen.map(\.isPublication) == [false])
    #expect(there.seen.map(\.work) == [published.work])
  }

  @Test func `is told nothing of writes that came from nowhere, and of no more origins than it needs`() throws {
    let world = World()
    let notes = Notes()
    let node = try world.node("node") { $0.tracer = notes }
    let document = try node.open()
    document.set(1)
    world.run(for: .milliseconds(100))
    #expect(notes.seen.map(\.origins) == [[]])
    notes.calls("a loop")
    for value in 0..<1000 { document.set(Int64(value)) }
    world.run(for: .milliseconds(100))
    #expect(notes.seen.map(\.work.changeCount) == [1, 1000])
    #expect(notes.seen.last?.origins.count == 64)
  }
}
