import Observation
import StarlingEngine
import StarlingModel
import StarlingGuard
import StarlingModelTestSupport
import Testing

@Suite struct `The standard library's observation` {
  let pair = Pair()

  @Test func `hears writes from here and from elsewhere, of what it read alone`() throws {
    let (here, there) = try pair.models(Book.self)
    let heard = Guarded(0)
    @Sendable func track() {
      withObservationTracking {
        _ = there.title
      } onChange: {
        heard.withLock { $0 += 1 }
      }
    }
    track()
    there.isAvailable = false
    #expect(heard.withLock { $0 } == 0)
    there.title = "Dune"
    #expect(heard.withLock { $0 } == 1)
    track()
    there.title = "Dune"
    #expect(heard.withLock { $0 } == 1)
    pair.exchange()
    here.title = "Emma"
    pair.exchange()
    #expect(heard.withLock { $0 } == 2)
  }

  @MainActor @Test func `follows a property as a sequence`() async throws {
    let here = try pair.here.space.model(Screen.self, named: "screen")
    let there = try pair.there.space.model(Screen.self, named: "screen")
    var titles: [String] = []
    for await title in Observations({ there.title }) {
      titles.append(title)
      switch titles.count {
      case 1: there.title = "local"
      case 2:
        here.title = "remote"
        // Carried both ways, so that the write here is the later one.
        pair.exchange()
        here.title = "remote again"
        pair.exchange()
      default: break
      }
      if title == "remote again" { break }
    }
    #expect(titles.first == "Home")
    #expect(titles.contains("local"))
    #expect(titles.last == "remote again")
  }

  @Test func `reads a model that the graph observes as well`() throws {
    let (here, _) = try pair.models(Book.self)
    let heard = Guarded(0)
    let watch = Watch { here.title }
    withObservationTracking {
      _ = here.title
    } onChange: {
      heard.withLock { $0 += 1 }
    }
    here.title = "Dune"
    #expect(watch.runs == 2)
    #expect(heard.withLock { $0 } == 1)
  }

  @Test func `hears of a reference's target and of conflicts`() throws {
    let (here, there) = try pair.models(Library.self)
    let author = Author()
    here.authors["ada"] = author
    here.favourite = ReplicatedReference(author)
    pair.exchange()
    let heard = Guarded(0)
    withObservationTracking {
      _ = there.favourite.target
    } onChange: {
      heard.withLock { $0 += 1 }
    }
    here.authors["ada"] = nil
    pair.exchange()
    #expect(heard.withLock { $0 } == 1)

    withObservationTracking {
      _ = there.address.conflicts(of: \.name)
    } onChange: {
      heard.withLock { $0 += 1 }
    }
    here.address.name = "Ada"
    there.address.name = "Grace"
    pair.exchange()
    #expect(there.address.conflicts(of: \.name).count == 2)
    #expect(heard.withLock { $0 } == 2)
  }
}
