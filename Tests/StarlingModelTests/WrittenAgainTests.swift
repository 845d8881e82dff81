import StarlingCore
import StarlingEngine
import StarlingModel
import StarlingModelTestSupport
import Testing

/// What the engine does where the group refuses changes for good: the document without them, and one change in their
/// place.
@Suite struct `Models whose changes were refused and written again` {
  let pair = Pair()

  private func writeAgain(on remainder: Document) throws -> Change {
    let handle = pair.here.handle
    _ = handle.takeOutbox()
    handle.rename(to: ReplicaID(rawValue: 9))
    guard case .done(let change?, _) = handle.writeAgain(on: remainder, insteadOf: handle.version) else {
      throw ModelsFailed()
    }
    return change
  }

  private struct ModelsFailed: Error {}

  @Test func `show the same, and go on together`() throws {
    let (here, there) = try pair.models(Novel.self)
    here.add("one", "two", "three")
    here.words = ["a", "b"]
    here.numbers = [1, 2, 3]
    pair.exchange()
    let remainder = try #require(pair.here.handle.copy())
    let (first, last) = (here.chapters[0], here.chapters[2])
    here.add("four")
    here.chapters.remove(at: 1)
    first.title = "One"
    first.pages += 3
    let fourth = here.chapters[2]
    fourth.pages = 4
    here.words.insert("x", at: 1)
    here.numbers = [3, 2]
    let change = try writeAgain(on: remainder)
    #expect(here.titles == ["One", "three", "four"] && here.chapters.map(\.pages) == [3, 0, 4])
    #expect(here.words == ["a", "x", "b"] && here.numbers == [3, 2])
    // Models that were there before are the same; one that was made by a refused change has another in its place.
    #expect(here.chapters[0] === first && here.chapters[1] === last && here.chapters[2] !== fourth)
    pair.there.handle.merge([change])
    #expect(there.titles == here.titles && there.chapters.map(\.pages) == [3, 0, 4])
    #expect(there.words == ["a", "x", "b"] && there.numbers == [3, 2])
    here.chapters[2].title = "Four"
    first.title = "first"
    there.chapters[2].pages += 1
    pair.exchange()
    #expect(here.titles == ["first", "three", "Four"] && there.titles == here.titles)
    #expect(here.chapters[2].pages == 5 && pair.here.handle.digest() == pair.there.handle.digest())
    fourth.title = "of nobody"
    pair.exchange()
    #expect(there.titles == here.titles && !here.titles.contains("of nobody"))
  }

  @Test func `wake the readers of what changed, and no others`() throws {
    let (here, there) = try pair.models(Novel.self)
    here.add("one")
    pair.exchange()
    let remainder = try #require(pair.here.handle.copy())
    here.add("two")
    let second = here.chapters[1]
    second.pages = 2
    let titles = Watch { here.chapters.map { "\($0.title) \($0.pages)" } }
    let words = Watch { here.words }
    let change = try writeAgain(on: remainder)
    here.chapters[1].pages += 1
    #expect(titles.seen.last == ["one 0", "two 3"] && words.runs == 1)
    pair.there.handle.merge([change])
    pair.exchange()
    #expect(there.chapters[1].pages == 3)
  }
}
