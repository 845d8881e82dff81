import StarlingCore
import StarlingWire
import Testing

@testable import StarlingSession

@Suite struct `The latest starts of stores` {
  private let store = StoreID(rawValue: 7)

  private func start(_ generation: UInt64, _ epoch: UInt64 = 1) -> Message.Start {
    Message.Start(generation: generation, epoch: epoch)
  }

  @Test func `show a store that was put back from a copy`() {
    var table = GenerationTable()
    let verdicts = [
      table.meet(store, named: "ada", at: start(3)), table.meet(store, named: "ada", at: start(3)),
      table.meet(store, named: "ada", at: start(5, 2)), table.meet(store, named: "ada", at: start(4, 3)),
      // Another run of the same number: the copy was taken before the later run began.
      table.meet(store, named: "ada", at: start(5, 4)), table.meet(store, named: "ada", at: start(6, 4)),
    ]
    #expect(verdicts == [.new, .known, .new, .behind(start(5, 2)), .behind(start(5, 2)), .new])
    #expect(start(4, 3).isBehind(start(5, 2)) && start(5, 4).isBehind(start(5, 2)))
    #expect(!start(5, 2).isBehind(start(5, 2)) && !start(6, 4).isBehind(start(5, 2)))
  }

  @Test func `are those of each name`() {
    var table = GenerationTable()
    _ = table.meet(store, named: "eve", at: start(1000))
    let verdict = table.meet(store, named: "ada", at: start(3))
    #expect(verdict == .new)
    var again = GenerationTable(table.entries)
    let verdicts = [
      again.meet(store, named: "ada", at: start(2, 2)), again.meet(store, named: "eve", at: start(999)),
    ]
    #expect(verdicts == [.behind(start(3)), .behind(start(1000))])
  }

  @Test func `tell whose key speaks for a store, where it is one`() {
    var table = GenerationTable()
    #expect(table.owner(of: store) == nil)
    _ = table.meet(store, named: "", at: start(1))
    #expect(table.owner(of: store) == nil)
    _ = table.meet(store, named: "ada", at: start(2))
    #expect(table.owner(of: store) == "ada")
    _ = table.meet(store, named: "eve", at: start(3))
    #expect(table.owner(of: store) == nil)
  }

  @Test func `are of so many stores, those that were met last`() {
    var table = GenerationTable()
    for store in 0..<5000 as Range<UInt64> { _ = table.meet(StoreID(rawValue: store), named: "", at: start(1)) }
    #expect(table.entries.count == GenerationTable.countMax)
    #expect(
      table.entries.last?.store == StoreID(rawValue: 4999) && table.entries.first?.store == StoreID(rawValue: 904))
  }
}
