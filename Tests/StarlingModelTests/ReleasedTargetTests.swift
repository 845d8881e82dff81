import StarlingGraph
import StarlingModel
import StarlingModelTestSupport
import Testing

@Suite struct `A reader through a reference` {
  private let pair = Pair()

  /// At the replica that the reference arrived at, where it holds no instance.
  @Test func `hears of local writes after the target was released`() throws {
    let (here, there) = try pair.models(Library.self)
    here.authors["ada"] = Author()
    here.favourite = ReplicatedReference(here.authors["ada"])
    pair.exchange()
    let watch = Watch { there.favourite.target?.name }
    #expect(watch.seen == ["Nobody"])
    there.authors["ada"]?.name = "Ada"
    #expect(watch.seen == ["Nobody", "Ada"])
    there.authors["ada"]?.name = "Grace"
    #expect(watch.seen == ["Nobody", "Ada", "Grace"])
    here.authors["ada"]?.name = "Mary"
    pair.exchange()
    #expect(watch.seen.last == "Mary")
  }

  @Test func `hears of local writes to what the target holds`() throws {
    let (here, there) = try pair.models(Guide.self)
    here.places["main"] = Library()
    here.place = ReplicatedReference(here.places["main"])
    pair.exchange()
    let watch = Watch { there.place.target?.address.name }
    #expect(watch.seen == ["Nobody"])
    there.places["main"]?.address.name = "Main Street"
    #expect(watch.seen == ["Nobody", "Main Street"])
  }
}

@Suite struct `The conflicts of a reference` {
  @Test func `are the targets that were written side by side`() throws {
    let pair = Pair()
    let (here, there) = try pair.models(Library.self)
    let (ada, grace) = (here.authors.model(for: "ada"), here.authors.model(for: "grace"))
    pair.exchange()
    here.favourite = ReplicatedReference(ada)
    there.favourite = ReplicatedReference(there.authors["grace"])
    pair.exchange()
    for library in [here, there] {
      let conflicts = library.conflicts(of: \.favourite)
      #expect(conflicts.count == 2)
      #expect(conflicts.first?.value == library.favourite)
    }
    #expect(here.conflicts(of: \.favourite).contains { $0.value.target === ada })
    #expect(here.conflicts(of: \.favourite).contains { $0.value.target === grace })
  }
}

@Replicated final class Guide: Sendable {
  var place: ReplicatedReference<Library> = nil
  var places: ReplicatedDictionary<String, Library> = [:]
}
