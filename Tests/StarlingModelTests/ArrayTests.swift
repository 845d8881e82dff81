import StarlingBinding
import StarlingCore
import StarlingEngine
import StarlingModel
import StarlingModelTestSupport
import StarlingTestSupport
import Testing

@Suite struct `An array of values` {
  let pair = Pair()

  private func operations() -> [Action] {
    let changes = pair.here.handle.takeOutbox()
    pair.there.handle.merge(changes)
    return changes.flatMap(\.operations).map(\.action)
  }

  @Test func `is the same on both sides, whatever its elements are`() throws {
    let (here, there) = try pair.models(Novel.self)
    here.words = ["one", "two"]
    here.numbers += [1, 2, 3]
    here.moods.append(.wild)
    here.stops.append(Stop(name: "Rome", minutes: 5))
    here.rest = [0.5]
    pair.exchange()
    #expect(there.words == ["one", "two"])
    #expect(there.numbers == [1, 2, 3])
    #expect(there.moods == [.wild])
    #expect(there.stops == [Stop(name: "Rome", minutes: 5)])
    #expect(there.rest == [0.5])
    there.numbers.removeAll()
    pair.exchange()
    #expect(here.numbers == [])
  }

  @Test func `is written as what changed`() throws {
    let (here, there) = try pair.models(Novel.self)
    here.words = ["a", "b", "c", "d"]
    pair.exchange()
    here.words.append("e")
    #expect(operations().count == 1)
    here.words.insert("x", at: 2)
    let inserted = operations()
    #expect(inserted.count == 1)
    #expect(inserted.contains { if case .insert(.values([.string("x")]), side: _) = $0 { true } else { false } })
    here.words[2] = "y"
    let set = operations()
    #expect(set.count == 1)
    #expect(set.contains { if case .set(.string("y"), replacing: _, clearing: _) = $0 { true } else { false } })
    here.words.removeSubrange(1..<4)
    #expect(operations().allSatisfy { if case .removeRun = $0 { true } else { false } })
    here.words.sort { $1 < $0 }
    #expect(here.words == ["e", "d", "a"])
    let moves = operations()
    #expect(moves.count == 2)
    #expect(moves.allSatisfy { if case .move = $0 { true } else { false } })
    here.words = ["e", "d", "a"]
    here.words += []
    here.words[0] = "e"
    #expect(operations().isEmpty)
    withExtendedLifetime(there) {}
  }

  @Test func `merges insertions, moves, changes and removals`() throws {
    let (here, there) = try pair.models(Novel.self)
    here.words = ["a", "b", "c", "d", "e"]
    pair.exchange()
    here.words.insert("x", at: 1)
    here.words.swapAt(0, 5)
    there.words[1] = "B"
    there.words.remove(at: 2)
    there.words.append("z")
    pair.exchange()
    #expect(here.words == there.words)
    #expect(here.words.filter { $0 != "a" && $0 != "z" } == ["e", "x", "B", "d"])
    #expect(here.words.count == 6)
  }

  @Test func `shows its default until somebody writes it, which sends the whole`() throws {
    let (here, there) = try pair.models(Novel.self)
    here.words = ["other"]
    #expect(here.standard == ["a", "b"])
    #expect(operations().count == 1)
    here.standard = ["a", "b"]
    #expect(operations().isEmpty)
    here.standard.append("c")
    pair.exchange()
    #expect(there.standard == ["a", "b", "c"])
    there.standard[0] = "A"
    pair.exchange()
    #expect(here.standard == ["A", "b", "c"])
    here.standard = []
    pair.exchange()
    #expect(there.standard == [])
  }

  @Test func `wakes its readers once a transaction, and only if it changed`() throws {
    let (here, there) = try pair.models(Novel.self)
    let (near, far) = (Watch { here.words }, Watch { there.words })
    withTransaction {
      here.words.append("a")
      here.words.append("b")
      here.words.remove(at: 0)
    }
    pair.exchange()
    here.words = ["b"]
    there.words = ["b"]
    pair.exchange()
    #expect(near.seen == [[], ["b"]])
    #expect(far.seen == [[], ["b"]])
  }

  @Test func `keeps what it cannot read where it is`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Novel.self)
    here.numbers = [1, 2, 3]
    pair.exchange()
    let list = ObjectID.derived(
      parent: .derived(parent: .root, key: "front-desk", kind: .map), key: "numbers", kind: .list)
    pair.there.handle.write { document, patch in
      document.set(.string("two"), for: .element(document.element(at: 1, in: list)!), in: list, patch: &patch)
    }
    pair.exchange()
    #expect(here.numbers == [1, 3])
    #expect(incidents.contains { if case .unreadable = $0 { true } else { false } })
    here.numbers.insert(9, at: 1)
    here.numbers[2] = 4
    pair.exchange()
    let values = pair.there.handle.read { document in
      document.elements(in: list).map { document.visible(.element($0), in: list) }
    }
    let shown = values.map { if case .value(let value, by: _) = $0 { value } else { Value.null } }
    #expect(shown == [.integer(1), .integer(9), .string("two"), .integer(4)])
    withExtendedLifetime(there) {}
  }

  @MainActor @Test func `is written upon what its actor has not been shown yet`() async throws {
    let here = try pair.here.space.model(Novel.self, named: "front-desk")
    let there = try pair.there.space.model(Novel.self, named: "front-desk", isolation: nil)
    here.words = ["a", "b", "c"]
    pair.exchange()
    there.words.remove(at: 1)
    there.words.insert("x", at: 0)
    pair.exchange()
    // No suspension since: the merge is not visible here.
    #expect(here.words == ["a", "b", "c"])
    here.words[1] = "B"
    here.words.swapAt(0, 2)
    here.words.append("d")
    #expect(here.words == ["c", "B", "a", "d"])
    #expect(await Turns.pass { here.words == ["c", "x", "a", "d"] })
    pair.exchange()
    #expect(there.words == ["c", "x", "a", "d"])
  }

  @Test func `loses what its writer removed, also where that was moved at the same time`() throws {
    let (here, there) = try pair.models(Novel.self)
    here.numbers = [1, 2, 3, 4]
    pair.exchange()
    pair.here.space.withConsistentRead {
      there.numbers = [2, 1, 9, 3, 4]
      pair.exchange()
      #expect(here.numbers == [1, 2, 3, 4])
      here.numbers.removeSubrange(0..<2)
    }
    pair.exchange()
    #expect(here.numbers == [9, 3, 4])
    #expect(there.numbers == [9, 3, 4])
  }

  @Test func `is a field of a record`() throws {
    let (here, there) = try pair.models(Journey.self)
    here.trip.stops = ["Rome", "Pisa"]
    here.trip.stops.append("Bari")
    pair.exchange()
    let name = Watch { there.trip.name }
    there.trip.stops.remove(at: 0)
    pair.exchange()
    #expect(here.trip.stops == ["Pisa", "Bari"])
    #expect(name.runs == 1)
  }

  @Test func `too large for any peer is refused whole`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Novel.self)
    here.words = ["a"]
    here.words += ["b", String(repeating: "x", count: ChangeLimits.byteCountMax)]
    #expect(here.words == ["a"])
    #expect(incidents.contains { if case .oversized = $0 { true } else { false } })
    here.words.append("c")
    pair.exchange()
    #expect(there.words == ["a", "c"])
  }

  @Test func `is weighed by its bytes, not by one operation an element`() {
    var weight = ChangeWeight()
    weight.add(Array(repeating: .integer(1), count: ChangeLimits.operationCountMax + 1), under: .element(.origin))
    #expect(weight.operationCount == 1)
    #expect(weight.byteCount < ChangeLimits.byteCountMax && weight.excess == nil)
    weight.add(Array(repeating: .string("12345678"), count: ChangeLimits.operationCountMax), under: .element(.origin))
    #expect(weight.excess != nil)
  }

  /// Every array of up to three of three values becomes every other.
  @Test func `becomes any other array by its difference`() throws {
    let (here, there) = try pair.models(Novel.self)
    var all: [[Int]] = [[]]
    for length in 1...3 {
      all += all.filter { $0.count == length - 1 }.flatMap { start in (0..<3).map { start + [$0] } }
    }
    for from in all {
      for to in all {
        here.numbers = from
        here.numbers = to
        #expect(here.numbers == to)
        pair.exchange()
        #expect(there.numbers == to, "from \(from) to \(to)")
      }
    }
  }
}

@Suite struct `An array of models` {
  let pair = Pair()

  @Test func `keeps one instance an identity, also when elements move`() throws {
    let (here, there) = try pair.models(Novel.self)
    here.add("one", "two", "three")
    pair.exchange()
    #expect(there.titles == ["one", "two", "three"])
    let (near, far) = (here.chapters[0], there.chapters[0])
    here.chapters.swapAt(0, 2)
    pair.exchange()
    #expect(here.chapters[2] === near)
    #expect(there.chapters[2] === far)
    there.chapters.reverse()
    far.title = "first"
    pair.exchange()
    #expect(here.titles == ["first", "two", "three"])
    #expect(here.chapters[0] === near)
  }

  @Test func `depends on its structure only, and each model's fields on themselves`() throws {
    let (here, there) = try pair.models(Novel.self)
    here.chapters = (0..<1000).map { _ in Chapter() }
    pair.exchange()
    let rows = there.chapters.map { chapter in Watch { chapter.title } }
    let list = Watch { there.chapters.count }
    here.chapters[500].title = "Changed"
    pair.exchange()
    #expect(rows.reduce(0) { $0 + $1.runs } == 1001)
    #expect(rows[500].seen == ["Untitled", "Changed"])
    #expect(list.runs == 1)
    here.chapters.insert(Chapter(), at: 0)
    pair.exchange()
    #expect(rows.reduce(0) { $0 + $1.runs } == 1001)
    #expect(list.seen == [1000, 1001])
  }

  @Test func `merges what two replicas insert, move, edit and remove`() throws {
    let (here, there) = try pair.models(Novel.self)
    here.add("one", "two", "three")
    pair.exchange()
    here.chapters[1].title = "zwei"
    here.chapters.swapAt(1, 2)
    here.add("four")
    there.chapters[1].pages = 20
    there.chapters.remove(at: 0)
    there.add("vier")
    pair.exchange()
    #expect(here.titles == there.titles)
    #expect(Set(here.titles) == ["zwei", "three", "four", "vier"])
    #expect(here.chapters.first { $0.title == "zwei" }?.pages == 20)
  }

  @Test func `drops and reports writes to what was removed`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Novel.self)
    here.add("one", "two")
    pair.exchange()
    let (near, far) = (here.chapters[0], there.chapters[0])
    here.chapters.remove(at: 0)
    pair.exchange()
    near.title = "lost"
    far.title = "lost too"
    pair.exchange()
    #expect(here.titles == ["two"])
    #expect(there.titles == ["two"])
    #expect((near.title, far.title) == ("one", "one"))
    #expect(incidents.contains { if case .writeToRemoved = $0 { true } else { false } })
  }

  @Test func `takes models away from where they stand, and no one twice`() throws {
    let incidents = Incidents()
    let (here, _) = try pair.models(Novel.self)
    let other = try pair.here.space.model(Novel.self, named: "other", isolation: nil)
    here.add("one")
    let one = here.chapters[0]
    other.chapters = here.chapters
    #expect(other.chapters.map(\.title) == ["one"] && other.chapters[0] === one)
    #expect(here.chapters.isEmpty)
    let twice = Chapter()
    other.chapters = [twice, twice]
    #expect(other.chapters.count == 1)
    #expect(incidents.contains { $0 == .attachedTwice(type: "Chapter") })
    other.chapters = [twice]
    #expect(other.chapters.count == 1 && other.chapters[0] === twice)
  }

  @Test func `is planted with what it holds`() throws {
    let (here, there) = try pair.models(Shelves.self)
    let novel = Novel()
    novel.add("one", "two")
    novel.words = ["w"]
    here.first = novel
    novel.chapters[1].title = "zwei"
    novel.chapters.swapAt(0, 1)
    pair.exchange()
    #expect(there.first?.titles == ["zwei", "one"])
    #expect(there.first?.words == ["w"])
    #expect(there.first?.standard == ["a", "b"])
  }

  @Test func `binds to elements that insertions and moves do not confuse`() throws {
    let incidents = Incidents()
    let (here, there) = try pair.models(Novel.self)
    here.add("one", "two")
    pair.exchange()
    let title = Bindable(here).chapters[1].title
    there.add("before")
    there.chapters.swapAt(0, 2)
    pair.exchange()
    title.wrappedValue = "zwei"
    #expect(here.titles == ["before", "zwei", "one"])
    here.chapters.remove(at: 1)
    title.wrappedValue = "drei"
    #expect(title.wrappedValue == "zwei")
    #expect(incidents.contains { if case .writeToRemoved = $0 { true } else { false } })
  }
}

@Replicated final class Shelves: Sendable {
  var first: Novel?
}
