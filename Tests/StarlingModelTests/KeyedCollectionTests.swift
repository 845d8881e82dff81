import Observation
import StarlingCore
import StarlingEngine
import StarlingGuard
import StarlingModel
import StarlingModelTestSupport
import Testing

@Suite struct `A replicated dictionary` {
  let pair = Pair()

  @Test func `tells readers of a key, of the count, of the keys and of the values apart`() throws {
    let (here, there) = try pair.models(Book.self)
    here.loans["ada"] = 1
    pair.exchange()
    for model in [here, there] {
      let ada = Watch { model.loans["ada"] }
      let bob = Watch { model.loans["bob", default: 0] }
      let eve = Watch { model.loans.contains("eve") }
      let count = Watch { model.loans.count }
      let keys = Watch { model.loans.keys }
      let values = Watch { model.loans.values }
      let pairs = Watch { model.loans.map(\.value) }
      let all = { [ada.runs, bob.runs, eve.runs, count.runs, keys.runs, values.runs, pairs.runs] }
      // Another value under a key that is there.
      here.loans["ada", default: 0] += 1
      pair.exchange()
      #expect(all() == [2, 1, 1, 1, 1, 2, 2])
      // A key comes, and goes.
      here.loans["bob"] = 5
      pair.exchange()
      #expect(all() == [2, 2, 1, 2, 2, 3, 3])
      here.loans["bob"] = nil
      pair.exchange()
      #expect(all() == [2, 3, 1, 3, 3, 4, 4])
      #expect(bob.seen == [0, 5, 0])
    }
  }

  @Test func `merges key by key`() throws {
    let (here, there) = try pair.models(Book.self)
    here.loans = ["a": 1, "b": 2, "c": 3]
    pair.exchange()
    here.loans["a"] = 10
    here.loans["b"] = nil
    there.loans["c"] = 30
    there.loans["d"] = 40
    pair.exchange()
    for model in [here, there] {
      #expect(Dictionary(uniqueKeysWithValues: Array(model.loans)) == ["a": 10, "c": 30, "d": 40])
    }
    // An update wins over a removal that did not see it.
    here.loans["a"] = nil
    there.loans["a"] = 11
    pair.exchange()
    #expect(here.loans["a"] == 11)
    #expect(there.loans["a"] == 11)
  }

  @Test func `that is written while somebody goes over it shows each key with its own element`() throws {
    let (here, there) = try pair.models(Book.self)
    here.loans = ["a": 1, "b": 2, "c": 3, "d": 4]
    var seen: [String] = []
    for (key, value) in here.loans {
      seen.append("\(key)\(value)")
      guard key == "a" else { continue }
      here.loans["b"] = nil
      here.loans["c"] = 30
      here.loans["e"] = 5
    }
    #expect(seen == ["a1", "c30", "d4"])
    #expect(here.loans.keys == ["a", "c", "d", "e"])
    withExtendedLifetime(there) {}
  }

  @Test func `is written like a dictionary, each call one change`() throws {
    let (here, there) = try pair.models(Book.self)
    let loans = here.loans
    #expect(loans.updateValue(1, forKey: "a") == nil)
    #expect(loans.updateValue(2, forKey: "a") == 1)
    #expect(loans.removeValue(forKey: "a") == 2)
    #expect(loans.removeValue(forKey: "a") == nil)
    #expect(pair.here.handle.takeOutbox().count == 3)
    loans.merge([(key: "x", value: 1), (key: "y", value: 2), (key: "x", value: 3)], uniquingKeysWith: +)
    #expect(pair.here.handle.takeOutbox().count == 1)
    loans.merge(["y": 5, "z": 6].map { ($0.key, $0.value) }) { $1 - $0 }
    #expect(loans.keys == ["x", "y", "z"])
    #expect(loans.values == [4, 3, 6])
    loans.removeAll { $0.value < 5 }
    #expect(loans.keys == ["z"])
    #expect(pair.here.handle.takeOutbox().count == 2)
    loans.removeAll()
    #expect(loans.isEmpty)
    #expect(pair.here.handle.takeOutbox().count == 1)
    loans.removeAll()
    loans.merge([], uniquingKeysWith: +)
    loans["nothing"] = nil
    #expect(pair.here.handle.takeOutbox().isEmpty)
    withExtendedLifetime(there) {}
  }

  @Test func `assigned to another property is copied, in a document and before`() throws {
    let (first, second) = (Book(), Book())
    let count = Watch { second.loans.count }
    first.loans["a"] = 1
    second.loans = first.loans
    second.loans["b"] = 2
    #expect(first.loans.keys == ["a"])
    #expect(count.seen == [0, 1, 2])
  }

  @Test func `keeps an instance for observers, and for nobody else`() throws {
    let (here, there) = try pair.models(Library.self)
    here.authors.model(for: "ada").name = "Ada"
    pair.exchange()
    weak let read = there.authors["ada"]
    #expect(read == nil)
    weak let assigned = here.authors["ada"]
    #expect(assigned == nil)
    do {
      let held = there.authors["ada"]
      #expect(held === there.authors["ada"])
    }
    let name = Watch { there.authors["ada"]?.name }
    weak let observed = there.authors["ada"]
    #expect(observed != nil)
    here.authors["ada"]?.name = "Ada L."
    pair.exchange()
    #expect(name.seen == ["Ada", "Ada L."])
    #expect(observed != nil)
  }

  @Test func `tells Observation of a model that nobody holds`() throws {
    let (here, there) = try pair.models(Library.self)
    here.authors.model(for: "ada").name = "Ada"
    pair.exchange()
    let heard = Guarded(0)
    for round in 1...2 {
      withObservationTracking {
        _ = there.authors["ada"]?.name
      } onChange: {
        heard.withLock { $0 += 1 }
      }
      here.authors["ada"]?.name = "Ada \(round)"
      pair.exchange()
      #expect(heard.withLock { $0 } == round)
    }
  }
}

@Suite struct `A replicated set of values` {
  let pair = Pair()

  @Test func `tells readers of a member, of the count and of all members apart`() throws {
    let (here, there) = try pair.models(Book.self)
    here.keywords = ["a"]
    pair.exchange()
    for model in [here, there] {
      let a = Watch { model.keywords.contains("a") }
      let b = Watch { model.keywords.contains("b") }
      let count = Watch { model.keywords.count }
      let all = Watch { Array(model.keywords) }
      let superset = Watch { model.keywords.isSuperset(of: ["a"]) }
      let disjoint = Watch { model.keywords.isDisjoint(with: ["b"]) }
      let subset = Watch { model.keywords.isSubset(of: ["a"]) }
      here.keywords.insert("b")
      pair.exchange()
      #expect([a, b, superset, disjoint, subset].map(\.runs) == [1, 2, 1, 2, 2])
      #expect((count.runs, all.runs) == (2, 2))
      #expect(all.seen.last == ["a", "b"])
      here.keywords.insert("b")
      pair.exchange()
      #expect(all.runs == 2)
      here.keywords.remove("b")
      pair.exchange()
      #expect([a, b, superset, disjoint, subset].map(\.seen.last) == [true, false, true, true, true])
    }
  }

  @Test func `keeps a member that one adds while another removes it`() throws {
    let (here, there) = try pair.models(Book.self)
    here.keywords = ["a", "b"]
    pair.exchange()
    here.keywords.remove("a")
    there.keywords.remove("a")
    there.keywords.insert("a")
    there.keywords.remove("b")
    pair.exchange()
    #expect(Set(here.keywords) == ["a"])
    #expect(Set(there.keywords) == ["a"])
  }

  @Test func `has the algebra of sets, each call one change`() throws {
    let (here, there) = try pair.models(Book.self)
    let words = here.keywords
    #expect(words.insert("a").inserted)
    #expect(!words.insert("a").inserted)
    #expect(words.remove("b") == nil)
    #expect(words.remove("a") == "a")
    #expect(pair.here.handle.takeOutbox().count == 2)
    words.formUnion(["a", "b", "c"])
    words.formIntersection(["b", "c", "d"])
    words.formSymmetricDifference(["c", "d"])
    words.subtract(["b"])
    #expect(Array(words) == ["d"])
    words.removeAll { $0 == "d" }
    #expect(words.isEmpty)
    #expect(pair.here.handle.takeOutbox().count == 5)
    words.formUnion(["a", "b"])
    #expect(words.union(["c"]) == ["a", "b", "c"])
    #expect(words.intersection(["b", "c"]) == ["b"])
    #expect(words.subtracting(["b"]) == ["a"])
    #expect(words.symmetricDifference(["b", "c"]) == ["a", "c"])
    #expect(words.isSubset(of: ["a", "b", "c"]))
    #expect(words.isSuperset(of: ["a"]))
    #expect(words.isDisjoint(with: ["c"]))
    withExtendedLifetime(there) {}
  }
}
