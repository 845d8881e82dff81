import StarlingGraph
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

@Suite struct `The table of a document's open objects` {
  private let pair = Pair()

  @Test func `forgets a model's plain collections with the model`() throws {
    let (here, _) = try pair.models(Binders.self)
    let before = pair.here.space.openObjectCount
    for round in 0..<100 {
      let binder = here.all.model(for: "\(round)")
      binder.tags = ["a"]
      binder.pages = ["first"]
      if round.isMultiple(of: 2) { here.all["\(round)"] = nil }
    }
    for name in here.all.keys { _ = here.all[name]?.tags }
    #expect(pair.here.space.openObjectCount == before)
  }

  @Test func `keeps the collections of the instance that took another one's place`() throws {
    let (here, there) = try pair.models(Binders.self)
    for round in 0..<10 {
      here.all.model(for: "a").tags.insert("\(round)")
      let kept = there.all.model(for: "a")
      pair.exchange()
      #expect(kept.tags.count == round + 1)
    }
  }

  @Test func `finds a new instance where a text outlived the one before`() throws {
    let (there, space) = (try pair.there.space.model(Note.self, named: "note", isolation: nil), pair.here.space)
    var note: Note? = try space.model(Note.self, named: "note", isolation: nil)
    weak let released = note
    let body = note!.body
    note = nil
    #expect(released == nil)
    there.body.append("from elsewhere")
    pair.exchange()
    #expect(body.string == "from elsewhere")
    body.append(", and from here")
    pair.exchange()
    #expect(there.body.string == "from elsewhere, and from here")
    let again = try space.model(Note.self, named: "note", isolation: nil)
    #expect(again.body.string == "from elsewhere, and from here")
    #expect(try space.model(Note.self, named: "note", isolation: nil) === again)
    there.title = "Found"
    pair.exchange()
    #expect(again.title == "Found")
  }

  @Test func `brings collections up to date whose model's instance has gone`() throws {
    let (here, there) = (pair.here.space, pair.there.space)
    let binders = try there.model(Binders.self, named: "binders", isolation: nil)
    let (album, other) = (
      try there.model(Album.self, named: "album", isolation: nil),
      try there.model(Album.self, named: "other", isolation: nil)
    )
    let all = try here.model(Binders.self, named: "binders", isolation: nil).all
    let songs = try here.model(Album.self, named: "album", isolation: nil).songs
    let tracks = try here.model(Album.self, named: "other", isolation: nil).tracks
    let seen = Guarded<[String]>([])
    let observer = observe(isolation: nil) {
      let text = "\(all.keys.sorted()) \(songs.map { $0 }) \(tracks.map(\.title))"
      seen.withLock { $0.append(text) }
    }
    binders.all.model(for: "a").tags = ["red"]
    album.songs.append("one")
    other.add("first")
    pair.exchange()
    #expect(all["a"]?.tags == ["red"] && songs.first == "one" && tracks.first?.title == "first")
    #expect(seen.withLock { $0.last } == #"["a"] ["one"] ["first"]"#)
    album.songs[0] = "two"
    pair.exchange()
    #expect(seen.withLock { $0.last } == #"["a"] ["two"] ["first"]"#)
    withExtendedLifetime(observer) {}
  }

  @Test func `goes on in the rows of objects that were released`() throws {
    let (here, _) = try pair.models(Binders.self)
    var dice = Dice(seed: 5)
    var kept: [String: Binder] = [:]
    let before = pair.here.space.openObjectCount
    for _ in 0..<2000 {
      let name = "\(dice.roll(40))"
      if dice.oneIn(3) {
        kept[name] = nil
      } else {
        let binder = here.all.model(for: name)
        #expect(kept[name] == nil || kept[name] === binder, "seed \(dice.seed)")
        kept[name] = binder
      }
    }
    // Each with its three collections.
    #expect(pair.here.space.openObjectCount == before + 4 * kept.count)
    for (name, binder) in kept { #expect(here.all.model(for: name) === binder) }
    kept = [:]
    #expect(pair.here.space.openObjectCount == before)
  }
}

@Replicated final class Binder: Sendable {
  var tags: Set<String> = []
  var counts: [String: Int] = [:]
  var pages: [String] = []
}

@Replicated final class Binders: Sendable {
  var all: ReplicatedDictionary<String, Binder> = [:]
}
