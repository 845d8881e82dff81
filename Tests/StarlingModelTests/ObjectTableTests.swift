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

  @Test func `gives a model that is opened again the collections that outlived its instance`() throws {
    let (here, there) = (pair.here.space, try pair.there.space.model(Keepsakes.self, named: "all", isolation: nil))
    var kept: Keepsakes? = try here.model(Keepsakes.self, named: "all", isolation: nil)
    weak let released = kept
    let (text, songs, tags, sizes) = (kept!.text, kept!.songs, kept!.tags, kept!.sizes)
    text.append("a")
    kept = nil
    #expect(released == nil)
    let again = try here.model(Keepsakes.self, named: "all", isolation: nil)
    #expect(again.text.string == "a")
    let seen = Guarded<[String]>([])
    let observer = observe(isolation: nil) {
      let shown = "\(text) \(songs.map { $0 }) \(tags.map { $0 }) \(sizes.keys.map { "\($0): \(sizes[$0]!)" })"
      seen.withLock { $0.append(shown) }
    }
    there.songs.append("x")
    pair.exchange()
    again.text.append("b")
    there.text.append("c")
    again.songs.append("y")
    again.tags.insert("red")
    there.sizes["m"] = 1
    pair.exchange()
    text.append("!")
    songs.append("z")
    tags.insert("blue")
    sizes["n"] = 2
    #expect(seen.withLock { $0.last } == #"\#(again.text) ["x", "y", "z"] ["blue", "red"] ["m: 1", "n: 2"]"#)
    #expect(text.string == again.text.string && text.count == 4)
    #expect(again.songs.map { $0 } == ["x", "y", "z"] && again.sizes["n"] == 2 && again.tags.contains("blue"))
    pair.exchange()
    #expect(
      there.text.string == text.string && there.tags.count == 2 && there.sizes.count == 2 && there.songs.count == 3)
    withExtendedLifetime(observer) {}
  }

  @Test func `lets collections that outlived an instance go with the object`() throws {
    let (here, there) = try pair.models(KeepsakeShelf.self)
    var kept: Keepsakes? = here.all.model(for: "a")
    let text = kept!.text
    text.append("first")
    kept = nil
    let again = here.all.model(for: "a")
    pair.exchange()
    there.all["a"] = nil
    pair.exchange()
    let incidents = Incidents()
    text.append(", late")
    #expect(incidents.contains { if case .writeToRemoved(_, property: "Keepsakes.text") = $0 { true } else { false } })
    #expect(here.all["a"] == nil && again.text.string == text.string)
    // One that is made again has nothing of it.
    let second = here.all.model(for: "a")
    #expect(second.text.string == "")
    second.text.append("second")
    pair.exchange()
    #expect(there.all["a"]?.text.string == "second")
    #expect(text.string != "second", "What was removed keeps what it showed.")
  }

  @Test func `gives the object back to the collections whose removal was taken back`() throws {
    let (here, there) = try pair.models(KeepsakeShelf.self)
    let kept = here.all.model(for: "a")
    kept.text.append("kept")
    kept.songs.append("x")
    kept.sizes["m"] = 1
    struct Back: Error {}
    #expect(throws: Back.self) {
      try withTransaction {
        here.all["a"] = nil
        let other = here.all.model(for: "a")
        other.text.append("another, and longer")
        other.songs.append("y")
        other.sizes["n"] = 2
        throw Back()
      }
    }
    #expect(here.all["a"] === kept && kept.text.string == "kept")
    pair.exchange()
    there.all["a"]?.text.insert("well ", at: 0)
    there.all["a"]?.sizes["o"] = 3
    pair.exchange()
    kept.text.append("!")
    kept.songs.append("z")
    #expect(kept.text.string == "well kept!" && kept.songs.map { $0 } == ["x", "z"] && kept.sizes.keys == ["m", "o"])
    pair.exchange()
    #expect(there.all["a"]?.text.string == "well kept!" && there.all["a"]?.songs.count == 2)
  }

  @Test func `gives a nested model back whose replacement was taken back, and what is in it`() throws {
    let (here, there) = try pair.models(KeepsakeCase.self)
    let chest = here.chest
    let (box, inner) = (chest.all.model(for: "a"), chest.all.model(for: "a").inner)
    inner.text.append("kept")
    box.text.append("b")
    let text = Watch { here.chest.all["a"].map { "\($0.text), \($0.inner.text)" } ?? "" }
    struct Back: Error {}
    #expect(throws: Back.self) {
      try withTransaction {
        let other = KeepsakeChest()
        other.all.model(for: "a").inner.text.append("another, and longer")
        here.chest = other
        #expect(here.chest.all.model(for: "a").inner.text.string == "another, and longer")
        throw Back()
      }
    }
    #expect(here.chest === chest && here.chest.all["a"] === box && here.chest.all["a"]?.inner === inner)
    #expect(text.seen.last == "b, kept")
    pair.exchange()
    there.chest.all.model(for: "a").inner.text.insert("well ", at: 0)
    there.chest.all.model(for: "a").inner.name = "heard"
    pair.exchange()
    inner.text.append("!")
    box.text.append("c")
    #expect(inner.text.string == "well kept!" && inner.name == "heard" && box.text.string == "bc")
    pair.exchange()
    #expect(there.chest.all["a"]?.inner.text.string == "well kept!" && there.chest.all["a"]?.text.string == "bc")
  }

  @Test func `takes what a list shows after its removal was taken back for no default`() throws {
    let (here, there) = try pair.models(KeepsakeCase.self)
    let box = here.chest.all.model(for: "a")
    let inner = box.inner
    inner.songs.append("x")
    inner.text.append("y")
    struct Back: Error {}
    try? withTransaction {
      box.inner = Keepsakes()
      throw Back()
    }
    pair.exchange()
    there.chest.all["a"]?.inner.songs.removeAll()
    there.chest.all["a"]?.inner.text.remove(0..<1)
    pair.exchange()
    #expect(inner.songs.isEmpty && inner.text.isEmpty && box.inner === inner)
  }

  @Test func `lets an entry that stands by what is in it go with the last of that, also for the writer`() throws {
    let (here, there) = try pair.models(KeepsakeShelf.self)
    let names = Watch { here.all.keys }
    let kept = ["list", "text", "set"].map { here.all.model(for: $0) }
    pair.exchange()
    kept[0].songs.append("x")
    kept[1].text.append("x")
    kept[2].tags.insert("x")
    for name in there.all.keys { there.all[name] = nil }
    pair.exchange()
    #expect(here.all.keys == ["list", "set", "text"] && there.all.keys == here.all.keys)
    kept[0].songs.remove(at: 0)
    #expect(here.all.keys == ["set", "text"] && names.seen.last == here.all.keys)
    kept[1].text.remove(0..<1)
    kept[2].tags.remove("x")
    #expect(here.all.isEmpty && names.seen.last == [])
    pair.exchange()
    #expect(there.all.isEmpty)
  }

  @Test func `lets what is derived from a removed object go with it`() throws {
    let (here, there) = try pair.models(KeepsakeChest.self)
    let inner = here.all.model(for: "a").inner
    inner.text.append("held with its model")
    inner.songs.append("x")
    inner.name = "one"
    here.all["a"] = nil
    let incidents = Incidents()
    inner.text.append("!")
    inner.songs.append("y")
    inner.name = "two"
    #expect(inner.text.string == "held with its model" && inner.songs.count == 1 && inner.name == "one")
    #expect(incidents.contains { if case .writeToRemoved(_, property: "Keepsakes.text") = $0 { true } else { false } })
    #expect(here.all["a"] == nil)
    pair.exchange()
    #expect(there.all["a"] == nil)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `knows what stands for an object, whatever of it is held`(seed: UInt64) throws {
    struct Back: Error {}
    let (here, there) = try pair.models(KeepsakeChest.self)
    var dice = Dice(seed: seed)
    var (models, texts): ([AnyObject], [(path: Path, text: ReplicatedText)]) = ([], [])
    for step in 0..<400 {
      let path = Path(name: "\(dice.roll(3))", isInner: dice.oneIn(2))
      switch dice.roll(12) {
      case 0: models.append(path.isInner ? here.all.model(for: path.name).inner : here.all.model(for: path.name))
      case 1: if !models.isEmpty { models.remove(at: dice.roll(models.count)) }
      case 2, 3: texts.append((path, path.text(in: here)))
      case 4: if !texts.isEmpty { texts.remove(at: dice.roll(texts.count)) }
      case 5: path.text(in: here).append("\(step)")
      case 6: path.text(in: there).insert("\(step)", at: 0)
      case 7: if dice.oneIn(4) { here.all[path.name] = nil }
      case 8: if dice.oneIn(4) { there.all[path.name] = nil }
      case 9:
        try? withTransaction {
          if dice.oneIn(2) { here.all[path.name] = nil }
          path.text(in: here).append("\(step)")
          texts.append((path, path.text(in: here)))
          throw Back()
        }
      default: pair.exchange()
      }
      guard let (path, text) = texts.isEmpty ? nil : texts[dice.roll(texts.count)] else { continue }
      let before = text.string
      text.insert("+", at: dice.roll(before.count + 1))
      // It is the object's, or its object is no more.
      let shown = path.presentText(in: here)?.string
      #expect(text.string == shown || text.string == before, "seed \(seed), step \(step)")
      pair.exchange()
      for path in Path.all {
        let (near, far) = (path.presentText(in: here)?.string, path.presentText(in: there)?.string)
        #expect(near == far, "seed \(seed), step \(step)")
      }
    }
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

/// Where a text stands in a chest: in a box, or in what is in it.
private struct Path {
  var name: String
  var isInner: Bool

  static let all = (0..<3).flatMap { name in [false, true].map { Path(name: "\(name)", isInner: $0) } }

  func text(in chest: KeepsakeChest) -> ReplicatedText {
    let box = chest.all.model(for: name)
    return isInner ? box.inner.text : box.text
  }

  func presentText(in chest: KeepsakeChest) -> ReplicatedText? {
    chest.all[name].map { isInner ? $0.inner.text : $0.text }
  }
}

@Replicated final class Keepsakes: Sendable {
  var text = ReplicatedText()
  var songs: ReplicatedArray<String> = []
  var tags: ReplicatedSet<String> = []
  var sizes: ReplicatedDictionary<String, Int> = [:]
  var name = ""
}

@Replicated final class KeepsakeBox: Sendable {
  var text = ReplicatedText()
  var inner = Keepsakes()
}

@Replicated final class KeepsakeChest: Sendable {
  var all: ReplicatedDictionary<String, KeepsakeBox> = [:]
}

@Replicated final class KeepsakeShelf: Sendable {
  var all: ReplicatedDictionary<String, Keepsakes> = [:]
}

@Replicated final class KeepsakeCase: Sendable {
  var chest = KeepsakeChest()
}
