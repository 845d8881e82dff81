import Foundation
import StarlingEngine
import StarlingModel
import StarlingModelTestSupport
import Synchronization
import Testing

@Suite struct `A property` {
  let pair = Pair()

  @Test func `reaches the other replica, whatever its type`() throws {
    let (here, there) = try pair.models(Book.self)
    here.title = "Dune"
    here.isAvailable = false
    here.copies += 3
    here.tags = ["classic", "sand"]
    here.prices["paper"] = 12
    here.subtitle = "A novel"
    here.shelf = .back
    here.otherShelf = .back
    here.size = Size(width: 3, height: 4)
    here.pages = .max
    here.weight = 0.25
    here.cover = Data([1, 2, 3])
    here.printed = Date(timeIntervalSinceReferenceDate: 42)
    let number = UUID()
    here.number = number
    here.page = URL(string: "https://example.org/dune")
    here.keywords.insert("spice")
    here.loans["ada"] = 2
    pair.exchange()
    #expect(there.title == "Dune")
    #expect(!there.isAvailable)
    #expect(there.copies == 3)
    #expect(there.tags == ["classic", "sand"])
    #expect(there.prices == ["paper": 12])
    #expect(there.subtitle == "A novel")
    #expect(there.shelf == .back)
    #expect(there.otherShelf == .back)
    #expect(there.size == Size(width: 3, height: 4))
    #expect(there.pages == .max)
    #expect(there.weight == 0.25)
    #expect(there.cover == Data([1, 2, 3]))
    #expect(there.printed == Date(timeIntervalSinceReferenceDate: 42))
    #expect(there.number == number)
    #expect(there.page == URL(string: "https://example.org/dune"))
    #expect(Array(there.keywords) == ["spice"])
    #expect(there.loans["ada"] == 2)
    #expect(there.shouted == "DUNE")
  }

  @Test func `wakes its own readers and no others, by a write here`() throws {
    let (here, _) = try pair.models(Book.self)
    let title = Watch { here.title }
    let available = Watch { here.isAvailable }
    here.title = "Dune"
    #expect(title.seen == ["A sample book", "Dune"])
    #expect(available.runs == 1)
  }

  @Test func `wakes its own readers and no others, by a write elsewhere`() throws {
    let (here, there) = try pair.models(Book.self)
    let title = Watch { there.title }
    let available = Watch { there.isAvailable }
    here.title = "Dune"
    pair.exchange()
    #expect(title.seen == ["A sample book", "Dune"])
    #expect(available.runs == 1)
  }

  @Test func `written with an equal value sends nothing and wakes nobody`() throws {
    let (here, _) = try pair.models(Book.self)
    here.title = "Dune"
    here.tags = ["classic"]
    _ = pair.here.handle.takeOutbox()
    let watch = Watch { (here.title, here.tags, here.size, here.copies, here.shelf) }
    here.title = "Dune"
    here.tags.insert("classic")
    here.size = Size()
    here.size.width = 1
    here.copies += 0
    here.shelf = .front
    here.subtitle = nil
    here.keywords.remove("nothing")
    #expect(pair.here.handle.takeOutbox().isEmpty)
    #expect(watch.runs == 1)
  }

  /// Of a large value that takes long, and it may be the user's own code. In a document it is encoded once, too.
  @Test(arguments: [false, true]) func `is compared once with what is written over it`(isInDocument: Bool) throws {
    let model = isInDocument ? try pair.models(Nosy.self).0 : Nosy()
    let calls = Atomic(0)
    func curious(_ number: Int) -> Curious { Curious(number: number) { calls.add(1, ordering: .relaxed) } }
    model.curious = curious(1)
    calls.store(0, ordering: .relaxed)
    model.curious = curious(2)
    #expect(calls.load(ordering: .relaxed) == (isInDocument ? 2 : 1))
  }

  @Test func `takes increments from both sides`() throws {
    let (here, there) = try pair.models(Book.self)
    here.copies += 2
    there.copies += 3
    there.copies.increment()
    pair.exchange()
    #expect(here.copies == 6)
    #expect(there.copies == 6)
    here.copies = 10
    there.copies -= 1
    pair.exchange()
    #expect(here.copies == 9)
    #expect(there.copies == 9)
  }

  @Test func `merges sets and dictionaries member by member`() throws {
    let (here, there) = try pair.models(Book.self)
    here.tags = ["a", "b"]
    here.prices = ["x": 1, "y": 2]
    pair.exchange()
    here.tags.remove("a")
    here.tags.insert("c")
    here.prices["x"] = 5
    there.tags.insert("d")
    there.prices["y"] = nil
    pair.exchange()
    #expect(here.tags == ["b", "c", "d"])
    #expect(there.tags == ["b", "c", "d"])
    #expect(here.prices == ["x": 5])
    #expect(there.prices == ["x": 5])
  }

  @Test func `marked Local is observed and never sent`() throws {
    let (here, there) = try pair.models(Book.self)
    let watch = Watch { here.isExpanded }
    here.isExpanded = true
    here.isExpanded = true
    #expect(watch.seen == [false, true])
    #expect(pair.here.handle.takeOutbox().isEmpty)
    #expect(!there.isExpanded)
  }

  @Test func `shows the conflict that concurrent writes leave, until one is chosen`() throws {
    let (here, there) = try pair.models(Book.self)
    let count = Watch { here.conflicts(of: \.title).count }
    here.title = "Dune"
    there.title = "Emma"
    pair.exchange()
    #expect(here.title == there.title)
    let conflicts = here.conflicts(of: \.title)
    #expect(Set(conflicts.map(\.value)) == ["Dune", "Emma"])
    #expect(conflicts.first?.value == here.title)
    #expect(count.seen.last == 2)
    _ = pair.here.handle.takeOutbox()
    let title = here.title
    here.title = title
    #expect(here.conflicts(of: \.title).isEmpty)
    #expect(count.seen.last == 0)
    pair.exchange()
    #expect(there.conflicts(of: \.title).isEmpty)
  }

  @Test func `tells readers of its conflict that the visible value was replaced, also by an equal one`() throws {
    let (here, there) = try pair.models(Book.self)
    let watch = Watch { here.conflicts(of: \.title) }
    func writeThere(_ titles: String...) {
      for title in titles { there.title = title }
      pair.here.handle.merge(pair.there.handle.takeOutbox())
    }
    here.title = "Dune"
    writeThere("Persuasion", "Emma")
    #expect(here.conflicts(of: \.title).map(\.value) == ["Emma", "Dune"])
    writeThere("Emma II")
    #expect(watch.seen.last?.map(\.value) == ["Emma II", "Dune"])
    let former = here.conflicts(of: \.title)
    writeThere("Persuasion", "Emma II")
    #expect(here.conflicts(of: \.title) != former, "written at another time")
    #expect(watch.seen.last == here.conflicts(of: \.title))
  }
}
