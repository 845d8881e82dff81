import StarlingModelTestSupport
import StarlingTestSupport
import StarlingBinding
import StarlingCore
import StarlingEngine
import StarlingGraph
import StarlingGuard
import StarlingModel
import Testing

@Suite struct `A replicated array` {
  let pair = Pair()

  private func operations() -> Int {
    let changes = pair.here.handle.takeOutbox()
    pair.there.handle.merge(changes)
    return changes.reduce(0) { $0 + $1.operations.count }
  }

  @Test func `is written like an array, each call one change`() throws {
    let (here, there) = try pair.models(Album.self)
    let songs = here.songs
    songs.append(contentsOf: ["a", "b", "c", "d"])
    songs.insert("x", at: 1)
    songs[0] = "A"
    #expect(songs.remove(at: 4) == "d")
    songs.move(from: 3, to: 0)
    songs.swapAt(1, 3)
    #expect(Array(songs) == ["c", "b", "x", "A"])
    #expect(pair.here.handle.takeOutbox().count == 6)
    songs.move(fromOffsets: [0, 2], toOffset: 4)
    #expect(Array(songs) == ["b", "A", "c", "x"])
    songs.replaceSubrange(1..<3, with: ["y"])
    songs.removeAll { $0 == "x" }
    songs.sort { $1 < $0 }
    #expect(Array(songs) == ["y", "b"])
    #expect(songs.first == "y" && songs.last == "b" && songs.firstIndex(of: "b") == 1)
    #expect(pair.here.handle.takeOutbox().count == 4)
    here.songs = ["y", "b"]
    songs[1] = "b"
    songs.move(from: 1, to: 1)
    songs.removeSubrange(1..<1)
    #expect(operations() == 0)
    songs.removeAll()
    #expect(songs.isEmpty)
    withExtendedLifetime(there) {}
  }

  @Test func `merges what two replicas insert, move, change and remove`() throws {
    let (here, there) = try pair.models(Album.self)
    here.songs.append(contentsOf: ["a", "b", "c", "d"])
    pair.exchange()
    here.songs.move(from: 0, to: 3)
    here.songs.insert("x", at: 1)
    there.songs[0] = "A"
    there.songs.remove(at: 2)
    there.songs.append("z")
    pair.exchange()
    #expect(Array(here.songs) == Array(there.songs))
    #expect(Set(here.songs) == ["A", "b", "x", "d", "z"])
    here.songs.move(from: 0, to: 4)
    there.songs.move(from: 0, to: 2)
    pair.exchange()
    #expect(Array(here.songs) == Array(there.songs))
    #expect(here.songs.count == 5)
  }

  @Test func `tells readers of an index, the count, the order and an element apart`() throws {
    let (here, there) = try pair.models(Album.self)
    here.songs.append(contentsOf: ["a", "b", "c"])
    pair.exchange()
    for album in [here, there] {
      let songs = album.songs
      let (first, last) = (Watch { songs[0] }, Watch { songs[2] })
      let id = songs.id(at: 2)
      let element = Watch { songs[id] }
      let count = Watch { songs.count }
      let ids = Watch { songs.ids.count }
      let all = Watch { Array(songs.makeIteratorForTests()) }
      let runs = { [first.runs, last.runs, element.runs, count.runs, ids.runs, all.runs] }
      here.songs[2] = "C"
      pair.exchange()
      #expect(runs() == [1, 2, 2, 1, 1, 2])
      here.songs.insert("x", at: 1)
      pair.exchange()
      #expect(runs() == [1, 3, 2, 2, 2, 3])
      here.songs.move(from: 3, to: 2)
      pair.exchange()
      #expect(runs() == [1, 4, 2, 2, 3, 4])
      here.songs.remove(at: 0)
      pair.exchange()
      #expect(runs() == [2, 5, 2, 3, 4, 5])
      #expect(songs.index(of: id) == 1)
      withTransaction {
        here.songs.removeAll()
        here.songs.append(contentsOf: ["a", "b", "c"])
      }
      pair.exchange()
      #expect(element.seen.last == .some(nil))
      #expect(last.seen.last == "c")
    }
  }

  @Test func `wakes one reader of a thousand for one element`() throws {
    let (here, there) = try pair.models(Album.self)
    here.songs.append(contentsOf: (0..<1000).map { "\($0)" })
    pair.exchange()
    let ids = there.songs.ids
    let rows = ids.map { id in Watch { there.songs[id] } }
    let places = (0..<1000).map { place in Watch { there.songs[place] } }
    let runs = { (rows.reduce(0) { $0 + $1.runs }, places.reduce(0) { $0 + $1.runs }) }
    here.songs[500] = "changed"
    pair.exchange()
    #expect(runs() == (1001, 1001))
    here.songs.insert("first", at: 0)
    pair.exchange()
    #expect(runs() == (1001, 2001))
  }

  @Test func `keeps one instance an identity across moves, and plants what it is given`() throws {
    let (here, there) = try pair.models(Album.self)
    here.add("one", "two", "three")
    pair.exchange()
    let (near, far) = (here.tracks[0], there.tracks[0])
    #expect(far.title == "one")
    let title = Watch { there.tracks.last?.title }
    here.tracks.move(from: 0, to: 2)
    near.title = "eins"
    pair.exchange()
    #expect(here.tracks[2] === near)
    #expect(there.tracks[2] === far)
    #expect(title.seen == ["three", "eins"])
    let incidents = Incidents()
    // What stands in the list already moves in it.
    here.tracks.insert(near, at: 0)
    here.tracks.append(near)
    #expect(here.tracks.count == 3 && here.tracks[2] === near)
    here.tracks.remove(at: 2)
    pair.exchange()
    far.title = "lost"
    #expect(far.title == "eins")
    #expect(incidents.contains { if case .writeToRemoved = $0 { true } else { false } })
  }

  @Test func `binds to elements, not places`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Album.self)
    here.songs.append(contentsOf: ["a", "b", "c"])
    here.add("one", "two")
    pair.exchange()
    let song = Bindable(here).songs[1]
    #expect(song == Bindable(here).songs[1])
    let title = Bindable(here).tracks[1].title
    there.songs.insert("x", at: 0)
    there.songs.move(from: 2, to: 3)
    there.tracks.swapAt(0, 1)
    pair.exchange()
    song.wrappedValue = "B"
    title.wrappedValue = "zwei"
    #expect(Array(here.songs) == ["x", "a", "c", "B"])
    #expect(here.tracks.map(\.title) == ["zwei", "one"])
    there.songs.removeAll { ["x", "c"].contains($0) }
    pair.exchange()
    #expect(Array(here.songs) == ["a", "B"])
    here.songs.remove(at: 1)
    song.wrappedValue = "nothing"
    #expect(song.wrappedValue == "B")
    #expect(Array(here.songs) == ["a"])
    #expect(incidents.contains { $0 == .bindingToNothing })
  }

  @Test func `puts a model in the place of another, which is gone`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Album.self)
    here.add("one", "two")
    pair.exchange()
    let far = there.tracks[0]
    let id = here.tracks.id(at: 0)
    let title = Watch { there.tracks[0].title }
    let new = Chapter()
    new.title = "uno"
    here.tracks[0] = new
    pair.exchange()
    #expect(here.tracks[id] === new)
    #expect(title.seen == ["one", "uno"])
    new.title = "ein"
    far.title = "lost"
    pair.exchange()
    #expect(there.tracks.map(\.title) == ["ein", "two"])
    #expect(title.seen == ["one", "uno", "ein"])
    #expect(incidents.contains { if case .writeToRemoved = $0 { true } else { false } })
  }

  @Test func `is planted with what it holds, and so is a text`() throws {
    let (here, there) = try pair.models(Box.self)
    let (album, note) = (Album(), Note())
    album.add("one")
    album.songs.append(contentsOf: ["a", "b"])
    let id = album.songs.id(at: 1)
    note.body.append("text")
    note.body.mark(0..<2, "bold", true)
    here.album = album
    here.note = note
    album.songs[id] = "B"
    album.tracks[0].title = "eins"
    note.body.append("!")
    pair.exchange()
    let (far, farNote) = (try #require(there.album), try #require(there.note))
    #expect(Array(far.songs) == ["a", "B"])
    #expect(far.tracks.map(\.title) == ["eins"])
    #expect(Array(far.standard) == [1, 2])
    #expect(farNote.body.runs.map(\.text) == ["te", "xt!"])
    #expect(farNote.greeting.string == "Hello")
    here.album = nil
    pair.exchange()
    let incidents = Incidents()
    far.songs.append("lost")
    #expect(Array(far.songs) == ["a", "B"])
    #expect(incidents.contains { if case .writeToRemoved = $0 { true } else { false } })
  }

  @Test func `sorts many elements by as few moves as can be`() throws {
    let (here, there) = try pair.models(Album.self)
    here.standard.replaceSubrange(0..<2, with: (0..<2000).map { ($0 * 7919) % 2000 })
    pair.exchange()
    here.standard.sort()
    here.standard.move(from: 0, to: 1999)
    _ = operations()
    here.standard.sort()
    #expect(operations() == 1)
    #expect(Array(there.standard) == Array(0..<2000))
  }

  @Test func `shows the conflicts of one element`() throws {
    let (here, there) = try pair.models(Album.self)
    here.songs.append(contentsOf: ["a", "b"])
    pair.exchange()
    here.songs[0] = "here"
    there.songs[0] = "there"
    pair.exchange()
    #expect(here.songs.conflicts(at: 0).map(\.value) == [here.songs[0], here.songs[0] == "here" ? "there" : "here"])
    #expect(here.songs.conflicts(at: 1).isEmpty)
  }

  @Test func `shows its default until somebody writes it, which sends the whole`() throws {
    let (here, there) = try pair.models(Album.self)
    here.songs.append("x")
    #expect(operations() == 1)
    #expect(Array(here.standard) == [1, 2])
    here.standard.insert(0, at: 0)
    pair.exchange()
    #expect(Array(there.standard) == [0, 1, 2])
    there.standard[1] = 5
    pair.exchange()
    #expect(Array(here.standard) == [0, 5, 2])
  }

  @MainActor @Test func `is written upon what its actor has not been shown yet`() async throws {
    let here = try pair.here.space.model(Album.self, named: "front-desk")
    let there = try pair.there.space.model(Album.self, named: "front-desk", isolation: nil)
    here.songs.append(contentsOf: ["a", "b", "c", "d", "e"])
    pair.exchange()
    there.songs.remove(at: 1)
    there.songs.move(from: 3, to: 0)
    there.songs.insert("x", at: 2)
    pair.exchange()
    #expect(Array(there.songs) == ["e", "a", "x", "c", "d"])
    // No suspension since: the merge is not visible here.
    #expect(Array(here.songs) == ["a", "b", "c", "d", "e"])
    let incidents = Incidents()
    here.songs[1] = "B"
    #expect(incidents.contains { $0 == .bindingToNothing })
    here.songs[2] = "C"
    here.songs.remove(at: 4)
    here.songs.move(from: 3, to: 0)
    here.songs.append("f")
    #expect(Array(here.songs) == ["d", "a", "b", "C", "f"])
    #expect(await Turns.pass { !here.songs.contains("b") })
    pair.exchange()
    #expect(Array(here.songs) == Array(there.songs))
    #expect(Array(here.songs) == ["d", "a", "x", "C", "f"])
  }

  @Test func `keeps what it cannot read out of sight and in its place`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Album.self)
    here.songs.append(contentsOf: ["a", "b", "c"])
    pair.exchange()
    let list = ObjectID.derived(
      parent: .derived(parent: .root, key: "front-desk", kind: .map), key: "songs", kind: .list)
    func put(_ value: Value) {
      pair.there.handle.write { document, patch in
        document.set(value, for: .element(document.element(at: 1, in: list)!), in: list, patch: &patch)
      }
      pair.exchange()
    }
    let count = Watch { here.songs.count }
    put(.integer(7))
    #expect(Array(here.songs) == ["a", "c"])
    #expect(incidents.contains { if case .unreadable = $0 { true } else { false } })
    here.songs.insert("x", at: 1)
    here.songs.move(from: 2, to: 0)
    put(.string("b"))
    #expect(Array(here.songs).sorted() == ["a", "b", "c", "x"])
    #expect(count.seen == [3, 2, 3, 4])
    withExtendedLifetime(there) {}
  }

  @Test func `too large for any peer is refused whole`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Album.self)
    here.songs.append("a")
    here.songs.append(contentsOf: ["b", String(repeating: "x", count: ChangeLimits.byteCountMax)])
    #expect(Array(here.songs) == ["a"])
    #expect(incidents.contains { if case .oversized = $0 { true } else { false } })
    here.songs.append("c")
    pair.exchange()
    #expect(Array(there.songs) == ["a", "c"])
  }

  /// Two replicas edit at random, deliver at random, and always show the same in the end.
  @Test(arguments: 0..<20) func `shows the same everywhere whatever happens`(seed: UInt64) throws {
    var random = Dice(seed: seed)
    let (here, there) = try pair.models(Album.self)
    for step in 0..<60 {
      for songs in [here.songs, there.songs] {
        let before = Array(songs)
        var plain = before
        switch Int.random(in: 0..<5, using: &random) {
        case 0, 1:
          let place = Int.random(in: 0...plain.count, using: &random)
          songs.insert("\(step)", at: place)
          plain.insert("\(step)", at: place)
        case 2 where !plain.isEmpty:
          let place = Int.random(in: 0..<plain.count, using: &random)
          songs.remove(at: place)
          plain.remove(at: place)
        case 3 where !plain.isEmpty:
          let (from, to) = (
            Int.random(in: 0..<plain.count, using: &random), Int.random(in: 0..<plain.count, using: &random)
          )
          songs.move(from: from, to: to)
          plain.insert(plain.remove(at: from), at: to)
        case 4:
          plain.shuffle(using: &random)
          if songs === here.songs { here.songs = ReplicatedArray(plain) } else { there.songs = ReplicatedArray(plain) }
        default: break
        }
        #expect(Array(songs) == plain, "seed \(seed), step \(step), from \(before)")
      }
      if Bool.random(using: &random) {
        pair.exchange()
        #expect(Array(here.songs) == Array(there.songs), "seed \(seed), step \(step)")
      }
    }
  }
}

extension ReplicatedArray {
  /// The elements by the array's own iterator; `Array(_:)` would ask a collection for its count too.
  fileprivate func makeIteratorForTests() -> some Sequence<Element> {
    IteratorSequence(makeIterator())
  }
}
