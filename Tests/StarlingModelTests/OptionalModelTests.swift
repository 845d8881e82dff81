import StarlingEngine
import StarlingModel
import StarlingModelTestSupport
import Testing

@Suite struct `An optional model that two replicas put there at once` {
  private let pair = Pair()

  /// Ada here, Grace there, and both have heard of both.
  private func libraries() throws -> (here: Library, there: Library) {
    let (here, there) = try pair.models(Library.self)
    for (library, name) in [(here, "Ada"), (there, "Grace")] {
      let author = Author()
      author.name = name
      library.owner = author
    }
    pair.exchange()
    return (here, there)
  }

  @Test func `row 25: can be read beside the other one, the visible one first, the same everywhere`() throws {
    let (here, there) = try libraries()
    for library in [here, there] {
      let conflicts = library.conflicts(of: \.owner)
      #expect(Set(conflicts.map { $0.value?.name }) == ["Ada", "Grace"])
      #expect(conflicts.first?.value === library.owner)
    }
    #expect(here.conflicts(of: \.owner).map(\.author) == there.conflicts(of: \.owner).map(\.author))
    #expect(here.conflicts(of: \.owner).map { $0.value?.name } == there.conflicts(of: \.owner).map { $0.value?.name })
  }

  @Test(arguments: [0, 1]) func `row 25: is chosen among the two by whoever writes it`(choice: Int) throws {
    let (here, there) = try libraries()
    let conflicts = here.conflicts(of: \.owner)
    try #require(conflicts.count == 2)
    let chosen = try #require(conflicts[choice].value)
    let name = chosen.name
    here.owner = chosen
    #expect(here.owner === chosen)
    #expect(here.conflicts(of: \.owner).isEmpty)
    pair.exchange()
    #expect(there.owner?.name == name)
    #expect(there.conflicts(of: \.owner).isEmpty)
    #expect(pair.here.handle.digest() == pair.there.handle.digest())
  }

  @Test func `row 25: wakes readers of the conflict, also where the one that is not visible is written`() throws {
    let (here, there) = try pair.models(Library.self)
    let watch = Watch { there.conflicts(of: \.owner).map { $0.value?.name } }
    #expect(watch.seen == [[]])
    let author = Author()
    author.name = "Ada"
    here.owner = author
    there.owner = Author()
    pair.exchange()
    #expect(watch.seen.last.map(Set.init) == ["Ada", "Nobody"])
    let hidden = try #require(here.conflicts(of: \.owner).last?.value)
    hidden.name = "Hidden"
    pair.exchange()
    #expect(watch.seen.last?.last == "Hidden")
    there.owner = nil
    #expect(watch.seen.last == [])
  }
}
