import Dispatch
import StarlingBinding
import StarlingEngine
import StarlingGraph
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

/// A list on no isolation, which threads read and write while merges become visible in between.
@Suite struct `A list that several threads use` {
  private let pair = Pair()

  @Test(arguments: [1, 2] as [UInt64]) func `is read and written whole`(seed: UInt64) throws {
    let (here, there) = try pair.models(Album.self)
    let reader = Watch { here.songs.map { $0 }.count + (here.songs.first == here.songs.last ? 1 : 0) }
    DispatchQueue.concurrentPerform(iterations: 4) { number in
      var dice = Dice(seed: seed &* 1_000 &+ UInt64(number))
      for step in 0..<400 { use(number == 0 ? there.songs : here.songs, "\(number).\(step)", &dice) }
    }
    pair.exchangeExclusively()
    #expect(Array(here.songs) == Array(there.songs), "seed \(seed)")
    #expect(reader.runs > 0)
  }

  /// By nothing that its caller has seen of the list.
  private func use(_ songs: ReplicatedArray<String>, _ new: String, _ dice: inout Dice) {
    switch dice.roll(9) {
    case 0, 1: songs.append(new)
    case 2: songs.append(contentsOf: [new, new + "'"])
    case 3: songs.removeAll { _ in dice.oneIn(3) }
    case 4: if dice.oneIn(8) { songs.removeAll() }
    case 5: songs.sort()
    case 6: songs.reverse()
    case 7: _ = (Array(songs), songs.map { $0 }, songs.first, songs.last, songs.sorted(), songs.firstIndex(of: "0.0"))
    default: pair.exchangeExclusively()
    }
  }

  @Test func `may lose elements while somebody goes over it`() throws {
    let (here, _) = try pair.models(Album.self)
    here.songs.append(contentsOf: ["a", "b", "c", "d"])
    let shorten = { here.songs.remove(at: here.songs.count - 1) }
    #expect(here.songs.map { [$0, shorten()] } == [["a", "d"], ["b", "c"]])
    here.songs.append(contentsOf: ["c", "d"])
    #expect(here.songs.firstIndex { _ in shorten() == "never" } == nil)
    here.songs.append(contentsOf: ["a", "b"])
    here.songs.append(
      contentsOf: AnySequence {
        here.songs.removeAll()
        return ["x", "y"].makeIterator()
      })
    #expect(Array(here.songs) == ["x", "y"])
  }

  @Test func `takes a removal of what its caller saw, not of what stands there by then`() throws {
    let (here, there) = try pair.models(Album.self)
    here.songs.append(contentsOf: ["a", "b", "c", "d"])
    pair.exchange()
    // While the elements are looked at, a merge becomes visible.
    here.songs.removeAll { song in
      if song == "a" {
        there.songs.remove(at: 0)
        there.songs.insert("new", at: 2)
        pair.exchange()
      }
      return song == "a" || song == "c"
    }
    #expect(Array(here.songs) == ["b", "new", "d"])
    here.songs.sort { left, right in
      if !there.songs.contains("late") {
        there.songs.append("late")
        pair.exchange()
      }
      return left > right
    }
    #expect(Array(here.songs) == ["new", "d", "b", "late"])
  }
}
